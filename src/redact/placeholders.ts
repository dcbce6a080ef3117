/** Values that only look like secrets: placeholders, references to a secret kept elsewhere, types and pieces of code. */
import { isWordy } from "./randomness.ts";

const PLACEHOLDER = new RegExp(
  `^(?:${[
    "x{3,}",
    "•+",
    "\\.{2,}",
    "…",
    "(?:123)?1234(?:5678)?",
    "null|nil|none|undefined|true|false|yes|no|on|off|todo|tbd|n/?a|empty|unset|void",
    "change[-_ ]?(?:me|it|this)(?:please|now)?|replace[-_ ]?(?:me|this)|fix[-_ ]?me",
    "(?:super|top)?[-_ ]?secret|password|passwd|passphrase|pass|pwd|token|pw|key|api[-_ ]?key|credentials?",
    "postgres|root|admin|user|guest|test|foobar|foo|bar|baz|abc|example|sample|dummy|fake|mock|redacted|hidden|masked",
    "\\[.{0,98}\\]|<.{0,98}>|\\(.{0,98}\\)|%.{1,98}%|@.{1,98}@|__[A-Z_]+__",
  ].join("|")})$`,
  "i",
);

/** `your-api-key-1`, `the token`, `myPassword`: words that tell the reader what belongs there. */
const INSTRUCTION =
  /^(?:your|my|the|some|new|old|current|a|an|enter|insert|put|use|example|sample|dummy|fake|test)[-_ ]/i;

/** A masked value, `put-it-here`, Amazon's `…EXAMPLEKEY`. */
const STAND_IN_PART = /\*{3}|(?:[-_ ](?:here|placeholder)|EXAMPLE(?:KEY)?)$/i;

/** One character, again and again. */
const isFilling = (value: string): boolean => value !== "" && value === value.charAt(0).repeat(value.length);

const isPlaceholder = (value: string): boolean =>
  PLACEHOLDER.test(value.slice(0, 100)) ||
  isFilling(value.slice(0, 100)) ||
  STAND_IN_PART.test(value) ||
  /^(?:your|my)[A-Z][a-z]/.test(value) ||
  (INSTRUCTION.test(value) && isWordy(value));

/** Whether a credential of known shape ends in filling, as in `ghp_xxxxxxxxxxxxxxxxxxxx`. */
export const isPadding = (credential: string): boolean => new Set(credential.slice(-24)).size < 5;

const TEMPLATE = /%[sdr]\b|\{\d?\}|\{[A-Za-z_][\w.]*\}|\$\{|\$\(|\{\{|<%|#\{|^%\(|^\{(?:env|file|cmd):/i;
const VARIABLES = /^(?:\$[A-Za-z_][\w.>[:/@-]*)+$/;
const STORE_ADDRESS =
  /^(?:[a-z][a-z0-9+.-]{1,20}:\/\/|(?:arn|vault|ssm|secretsmanager|env|file|op|ref|projects)[:/+]|ENC\[|Ag[A-D][\w+/]{40})/i;

/** Whether the value says where the secret is: a variable, a template's field, an address in a secret store, a sealed value. */
function isReference(value: string): boolean {
  const start = value.slice(0, 300);
  return TEMPLATE.test(start) || VARIABLES.test(start) || STORE_ADDRESS.test(start);
}

/** What earlier redaction, of ours or another program's, left; it may be cut. */
const MARKERS = /\[REDACTED(?::[a-z0-9-]{0,64})?\]?/g;

/** A value without what earlier redaction left in it: the rest may be a secret. */
export const withoutMarkers = (value: string): string =>
  value.includes("[REDACTED") ? value.replaceAll(MARKERS, "") : value;

/** Whether the value only stands for a secret. */
export function isStandIn(value: string): boolean {
  const own = withoutMarkers(value);
  if (own !== value && !/[\p{L}\p{N}]/u.test(own)) return true;
  return isReference(own) || isPlaceholder(own);
}

/** A type, a keyword or the name of an algorithm: what code and schemas say about a password. */
const TYPE_WORD = new RegExp(
  `^(?:${[
    "string|str|text|bytes?|buffer|char|varchar|int(?:eger)?|number|boolean|bool|any|unknown|never|object|array",
    "option(?:al)?|required|nullable|hidden|disabled|enabled|default|auto|manual|stdin|file|env|inherit|include",
    "invalid|incorrect|mismatch|missing|expired|unchanged|same-origin|omit|identifier|keyword",
    "personal|access|refresh|private|public|bearer|basic|digest|oauth2?",
    "erforderlich|pflichtfeld|vergessen|obligatoire|oubli(?:é|er)|obligatori[ao]|requerid[ao]|obrigat[óo]ri[ao]|wymagane|verplicht|обязательн[а-я]{1,4}|必填|必須|필수",
    "argon2(?:id|i|d)?|bcrypt|scrypt|pbkdf2|sha-?(?:1|256|512)|md5|base64|utf-?8",
  ].join("|")})$`,
  "i",
);
const DATE_OR_VERSION = /^(?:\d{4}-\d\d-\d\d|[v^~]?\d+\.\d+\.\d+|0x[0-9a-f]{1,8}$)/i;
/** What stands between two strings of JSON, should the first end with a name: `","`, `"},{"`, `",1,"`. */
const BETWEEN_STRINGS = /^\s*[,:}\]].*[,:{[]\s*$|^[\s,:{}[\]]*$/s;
/** The rest of a statement after a string that ends with the name: `("Password:"), next(`. */
const STATEMENT = /^(?:[),;\]}](?:.*(?:[\w$][(.]|=>)|.*[(,+=]$)|\+[\w$. ]{0,24}\+$)/;

/** Whether a value is no secret in any syntax. */
export const isPlain = (value: string): boolean =>
  TYPE_WORD.test(value) || DATE_OR_VERSION.test(value) || BETWEEN_STRINGS.test(value) || STATEMENT.test(value);

const MEMBER_ACCESS = /^[A-Za-z_$][\w$]*(?:\??\.[A-Za-z_$][\w$]*)+[!?]?$/;
const PATH = /^(?:\.{1,2}|~)?\/(?:[\w.@-]+\/)*[\w.@-]+$/;

/** `config.password`, `/run/secrets/password` */
export const isPathLike = (value: string): boolean => MEMBER_ACCESS.test(value) || PATH.test(value);

const CODE = /[()[\]{}=]|=>|::|->|\|\|/;
const PADDED_BASE64 = /^[\w+/.~-]+={1,2}$/;
/** An identifier that says itself what it holds: `PrivateKeyTypes`, `accessToken1`. */
const isSpeakingName = (value: string): boolean =>
  /pass|secret|token|credential|key|type/i.test(value) && /^[a-z_]+(?:\d{1,2}[a-z_]*)?$/i.test(value);
const YAML_TAG = /^(?:![A-Za-z]|&[a-z]|\*[a-z])/;

/** Whether a value without quotes is a piece of code: a call, a variable that is named for what it holds, a tag. */
export const isCode = (value: string): boolean =>
  MEMBER_ACCESS.test(value) ||
  YAML_TAG.test(value) ||
  isSpeakingName(value.slice(0, 64).replace(/(?:mon|tur|don)key/i, "")) ||
  (CODE.test(value) && !PADDED_BASE64.test(value));

/** Whether a value without quotes begins a bracket or a call that quotes or spaces cut short: `(value`, `Secret(`. */
export const opensBracket = (value: string): boolean => /^[([{|]|[A-Za-z_]\($/.test(value);
