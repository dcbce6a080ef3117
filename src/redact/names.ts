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
const KEY_OWNER =
  /^(?:api|access|auth|account|admin|app|application|client|consumer|crypto|cipher|decrypt|decryption|deploy|encrypt|encryption|functions?|hmac|integration|jwt|license|unseal|recovery|master|private|rest|secret|service|session|shared|sign|signing|ssh|storage|subscription|webhook|write|cookie|aes|rsa|security|anon|role)$/;
/** Words before `key` that make it harmless. */
const HARMLESS_KEY =
  /^(?:public|pub|primary|foreign|sort|partition|cache|row|index|object|idempotency|dedupe|group|lookup|hot|host|known|shortcut|composite|natural|unique|message|event|feature|i18n|translation|react|map|data|query|state|react|theme|config|setting|field|column|item|node|parent|child|s3|redis|bucket|publishable|site|gpg|pgp|apt|signed|socket|contains|has|find|remove|blob)$/;
/** Words before `token` that make it harmless. */
const HARMLESS_TOKEN =
  /^(?:next|page|pagination|continuation|continue|cursor|sync|start|end|stop|eos|bos|pad|unk|sep|cls|mask|special|syntax|design|cancel|cancellation|lookahead|current|previous|prev|last|first|peek|skip|max|min|num|per|in|out|resume|change|request|idempotency|lock|lease|fencing|concurrency|correlation|trace|hashed)$/;

/** Words before `secret` that make it a key for signing or encrypting. */
const SIGNING_OWNER = /^(?:jwt|session|cookie|app|signing|webhook|auth|nextauth|hmac|token|refresh|access)$/;

/** Words before `pass` that make it an iteration, a filter or a result: `two-pass`, `high-pass`, `render_pass`. */
const HARMLESS_PASS =
  /^(?:single|one|two|three|multi|double|first|second|third|next|last|final|each|every|per|all|any|some|by|high|low|band|render|shadow|depth|light|lighting|blur|geometry|compute|main|boarding|season|build|compile|compiler|optimi[sz]ation|analysis|lint|pre|post|will|must|should|can|did|not|to|test|tests|com|encom|over|under|sur|tres|im|tran|gate|full|half|partial|fastcgi|proxy|uwsgi|scgi|grpc|memcached|mini|docs|proof|codicon|status)$/;

/** Names that frameworks and sites give to session cookies. */
const SESSION_COOKIES = new Set(
  (
    "connect.sid sails.sid .aspxauth __session __secure-1psid __secure-3psid hsid ssid sapisid cf_clearance li_at ct0 " +
    "koa:sess mojolicious rack.session beaker.session.id cakephp symfony _identity"
  ).split(" "),
);
const SESSION_COOKIE_END = /(?:(?:^|[-_.])(?:phpsessid|jsessionid|sess|session|session-token)|session_?id|sessid)$/;
const SESSION_COOKIE_START =
  /^(?:wordpress_sec_|wordpress_logged_in_|remember_|asp\.net_|\.aspnetcore\.|jsessionid\.|s?sess[0-9a-f]{4})/;

function isSessionCookie(name: string): boolean {
  const lower = name.toLowerCase();
  return SESSION_COOKIES.has(lower) || SESSION_COOKIE_END.test(lower) || SESSION_COOKIE_START.test(lower);
}

/** `dbPassword`, `DB_PASSWORD`, `x-api-key` as lower-case words. A path in front (`spring.datasource.`) falls away. */
export function wordsOf(name: string): string[] {
  const parts = name
    .slice(-MAX_NAME)
    .split(".")
    .filter((part) => part !== "");
  const last = parts.at(-1) ?? "";
  // `fs.s3a.secret.key`
  const before = parts.at(-2) ?? "";
  const isOwned =
    (/^key$/i.test(last) && KEY_OWNER.test(before)) || (last === "value" && /pass(?:word|wd)$/i.test(before));
  const owner = isOwned ? `${before}-` : "";
  return (owner + last)
    .replace(/([a-z0-9])([A-Z])/g, "$1 $2")
    .replace(/(?<=[A-Z])(?=[A-Z][a-z])/g, " ")
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== "")
    .map((word) => word.replace(/(?<=[a-z]{3})\d{1,2}$/, ""));
}

/** `isPair`: one of two keys of a cloud service, not a column. */
function keyFamily(owner: string, last: string, all: string, isPair: boolean): NameFamily | undefined {
  if (/(?:api|access|auth|account|secret|private|shared|encryption|signing|master)key$/.test(last)) return "api-key";
  if (last !== "key") return undefined;
  if (/^(?:secret|signing|jwt|cookie)$/.test(owner)) return "signing";
  if (/^(?:encrypt|encryption|private|master|session|cipher|aes|hmac|crypto|sign)$/.test(owner)) return "secret";
  if (KEY_OWNER.test(owner)) return "api-key";
  if (owner === "" || isPair) return "url-only";
  return HARMLESS_KEY.test(owner) || all.includes("public") ? undefined : "other-key";
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

function judgeName(name: string): NameFamily | undefined {
  // The program
  if (/^1password$/i.test(name)) return undefined;
  const words = wordsOf(name);
  if (words.length > 1 && WHICH.test(words.at(-1) ?? "")) words.pop();
  const last = (words.at(-1) ?? "").replace(/(password|passwd|secret|token|apikey)s$/, "$1");
  const owner = words.at(-2) ?? "";
  if (last === "keys" && owner === "api") return "api-key";
  if (
    /pass(?:word|wd|code|wort)$|pwd$|^[a-z]{2,10}pw$|^passwd$|^authtok$|^psk$|presharedkey$/.test(last) ||
    (/^[a-z]{2,10}pass$/.test(last) && !HARMLESS_PASS.test(last.slice(0, -4)))
  )
    return "password";
  if (/^(?:value|string|text|plain|plaintext)$/.test(last) && /^pass(?:word|wd)$/.test(owner)) return "password";
  // These ids of Consul and Vault are secrets themselves; other secret ids are only names.
  if (/^SecretID$|VAULT_(?:\w{1,20}_)?SECRET_ID$/.test(name)) return "token";
  if ((last === "cookie" && /^(?:erlang|release)$/.test(owner)) || /^(?:dbroot|macaroon)$/.test(last)) return "token";
  if (/\baccount\.key\./.test(name)) return "api-key";
  if (
    last.endsWith("passphrase") ||
    last === "mnemonic" ||
    (/^(?:seed|pass|recovery)$/.test(owner) && last === "phrase")
  )
    return "passphrase";
  if (last === "key" && owner === "shared" && words.includes("pre")) return "password";
  if (/^(?:pass|pw)$/.test(last)) {
    return name === "pass" || /^pw$/i.test(name) || (words.length > 1 && !HARMLESS_PASS.test(owner))
      ? "password"
      : undefined;
  }
  if (last.endsWith("secret")) {
    if (SIGNING_OWNER.test(owner)) return "signing";
    return /^(?:existing|hashed)$/.test(owner) ? undefined : "secret";
  }
  if ((/^(?:totp|otp)$/.test(last) && words.length > 1) || (/^(?:totp|otp|mfa)$/.test(owner) && last === "seed"))
    return "secret";
  if (words.includes("secret") && /^(?:base|hex|value|string|text)$/.test(last))
    return owner === "key" ? "signing" : "secret";
  if (last === "salt" && words.length > 1) return /^(?:signing|encryption)$/.test(owner) ? "secret" : "other-key";
  if (/^[A-Z\d_]+_HMAC$/.test(name)) return "other-key";
  if (/^sonar\.login$/i.test(name)) return "token";
  if (last === "bearer" && words.length > 1) return "token";
  if (last.endsWith("token") || /^(?:jwt|pat)$/.test(last)) {
    return HARMLESS_TOKEN.test(owner) || last.endsWith("locktoken") || words.includes("public") ? undefined : "token";
  }
  if (/^(?:credential|credentials|creds)$/.test(last)) return "token";
  if (last === "data" && owner === "key") return "api-key";
  if (last === "authorization") return "authorization";
  if (last === "auth") return "login";
  if (last === "cookie" && (words.length === 1 || owner === "set")) return "cookie";
  if (isSessionCookie(name) || (last === "sid" && (words.length === 1 || owner === "connect"))) return "session";
  if (words.length === 1 && (last === "access" || last === "refresh")) return "oauth";
  if (/^(?:sig|signature)$/.test(last)) return "url-only";
  return keyFamily(owner, last, words.join(" "), /^(?:primary|secondary)Key$/i.test(name));
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

/** `token` and `API key` in other languages. */
export const FOREIGN_KEYS =
  "токен|Токен|ключ API|Ключ API|API-ключ|トークン|APIキー|API 키|api 키|토큰:|토큰은|clé API|Clé API|clé d'API|clave de API|clave API|chave de API|chave da API|chave API|chiave API|API-sleutel|klucz API|密鑰：|密鑰:|API密钥|API 密钥|API-Schlüssel|API anahtarı|Zugangsschlüssel|clé secrète|clave de acceso|chave de acesso|chiave segreta|секретный ключ|jeton";
