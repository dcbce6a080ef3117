/** Secrets known by their place, without a sensitive name in English: other languages, calls, protocols, JSON Web Keys. */
import { valueAt } from "./assignment-syntax.ts";
import type { Finding } from "./finding.ts";
import type { NameFamily } from "./names.ts";
import { isRandomLetters } from "./randomness.ts";
import type { ScanText } from "./scan-text.ts";
import { NOTHING, type Rule } from "./trigger-index.ts";
import { isMadeUp, isStrong } from "./unsigned-values.ts";
import { isSecretValue } from "./values.ts";

/** `password` in other languages: the word, and what may stand in front of it within the same name. */
const FOREIGN_NAMES =
  "contraseña|Contraseña|CONTRASEÑA|contrasena|CONTRASENA|Contrasena|mot de passe|Mot de passe|mot_de_passe|motdepasse|MotDePasse|motDePasse|MOT_DE_PASSE|" +
  "kennwort|Kennwort|KENNWORT|senha|Senha|SENHA|wachtwoord|Wachtwoord|WACHTWOORD|hasło|Hasło|haslo|Haslo|HASLO|пароль|Пароль|ПАРОЛЬ|пароля|паролем|" +
  "lösenord|Lösenord|losenord|adgangskode|Adgangskode|passord|Passord|salasana|Salasana|şifre|Şifre|sifre|Sifre|SIFRE|parola|Parola|PAROLA|heslo|Heslo|HESLO|" +
  "jelszó|Jelszó|jelszo|mật khẩu|Mật khẩu|matkhau|κωδικός|Κωδικός|lozinka|Lozinka|zaporka|geslo|slaptažodis|parool|salasõna|clave secreta|clave|Clave|CLAVE|kata sandi|Kata sandi|" +
  "パスワード|暗証番号|パスフレーズ|비밀번호|암호:|암호：|密码:|密码：|密码=|密码是|密码为|密码为 |口令是|口令为|密碼為|mdp|Mdp|MDP|密碼:|密碼：|密碼是|密码 |口令:|口令：|密钥:|密钥：|秘钥：|令牌：|令牌:|" +
  "كلمة المرور|كلمة السر|סיסמה|סיסמא|รหัสผ่าน|पासवर्ड|कूटशब्द";
/** `NAME_SUFFIX` and words such as `de la base`, then a sign or a verb that says `is`. */
const FOREIGN_JOINT =
  /(?:(?:[_.-]\w{1,24}|[ \t](?:de|del|da|do|für|der|от|для|к|la|le|du|na|til)(?:[ \t][\p{L}\w]{1,16}){1,3})?["'`*]{0,3}(?:[ \t\u3000]{0,4}(?:=>|[:=：＝]|[ \t][—–-](?=[ \t]))|[ \t]?(?:[ \t](?:es|est|ist|lautet|é|è|jest|är|er|on|is|je|là|adalah|este|теперь|是|为)[ \t]|は|是|为|이|은|는)|(?<=[:：=是为 ]))|(?<blank>[ \t]))[ \t\u3000*]{0,4}[「『“«]?(?=[^\s])/uy;

function findForeign(scan: ScanText, at: number, word: string): readonly Finding[] {
  // Latin words must be whole; scripts without blanks between words have compounds.
  if (/^\w/.test(word) && /[\p{L}\d]/u.test(scan.text[at - 1] ?? "")) return NOTHING;
  FOREIGN_JOINT.lastIndex = at + word.length;
  const joint = FOREIGN_JOINT.exec(scan.text);
  if (joint === null) return NOTHING;
  const found = valueAt(scan, FOREIGN_JOINT.lastIndex, "line");
  if (found === undefined) return NOTHING;
  const closing = scan.text.slice(found.start, Math.min(found.end, found.start + 256)).search(/[」』”»]/);
  const value = closing < 0 ? found : { ...found, end: found.start + closing };
  const text = scan.text.slice(value.start, Math.min(value.end, value.start + 256));
  const looksMadeUp =
    (/[\d!@#$%^&*]/.test(text) || isRandomLetters(text, 12)) && !/[^\x21-\x7e]/.test(text) && text.length >= 5;
  if (joint.groups?.["blank"] !== undefined && !isStrong(text)) return NOTHING;
  return looksMadeUp && isSecretValue(text, "password", value.context)
    ? [{ start: value.start, end: value.end, kind: "password", byContext: true }]
    : NOTHING;
}

interface Place {
  kind: string;
  triggers: readonly string[];
  family?: NameFamily;
  /** What must stand before the trigger, in its last 64 characters. */
  before?: RegExp;
  /** Sticky at the trigger, with the secret in group `secret`. */
  pattern: RegExp;
}

const QUOTED_ARGUMENT = String.raw`(?:\\{0,63}"[^"\\\n]{0,128}\\{0,63}"|\\{0,63}'[^'\\\n]{0,128}\\{0,63}'|[\w.$>:-]{1,64})`;
const LAST_ARGUMENT = String.raw`\\{0,63}(?<quote>["'])(?<secret>[^"'\\\s]{4,128})\\{0,63}\k<quote>`;
/** Calls whose argument of that number is a password. */
const CALLS: readonly (readonly [before: number, names: string, family?: NameFamily])[] = [
  [
    0,
    "ConvertTo-SecureString( withPassword( setPassword( WithPassword( SetPassword( .password( passwordAuthentication( set_password( check_password( make_password( hash_password( hashPassword( generate_password_hash( bcrypt.hash( bcrypt.hashSync( bcrypt.compare( bcrypt.compareSync(",
  ],
  [
    1,
    "NetworkCredential( PSCredential( HTTPBasicAuth( HTTPDigestAuth( UsernamePasswordCredentials( UsernamePasswordAuthenticationToken( " +
      "UsernamePasswordCredential( PasswordAuthentication( PlainAuthenticator( SetBasicAuth( BasicAuth( basicAuth( basic_auth( BasicAuthentication( " +
      ".login( login( .auth( auth=( auth = ( .authenticate( authenticate( WiFi.begin( signIn( sign_in( setCredentials( withCredentials( withBasicAuth( Credentials( AuthTokens.basic(",
  ],
  [
    2,
    "getConnection( mysqli_connect( mysql_connect( mysqli( PDO( smtp.PlainAuth( PlainAuth( ftp_login( createConnection( DBI->connect( create_user( create_superuser( pymysql.connect( MySQLdb.connect(",
  ],
  [0, "bearer_auth( bearerAuth( bearerToken( setBearerToken( setAuthToken(", "token"],
  [1, "twilio( Twilio( TwilioRestClient(", "token"],
  [3, "ssh.connect( SSH.connect( client.connect( session.connect("],
];

const places: readonly Place[] = [
  ...CALLS.map(([before, names, family = "password"]): Place => ({
    kind: family,
    family,
    triggers: names.split(/(?<=\() /),
    pattern: new RegExp(
      String.raw`[\w.=> -]{1,40}\([ \t]{0,4}(?:${QUOTED_ARGUMENT}[ \t]{0,4},[ \t]{0,4}){${before}}(?:Some\()?${LAST_ARGUMENT}`,
      "dy",
    ),
  })),
  {
    kind: "secret",
    family: "secret",
    triggers: [
      "jwt.sign(",
      "jwt.verify(",
      "jwt.encode(",
      "jwt.decode(",
      "JWT.encode(",
      "JWT.decode(",
      "createHmac(",
      "hmac.new(",
      "hash_hmac(",
    ],
    pattern:
      /[\w.]{1,20}\((?:\{[^{}\n]{0,128}\}[ \t]?,[ \t]?|[^"',(){}\n]{1,64},[ \t]?|["'][\w-]{1,16}["'],[ \t]?){0,2}b?["'](?<secret>[^"'\\\s]{8,256})["']/dy,
  },
  {
    kind: "bearer-token",
    family: "token",
    triggers: ["Bearer "],
    pattern: /Bearer (?:\{\}|%s)?["'](?:,| ?[+.]) ?["'](?<secret>[\w.~+/=-]{16,512})["']/dy,
  },
  // A dialogue: `expect "assword:"; send "v\r"`, `child.sendline("v")`
  {
    kind: "password",
    triggers: ["assword"],
    pattern:
      /assword[:*?]{0,4} ?\\{0,3}["'](?:[\s;{)]|\\n){1,24}(?:[\w.]{1,30}\.)?(?:exp_)?send(?:line)?[ (](?:-- )?\\{0,3}["'](?<secret>[^"'\\\s]{4,128})/dy,
  },
  {
    kind: "password",
    triggers: ["use "],
    pattern: /use [\w.@+-]{2,64} \/ (?<secret>[^\s"'`,;()/]{6,64})(?=[,;.]?(?:\s|$))/dy,
  },
  // `admin:v` where no address or option speaks for it
  {
    kind: "password",
    triggers: ["admin:", "root:"],
    before: /(?:^|[\s"'`(])$/,
    pattern: /\w{4,5}:(?<secret>[^\s"'`:,;()/]{8,64})(?=["'`,;)]?(?:\s|$))/dy,
  },
  {
    kind: "url-password",
    triggers: ["jdbc:oracle:"],
    pattern: /jdbc:oracle:(?:thin|oci):[\w.-]{1,64}\/(?<secret>[^\s@"'\\]{3,128})@/dy,
  },
  {
    kind: "password",
    triggers: [" LOGIN "],
    before: /(?:^|[\r\n])[\w.]{1,12}$/,
    pattern: / LOGIN "?[^\s"]{1,80}"? "?(?<secret>[^\s"]{4,128})/dy,
  },
  { kind: "password", triggers: [":587 ", ":465 "], pattern: /:\d{3} [^\s:]{1,80}:(?<secret>[^\s"']{4,128})/dy },
  // The last column of .pgpass, with wildcards before it.
  { kind: "password", triggers: [":*:"], pattern: /:\*:[\w*.-]{1,64}:[\w*.-]{1,64}:(?<secret>[^\s:"'\\]{3,128})/dy },
  // Where `IDENTIFIED BY` has no quotes of its own.
  {
    kind: "password",
    triggers: ["IDENTIFIED BY ", "identified by "],
    pattern: /identified by \\{0,63}"?(?<secret>[^\s"'\\;:%?]{4,128})/diy,
  },
  {
    kind: "password",
    triggers: ["PASS "],
    before: /(?:^|[\r\n])$/,
    pattern: /PASS (?<secret>[^\s]{4,128})(?=\r?\n[25]\d\d[ -])/dy,
  },
  { kind: "password", triggers: [" on >"], before: /user [\w.-]{1,40}$/i, pattern: / on >(?<secret>[^\s]{4,128})/dy },
  {
    kind: "password",
    triggers: [
      "log in with ",
      "log in as ",
      "Log in with ",
      "Log in as ",
      "ogin with ",
      "ogin as ",
      "sign in with ",
      "redentials: ",
      "redentials are ",
      "reds are ",
      "creds: ",
      "Login: ",
      "login: ",
    ],
    pattern:
      /[a-zA-Z ]{2,12}:? [\w.@+-]{1,64}(?: ?[/:] ?|, ?| (?:and|with) (?:the )?(?:pass(?:word)?:? ?))(?<secret>[^\s"'`,;()]{6,64})(?=["'`,;)]?(?:\s|$|[.,;]))/dy,
  },
];

function findPlace(
  { kind, family = "password", before, pattern }: Place,
  scan: ScanText,
  at: number,
): readonly Finding[] {
  if (before !== undefined && !before.test(scan.text.slice(Math.max(0, at - 64), at))) return NOTHING;
  pattern.lastIndex = at;
  const [start, end] = pattern.exec(scan.text)?.indices?.groups?.["secret"] ?? [];
  if (start === undefined || end === undefined) return NOTHING;
  const value = scan.text.slice(start, end);
  const isQuoted = /["'`]/.test(scan.text[start - 1] ?? "");
  return isMadeUp(value) && isSecretValue(value, family, isQuoted ? "quoted" : "line")
    ? [{ start, end, kind, byContext: true }]
    : NOTHING;
}

/** Go's MySQL driver: `user:password@tcp(host:3306)/db`. */
function findDsn(scan: ScanText, at: number): readonly Finding[] {
  const from = Math.max(0, at - 200);
  const near = scan.text.slice(from, at);
  const colon = near.lastIndexOf(":");
  const word = Math.max(...[" ", '"', "'", "`", "\n", "\t", "("].map((sign) => near.lastIndexOf(sign)));
  if (colon <= word) return NOTHING;
  const value = near.slice(colon + 1);
  return isSecretValue(value, "password", "declared")
    ? [{ start: from + colon + 1, end: at, kind: "url-password", byContext: true }]
    : NOTHING;
}

const MAX_JWK = 4096;
const JWK_MEMBER =
  /(?<![\w-])(?:d|p|q|dp|dq|qi|k)\\{0,63}["']?[ \t]{0,4}:[ \t]{0,4}\\{0,63}["'](?<secret>[\w-]{16,1024})/dg;

/** The private members of a JSON Web Key: what stands around `"kty"` in the same braces. */
function findJwk(scan: ScanText, at: number): readonly Finding[] {
  const { text } = scan;
  if (at < scan.keyObjectsSeenTo) return NOTHING;
  const from = Math.max(scan.keyObjectsSeenTo, at - MAX_JWK);
  const near = text.slice(from, at + MAX_JWK);
  const open = near.lastIndexOf("{", at - from);
  const close = near.indexOf("}", at - from);
  const start = from + Math.max(0, open);
  const end = close < 0 ? from + near.length : from + close;
  scan.keyObjectsSeenTo = end;
  return [...text.slice(start, end).matchAll(JWK_MEMBER)].flatMap(({ indices }) => {
    const [memberStart, memberEnd] = indices?.groups?.["secret"] ?? [];
    if (memberStart === undefined || memberEnd === undefined) return [];
    return [{ start: start + memberStart, end: start + memberEnd, kind: "private-key", byContext: true }];
  });
}

export const placedRules: readonly Rule[] = [
  ...places.map((place) => ({
    triggers: place.triggers,
    find: (scan: ScanText, at: number) => findPlace(place, scan, at),
  })),
  ...FOREIGN_NAMES.split("|").map((word) => ({
    triggers: [word],
    find: (scan: ScanText, at: number) => findForeign(scan, at, word),
  })),
  { triggers: ["@tcp(", "@unix("], find: findDsn },
  { triggers: ["kty"], find: findJwk },
];
