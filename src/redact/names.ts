/** Names of things that hold secrets: environment variables, JSON keys, header names, flags. */

/** What sort of value a sensitive name announces; it decides how strict the look at the value is. */
export type NameFamily =
  | "password"
  | "passphrase"
  | "secret"
  | "token"
  | "api-key"
  /** Any other `…_KEY`: only a random value counts. */
  | "other-key"
  /** `access` and `refresh`, as opencode's auth.json calls its tokens: only a long random value counts. */
  | "oauth"
  /** `auth`, which is base64 of user and password in Docker's and npm's files. */
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

/** Words before `key` that make it a secret one. */
const KEY_OWNER =
  /^(?:api|access|auth|account|admin|app|application|client|consumer|crypto|cipher|decryption|deploy|encryption|functions?|hmac|integration|jwt|license|unseal|recovery|master|private|rest|secret|service|session|shared|sign|signing|ssh|storage|subscription|webhook|write|cookie|aes|rsa|security|anon|role)$/;
/** Words before `key` that make it a harmless one. */
const HARMLESS_KEY =
  /^(?:public|pub|primary|foreign|sort|partition|cache|row|index|object|idempotency|dedupe|group|lookup|hot|host|known|shortcut|composite|natural|unique|routing|message|event|feature|i18n|translation|react|map|data|query|state|react|theme|config|setting|field|column|item|node|parent|child|s3|redis|bucket|publishable|site|gpg|pgp|apt|signed)$/;
/** Words before `token` that make it a harmless one. */
const HARMLESS_TOKEN =
  /^(?:next|page|pagination|continuation|continue|cursor|sync|start|end|stop|eos|bos|pad|unk|sep|cls|mask|special|syntax|design|cancel|cancellation|lookahead|current|previous|prev|last|first|peek|skip|max|min|num|per|in|out|resume|change|request|idempotency)$/;

/** Words before `pass` that make it a run through data, a filter or a result: `two-pass`, `high-pass`, `render_pass`. */
const HARMLESS_PASS =
  /^(?:single|one|two|three|multi|double|first|second|third|next|last|final|each|every|per|all|by|high|low|band|render|shadow|depth|light|lighting|blur|geometry|compute|main|boarding|season|build|compile|compiler|optimi[sz]ation|analysis|lint|pre|post|will|must|should|can|did|not|to|test|tests)$/;

/** Cookies that carry a login, by the names that frameworks and sites give them. */
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
  const last =
    name
      .slice(-MAX_NAME)
      .split(".")
      .findLast((part) => part !== "") ?? "";
  return last
    .replace(/([a-z0-9])([A-Z])/g, "$1 $2")
    .replace(/(?<=[A-Z])(?=[A-Z][a-z])/g, " ")
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== "")
    .map((word) => word.replace(/(?<=[a-z]{3})\d{1,2}$/, ""));
}

function keyFamily(owner: string, last: string, all: string): NameFamily | undefined {
  if (/(?:api|access|auth|account|secret|private|shared|encryption|signing|master)key$/.test(last)) return "api-key";
  if (last !== "key") return undefined;
  if (/^(?:secret|encryption|signing|private|master|session|cipher|aes|hmac|crypto|sign|jwt|cookie)$/.test(owner)) {
    return "secret";
  }
  if (KEY_OWNER.test(owner)) return "api-key";
  if (owner === "") return "url-only";
  return HARMLESS_KEY.test(owner) || all.includes("public") ? undefined : "other-key";
}

/** Texts repeat few names very often; looking one up is ten times cheaper than taking it apart. */
const known = new Map<string, NameFamily | undefined>();
const KNOWN_MAX = 4096;

/** The family of a name, or nothing for a name that is not sensitive. */
export function familyOf(name: string): NameFamily | undefined {
  if (known.has(name)) return known.get(name);
  const family = judgeName(name);
  if (known.size >= KNOWN_MAX) known.clear();
  // A copy: the name is a slice, which would keep the whole text that it was found in.
  known.set(Buffer.from(name, "latin1").toString("latin1"), family);
  return family;
}

function judgeName(name: string): NameFamily | undefined {
  const words = wordsOf(name);
  const last = (words.at(-1) ?? "").replace(/(password|passwd|secret|token|apikey)s$/, "$1");
  const owner = words.at(-2) ?? "";
  if (last === "keys" && owner === "api") return "api-key";
  if (
    /pass(?:word|wd|code|wort)$|pwd$|^passwd$|^authtok$|^psk$|presharedkey$|^(?:require|store|key|bind|root|become)pass$/.test(
      last,
    )
  )
    return "password";
  if (
    last.endsWith("passphrase") ||
    last === "mnemonic" ||
    (/^(?:seed|pass|recovery)$/.test(owner) && last === "phrase")
  )
    return "passphrase";
  if (last === "key" && owner === "shared" && words.includes("pre")) return "password";
  if (/^(?:pass|pw)$/.test(last)) {
    return name === "pass" || name === "PW" || name === "pw" || (words.length > 1 && !HARMLESS_PASS.test(owner))
      ? "password"
      : undefined;
  }
  if (last.endsWith("secret")) return owner === "existing" ? undefined : "secret";
  if (words.includes("secret") && /^(?:base|value|string|text)$/.test(last)) return "secret";
  if (last.endsWith("token") || /^(?:jwt|pat)$/.test(last)) {
    return HARMLESS_TOKEN.test(owner) || words.includes("public") ? undefined : "token";
  }
  if (/^(?:credential|credentials|creds)$/.test(last)) return "token";
  if (last === "data" && owner === "key") return "api-key";
  if (last === "authorization") return "authorization";
  if (last === "auth") return "login";
  if (last === "cookie" && (words.length === 1 || owner === "set")) return "cookie";
  if (isSessionCookie(name) || (last === "sid" && words.length === 1)) return "session";
  if (words.length === 1 && (last === "access" || last === "refresh")) return "oauth";
  if (/^(?:sig|signature)$/.test(last)) return "url-only";
  return keyFamily(owner, last, words.join(" "));
}
