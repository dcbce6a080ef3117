import assert from "node:assert/strict";
import { createRedactor } from "../../src/redact/redactor.ts";
import { describe, test } from "../support/runner.ts";

const PASSWORD = "Kx7mPq2vT9wQ";
const TOKEN = "q8Zr2LxV7mKp4TnW9sYdB3fH6jGc1vQx0zRt5uNa";

const redact = async (text: string): Promise<string> => (await createRedactor().redact([{ text }]))[0]?.text ?? "";
const catches = (name: string, secret: string, texts: readonly string[]): void => {
  test(name, async () => {
    for (const text of texts) assert.ok(!(await redact(text.replaceAll("§", secret))).includes(secret), text);
  });
};
const leaves = (name: string, texts: readonly string[]): void => {
  test(name, async () => {
    for (const text of texts) assert.equal(await redact(text), text);
  });
};

describe("secrets by their place", () => {
  catches("names in other languages, with full-width colons and verbs", PASSWORD, [
    "密码：§",
    "数据库密码: §",
    "パスワード：§",
    "비밀번호: §",
    "contraseña de la base: §",
    "Mot de passe : §",
    "Das Kennwort lautet §",
    "пароль от базы: §",
    "password：§",
  ]);
  catches("values that contain the name of their place", PASSWORD, ["pass: compass:§", "password=my-password:§"]);
  catches("keys with a module's name, and addresses of a local socket", PASSWORD, [
    "profile::mysql::root_password: '§'\nprofile::mysql::port: 3306",
    "app::db::password: §",
    'url = "postgres://app:§@/app?host=/var/run/postgresql"',
  ]);
  leaves("what the name of a program or a type is followed by stays", [
    "Setting up passwd (1:4.13+dfsg1-4ubuntu3) ...",
    "Usage:\n\thtpasswd [-cimB25dpsDv] [-C cost] [-r rounds] passwordfile username",
    "Resources:\n  Key:\n    Type: AWS::IAM::AccessKey\n    Properties: {}",
    '"Type": "AWS::SecretsManager::Secret"',
  ]);
  catches("members of an object of secrets, what an interpreter prints, and files with a password", "tulip7Field", [
    'PASSWORDS = {"staging": "§", "prod": "§"}',
    "passwords: { dev: '§', live: '§' }",
  ]);
  leaves("what other languages say about passwords stays", [
    "密码：必填",
    "Mot de passe : obligatoire",
    "Passwort: erforderlich",
    "пароль: обязательное поле",
    "clave primaria: id_usuario1",
  ]);
  catches("settings in numbered views, tables with borders and CSV in JSON", PASSWORD, [
    'PASS = "§"',
    '     7\tPASS = "§"',

    String.raw`{"content":"\"Title\",\"Password\",\"URL\"\n\"CMS\",\"§\",\"https://x.io/login\""}`,
    "|  /anchor/prod/DB_HOST      |  10.54.198.34  |\n|  /anchor/prod/DB_PASSWORD  |  §  |",
    "13  smtp_user      noreply@acme.com\n14  smtp_password  §",
    "Supabase: project ref acme, db password §, service key below.",
    "db password §, service key below",
    "supabase link --project-ref acme -p §",
  ]);
  catches("passphrases without quotes", "walnut drifting lantern yonder", [
    "passphrase: §",
    "BORG_PASSPHRASE=§",
    "WiFi password: §\nSSID: attic",
  ]);
  leaves("what is said of a password after a colon", [
    "password: rotate it every 90 days",
    "passphrase: words separated by the sign",
    "password: support will not ask",
    "pass: all 214 tests green",
  ]);
  catches("words in quotes as the value of a variable, an option or a field", "Mother-of-pearl & rust", [
    "BORG_PASSPHRASE='§'",
    'export RESTIC_PASSWORD="§"',
    'zip --password "§" out.zip',
    "Server=db1;User ID=app user;Password=§;Pooling=true",
  ]);
  leaves("messages and labels in such places", [
    "DB_PASSWORD='not set yet, please ask'",
    'PASSWORD="Enter your password"',
    'tool --password "use the one in the vault"',
    "Server=db;User ID=my user;Password=your password;",
  ]);
  catches("a word as the password of a login whose user is beside it", "Margarita", [
    '{"email":"ann@x.io","password":"§"}',
    'curl -d "username=ann&password=§" https://x.io/login',
    "CREATE USER ann WITH PASSWORD '§';",
    "login: ann\nPassword: §",
  ]);
  leaves("the same without a user", [
    '{"type":"Text","password":"Margarita"}',
    "username: string\npassword: Margarita",
  ]);
  catches("a default of a variable", "Winterwald", [
    "'password' => env('DB_PASSWORD', '§'),",
    'os.environ.get("DB_PASSWORD", "§")',
  ]);
  leaves("defaults that are no secret", [
    "'password' => env('DB_PASSWORD', ''),",
    "'password' => env('DB_PASSWORD', 'secret'),",
    'os.environ.get("DB_PASSWORD", "not set")',
  ]);
  catches("the code of a WiFi network", "kaffee und kuchen 7", [
    "WIFI:S:Cafe Nord;T:WPA;P:§;;",
    'QR: "WIFI:T:WPA2;S:FRITZ!Box 7590;P:§;H:false;;"',
  ]);
  leaves("the code of an open network", ["WIFI:S:Cafe;T:nopass;P:;;"]);
  for (const secret of ["hY8d!jW?q3kL", "Xw+2;7Fh>8tQ", "q*dcJ#>q6aC<", "l5)f.jSgl#Ie"])
    catches(`the password of MySQL's first start: ${secret}`, secret, [
      "2024-03-01T10:00:00Z 6 [Note] [Server] A temporary password is generated for root@localhost: §",
    ]);
  catches("an attached option in a list that names a user", "Alster-See", [
    'args: ["-uroot", "-p§", "shop"]',
    '["-h", "db", "-u", "app", "-p§"]',
  ]);
  leaves("other options in lists", [
    '["docker", "run", "-u", "app", "-p8080:80"]',
    '["mkdir", "-pv", "/srv/data2"]',
    '["rsync", "-prtu", "src2"]',
  ]);
  catches("capitalised words with dots under a name in another language", "Grauer.Hafen.Nebel", [
    "Passwort: §",
    "contraseña: §",
    "mot de passe : §",
  ]);
  catches("keys that someone typed", "orange-Tractor-9", [
    "api_key = §",
    "X-API-Key: §",
    'apiKey: "§",',
    "API_TOKEN=§",
  ]);
  leaves("names of keys", [
    "api_key = read-only-key-2",
    "apiKey: keyFromEnv2",
    "token: T_STRING_2",
    "API_TOKEN=oauth2-proxy-v2",
  ]);
  catches("a password below its announcement, behind the names of containers", "900a844c6bcbd8cd11ee53ced6a30759", [
    "jenkins_1  | Please use the following password to proceed:\njenkins_1  |\njenkins_1  | §",
    "[setup] Please use the following password to proceed:\n[setup] \n[setup] §\n[setup] ",
  ]);
  catches("the value column of a table of names", "quokka-Pea", [
    "KEY            VALUE\nDB_USER        app\nDB_PASSWORD    §",
  ]);
  leaves("other columns of such a table", [
    "NAME          TYPE    VALUE\nDB_PASSWORD   secret  ********\nDB_USER       plain   quokka-Pea",
    "Name         Required  Value\npassword     yes       string",
  ]);
  catches("recovery codes, also without digits, in JSON and below a ruler", "nxlhj-conyd", [
    "Two-factor recovery codes\n=====================\n§\nwkqpe-xzivb\nqpwie-zmxnc",
    'recovery_codes: ["k3f92-2kd8x", "§"]',
    '"backup_codes": [\n  "§",\n  "abxcu-ihsdk"\n]',
    "recovery codes for ann@corp.io:\n- [ ] §\n- [x] 92kdx-kd92k",
  ]);
  leaves("words below such a heading", [
    "recovery codes:\n- sign-in page\n- reset-password dialog",
    "Backup codes\n\nuser-facing text\nread-only view",
  ]);
  catches("keys of applications whose name or file says what they are", "a68368a0f9f871f79376cd54c24ee1aa", [
    "API_KEY_INTERNAL=§",
    "WEBHOOK_HMAC=§",
    "define( 'LOGGED_IN_KEY',    '§' );",
    "define('SECURE_AUTH_SALT', '&k]§ {(;% h');",
    '{"Jwt": {\n    "Issuer": "acme-api",\n    "Audience": "web",\n    "Key": "§"\n  }}',
    '{"username":"ann","key":"§"}',
  ]);
  catches("a made-up password on a line that speaks of one, whatever stands between them", "Gr4vel-Path", [
    '$pw = "§" | ConvertTo-SecureString -AsPlainText -Force',

    'expect(user.password).toBe("§")',

    "iface wlan passphrase §",

    "Password:\n\n    §\n",
    "Password:\n```\n§\n```",
  ]);
  leaves("names of formats, versions and ids on such a line stay", [
    "the password is hashed with Argon2id and PBKDF2WithHmacSHA256",
    "const password = new V1beta1PasswordSpec(Http2Server, Base64Url)",
    "rotate the secret of session 01J8ZQ4M7Xr2 and of call_Y1RmI62yuBTLKQoo6z16g8ZE",
    '"minipass": ["minipass@7.1.2", ""]',
    "a password check at src/auth/Log4jLogin.ts:12",
    "arn:aws:secretsmanager:eu-west-1:123456789012:secret:prod-Ab3x9z",
    "Password:\n\nws-YPBcv87GprettCz6",
    "has_secure_password\n\nAAAA0aAA",
    "Set it in your .env file.\n\nPassword for ann: \n\n000f0000",
  ]);
  catches("a literal that is the only one after the name of a password", "gravel77", [
    'password <- "§"',
    "page.type('#password', '§')",
    'array(1) { ["password"]=> string(8) "§" }',
  ]);
  leaves("formats and comparisons after the name of a password stay", [
    'hash(password, "sha256")',
    'password.encode("utf-16")',
    'secret extends "A128CBC-HS256"',
    'password !== "abc12345"',
  ]);
  catches("lines of users and passwords without a name", "Gr4vel-Path", [
    '"app" "§"\n"ro" "other"',
    "<auth-user-pass>\nann\n§\n</auth-user-pass>",
  ]);
  leaves("other lines of two strings stay", ['"linux" "aarch64-gnu"\n', 'printf("a" "b2")']);
  catches("words of other languages for tokens and passwords", TOKEN, ["palavra-passe: §"]);
  catches("a plain word that a sentence gives as the password", "marshmallow", [
    "the root password is §.",
    "my password is §",
  ]);
  leaves("what sentences say about a password stays", [
    "The password is mandatory.",
    "the password is plaintext",
    "the password is compromised",
    "your password is case-sensitive",
    "The password is somewhere.",
  ]);
  catches("words that somebody typed for what a program signs with", "velvet-Hammer", [
    "JWT_SECRET=§",
    "SESSION_SECRET: '§'",
  ]);
  leaves("names of objects that hold a secret stay", ["TLS_SECRET=wildcard-tls-cert", "JWT_SECRET=change-this-value"]);
  catches("names without an equals sign", PASSWORD, [
    "**DB_PASSWORD**: `§`",
    "- **Password:** §",
    'variable "db_password" {\n  type = string\n  default = "§"\n}',
    'public string Password { get; set; } = "§";',
    "<td>Password</td><td>§</td>",
    "page.fill('#password', '§')",
    'new NetworkCredential("ann", "§")',
    "DriverManager.getConnection(url, user, '§')",
    "| DB_PASSWORD | § |",
    "password: |\n  §\n",
    "The admin password was changed to §.",
  ]);
  catches("sentences in which words stand between the name and the password", PASSWORD, [
    "password for the admin panel is §",
    "The root password on web3 is § by the way",
    "Password for the 'elastic' user (reset with bin/reset): §",
    "pass phrase: §",
    "client password (dev tenant): §",
    "Das Admin-Passwort ist §!",
    "La contraseña del servidor es §",
    "La password del database è §",
    "La password è §",
    "пароль от базы — §",
    "パスワードは「§」です",

    "creds are admin/§",
    "password - §",
  ]);
  leaves("sentences about passwords stay", [
    "The password for the admin panel is stored in the vault.",
    "The password on web3 is case-sensitive.",
    "The password is hashed with argon2id before it is stored.",
    "use ann / web-frontend to see the dashboard",
    "password - see the wiki",
    "Das Passwort ist abgelaufen.",
  ]);
  catches("values that code falls back to, compares, signs and sends", PASSWORD, [
    "PASSWORD = os.getenv('PASSWORD') or '§'",
    'env::var("DB_PASSWORD").unwrap_or("§".into())',
    "define( 'DB_PASSWORD',         '§' );",
    "jwt.sign(payload, '§', { expiresIn: '1h' })",
    "crypto.createHmac('sha256', '§')",
    'mysqli_connect("localhost", "root", "§", "shop")',
    'expect "assword:"; send "§\\r"',
    '(def db {:user "app" :password "§"})',
    "ALTER LOGIN sa WITH PASSWORD = N'§';",
  ]);
  catches("settings of programs", PASSWORD, [
    "dn: uid=ann\nuserPassword:: §",
    'network={\n  psk="§"\n}',
    "DB_PASS: !!str §",
    "bindpw §",
    "virtual_server {\n  auth_pass §\n}",
    "passwords:\n  - §",

    "redis%3A%2F%2F%3A§%40cache%3A6379",
    "nuget sources add -UserName ci -Password §",
    "vault login -method=userpass username=ops password=§",
  ]);
  catches("a word with digits in a section of an INI file, which in code might be a variable", "castleBronze07", [
    "[database]\npass = §\n",
    "[smtp]\nhost = a\n; old\npassword = § ; rotated in May\n",
  ]);
  leaves("variables of code", [
    "def f():\n    password = default_password2\n",
    "[x]\nrun()\npassword = otherValue12\n",
  ]);
  catches("words as passwords after a name that leaves no doubt", "velvet-Harbour", [
    "DB_PASSWORD=§",
    "conn = connect(password='§')",
    "tool --password § --verbose",
    "mount -o user=ann,password=§ //h/s",
    "password=%22§%22",
    "&quot;password&quot;:&quot;§&quot;",
    "\u001b[33mPassword:\u001b[0m §",
    "Пароль администратора: §",
    "IDENTIFIED WITH mysql_native_password BY '§'",
    'ENV.fetch("DB_PASSWORD") { "§" }',
    'wpa-psk "§"',
    "Username: root\nPassword: §",
    "--password-command 'echo §'",
  ]);
  leaves("labels, messages, verbs and bind parameters", [
    "password=Palavra-chave do utilizador",
    'Code must pass `npm run check` and pass "type-check".',
    "password_confirmation=:password2",
    'showPassword: "eye-off"',
    'password: "Password is too short"',
    "{ username: parts[0],\n  password: decode(parts[1])\n}",
    "date -u +%Y-%m-%dT%H:%M:%SZ",
    "Pwd: `C:\\Users\\ann\\Projects2`",
    "session_key: 'agent-session-id-2'",
  ]);
  catches("cells below the name of a column", PASSWORD, ["INSERT INTO users (name, password) VALUES ('ann', '§');"]);
  leaves("lists in code that look like tables", [
    'type T =\n  | "jwt"\n  | "base64url"\n',
    "export {\n  SignJWT,\n  base64url,\n  createLocalJWKSet2,\n};",
  ]);
  catches("further items of a list", PASSWORD, [
    'passwords: ["first-Pw-1", "§"]',
    "passwords:\n  - first-Pw-1\n  - §\n",
  ]);
  catches("names that end with which of several it is", PASSWORD, ["DB_PASSWORD_PROD=§", "PASSWORD_2: §"]);
  catches("session cookies after a colon", "q1w2e3r4t5y6u7i8o9p0a1s2d3", ["PHPSESSID: §", "JSESSIONID: §"]);
  catches("URLs with escaped slashes, Windows domains and hosts that only begin like an example", PASSWORD, [
    "postgres:\\/\\/app:§@db.internal:5432\\/shop",
    "http://CORP\\ann:§@proxy:8080/",
    "postgres://app:§@db.example.com.corp.acme.io/shop",
    "https://ann:§@example.community/x",
    "app:§@tcp(mysql:3306)/shop",
  ]);
  leaves("hosts reserved for documentation, and the public key of a Sentry DSN", [
    `https://ann:${PASSWORD}@db.example.com/x`,
    `https://ann:${PASSWORD}@example.org:8080/`,
    "https://0123456789abcdef0123456789abcdef@o42.ingest.sentry.io/4501",
    "https://ann.smith@git.acme.io/x.git",
  ]);
  catches("tokens in the place of a URL's user", TOKEN, [
    "git clone https://§@git.acme.io/x.git",
    "https://§:x-oauth-basic@github.com/acme/x.git",
    "https://§:@api.acme.io/v1",
  ]);
  catches("session cookies by name", TOKEN, [
    "laravel_session=§",
    "ASP.NET_SessionId=§",
    "connect.sid=s%3A§",
    "__Secure-next-auth.session-token=§",
    '{"name":"sessionid","value":"§"}',
    ".acme.io\tTRUE\t/\tTRUE\t1800000000\tsessionid\t§",
  ]);
  catches("private members of a JSON Web Key", TOKEN, [
    '{"kty":"EC","crv":"P-256","x":"abc","y":"def","d":"§"}',
    '{\\"d\\":\\"§\\",\\"kty\\":\\"OKP\\"}',
    '{ "k": "§", "kty": "oct" }',
  ]);
  test("public members of a JSON Web Key are not changed", async () => {
    const text = `{"kty":"EC","crv":"P-256","x":"${TOKEN}","y":"${TOKEN}"}`;
    assert.equal(await redact(text), text);
  });
  leaves("passes through data, account ids and fingerprints are no secrets", [
    "Two-pass: summarize",
    "high-pass: 80Hz",
    "All tests pass: 312/312",
    "TWILIO_ACCOUNT_SID=AC0123456789abcdef0123456789abcdef",
    "user.signingkey=0123456789ABCDEF0123456789ABCDEF01234567",
  ]);
  catches("a password of two words with a dot is no code", "river.stone42", [
    "password: §",
    "DB_PASSWORD=§",
    '"password": "§"',
    "mysql -u root -p§ shop",
  ]);

  catches("words where nothing but a password can stand", "blumenkohl1", [
    '#define MQTT_PASSWORD "§"',
    'user, password = "ann", "§"',
    "const [a, b] = x;\nuser, pw := 'ann', '§'",
    "BASIC_AUTH=ops:§",
    '<property name="db.password">§</property>',
    "option_name: mail_password\noption_value: §",
    "\\u0022password\\u0022:\\u0022§\\u0022",
    "SET PASSWORD FOR 'ann'@'%' = PASSWORD('§')",
    '1) "requirepass"\n2) "§"',
    "[smtp.acme.io]:587 ann@acme.io:§",
    'mail.login("ann@acme.io", "§")',
    "user: ann, password: §",
    "Passordet er §",
  ]);
  catches("what a test types, and the key it presses", "Drachen_8", ["cy.get('#password').type('§{enter}')"]);
  catches("a word of an added line in a settings file", "Muesli_Riegel", [
    "@@ -3,7 +3,7 @@\n [database]\n host = 10.0.3.7\n-password = x\n+password = §",
  ]);
  catches("a quoted word with a dot that is no key of a text", "zebra.crossing", [
    "password: '§'",
    '{"password": "§"}',
  ]);
  catches("typed secrets that a program signs with", "xk29-oslo-bergen", [
    "app.use(session({ secret: '§', resave: false }))",
    "app.use(cookieParser('§'))",
  ]);
  catches("keys of wallets and of ciphers", "610d9a596a7d8ac58314a83ea8cd396b312410d1260f0cc6f856213dcef1eb13", [
    'accounts: ["0x§"]',
    "createCipheriv('aes-256-gcm', Buffer.from('§', 'hex'), iv)",
    'new ethers.Wallet("0x§")',
  ]);
  test("a key as a list of bytes", async () => {
    const bytes = Array.from({ length: 64 }, (_, at) => (at * 37) % 256).join(",");
    assert.equal(await redact(`secretKey: [${bytes}]`), "secretKey: [[REDACTED:private-key]]");
  });
  catches("keys in the addresses of services", "f8fdc4ecdcf4b3e6bd923763f36e38d3", [
    "https://mainnet.infura.io/v3/§",
    "https://eth-mainnet.g.alchemy.com/v2/§",
    "https://api.openweathermap.org/data/2.5/weather?q=Oslo&appid=§",
  ]);
  test("a key after its name is replaced to its end, however long", async () => {
    const key = TOKEN.repeat(5);
    assert.equal(await redact(`page token ${key}`), "page token [REDACTED:token]");
  });
  leaves("rules of validators, labels, sealed values and filling stay", [
    'Password string `json:"password" validate:"required,min=8"`',
    'Password string `gorm:"column:password_Hash2" json:"-"`',
    "spring.datasource.password=ENC(q8Zr2LxV7mKp4TnW9sYdB3fH6jGc1vQx0zRt5uNa)",
    "label.password=Kennwort",
    "form.fields.password=Passwort",
    "STRIPE_SECRET_KEY=sk_test_...",
    "STRIPE_SECRET_KEY=sk_live_xxxxxxxxxxxxxxxxxxxxxxxx",
    "SLACK_BOT_TOKEN=xoxb-your-token",
    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
    "{ password: 'auth.enter', pwd: 'login.label' }",
  ]);
  test("a user's name beside a password is not changed", async () => {
    const data = '{"data":{"password":"Z3IzM24tSGFyYm9yLTEy","username":"aGFyYm9y"},"kind":"Secret"}';
    assert.match(await redact(data), /"username":"aGFyYm9y"/);
    assert.match(await redact('username, password = "mkeller", "Fahrrad93"'), /"mkeller"/);
  });
});

describe("values after the name of a secret", () => {
  for (const password of ["Glut.nest_5", "Werk.bank_61", "Test_fall#404", "Simit&Cay_07", "Netz.teil=24V"]) {
    catches(`a chosen password is no code: ${password}`, password, [
      "password: §",
      'password = "§"',
      "Smtp:Password = §",
      "00003| db_password = §",
      "login: { user: 'qa', password: '§' }",
    ]);
  }
  catches("an option of any command", "Ender!Tasche4", [
    "mcrcon -H 10.9.1.4 -P 25575 -p '§' list",
    "hdbsql -n hana01:30015 -u SYSTEM -p § x",
    "usermod -P § root",
  ]);
  catches("a login in a sentence, also in the answer to a question", "Feuer-W4nd!aus", [
    "which login did they use?\nann@pinecrest.io / §\nthanks",

    'user == "ops" && pw == "§"',
    "<Password>\n  <Value>§</Value>",
  ]);

  catches("a generated key after names that say key of something", TOKEN, [
    "encrypt.key=§",
    'spark.conf.set("fs.azure.account.key.lake.dfs.core.windows.net", "§")',
    "iex --cookie § --remsh pond@10.1.0.3",
    'RELEASE_COOKIE="§" bin/pond remote',
    "mix hex.organization auth pond --key §",
    'cdsapi.Client(url="https://cds.corp/api", key="§")',
    'symmetric_key = { value = "§" }',
    '"mailjet": { "key": "§", "secret": "" }',
    "X-Macaroon: §",
    "DBROOT=§",
    "influx setup -u admin -t § -f",
  ]);
  catches("a key of a database in base64", `${"pQ7x".repeat(21)}pw==`, ['"PrimaryKey": "§"']);

  catches("a seed of NATS and a modem's password", "SUA7X7DJ6M3SZXEKKYRYO3UXQM", [
    "-----BEGIN USER NKEY SEED-----\n§\n------END USER NKEY SEED------",
    's.write(b\'AT+CWJAP="lab-24","§"\')',
  ]);

  leaves("checksums, variables, translations, public keys and ids stay", [
    "  FirebaseAuth: d1f0a387a412dd87b15bba6950762521f0b4eb3c",
    "ALTER ROLE reporting WITH LOGIN PASSWORD :'reporting_pw';",
    '"label.password_confirm": "パスワード（確認）"',
    "$ wg pubkey < private.key\nbRPU2YPfLifJNt/1eMkZRefEeT9F1baLvQzMLE5yOlo=",
    "  public key: bRPU2YPfLifJNt/1eMkZRefEeT9F1baLvQzMLE5yOlo=",
    "auth: passwd-file(info@postwerk.org,10.0.0.4,<6iEfcaBMVZ3G5rvd>): Password mismatch",
    '"RecoveryPassword"=dword:00000001',
    "  | 'password'\n  | 'search'\n  | 'base64url'",
    "docker run -t acme/web -p 8080:80 -u 1000",
    'key: Union["rsa.RSAPrivateKey", "rsa.RSAPublicKey"]',
    'if token == "foo1234bar":',
  ]);
});
