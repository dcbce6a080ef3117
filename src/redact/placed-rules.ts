/** Finds secrets without a name, by their place: calls, protocols, files of programs, JSON Web Keys. */
import { type Finding, findingIf, NOTHING, secretAt } from "./finding.ts";
import type { NameFamily } from "./names.ts";
import { isStandIn, isThing } from "./placeholders.ts";
import { isMadeUp, isTechnical } from "./randomness.ts";
import { charsBefore, matchEnd, type ScanText } from "./scan-text.ts";
import type { Rule } from "./trigger-index.ts";
import { isSecretValue, isTypedPassword } from "./values.ts";

interface Place {
  kind: string;
  triggers: readonly string[];
  /** Sticky, from the trigger on; the group `secret` is the secret. */
  pattern: RegExp;
  options: PlaceOptions;
}

/** Without an option, only a password can be there, of any form. */
interface PlaceOptions {
  anyCase?: boolean;
  family?: NameFamily;
  /** True if other values can be there too: a secret must look made up. */
  chosen?: boolean;
  /** True if the pattern alone decides. */
  exact?: boolean;
  /** Must match the 64 characters before the trigger. */
  before?: RegExp;
}

const place = (kind: string, triggers: string, pattern: RegExp, options: PlaceOptions = {}): Place => ({
  kind,
  triggers: triggers.split("|"),
  pattern,
  options,
});

const password = (triggers: string, pattern: RegExp, options?: PlaceOptions): Place =>
  place("password", triggers, pattern, options);

const QUOTED_ARGUMENT = String.raw`(?:\\{0,63}"[^"\\\n]{0,128}\\{0,63}"|\\{0,63}'[^'\\\n]{0,128}\\{0,63}'|[\w.$>:-]{1,64})`;
const LAST_ARGUMENT = String.raw`\\{0,63}(?<quote>["'])(?<secret>[^"'\\\s]{4,128})\\{0,63}\k<quote>`;

/** A call with a secret after `before` other arguments. `names` are the ends of its names, in any case. */
function call(before: number, names: string, options: PlaceOptions = {}): Place {
  const pattern = String.raw`[\w.:=> -]{1,40}(?:\(|,? )\s{0,8}(?:${QUOTED_ARGUMENT}[ \t]{0,4},\s{0,8}){${before}}(?:Some\()?[bu]?${LAST_ARGUMENT}`;
  return place(options.family ?? "password", names, new RegExp(pattern, "dy"), { anyCase: true, ...options });
}

const places: readonly Place[] = [
  call(
    0,
    "securestring(|withpassword(|setpassword(|.password(|set_password(|check_password(|make_password(|hash_password(|hashpassword(|generate_password_hash(|bcrypt(|bcrypt.hash(|bcrypt.hashsync(|bcrypt.compare(|bcrypt.comparesync(|passwordauthentication(",
  ),
  call(
    1,
    "basicauthentication(|httpbasic(|basic_auth_password(|username_pw_set(|networkcredential(|pscredential(|httpbasicauth(|httpdigestauth(|usernamepasswordcredentials(|passwordauthenticationtoken(|" +
      "usernamepasswordcredential(|passwordauthentication(|plainauthenticator(|simpleauthenticator(|setbasicauth(|withbasicauth(|authtokens.basic(|auth.basic(|authcredentials(|" +
      "basicauth.new(|basic.encode(|withemailandpassword(|simple_bind_s(|wifi.begin(|auth=(|auth = (|aes.encrypt(|aes.decrypt(|signwith(",
  ),
  ...[1, 2, 3].map((before) =>
    call(
      before,
      "auth(|auth |auth, |login(|logon(|authenticate(|signin(|sign_in(|credential(|credentials(|bind(|ldap_bind(",
      { chosen: true },
    ),
  ),
  call(
    2,
    "getconnection(|mysqli_connect(|mysql_connect(|mysqli(|pdo(|plainauth(|ftp_login(|dbi->connect(|create_user(|create_superuser(|pymysql.connect(|pdo->__construct(|mysqldb.connect(|sequelize(|ftp(|imap_open(|createcredential(|execute_kw(",
  ),
  call(3, "mysql_real_connect(|pqsetdblogin("),
  call(2, "connect(|connection(|database(", { chosen: true }),
  call(3, "ssh.connect(|client.connect(|session.connect(|mqtt.client(", { chosen: true }),
  call(0, ".auth(|:auth(", { chosen: true }),
  call(
    0,
    "client.login(|bot.login(|client.run(|bot.run(|cohere.client(|cohereclient(|anthropic(|openai(|groq(|mistral(|stripe(|resend(|tavilyclient(|bearer_auth(|bearerauth(|bearertoken(|authtoken(|fernet(",
    { family: "token", chosen: true },
  ),
  call(0, "cookieparser(|ethers.wallet(|privatekeytoaccount(", { family: "signing" }),
  call(1, "twilio(|twiliorestclient(|restclient(|rest::client.new(|algoliasearch(|pusher(", {
    family: "token",
    chosen: true,
  }),
  place(
    "secret",
    "jwt.sign(|jwt.verify(|jwt.encode(|jwt.decode(|JWT.encode(|JWT.decode(|createHmac(|hmac.new(|hash_hmac(",
    /[\w.]{1,20}\((?:\{[^{}\n]{0,128}\}[ \t]?,[ \t]?|[^"',(){}\n]{1,64},[ \t]?|["'][\w-]{1,16}["'],[ \t]?){0,2}b?["'](?<secret>[^"'\\\s]{5,256})["']/dy,
    { family: "signing" },
  ),
  // `AuthenticationHeaderValue("Bearer", "v")`
  place(
    "bearer-token",
    '"Bearer"|\'Bearer\'|"Token"',
    /["'](?:Bearer|Token)["'],[ \t]?["'](?<secret>[\w.~+/=-]{16,512})["']/dy,
    { family: "token", chosen: true },
  ),
  // Command that prints the password
  password(
    "word-command|word_command|wordCommand|WORD_COMMAND|passcommand|PASSCOMMAND|passwordeval|PassCmd",
    /\w{4,5}[-_]?\w{3,8}[=: ]{1,3}\\{0,7}["']?(?:echo|printf) (?:-n |%s )?\\{0,7}["']?(?<secret>[^\s"'\\$]{3,128})/dy,
  ),
  // A dialogue: `expect "assword:"; send "v\r"`, `child.sendline("v")`
  password(
    "assword",
    /assword[:*?]{0,4} ?\\{0,3}["'](?:[\s;{)]|\\n){1,24}(?:[\w.]{1,30}\.)?(?:exp_)?send(?:line)?[ (](?:-- )?\\{0,3}["'](?<secret>[^"'\\\s]{4,128})/dy,
    { chosen: true },
  ),
  // `admin:v` without an address or option around it
  password("admin:|root:", /\w{4,5}:(?<secret>[^\s"'`:,;()/]{8,64})(?=["'`,;)]?(?:\s|$))/dy, {
    before: /(?:^|[\s"'`(])$/,
    chosen: true,
  }),
  // A router's section about a RADIUS server
  place(
    "secret",
    "\n key |\n  key ",
    /\n {1,2}key (?:[07] )?(?<secret>(?=[^\s!#$%&*]{0,64}[!#$%&*])[^\s"']{6,64})(?=\r?\n|$)/dy,
    { chosen: true },
  ),
  place("url-password", "jdbc:oracle:", /jdbc:oracle:(?:thin|oci):[\w.-]{1,64}\/(?<secret>[^\s@"'\\]{3,128})@/dy, {
    chosen: true,
  }),
  password(" LOGIN ", / LOGIN "?[^\s"]{1,80}"? "?(?<secret>[^\s"]{4,128})/dy, {
    before: /(?:^|[\r\n])(?:[CS<>]:? )?(?=\w{0,11}\d)\w{1,12}$/,
  }),
  password('EAP "|XAUTH "|PSK "', /\w{3,5} "(?<secret>[^"\n]{4,128})"/dy),
  password(
    "sp_addlogin|sp_password|SECURITY_CREDENTIALS",
    /\w{11,20}(?: N?'[^'\n]{0,64}')?,[ \t]?N?["'](?<secret>[^"'\n]{4,128})/dy,
  ),
  // MySQL's first start, a network in a QR code
  password("password is generated for ", /password is generated for [\w.@%-]{1,80}: (?<secret>[^\s"'`]{8,64})/dy),
  password(
    "WIFI:",
    /WIFI:(?:[A-Z]{1,3}:(?:[^;\n\\]|\\{1,4}.){0,64};){0,4}P:(?<secret>(?:[^;\n\\"]|\\{1,4}[;,:]){4,64});/dy,
    {
      exact: true,
    },
  ),
  // pppd's chap-secrets
  password('* "|*  "|*\t"|*" "', /\*"?[ \t]{1,8}"(?<secret>[^"\n]{4,128})"[ \t]{1,8}"?\*/dy),
  // Java's passwords are arrays of characters
  password(
    "load(|getKey(|getEntry(|PBEKeySpec(|PasswordProtection(|PasswordAuthentication(|init(",
    /\w{4,22}\([^"'\n;]{0,80}"(?<secret>[^"\\\n]{4,128})"\.toCharArray\(/dy,
  ),
  // NATS, a modem's command to join a network
  place(
    "secret",
    'NKEY SEED-----|CWJAP="',
    /(?:NKEY SEED-----(?:\s|\\n){1,4}|CWJAP="[^"\n]{0,64}",")(?<secret>[^\s"\\]{8,80})/dy,
  ),
  // `Please use the following password`, and each line behind the name of a container or stage
  password(
    "following password",
    /following password[^\n]{0,40}(?:\r?\n(?:[ \t]{0,8}(?:[\w.-]{1,40}[ \t]{0,20}\||\[[\w .:-]{1,40}\]))?[ \t]{0,8}){1,4}(?<secret>(?=[a-z_.-]{0,64}\d)[\w!#$*+.-]{8,64})(?=[ \t]{0,8}(?:\r?\n|$))/dy,
  ),
  // A row of a table of tokens
  place(
    "token",
    "insert into ",
    /insert into [`"']?\w{0,30}(?:oauth|token|secret|credential|api_?key|session)\w{0,30}[`"']?(?: ?\([^()\n]{0,200}\))? values ?\((?:[^'\n]{0,40}'[^'\n]{0,60}',){0,6}?[^'\n]{0,40}'(?<secret>(?![0-9a-f]{8}-)[\w+/=.-]{32,400})'/diy,
    { family: "token", anyCase: true },
  ),
  // The second answer of an SMTP login
  password("334 UGFzc3dvcmQ6", /334 UGFzc3dvcmQ6\r?\n(?:[C>]:? )?(?<secret>[A-Za-z0-9+/=]{4,256})/dy),
  place("azure-key", "FULL", /FULL\W{1,20}(?:value\W{1,8})?(?<secret>[A-Za-z0-9+/]{86}==)/dy),
  place("token", '"encoded"', /"encoded"\s{0,2}:\s{0,2}"(?<secret>[A-Za-z0-9+/]{50,200}={0,2})"/dy),
  // A file made of the output of a command: `--password-file <(echo v)`
  password("<(echo |<(printf ", /<\(\w{4,6} (?:-n |%s )?["']?(?<secret>[^\s"'()$]{4,128})/dy, {
    before: /pass|secret|token|cred|key/i,
  }),
  password(
    "value=|value =",
    /value ?= ?'(?<secret>[^'\n]{6,256})' where \w{2,20} ?= ?'[\w./-]{0,60}(?:pass|secret|token|key)\w{0,20}'/diy,
    { before: /\bset[ \t]$/i, chosen: true },
  ),
  place(
    "private-key",
    "id.json|keypair|Keypair",
    /\w{2,7}[^\n[\]]{0,40}\n?\[(?<secret>\d{1,3}(?:, ?\d{1,3}){31,95})\]/dy,
  ),
  // User and password on separate lines, inline in an OpenVPN configuration
  password("<auth-user-pass>", /<auth-user-pass>\s{1,4}[^\s<]{1,64}\s{1,4}(?<secret>[^\s<]{3,128})/dy),
  // A line of pgbouncer's userlist
  password(
    '" "',
    /" "(?<secret>(?=md5|SCRAM|[^"\n]{0,64}(?:[A-Z]|[a-z]\d[a-z]))[^"\n]{4,256})"(?=[ \t]{0,4}(?:[\r\n]|$))/dy,
    { before: /(?:^|[\r\n])[ \t]{0,4}"[\w.@-]{1,40}$/, chosen: true },
  ),
  // `user:v` after a name of a setting for both
  password(
    "login=|CURLOPT_USERPWD|BUNDLE_|_AUTH=|_LOGIN=|_USERPASS=|_CRED",
    /(?:login|CURLOPT_USERPWD|BUNDLE_[A-Z_]{3,60}|_[A-Z]{4,11})[ \t]{0,4}[=:,]{1,2}[ \t]?["']?[\w.@+-]{1,64}:(?<secret>[^\s"'\\]{4,128})/dy,
  ),
  // FileZilla's sites
  password('<Pass encoding="base64">', /<Pass encoding="base64">(?<secret>[A-Za-z0-9+/=]{4,256})/dy),
  place(
    "pin",
    "PIN |PIN:|PUK |PUK:|passcode|Passcode|door code|gate code|alarm code",
    /[A-Za-z]{3,8}(?: code)?(?: [\p{L}-]{1,20}){0,5}?(?: (?:is|ist|es|est|è|é)| ?[=:]|(?= \d{6})) ?(?<secret>\d{4,8})(?![\d\p{L}]|[.:-]\d| (?:digits|Stellen|chars))/duy,
    { before: /(?:^|[^\w-])$/ },
  ),
  place(
    "recovery-code",
    "backup code|recovery code",
    /\w{6,8} code ?(?:is|:|=) ?(?<secret>(?=[\w-]{0,20}\d)[A-Za-z0-9]{4,8}(?:-[A-Za-z0-9]{4,8}){1,3})(?![\w-])/dy,
    { anyCase: true },
  ),
  // Terraform's state
  password(
    '"random_password"',
    /"random_password"[^[\]]{0,200}\[[^[\]]{0,400}?"result":\s{0,2}"(?<secret>[^"\n]{4,128})"/dy,
  ),
  // Password of a mail account in a script
  password(
    ".login(",
    /\.login\(\s{0,8}["'][^"'\s@]{1,64}@[^"'\s]{3,64}["'],\s{0,8}["'](?<secret>[^"'\\\s]{4,128})["']/dy,
  ),
  place(
    "secret",
    "createCipheriv(|createDecipheriv(",
    /\w{14,16}\([^\n]{0,80}?["'](?<secret>[A-Za-z0-9+/=]{16,128})["']/dy,
  ),
  place(
    "private-key",
    'accounts: [|accounts:[|accounts": [',
    /accounts"?: ?\[\s{0,20}["'`](?<secret>(?:0x)?[0-9a-f]{64})["'`]/dy,
  ),
  // Solana key as an array of bytes
  place(
    "private-key",
    "secretKey|privateKey|secret_key|private_key",
    /\w{9,11}[ \t]?[:=][ \t]?(?:[\w.]{1,20}\()?\[(?<secret>\d{1,3}(?:,\d{1,3}){31,63})\]/dy,
  ),
  place(
    "url-token",
    "?code=|&code=",
    /[?&]code=(?<secret>(?=[\w-]{0,60}[A-Z])(?=[\w-]{0,60}\d)[\w-]{32,256})(?![\w-])/dy,
    { family: "url-only" },
  ),
  password(":587 |:465 ", /:\d{3} [^\s:]{1,80}:(?<secret>[^\s"']{4,128})/dy),
  // A link that logs its owner in
  place(
    "url-token",
    "/magic|magic-link|/reset|/verify|/invit|/activate|/confirm|/unlock|/one-time|/sso|/login/",
    /[/m][\w-]{3,32}[^\s"'<>\\]{0,120}?[/=](?<secret>(?=[\w.-]{0,60}[A-Z])(?=[\w.-]{0,60}[a-z])(?=[\w.-]{0,60}\d)[\w-][\w.-]{23,400})(?![\w.%-])/dy,
    // Base64 has neither sign.
    { before: /[:.][^\s"':.]{0,64}$/ },
  ),
  // Last column of .pgpass, after wildcards.
  password(":*:", /:\*:[\w*.-]{1,64}:(?!\*:)[\w*.-]{1,64}:(?=\w)(?<secret>[^\s:"'\\]{3,128})/dy),
  // WordPress: 64 characters of any kind
  place(
    "secret",
    "AUTH_|LOGGED_IN_|NONCE_",
    /[A-Z_]{5,10}(?:KEY|SALT)["'],[ \t]{0,20}["'](?<secret>(?!put your)[^'"\r\n]{32,128})["']/dy,
    { exact: true, before: /define\([ \t]?["'](?:SECURE_)?$/ },
  ),
  password(
    "identified by|identified with",
    /identified (?:with [\w`"']{1,40} )?by (?:password )?\\{0,127}'(?<secret>[^\s"'\\]{3,256})/diy,
    { anyCase: true },
  ),
  // Oracle: without quotes or with double ones.
  password("identified by ", /identified by \\{0,63}"?(?<secret>[^\s"'\\;:%?]{4,128})/diy, {
    anyCase: true,
    before: /\b(?:user|role|to|link [\w.]{1,30} connect to) [\w.$#"'@%`-]{1,40} $/i,
  }),
  // .pgpass
  password(":5432:|:5433:|:6432:", /:\d{4}:[^\s:"'\\]{1,64}:[^\s:"'\\]{1,64}:(?<secret>[^\s:"'\\]{3,256})/dy),
  password("%3a%2f%2f", /%3A%2F%2F[\w.~-]{0,64}%3A(?<secret>[\w.~!*%-]{4,256}?)%40/diy, { anyCase: true }),
  password("PASS ", /PASS (?<secret>[^\s]{4,128})(?=\r?\n(?:[25]\d\d[ -]|\+OK|-ERR))/dy, {
    before: /(?:^|[\r\n])$/,
    chosen: true,
  }),
  // Go's driver for MySQL: `user:v@tcp(host:3306)/db`
  place("url-password", "@tcp(|@unix(", /(?<=(?:^|[\s"'`(])[^\s"'`(:@/]{1,64}:(?!\/\/)(?<secret>[^\s"'`(]{4,128}))@/dy),
  // `ann@acme.io / v`
  password(" / ", / \/ ["'`]?(?<secret>[^\s"'`,;:()<>]{5,63}[^\s"'`,;:()<>.!?*])/dy, {
    before: /[\w+-]@[\w-]{1,64}(?:\.[\w-]{1,64}){0,3}\.[A-Za-z]{2,24}[`"']{0,2}$/,
    chosen: true,
  }),
  password(" on >", / on >(?<secret>[^\s]{4,128})/dy, { before: /user [\w.-]{1,40}$/i }),
  password(
    "log in with |log in as |Log in with |Log in as |ogin is |ogin with |ogin as |sign in with |redentials: |redentials are |reds are |creds: |Login: |login: ",
    /[a-zA-Z ]{2,20}:? [\w.@+-]{1,64}(?: ?[/:] ?|, ?| (?:and|with) (?:the )?(?:pass(?:word)?:? ?))(?<secret>[^\s"'`,;()]{6,64})(?=["'`,;)]?(?:\s|$|[.,;]))/dy,
    { chosen: true },
  ),
];

function findPlace({ kind, pattern, options }: Place, scan: ScanText, at: number): readonly Finding[] {
  const { family = "password", chosen = false, exact = false, before } = options;
  const { text } = scan;
  if (before !== undefined && !before.test(charsBefore(text, at, 64))) return NOTHING;
  const secret = secretAt(pattern, text, at);
  if (secret === undefined) return NOTHING;
  const { start, value } = secret;
  if (/^[\w.+-]+@[\w-]+(?:\.[a-z]{2,})+$/.test(value) || (!exact && isThing(value))) return NOTHING;
  if (family === "signing" && /^[a-z]{2,8}[-_]?\d{1,4}$/i.test(value) && isTechnical(value)) return NOTHING;
  if (exact) return findingIf(!isStandIn(value), secret, kind);
  const context = /["'`]/.test(text.charAt(start - 1)) ? "quoted" : "line";
  const isSecret = chosen
    ? isMadeUp(value) && isSecretValue(value, family, context)
    : isTypedPassword(value, true) || isSecretValue(value, family, context);
  return findingIf(isSecret, secret, kind);
}

const MAX_JWK = 4096;
const JWK_MEMBER =
  /(?<![\w-])(?:d|p|q|dp|dq|qi|k)\\{0,63}["']?[ \t]{0,4}:[ \t]{0,4}\\{0,63}["'](?<secret>[\w-]{16,1024})/dg;

/** Finds the private members of a JSON Web Key: those in the same braces as `"kty"`. */
function findJwk(scan: ScanText, at: number): readonly Finding[] {
  const { text } = scan;
  if (at < scan.seenTo.jwks) return NOTHING;
  const from = Math.max(scan.seenTo.jwks, at - MAX_JWK);
  const near = text.slice(from, at + MAX_JWK);
  const open = near.lastIndexOf("{", at - from);
  const close = near.indexOf("}", at - from);
  const start = from + Math.max(0, open);
  const end = close < 0 ? from + near.length : from + close;
  scan.seenTo.jwks = end;
  return [...text.slice(start, end).matchAll(JWK_MEMBER)].flatMap(({ indices }) => {
    const [memberStart, memberEnd] = indices?.groups?.["secret"] ?? [];
    if (memberStart === undefined || memberEnd === undefined) return [];
    return [{ start: start + memberStart, end: start + memberEnd, kind: "private-key", byContext: true }];
  });
}

/** Names of lists of codes that replace a second factor. */
const CODE_LISTS =
  "recovery codes|recovery_codes|recoverycodes|backup codes|backup_codes|backupcodes|backup verification codes|scratch codes|emergency codes|wiederherstellungscodes|backup-codes|recovery-codes|codes de secours|codes de récupération|códigos de recuperación|códigos de respaldo|códigos de recuperação|codici di backup|codici di recupero|резервные коды|коды восстановления|恢复代码|リカバリーコード|バックアップコード";
const FIRST_CODE =
  /[^\n]{0,80}?(?:[:：]|=(?!=)|\n)(?:[\s=["'`]|\\[n"]|-{3}){0,80}(?=(?:[-*•] (?:\[[ x]\] )?|\d{1,2}[.)])?[ \t]{0,4}[A-Za-z0-9])/y;
const CODE =
  /(?:[-*•](?: \[[ x]\])?|\d{1,2}[.)])?[ \t]{0,4}\\?["'`]?(?<code>(?=[\w-]{0,20}\d)[A-Za-z0-9]{4,12}(?:[- ][A-Za-z0-9]{4,8}){0,3}|[a-z]{4,8}(?:-[a-z]{4,8}){1,3})\\?["'`]?(?=[\s,;\])]|\\n|$)(?:[\s,;]|\\n){0,16}/dy;

/** Finds recovery codes after their heading. Those without a digit could be words, unless all have one form. */
function findCodes(scan: ScanText, at: number): readonly Finding[] {
  const { text } = scan;
  if (at < scan.seenTo.codes) return NOTHING;
  const first = matchEnd(FIRST_CODE, text, at);
  if (first === undefined) return NOTHING;
  const codes: { code: string; start: number }[] = [];
  CODE.lastIndex = first;
  for (let match = CODE.exec(text); match !== null && codes.length < 32; match = CODE.exec(text)) {
    codes.push({ code: match.groups?.["code"] ?? "", start: match.indices?.groups?.["code"]?.[0] ?? 0 });
  }
  scan.seenTo.codes = codes.at(-1)?.start ?? at;
  const forms = new Set(codes.map(({ code }) => code.replaceAll(/\w/g, "x")));
  const found = codes.filter(({ code }) => forms.size === 1 || /\d/.test(code));
  return found.length > 1
    ? found.map(({ code, start }) => ({ start, end: start + code.length, kind: "recovery-code", byContext: true }))
    : NOTHING;
}

/** 12 to 24 words of a wallet: none is shorter than three letters, and articles are not in the list. */
const MNEMONIC =
  /(?<![\w-])(?:[a-z]{3,8}[ ,]{1,2}|\d{1,2}[.:)] ?[a-z]{3,8}\s{1,4}){11,23}(?:\d{1,2}[.:)] ?)?[a-z]{3,8}(?![\w-])/;
const ARTICLE = /\b(?:the|and|for|are|was|were|not|from|with|when|which|then|but|has)\b/;

/** Maximum characters between the name and the first word. */
const BEFORE_WORDS = 80;

function findMnemonic(scan: ScanText, at: number): readonly Finding[] {
  const { text } = scan;
  // `randomseed` is a function.
  if (at < scan.seenTo.wallets || /r(?:a?ndo?m?)$/i.test(charsBefore(text, at, 6))) return NOTHING;
  scan.seenTo.wallets = at + BEFORE_WORDS / 2;
  const near = text.slice(at, at + 400);
  const match = MNEMONIC.exec(near);
  if (match === null || match.index > BEFORE_WORDS || ARTICLE.test(match[0])) return NOTHING;
  const words = match[0].split(/[^a-z]+/).filter((word) => word !== "").length;
  return words % 3 === 0
    ? [{ start: at + match.index, end: at + match.index + match[0].length, kind: "mnemonic", byContext: true }]
    : NOTHING;
}

export const placedRules: readonly Rule[] = [
  ...places.map((each) => ({
    triggers: each.triggers,
    anyCase: each.options.anyCase ?? false,
    find: (scan: ScanText, at: number) => findPlace(each, scan, at),
  })),
  { triggers: CODE_LISTS.split("|"), anyCase: true, find: findCodes },
  { triggers: ["mnemonic", "phrase", "seed"], anyCase: true, find: findMnemonic },
  { triggers: ["kty"], find: findJwk },
];
