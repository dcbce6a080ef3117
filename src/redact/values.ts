/** Judges whether a value next to a sensitive name is a secret, or a placeholder, a reference or a piece of code. */
import type { NameFamily } from "./names.ts";

/** How sure the syntax is that the value is data and not code. */
export type ValueContext =
  /** In quotes, or the whole value of a JSON key. */
  | "quoted"
  /** `NAME=value` of a shell or an .env file, a command line flag, a header, a query parameter. */
  | "declared"
  /** A whole line `name: value`, as in YAML. */
  | "line"
  /** Any other unquoted value: it may be a variable or a type. */
  | "loose";

const PLACEHOLDER = new RegExp(
  `^(?:${[
    "x{3,}",
    "\\*{2,}",
    "•+",
    "\\.{2,}",
    "…",
    "-+",
    "_+",
    "0+",
    "(?:123)?1234(?:5678)?",
    "null|nil|none|undefined|true|false|yes|no|on|off|todo|tbd|n/?a|empty|unset|void",
    "change[-_ ]?(?:me|it|this)(?:please|now)?|replace[-_ ]?(?:me|this)|fix[-_ ]?me",
    "(?:super|top)?[-_ ]?secret|password|passwd|passphrase|pass|pwd|token|pw|key|api[-_ ]?key|credentials?",
    "postgres|root|admin|user|guest|test|foobar|foo|bar|baz|abc|example|sample|dummy|fake|mock|redacted|hidden|masked",
    ".*\\*{3,}.*",
    ".*(?:[-_ ]here|[-_]placeholder|[-_]goes[-_]here|EXAMPLE(?:KEY)?)",
    "\\[.*\\]|<.*>|\\(.*\\)|%.+%",
  ].join("|")})$`,
  "i",
);

/** A type, a keyword or a name of an algorithm: what code and schemas say about a password. */
const TYPE_WORD =
  /^(?:string|str|text|bytes?|buffer|char|varchar|int(?:eger)?|number|boolean|bool|any|unknown|never|object|array|option(?:al)?|required|nullable|hidden|disabled|enabled|invalid|incorrect|mismatch|missing|expired|unchanged|stdin|file|env|inherit|include|same-origin|omit|bearer|basic|digest|oauth2?|argon2(?:id|i|d)?|bcrypt|scrypt|pbkdf2|sha-?(?:1|256|512)|md5|base64|utf-?8|default|auto|manual|identifier|keyword|personal|access|refresh|private|public)$/i;

/** What stands between two strings of JSON, should the first end with a name: `","`, `"},{"`, `",1,"`. */
const BETWEEN_STRINGS = /^\s*[,:}\]].*[,:{[]\s*$|^[\s,:{}[\]]*$/s;

/** Fills of a template, variables of a shell, addresses of a secret store. */
const REFERENCE =
  /%[sdr]\b|\{\d?\}|\{[A-Za-z_][\w.]*\}|^\$[A-Za-z_{(]|\$\{|\$\(|\{\{|<%|#\{|^%\(|^!|^&[a-z]|^\*[a-z]|^\{(?:env|file|cmd)?:?[\w:./-]+\}$/i;
const STORE_ADDRESS =
  /^(?:[a-z][a-z0-9+.-]{1,20}:\/\/|(?:arn|vault|ssm|secretsmanager|env|file|op|ref|projects)[:/+]|ENC\[)/i;
const PATH = /^(?:\.{1,2}|~)?\/(?:[\w.@-]+\/)*[\w.@-]+$/;
const MEMBER_ACCESS = /^[A-Za-z_$][\w$]*(?:\??\.[A-Za-z_$][\w$]*)+[!?]?$/;
/** An identifier that says itself what it holds: `PrivateKeyTypes`, `accessToken1`. */
const TYPE_NAME = /^(?=.*(?:pass|secret|token|credential|key|type))[a-z_]+[0-9]{0,2}[a-z_]*$/i;
const CODE = /[()[\]{}=]|=>|::|->|\|\|/;
const MIME_OR_LABEL = /^[A-Za-z]+(?:[._:/-][A-Za-z]+)+$/;
const DATE_OR_VERSION = /^(?:\d{4}-\d\d-\d\d|[v^~]?\d+\.\d+\.\d+|0x[0-9a-f]{1,8}$)/i;
/** The rest of a statement after a string that ends with the name: `("Password:"), next(`. */
const STATEMENT = /^(?:[),;\]}](?:.*(?:[\w$][(.]|=>)|.*[(,+=]$)|\+[\w$. ]{0,24}\+$)/;

/** `your-api-key-1`, `the token`, `myPassword`: words that tell the reader what belongs there. */
const INSTRUCTION =
  /^(?:your|my|the|some|new|old|current|a|an|enter|insert|put|use|example|sample|dummy|fake|test)[-_ ]/i;

export const isPlaceholder = (value: string): boolean =>
  PLACEHOLDER.test(value.slice(0, 100)) ||
  /^(?:your|my)[A-Z][a-z]/.test(value) ||
  (INSTRUCTION.test(value) && isWordy(value));
/** Whether a value is, or ends in, what earlier redaction left; it may be cut at the colon. */
export const isRedacted = (value: string): boolean => value.includes("[REDACTED");
/** Whether a credential of known shape ends in filling, as in `ghp_xxxxxxxxxxxxxxxxxxxx`. */
export const isPadding = (credential: string): boolean => new Set(credential.slice(-24)).size < 5;
export const isReference = (value: string): boolean => {
  const start = value.slice(0, 300);
  return REFERENCE.test(start) || STORE_ADDRESS.test(start);
};

/** How often letters change case or turn into digits and back: noise does at every other character, words seldom. */
function restlessness(value: string): number {
  let changes = 0;
  let letters = 0;
  let before = "";
  for (const char of value.slice(0, 256)) {
    const sort = /[a-z]/.test(char)
      ? "a"
      : /[A-Z]/.test(char)
        ? "A"
        : /[0-9]/.test(char)
          ? "0"
          : "";
    if (sort === "") continue;
    if (before !== "" && sort !== before && !(before === "A" && sort === "a")) changes++;
    letters++;
    before = sort;
  }
  return letters < 2 ? 0 : changes / (letters - 1);
}

/** Noise has as many capitals as small letters; in `camelCaseNames` capitals are few, in acronyms they stand together. */
function isRandomLetters(value: string): boolean {
  const capitals = (value.match(/[A-Z]/g)?.length ?? 0) / value.length;
  return capitals >= 0.25 && capitals <= 0.75 && restlessness(value) >= 0.12;
}

const WORDY_PART = /^(?:[A-Za-z]+|\d{1,8}|[A-Za-z]{1,10}\d{1,2}|\d{1,2}[A-Za-z]{1,3})$/;
/** Whether `value` is made of words and short numbers, joined by any signs. */
export const isWordy = (value: string): boolean =>
  value.split(/[^A-Za-z0-9]+/).every((part) => part === "" || WORDY_PART.test(part));

/** Whether a program made the value: letters and digits in no order. `min` is the least length. */
export function isRandom(value: string, min: number): boolean {
  if (value.length < min || /\s/.test(value)) return false;
  const mixed = /[0-9]/.test(value) && /[A-Za-z]/.test(value);
  if (!mixed) return value.length >= 16 && isRandomLetters(value);
  return !isWordy(value) && restlessness(value) >= 0.2;
}

/** Letters and digits in some order, as in made-up keys (`abcdef1234567890`): enough next to a name that says secret. */
const isLongMix = (value: string): boolean =>
  value.length >= 16 &&
  /^[\w.+/=~-]+$/.test(value) &&
  /[0-9]/.test(value) &&
  /[A-Za-z]/.test(value) &&
  !isWordy(value);

function isKeyValue(value: string, context: ValueContext): boolean {
  if (context === "loose") return isRandom(value, 16);
  if (context === "line") return isRandom(value, 16) || (value.length >= 20 && isLongMix(value));
  return isRandom(value, 8) || isLongMix(value);
}

const SENSITIVE_WORD = /pass|pwd|secret|token|credential|string/i;

function isPasswordValue(value: string, context: ValueContext): boolean {
  if (/\s/.test(value)) return false;
  const letters = /^[\p{L}]+$/u.test(value);
  if (letters) {
    if (SENSITIVE_WORD.test(value) || context === "loose") return false;
    if (context === "declared") return value.length >= 6;
    return value.length >= (context === "line" ? 8 : 6) && value === value.toLowerCase();
  }
  if (/^[\p{L}\s._:/-]+$/u.test(value))
    return (
      context !== "loose" &&
      value.length >= 16 &&
      !SENSITIVE_WORD.test(value) &&
      !/[./:]/.test(value)
    );
  if (/^[a-z]+\|/.test(value)) return false;
  if (context === "quoted" || context === "declared") return value.length >= 4;
  if (value.length < 6 || /^\d+$/.test(value)) return context === "line" && value.length >= 4;
  if (context === "line") return true;
  return (
    /[0-9!@#%^&*]/.test(value) &&
    !SENSITIVE_WORD.test(value) &&
    !/^[a-z_]+\d{1,2}$|,\w+:/i.test(value)
  );
}

function isPhrase(value: string): boolean {
  const words = value.split(" ");
  return words.length >= 3 && words.every((word) => /^[a-z]{2,12}$/.test(word));
}

/** `user:password` in base64, whole or cut. */
export function isEncodedLogin(value: string, cut: boolean): boolean {
  const decoded = Buffer.from(value, "base64").toString("latin1");
  return (
    /^[\x20-\x7e]{1,64}:[\x20-\x7e]+$/.test(decoded) || (cut && /^[\x20-\x7e]{4,}$/.test(decoded))
  );
}

/** Whether `value`, which stands next to a name of `family`, is to be replaced. */
export function isSecretValue(value: string, family: NameFamily, context: ValueContext): boolean {
  if (value.length < 4 || isRedacted(value)) return false;
  if (isReference(value) || isPlaceholder(value) || TYPE_WORD.test(value)) return false;
  if (
    BETWEEN_STRINGS.test(value) ||
    DATE_OR_VERSION.test(value) ||
    STATEMENT.test(value) ||
    /^(.)\1*$/.test(value)
  )
    return false;
  const codeLike = context === "loose" || context === "line";
  if (context !== "quoted" && (/^[([{|]/.test(value) || /[A-Za-z_]\($/.test(value))) return false;
  if (codeLike && (MEMBER_ACCESS.test(value) || TYPE_NAME.test(value))) return false;
  if (codeLike && CODE.test(value) && !/^[\w+/.~-]+={1,2}$/.test(value)) return false;
  if (family !== "session" && isRandom(value, 24)) return true;
  if (MEMBER_ACCESS.test(value) || PATH.test(value)) return false;
  switch (family) {
    case "password":
      return isPasswordValue(value, context);
    case "passphrase":
      return isPhrase(value) || isPasswordValue(value, context);
    case "secret":
      if (context === "declared" && /^[a-z]{8,}$/.test(value)) return true;
      if (!codeLike && /[!@#$%^&*]/.test(value) && value.length >= 8 && !/\s/.test(value))
        return true;
      return isKeyValue(value, context);
    case "token":
    case "api-key":
      return isKeyValue(value, context);
    case "other-key":
      return !codeLike && isRandom(value, 20) && !MIME_OR_LABEL.test(value);
    case "oauth":
      return context === "quoted" && isRandom(value, 32);
    case "session":
      return isRandom(value, 20) && !/^(?:ses_|[0-9a-f]{8}-)/.test(value);
    case "url-only":
      return isRandom(value, 16);
    case "login":
      return isRandom(value, 16) || (value.length >= 12 && isEncodedLogin(value, false));
    case "authorization":
    case "cookie":
      return false;
  }
}
