/** Names of things that hold secrets: environment variables, JSON keys, header names, flags. */

/** Kind of value that a sensitive name suggests. It decides how strictly the value is checked. */
export type NameFamily =
  | "password"
  | "passphrase"
  | "secret"
  /** Key for signing or encrypting, often chosen by a developer: `JWT_SECRET`, `SESSION_SECRET`. */
  | "signing"
  | "token"
  | "api-key"
  /** Any other `…_KEY`: only random values are secrets. */
  | "other-key"
  /** `access` and `refresh`, the tokens in opencode's auth.json: only long random values are secrets. */
  | "oauth"
  /** `auth`: user and password in base64, in files of Docker and npm. */
  | "login"
  /** The Authorization header: a scheme and a credential. */
  | "authorization"
  /** Cookie and Set-Cookie headers. */
  | "cookie"
  /** Session cookies by name. */
  | "session"
  /** Sensitive as a query parameter only: `sig`, `signature`, `key`. */
  | "url-only";

const MAX_NAME = 80;

/** Words before `key` that make it a secret. */
const KEY_OWNERS =
  "api|access|auth|account|admin|app|application|client|consumer|crypto|cipher|decrypt|decryption|deploy|encrypt|encryption|functions?|hmac|integration|jwt|license|unseal|recovery|master|private|rest|secret|service|session|shared|sign|signing|ssh|storage|subscription|webhook|write|cookie|aes|rsa|security|anon|role";
const OWNS_KEY = new RegExp(`^(?:${KEY_OWNERS})$`);
/** Words before `key` that make it harmless. */
const HARMLESS_KEYS =
  "public|pub|primary|foreign|sort|partition|cache|row|index|object|idempotency|dedupe|group|lookup|hot|host|known|shortcut|composite|natural|unique|message|event|feature|i18n|translation|react|map|data|query|state|react|theme|config|setting|field|column|item|node|parent|child|s3|redis|bucket|publishable|site|gpg|pgp|apt|signed|socket|contains|has|find|remove|blob";
/** Words before `token` that make it harmless. */
const HARMLESS_TOKENS =
  "next|page|pagination|continuation|continue|cursor|sync|start|end|stop|eos|bos|pad|unk|sep|cls|mask|special|syntax|design|cancel|cancellation|lookahead|current|previous|prev|last|first|peek|skip|max|min|num|per|in|out|resume|change|request|idempotency|lock|lease|fencing|concurrency|correlation|trace|hashed";
/** Words before `pass` that make it an iteration, a filter or a result: `two-pass`, `high-pass`, `render_pass`. */
const HARMLESS_PASSES =
  "single|one|two|three|multi|double|first|second|third|next|last|final|each|every|per|all|any|some|by|high|low|band|render|shadow|depth|light|lighting|blur|geometry|compute|main|boarding|season|build|compile|compiler|optimi[sz]ation|analysis|lint|pre|post|will|must|should|can|did|not|to|test|tests|com|encom|over|under|sur|tres|im|tran|gate|full|half|partial|fastcgi|proxy|uwsgi|scgi|grpc|memcached|mini|docs|proof|codicon|status";

/** `dbPassword`, `DB_PASSWORD`, `x-api-key` as lower-case words. A path in front (`spring.datasource.`) falls away. */
function wordsOf(name: string): string[] {
  const parts = name
    .slice(-MAX_NAME)
    .split(".")
    .filter((part) => part !== "");
  const own = parts.at(-1) ?? "";
  // `fs.s3a.secret.key`
  const before = parts.at(-2) ?? "";
  const isOwned =
    (/^key$/i.test(own) && OWNS_KEY.test(before)) || (own === "value" && /pass(?:word|wd)$/i.test(before));
  const owner = isOwned ? `${before}-` : "";
  return (owner + own)
    .replace(/([a-z0-9])([A-Z])/g, "$1 $2")
    .replace(/(?<=[A-Z])(?=[A-Z][a-z])/g, " ")
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== "")
    .map((word) => word.replace(/(?<=[a-z]{3})\d{1,2}$/, ""));
}

/** Cache: texts repeat a few names very often, and a lookup is ten times faster than an analysis. */
const known = new Map<string, NameFamily | undefined>();
const KNOWN_MAX = 4096;

/** Returns the family of a name; undefined if it is not sensitive. */
export function familyOf(name: string): NameFamily | undefined {
  if (known.has(name)) return known.get(name);
  const family = judgeName(name);
  if (known.size >= KNOWN_MAX) known.clear();
  // The name is a slice, which would keep the whole text in memory, so a copy is stored.
  known.set(Buffer.from(name, "latin1").toString("latin1"), family);
  return family;
}

/** Suffix that tells several apart: `DB_PASSWORD_PROD`, `API_KEY_2`, `password_confirmation`. */
const WHICH =
  /^(?:prod|production|stage|staging|dev|development|test|testing|qa|uat|local|live|sandbox|old|new|previous|primary|secondary|main|backup|private|internal|external|legacy|confirmation|confirm|again|repeat|v?\d{1,2})$/;

/** Returns an expression for the last words of a name. */
const last = (words: string): RegExp => new RegExp(`(?:^| )(?:${words})$`);

/**
 * Family of a name whose words, in lower case and with spaces between them, match; the first rule that matches decides.
 * Without a family the name is harmless. `as written`: the name itself must match.
 */
const RULES: readonly (readonly [family: NameFamily | undefined, words: RegExp, asWritten?: "as written"])[] = [
  // The program
  [undefined, /^1password$/i, "as written"],
  ["api-key", last("api keys")],
  ["password", /pass(?:word|wd|code|wort)$|pwd$|(?:^| )(?:[a-z]{2,10}pw|passwd|authtok|psk)$|presharedkey$/],
  ["password", last(`(?!(?:${HARMLESS_PASSES})pass$)[a-z]{2,10}pass`)],
  ["password", last("pass(?:word|wd) (?:value|string|text|plain|plaintext)")],
  // These ids of Consul and Vault are secrets themselves; other secret ids are only names.
  ["token", /^SecretID$|VAULT_(?:\w{1,20}_)?SECRET_ID$/, "as written"],
  ["token", last("(?:erlang|release) cookie|dbroot|macaroon")],
  ["api-key", /\baccount\.key\./, "as written"],
  ["passphrase", /passphrase$|(?:^| )(?:mnemonic|(?:seed|pass|recovery) phrase)$/],
  ["password", last("pre (?:.{0,80} )?shared key")],
  ["password", /^(?:pass|[Pp][Ww])$/, "as written"],
  [undefined, last(`(?:${HARMLESS_PASSES}) (?:pass|pw)`)],
  ["password", / (?:pass|pw)$/],
  [
    "signing",
    last("(?:jwt|session|cookie|app|signing|webhook|auth|nextauth|hmac|token|refresh|access) [^ ]{0,80}secret"),
  ],
  [undefined, last("(?:existing|hashed) [^ ]{0,80}secret")],
  ["secret", /secret$/],
  ["secret", / t?otp$|(?:^| )(?:t?otp|mfa) seed$/],
  ["signing", last("secret (?:.{0,80} )?key (?:base|hex|value|string|text)")],
  ["secret", last("secret (?:.{0,80} )?(?:base|hex|value|string|text)")],
  ["secret", last("(?:signing|encryption) salt")],
  ["other-key", / salt$/],
  ["other-key", /^[A-Z\d_]+_HMAC$/, "as written"],
  ["token", /^sonar\.login$/i, "as written"],
  ["token", / bearer$/],
  [undefined, last(`(?:${HARMLESS_TOKENS}|public(?: .{0,80})?) (?:[^ ]{0,80}token|jwt|pat)`)],
  [undefined, /locktoken$/],
  ["token", /token$|(?:^| )(?:jwt|pat|credential|credentials|creds)$/],
  ["api-key", last("key data")],
  ["authorization", last("authorization")],
  ["login", last("auth")],
  ["cookie", /^cookie$|(?:^| )set cookie$/],
  // Names that frameworks and sites give to session cookies
  [
    "session",
    /^(?:connect\.sid|sails\.sid|\.aspxauth|__session|__secure-[13]psid|hsid|ssid|sapisid|cf_clearance|li_at|ct0|koa:sess|mojolicious|rack\.session|beaker\.session\.id|cakephp|symfony|_identity)$/i,
    "as written",
  ],
  ["session", /(?:(?:^|[-_.])(?:phpsessid|jsessionid|sess|session|session-token)|session_?id|sessid)$/i, "as written"],
  [
    "session",
    /^(?:wordpress_sec_|wordpress_logged_in_|remember_|asp\.net_|\.aspnetcore\.|jsessionid\.|s?sess[0-9a-f]{4})/i,
    "as written",
  ],
  ["session", /^sid$|(?:^| )connect sid$/],
  ["oauth", /^(?:access|refresh)$/],
  ["url-only", last("sig|signature")],
  ["api-key", /(?:api|access|auth|account|secret|private|shared|encryption|signing|master)key$/],
  ["signing", last("(?:secret|signing|jwt|cookie) key")],
  ["secret", last("(?:encrypt|encryption|private|master|session|cipher|aes|hmac|crypto|sign) key")],
  ["api-key", last(`(?:${KEY_OWNERS}) key`)],
  ["url-only", /^key$/],
  // Two keys of a cloud service, not a column
  ["url-only", /^(?:primary|secondary)Key$/i, "as written"],
  [undefined, last(`(?:${HARMLESS_KEYS}) key`)],
  [undefined, /public.{0,80} key$/],
  ["other-key", / key$/],
];

function judgeName(name: string): NameFamily | undefined {
  const parts = wordsOf(name);
  if (parts.length > 1 && WHICH.test(parts.at(-1) ?? "")) parts.pop();
  const words = parts.join(" ").replace(/(password|passwd|secret|token|apikey)s$/, "$1");
  return RULES.find(([, pattern, asWritten]) => pattern.test(asWritten === undefined ? words : name))?.[0];
}

/** `password` in other languages. */
export const FOREIGN_NAMES =
  "contraseña|Contraseña|CONTRASEÑA|contrasena|CONTRASENA|Contrasena|mot de passe|Mot de passe|mot_de_passe|motdepasse|MotDePasse|motDePasse|MOT_DE_PASSE|" +
  "kennwort|Kennwort|KENNWORT|senha|Senha|SENHA|wachtwoord|Wachtwoord|WACHTWOORD|hasło|Hasło|haslo|Haslo|HASLO|пароль|Пароль|ПАРОЛЬ|пароля|паролем|" +
  "lösenord|Lösenord|losenord|adgangskode|Adgangskode|passord|Passord|salasana|Salasana|şifre|Şifre|sifre|Sifre|SIFRE|parola|Parola|PAROLA|heslo|Heslo|HESLO|" +
  "jelszó|Jelszó|jelszo|mật khẩu|Mật khẩu|matkhau|κωδικός|Κωδικός|lozinka|Lozinka|zaporka|geslo|slaptažodis|parool|salasõna|clave secreta|clave|Clave|CLAVE|kata sandi|Kata sandi|" +
  "palavra-passe|Palavra-passe|parola chiave|лозинка|Лозинка|парола|Парола|гасло|Гасло|비번:|비번은|비번 |パスワード|暗証番号|パスフレーズ|비밀번호|암호:|암호：|密码:|密码：|密码=|密码是|密码为|密码为 |密码改|密码设|密码换|密码变|口令是|口令为|密碼為|mdp|Mdp|MDP|密碼:|密碼：|密碼是|密码 |口令:|口令：|密钥:|密钥：|秘钥：|令牌：|令牌:|" +
  "Key Content|Schlüsselinhalt|Contenu de la clé|Contenido de la clave|Conteúdo da chave|Contenuto chiave|WLAN-Schlüssel|WLAN-Key|Netzwerkschlüssel|wifi key|WiFi key|Wi-Fi key|Wifi key|clé wifi|clé WiFi|clave wifi|clave WiFi|chiave wifi|" +
  "كلمة المرور|كلمة السر|סיסמה|סיסמא|รหัสผ่าน|पासवर्ड|कूटशब्द";
const foreignNames = new Set(
  FOREIGN_NAMES.toLowerCase()
    .split("|")
    .map((name) => name.replace(/[:：= ]$/, "")),
);
/** Returns true for `password` in another language. */
export const isForeignName = (name: string): boolean => foreignNames.has(name.toLowerCase());
