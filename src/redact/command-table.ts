/**
 * Positions of secrets on command lines, written like the programs' usage lines.
 *
 * The first word names the programs. Words without a dash are subcommands, required in this order; `_` is any other
 * argument. PASSWORD is a secret of any form, TOKEN a generated one, COOKIES a list of cookies; in `NAME VALUE` the name
 * of the setting decides whether the value is a secret. Options with a secret are alternatives; options without one are
 * required. `^` is the start of a line or the end of a prompt. `-pPASSWORD` has no space; `-p PASSWORD` also covers `-p=PASSWORD`.
 * `<PASSWORD` is read from standard input: `echo … |` or `<<< …`.
 *
 * Options named after their secret (`--password`, `--api-key`) need no line: `assignment-rule.ts` finds them.
 */
export const commandUsages = `
mysql|mysqldump|mysqladmin|mysqlimport|mysqlcheck|mysqlshow|mysqlsh|mysqlpump|mariadb|mariadb-dump|mariadb-admin|mycli -pPASSWORD
mysqladmin password PASSWORD
mydumper|myloader|xtrabackup|mongo|mongosh|mongodump|mongorestore|mongoexport|mongoimport|mongostat|mongotop|mongofiles|cqlsh|dsbulk|cypher-shell|arangosh|clickhouse-client|snowsql|beeline|trino|influx|smbmap|crackmapexec|netexec|nxc|evil-winrm|rdesktop|certutil|certutil.exe|rabbitmqadmin|ncftpput|ncftpget|ncftp|useradd|usermod|asadmin|jboss-cli.sh|add-user.sh -p PASSWORD
docker|podman|buildah|nerdctl|skopeo|oras|crane|regctl login -p PASSWORD -pPASSWORD
skopeo|crictl --creds _:PASSWORD --src-creds _:PASSWORD --dest-creds _:PASSWORD
helm registry|repo -p PASSWORD
redis-cli|valkey-cli|keydb-cli|redis-benchmark -a PASSWORD
sqlcmd|bcp|isql|tsql|osql|zip|zipcloak|unzip -P PASSWORD -PPASSWORD
isql _ _ PASSWORD
winrs|winrs.exe -p:PASSWORD /p:PASSWORD
rman target _/PASSWORD@_
sqlplus|sqlldr|expdp|impdp|rman _/PASSWORD@_
^connect|^conn|^CONNECT|^CONN _/PASSWORD@_
expdp|impdp _/PASSWORD
nodetool|plink|pscp|psftp|putty|winscp -pw PASSWORD
vsql -w PASSWORD
ldapsearch|ldapmodify|ldapadd|ldapdelete|ldappasswd|ldapwhoami|ldapcompare|ldapmodrdn -w PASSWORD -wPASSWORD
ldappasswd -s PASSWORD -a PASSWORD
keytool|jarsigner -storepass PASSWORD -keypass PASSWORD -srcstorepass PASSWORD -deststorepass PASSWORD -srckeypass PASSWORD -destkeypass PASSWORD -new PASSWORD
openssl -passin pass:PASSWORD -passout pass:PASSWORD -pass pass:PASSWORD -password pass:PASSWORD -k PASSWORD
openssl passwd PASSWORD
mkpasswd -m|--method _ PASSWORD
mcrypt -k PASSWORD
docker|podman secret create <PASSWORD
supabase link|db -p PASSWORD
jq --arg|--argjson NAME VALUE
sshpass -p PASSWORD -pPASSWORD
smbclient|smbmap|rpcclient -U _%PASSWORD
psexec.py|wmiexec.py|secretsdump.py _:PASSWORD@_
xfreerdp|xfreerdp3|wlfreerdp /p:PASSWORD
schtasks|schtasks.exe /rp PASSWORD
net|net.exe use _ PASSWORD
net|net.exe use _ _ PASSWORD
net|net.exe use _ _ _ PASSWORD
net|net.exe|ftp> user _ PASSWORD
7z|7za|7zr|7zz|rar|unrar|arj -pPASSWORD -hpPASSWORD
qpdf --encrypt PASSWORD
pdftotext|pdfinfo|pdftoppm|pdfimages -upw PASSWORD -opw PASSWORD
pdftk input_pw|user_pw|owner_pw PASSWORD
gpg|gpg2 --passphrase PASSWORD
gpg|gpg2 --passphrase-fd <PASSWORD
ssh-keygen -N PASSWORD -P PASSWORD
signtool|signtool.exe sign /p PASSWORD
pk12util -W PASSWORD -K PASSWORD
osslsigncode -pass PASSWORD
security unlock-keychain|create-keychain|set-key-partition-list -p PASSWORD -k PASSWORD
security add-generic-password|add-internet-password -w PASSWORD
security import -P PASSWORD
xcrun altool -p PASSWORD
twine upload -p PASSWORD
az devops login <PASSWORD
az login|acr|sql|mysql|postgres|mariadb -p PASSWORD
cf|ibmcloud|oc|argocd|bosh|fly|jf|jfrog|nexus login|config -p PASSWORD
cf auth _ PASSWORD
rabbitmqctl add_user|change_password|authenticate_user _ PASSWORD
mosquitto_pub|mosquitto_sub|mosquitto_rr|mqttx -P PASSWORD
mosquitto_passwd -b _ _ PASSWORD
htpasswd -b|-bc|-cb|-bB|-Bb|-cbB|-bcB|-Bbc _ _ PASSWORD
htpasswd -nb|-bn|-nbB|-nBb|-Bbn|-bnB|-nbm _ PASSWORD
htpasswd -bnBC|-nbBC|-BbnC|-nBbC|-BnbC _ _ PASSWORD
lftp -u _,PASSWORD
mount|mount.cifs|sshfs|curlftpfs -o _pass=PASSWORD
ipmitool|racadm|ilorest|govc|redfishtool -P PASSWORD -p PASSWORD
snmpget|snmpwalk|snmpset|snmpbulkwalk|snmptrap -A PASSWORD -X PASSWORD -c PASSWORD
nmcli password|wifi-sec.psk|802-11-wireless-security.psk PASSWORD
wpa_cli set_network _ psk PASSWORD
wpa_passphrase _ PASSWORD
networksetup -setairportnetwork _ _ PASSWORD
chpasswd|newusers|base64 <_:PASSWORD
passwd|smbpasswd|pdbedit|su|kinit|vncpasswd <PASSWORD
sudo|doas -S|--stdin|-kS|-Sk|-SE|-ES|-nS <PASSWORD
kadmin|kadmin.local -w PASSWORD -pw PASSWORD
cryptsetup luksOpen|open|luksFormat|luksAddKey <PASSWORD
keepassxc-cli|gopass add|insert|open|show|ls|edit <PASSWORD
pass insert|edit|show <PASSWORD
bw login _ PASSWORD
bw unlock PASSWORD
rclone obscure PASSWORD
rclone config create|update pass|password PASSWORD
hdiutil -stdinpass <PASSWORD
x11vnc -passwd PASSWORD
swaks -ap PASSWORD
sendemail|sendEmail -xp PASSWORD
wp|pulumi|npm|pnpm|yarn|bun|pip config set NAME VALUE
drush upwd|user:password _ PASSWORD
ansible-vault encrypt_string PASSWORD
conjur variable set -v PASSWORD
chamber write _ _ PASSWORD
consul|etcdctl put NAME VALUE
etcdctl --user _:PASSWORD
db2 connect to _ user _ using PASSWORD
poetry publish -p PASSWORD
poetry config NAME TOKEN
poetry|composer config http-basic._ _ PASSWORD
bundle|bundler config _ _:PASSWORD
bundle|bundler config set _ _:PASSWORD
bundle|bundler|composer config _ TOKEN
bundle|bundler config set _ TOKEN
dotnet user-secrets set _ PASSWORD
dotnet nuget push -k TOKEN
dotnet nuget add|update -p PASSWORD
nuget|nuget.exe push _ TOKEN
choco apikey|push -k TOKEN
cargo|wandb|hf|huggingface-cli|atlas login TOKEN
gem push|signin -k TOKEN
vault login|unwrap|unseal TOKEN
cloudflared service install TOKEN
codecov|codecovcli|doctl|hcloud|linode-cli|woodpecker-cli|fly|flyctl|vercel|surge -t TOKEN
vercel env add <PASSWORD
wrangler|wrangler2 secret put --value PASSWORD <PASSWORD
gh secret set --body PASSWORD -b PASSWORD -bPASSWORD <PASSWORD
gh|glab auth login --with-token|--stdin <PASSWORD
glab variable set|update NAME VALUE
glab variable set|update --value PASSWORD -v PASSWORD
gcloud secrets create|versions <PASSWORD
aws secretsmanager create-secret|put-secret-value|update-secret --secret-string PASSWORD
aws ssm put-parameter SecureString --value PASSWORD
aws configure set NAME VALUE
az keyvault secret set --value PASSWORD
eas secret:create|env:create --value PASSWORD
firebase functions:secrets:set|apphosting:secrets:set <PASSWORD
firebase functions:config:set NAME VALUE
amplify|sst|serverless|copilot|supabase|railway secret|secrets|variables set NAME VALUE
sst secret set _ PASSWORD
pulumi config set --secret|-s _ PASSWORD
confluent|ccloud api-key store _ TOKEN
mc|mcli alias set _ _ TOKEN
mc|mcli alias set _ _ _ PASSWORD
mc|mcli config host add _ _ _ PASSWORD
act -s _=PASSWORD
tailscale|netbird up -k TOKEN
warp-cli registration license TOKEN
npm|pnpm set NAME VALUE
git config NAME VALUE
http|https|xh|xhs -a _:PASSWORD --auth _:PASSWORD -a TOKEN --auth TOKEN
curl --proxy-pass PASSWORD
curl|wget -b COOKIES --cookie COOKIES
siege|oha|hey -a _:PASSWORD -A _:PASSWORD
setx|setx.exe|setenv|^ENV|^ARG NAME VALUE
set -gx|-Ux|-x|-lx|-gU|-U|-xg|-xU|-g|--export|--universal NAME VALUE
ConvertTo-SecureString -String PASSWORD PASSWORD
^requirepass|^masterauth|^bindpw|^rootpw|^auth_pass|^preshared-key|^pre-shared-key|^rocommunity|^rwcommunity|^rocommunity6|^rwcommunity6|^IDENTIFY|^AUTH PASSWORD
^crypto isakmp key PASSWORD
^tacacs-server|^radius-server|^option key PASSWORD
^tacacs-server|^radius-server host _ key 0|5|6|7 PASSWORD
^neighbor _ password PASSWORD
set snmp community PASSWORD
^enable secret|password PASSWORD
^username _ password|secret PASSWORD
^snmp-server community PASSWORD
^snmp-server|^snmpv3 auth _ PASSWORD
^createUser _ _ PASSWORD
^createUser _ _ _ _ PASSWORD
^stats auth _:PASSWORD
^AUTH _ PASSWORD
oathtool|iinit PASSWORD
steamcmd +login _ PASSWORD
doveadm auth test|login _ PASSWORD
hdbuserstore SET|set _ _ _ PASSWORD
sapcontrol -user _ PASSWORD
b2 authorize|authorize-account _ TOKEN
CONFIG SET requirepass|masterauth PASSWORD
`;
