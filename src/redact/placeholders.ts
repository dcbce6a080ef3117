/** Detects values that only look like secrets: placeholders, references to secrets elsewhere, types and code. */
import { isForeignName } from "./names.ts";
import { isRandom, isWordy } from "./randomness.ts";

/** Texts in the place of a secret. */
const PLACEHOLDERS: readonly RegExp[] = [
  new RegExp(
    `^(?:${[
      "x{3,}",
      "•+",
      "\\.{2,}",
      "…",
      "(?:123)?1234(?:5678)?",
      "null|nil|none|undefined|true|false|yes|no|on|off|todo|tbd|n/?a|empty|unset|void",
      "change[-_ ]?(?:me|it|this)(?:[-_ ]?(?:please|now))?|replace[-_ ]?(?:me|this)|fix[-_ ]?me",
      "(?:super|top)?[-_ ]?secret|password|passwd|passphrase|pass|pwd|token|pw|key|api[-_ ]?key|credentials?",
      "postgres|root|admin|user|guest|public|private|test|foobar|foo|bar|baz|abc|example|sample|dummy|fake|mock|redacted|hidden|masked|obfuscated|scrubbed|filtered|censored|sanitized|removed|omitted",
      "\\[.{0,98}\\]|<.{0,98}>|\\(.{0,98}\\)|%.{1,98}%|@.{1,98}@|__[A-Z_]+__",
    ].join("|")})$`,
    "i",
  ),
  // A prefix with padding: `sk_live_xxxxxxxx`, `sk_test_...`
  /^(?:[a-z]{1,12}[-_]){1,4}(?:\.{3}|x{3,})$/i,
  // Header of a JSON Web Token alone: it names the algorithm only.
  /^eyJ(?:hbGci|0eXAi|raWQi)[\w-]{0,60}$/,
  /^(?:your|my)(?:[A-Z][a-z]+)+\d?$/,
];

/** `put-it-here`, Amazon's `…EXAMPLEKEY`. */
const STAND_IN_END = /(?:[-_ ](?:here|placeholder)|EXAMPLE(?:KEY)?)$/i;

/** `your-api-key-1`, `the token`, `myPassword`: words that tell the reader what belongs there. */
const INSTRUCTION =
  /^(?:(?:your|my|the|enter|insert|put|use|example|sample|dummy|fake|test)[-_ ]|(?:some|new|old|current|an?)[-_ ](?!(?!.*(?:pass|pw|secret|token|key|value|cred)).*\d))/i;

/** Returns true for `Test_fall#404`: nobody adds digits and signs to a placeholder. */
const isSpiced = (value: string): boolean =>
  (/^[Tt]est[-_][A-Z][a-z]{3,}\d/.test(value) || (/\d/.test(value) && /[!#$%^&*+?]/.test(value))) &&
  !/pass|pw|secret|token|key|cred|user|name|value/i.test(value);

function isPlaceholder(value: string): boolean {
  const start = value.slice(0, 100);
  return (
    PLACEHOLDERS.some((pattern) => pattern.test(start)) ||
    (start[0] === start.at(-1) && start !== "" && start === start.charAt(0).repeat(start.length)) ||
    value.includes("***") ||
    STAND_IN_END.test(value.slice(-16)) ||
    (INSTRUCTION.test(value) && isWordy(value) && !isSpiced(value))
  );
}

/** Returns true if a credential of a known form is padded: `ghp_xxxxxxxxxxxxxxxxxxxx`, Amazon's `…EXAMPLEKEY`. */
export const isPadding = (credential: string): boolean =>
  new Set(credential.slice(-24)).size < 5 || credential.endsWith("EXAMPLEKEY");

/** Fields that long random values contain by chance. */
const SHORT_FIELD = /%[sdr]\b|\{\d?\}/;
/** References to secrets: template fields, variables, addresses in secret stores, sealed values. */
const REFERENCES: readonly RegExp[] = [
  /\{[A-Za-z_][\w.]*\}|\$\{|\$\(|\{\{|<%|#\{|^[%@]\(|^\{(?:env|file|cmd):|^env\(|^(?:pass|op|bw|vault) (?:show|read|get) /i,
  /^(?:\${1,2}[A-Za-z_][\w.>[:/@-]*)+$|^:[A-Za-z_]\w*$/,
  /^(?:os\.environ|process\.env|import\.meta\.env|Deno\.env|System\.getenv|getenv|ENV|env)[.[(]/,
  /^(?:[a-z][a-z0-9+.-]{1,20}:\/\/|(?:arn|vault|ssm|secretsmanager|env|file|op|ref|projects)[:/+]|@Microsoft\.KeyVault\(|ENC[[(]|Ag[A-D][\w+/]{40})/i,
];

function isReference(value: string): boolean {
  const start = value.slice(0, 300);
  return REFERENCES.some((pattern) => pattern.test(start)) || (SHORT_FIELD.test(start) && !isRandom(start, 32));
}

/** Markers of an earlier redaction, by us or another program; they may be cut. */
const MARKERS = /\[REDACTED(?::[a-z0-9-]{0,64})?\]?/g;

/** Removes the markers of an earlier redaction: the rest of the value may be a secret. */
export const withoutMarkers = (value: string): string =>
  value.includes("[REDACTED") ? value.replaceAll(MARKERS, "") : value;

/** Returns true for a placeholder of or a reference to a secret. */
export function isStandIn(value: string): boolean {
  const own = withoutMarkers(value);
  if (own !== value && !/[\p{L}\p{N}]/u.test(own)) return true;
  return isReference(own) || isPlaceholder(own);
}

/** Values that are never a secret, whatever the syntax. */
const PLAIN: readonly RegExp[] = [
  // Types, keywords and algorithms, as values of a password's name in code and schemas
  new RegExp(
    `^(?:${[
      "string|str|text|bytes?|buffer|char|varchar|int(?:eger)?|number|boolean|bool|any|unknown|never|object|array",
      "option(?:al)?|required|nullable|hidden|disabled|enabled|default|auto|manual|stdin|file|env|inherit|include",
      "invalid|incorrect|mismatch|missing|expired|unchanged|same-origin|omit|identifier|keyword",
      "personal|access|refresh|private|public|bearer|basic|digest|oauth2?",
      "erforderlich|pflichtfeld|vergessen|obligatoire|oubli(?:é|er)|obligatori[ao]|requerid[ao]|obrigat[óo]ri[ao]|wymagane|verplicht|обязательн[а-я]{1,4}|必填|必須|필수",
      "argon2(?:id|i|d)?|bcrypt|scrypt|pbkdf2|sha-?(?:1|256|512)|md5|base64|utf-?8",
    ].join("|")})$`,
    "i",
  ),
  // `minipass@7.1.2`, `npm:^7.0.4`, `sha512-…` of a package; a colour; a user in `/etc/passwd`; a socket
  /^(?:[a-z][\w.-]*@[~^]?\d+\.\d+\.\d+$|(?:npm|workspace|patch|link):[\w^~*@.>=-]|sha(?:1|256|384|512)[-:]|#(?:[\da-f]{3,4}|[\da-f]{6}|[\da-f]{8})$|[\w.-]+:[x*!]:\d+:\d+|unix:\/|[a-z][\w.-]*:\d[\d.]*-(?:alpine|slim)|[!][01][,;})]|&(?:lt|#x3c|#60);|!vault)/i,
  // A label in a script without capitals
  /^(?=[^A-Za-z]{1,64}$)(?=.*\p{Lo}{2})[\p{L}\p{M}\p{P}\d\s\u200c\u200d]+$/u,
  // A call with names or nothing as arguments, a hash in a variable, a negation in code: `hash(user.name)`, `!!v`, `yield*`
  /^(?:[a-z_][\w.]*\((?:[a-z_][\w., ]*)?\)|\w+_hash|!!?[a-z]+(?:[A-Z][a-z]+)+\d?|yield\*)$/,
  // Definitions in a validator or a column: `required,min=8`, `required|min:8`, `type:varchar(255)`
  /^(?:required|omitempty|nullable|optional|sometimes|min|max|len|type|column|size)[,;|:=](?=[a-z\d])/,
  // Text between two JSON strings, if the first one ended with a name: `","`, `"},{"`, `",1,"`
  /^\s*[,:}\]].*[,:{[]\s*$|^[\s,:{}[\]]*$/s,
  // Code after a string that ended with the name: `("Password:"), next(`
  /^(?:\w+\(\$|[),;\]}](?:.*(?:[\w$][(.]|=>)|.*[(,+=]$)|\+[\w$. ]{0,24}\+$)/,
  /&&\w{1,40}[.(]|^\w{0,40}\}\)/,
  // A date or version
  /^(?:(?:dword|qword):|\d{4}-\d\d-\d\d|[v^~]?\d+\.\d+\.\d+|0x[0-9a-f]{1,8}$)/i,
];

export const isPlain = (value: string): boolean => isForeignName(value) || PLAIN.some((pattern) => pattern.test(value));

const MEMBER_ACCESS = /^(?![A-Z][a-z]+\.[A-Za-z]{2,}_?\d{1,4}$)[A-Za-z_$][\w$]*(?:\??\.[A-Za-z_$][\w$]*)+[!?]?$/;
const PATH = /^(?:\.{1,2}|~)?\/(?:[\w.@-]+\/)*[\w.@-]+$|^[A-Za-z]:\\{1,4}\w/;

/** `config.password`, `/run/secrets/password` */
export const isPathLike = (value: string): boolean => MEMBER_ACCESS.test(value) || PATH.test(value);

const CODE = /[()[\]{}=]|=>|::|->|\|\|/;
const PADDED_BASE64 = /^[\w+/.~-]+={1,2}$/;
/** Returns true for `R2SecretKey`, the name of a secret. */
export const namesSecret = (value: string): boolean =>
  /^[A-Z][A-Za-z\d]{4,80}$/.test(value) && !/\d.*\d/.test(value) && /(?:Secret|Key|Token)(?:Key|Id|Name)?$/.test(value);
const YAML_TAG = /^(?:![A-Za-z]|&[a-z]|\*[a-z])/;

/** Returns true if an unquoted value is code: a call, a member, a YAML tag. */
export const isCode = (value: string): boolean =>
  MEMBER_ACCESS.test(value) ||
  YAML_TAG.test(value) ||
  (CODE.test(value) &&
    !PADDED_BASE64.test(value) &&
    !/^[A-Za-z.]{2,24}=(?:[A-Za-z]{3,24}\d{1,4}|\d{1,4}[A-Z])$/.test(value));

/** Returns true if an unquoted value is the beginning of a bracket or call: `(value`, `Secret(`. */
export const opensBracket = (value: string): boolean => /^[([{|]|[A-Za-z_]\($/.test(value);

/** Names of things that contain digits and signs as passwords do. */
const THING = new RegExp(
  `^(?:${[
    // Versions, numbered things, tickets, constants: `18.3-alpine`, `15-minute`, `ADR-006`, `PKCS#12`, `OP_NO_TLSv1`
    "[~^v]?\\d{1,40}(?:\\.\\d{1,40}){1,8}(?:-[a-z]{1,40})?\\d{0,40}",
    "\\d{1,4}-[a-z]{3,}|[a-z]{2,4}-\\d{1,5}|sha(?:1|256|384|512)-.{1,140}",
    "[A-Z]{2,10}(?:-[A-Z]{2,10}){0,3}(?:-\\d{1,6}){1,8}|[A-Z\\d.]{1,8}(?:-[A-Z\\d]{1,8}){0,3}-\\d{1,3}",
    "(?:[Bb]ug|bgo|PR|[Ii]ssue|PKCS|RFC)[#-]\\d{1,40}",
    "[A-Z][A-Z\\d]{0,40}(?:_[A-Z\\d]{1,40}){1,8}(?:v\\d|=\\w{0,40})?|[a-z]{1,40}(?:_[a-z]{1,40}){1,8}=\\w{1,40}",
    // Dates, colours, ranges of characters, cmdlets: `2031-09-03T23:59`, `#FF6B00`, `a-z0-9`, `Resolve-Path`
    "\\d{4}-\\d\\d-\\d\\d.{0,40}|#[\\da-fA-F]{6}|[aA]-[zZ].{0,40}|(?:Get|Set|New|Remove|Add|Resolve|Restart|Restore|Import|Export|Start|Stop)-[A-Z][a-z]{1,40}",
    // Paths, files, manual pages
    "[a-z]\\w{1,40}\\.\\d",
    "[a-z][a-z\\d_.-]{0,40}(?:\\/[a-z\\d_.-]{1,40}){1,8}\\/?|[\\w.-]{1,40}@[\\w-]{1,40}\\.[\\w.-]{1,40}:[\\w./-]{1,40}|.{0,40}:\\/\\/.{0,40}",
    "[\\w.-]{1,40}(?:\\/[\\w.-]{1,40}){0,8}\\/[\\w.-]{1,40}\\.\\w{1,40}(?::\\d{1,40}){0,8}",
    "[\\w*-]{1,40}\\.(?:md|jsonl?|py|[jt]sx?|txt|ya?ml|sh|toml)",
    // Patterns of paths: `users.*.name`
    "[\\w.-]{0,40}\\.\\*[\\w.*-]{0,40}",
  ].join("|")})$`,
);

/** Returns true for the name of a thing: a path, a version, a ticket, a constant. */
export const isThing = (value: string): boolean => THING.test(value);
