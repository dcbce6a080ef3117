/** Decides whether a value next to a sensitive name is a secret. */
import type { NameFamily } from "./names.ts";
import { isCode, isPathLike, isPlain, isStandIn, opensBracket } from "./placeholders.ts";
import { isLongMix, isRandom, isRandomLetters, isTechnical, isWordy } from "./randomness.ts";

/** Syntax of a value, which says how likely it is data rather than code. */
export type ValueContext =
  /** Quoted, or the whole value of a JSON key. */
  | "quoted"
  /** `NAME=value` in a shell or .env file, a command line flag, a header, a query parameter. */
  | "declared"
  /** A whole line `name: value`, as in YAML. */
  | "line"
  /** Any other unquoted value: it may be a variable or a type. */
  | "loose";

const isData = (context: ValueContext): boolean => context === "quoted" || context === "declared";

const SENSITIVE_WORD = /pass|pwd|secret|token|credential|string/i;

/** Words about passwords: labels, messages, icons, fields, states. */
const ABOUT_PASSWORDS =
  /^(?:reset|forgot|change|confirm|current|new|old|field|input|form|label|icon|hash(?:ed)?|type|name|file|only|invalid|required|sensitive|eye|show|hide|toggle|empty|error|page|view|button|btn|text|length|auth|user|prompt|manager|based|less|protected|encrypted|plain|managed|generated|default|optional|create|creation|update|enter|see|set|not|var|env|value|ref|login|title|link|message|hint|placeholder|help|body|header|footer|modal|dialog|container|wrapper|toggle|group|row|control|strength|meter|policy|rules|recovery|expired|service|controller|component|module|screen|step|box)$/i;
/** Returns true if at least half of the words are such. */
const isAboutPasswords = (value: string): boolean => {
  const words = value.split(/[-_]/);
  return 2 * words.filter((word) => ABOUT_PASSWORDS.test(word)).length >= words.length;
};

/** Returns true for `file-Beat`, a form that labels and identifiers do not have. */
const isMixedWords = (value: string): boolean => /^[a-z][A-Za-z]+(?:-[A-Za-z]{2,})*-[A-Z][a-z]+$/.test(value);

/** Returns true if letters, with or without punctuation, are a chosen password, not a label, a word or a variable. */
function isWordPassword(value: string, context: ValueContext): boolean {
  if (context !== "loose" && isMixedWords(value)) return true;
  if (SENSITIVE_WORD.test(value) || context === "loose" || /[/:]/.test(value)) return false;
  if (isRandomLetters(value, context === "quoted" ? 10 : 12)) return true;
  if (/^\p{L}+$/u.test(value)) {
    if (context === "declared") return value.length >= 6 && !/^\p{Lu}\p{Ll}+$/u.test(value);
    if (context === "line") return value.length >= 8 && value === value.toLowerCase();
    return value.length >= 6 && /^\p{Ll}/u.test(value);
  }
  // A label starts with a capital.
  if (isAboutPasswords(value) || value.length < 8 || /^[A-Z][a-z]+(?:-[a-z]+)+$|^[A-Z_]+$/.test(value)) return false;
  // Words with dots are usually members of an object or translation keys; words with underscores are identifiers.
  if (value.includes(".")) return isDottedWords(value, context);
  return isData(context) || !value.includes("_") || /^[A-Za-z][a-z]{3,}_[A-Z][a-z]{3,}$/.test(value);
}

function isPasswordValue(value: string, context: ValueContext): boolean {
  if (/\s/.test(value)) return context === "quoted" && isPhrase(value, context);
  if (/^[\p{L}._:/-]+$/u.test(value)) return isWordPassword(value, context);
  // Variables such as `password1`.
  if (!isData(context) && /^(?:[a-z]+_)?(?:password|passwd|passphrase|secret|token)\d{0,2}$/i.test(value)) return false;
  if (/^[a-z]+\|/.test(value)) return false;
  if (isData(context)) return true;
  if (context === "line" || isRandom(value, 24)) return true;
  const isVariable = SENSITIVE_WORD.test(value) || /^[a-z_]+\d{1,2}$|,\w+:/i.test(value);
  return value.length >= 6 && !/^\d+$/.test(value) && /[0-9!@#%^&*]/.test(value) && !isVariable;
}

/** Words of messages and instructions: neither is a passphrase. */
const MESSAGE_WORD =
  /\b(?:is|are|was|must|should|can|cannot|be|been|not|no|your|you|we|please|enter|than|this|that|it|if|use|new|old|has|have|char(?:acter)?s?|password|required)\b/i;
/** Words of sentences. */
const SENTENCE_WORD = new RegExp(
  String.raw`${MESSAGE_WORD.source}|\b(?:the|an?|at|to|of|for|and|or|in|on|with)\b`,
  "i",
);

/** Words of a rule for passwords in other languages: `Mindestens 8 Zeichen`. */
const RULE_WORD = /zeichen|caract|carácter|karakter|tegn|tecken|znak|merkki|letter|ziffer|\bmin|\bmax/i;

/** Returns true for words in any order, `walnut Lantern 40 drifting`, but not for a message. */
function isPhrase(value: string, context: ValueContext): boolean {
  const words = value.split(" ");
  if (words.length < 3 || words.length > 8 || SENTENCE_WORD.test(value) || RULE_WORD.test(value)) return false;
  if (words.every((word) => /^(?:[A-Za-z]?[a-z]{1,12}|\d{1,4})$/.test(word)) && /^[a-z]|\d$/.test(value)) return true;
  const isMarked = context === "quoted" && /\d/.test(value) && !SENSITIVE_WORD.test(value);
  return isMarked && words.every((word) => /^[\p{L}\d!?#*+.'’-]{1,20}$/u.test(word));
}

/** Words after the name of an option in prose. */
const PROSE_WORD =
  /^(?:and|or|is|are|the|to|for|with|when|if|in|of|on|as|from|by|not|no|flag|flags|option|options|switch|argument|arguments|parameter|parameters|instead|command|prompts?|interactive|interactively|will|would|can|may|must|should|then|but|so|because|which|that|this|it|only|also|works?|takes?|means?|sets?|value|values?|host|port|user|username|login|file|path|here|there|without|before|after|into|via|using|unless|where|since|does|read|reads|over|directly|followed|vs)$/i;

/** Returns true for a likely password where only a password is expected. `words`: also accepts letters only. */
export function isTypedPassword(value: string, words: boolean): boolean {
  if (
    value.length < 3 ||
    /\s|^[-<([{@\\]/.test(value) ||
    isStandIn(value.replace(/^["']/, "")) ||
    /^\d{1,5}$/.test(value) ||
    PROSE_WORD.test(value)
  )
    return false;
  if (isSecretValue(value, "password", "declared"))
    return words || !/^[A-Za-z]+[.,:;]?$/.test(value) || isRandomLetters(value, 12);
  return !/^[A-Za-z_.-]+[.,:]?$/.test(value) && !isPathLike(value);
}

/** Objects of code: `config.name` */
const OBJECT =
  /^(?:this|self|super|that|config|cfg|conf|settings?|user|data|props|state|args?|opts?|options|params?|req|request|res|response|ctx|context|env|process|form|body|row|auth|account|session|event|node|item|obj|object|input|values?|fields?|vars?|local|module|input|client|server|db|app|meta|json|payload|entry|record|model|parser|lexer|e|t|r|n)\d?\./i;

/** Translation keys: `login.label`. */
const MESSAGE_KEY =
  /^(?:auth\w*|login|sign(?:in|up)|register|common|global|general|forms?|errors?|messages?|labels?|pages?|profile|users?|accounts?|settings?|security|validation|validations?|fields?|i18n|locale|text|texts|admin|home|index|views?|rules?|schema|types?|assets?|images?|icons?|test|tests)\.|\.(?:label|title|hint|text|error|required|invalid|placeholder|message|name|description|help|value|type|hash|reset|forgot|change|confirm|change|field|input|html|json|yaml|conf|jpeg)$/i;

/**
 * Returns true for `river.stone42` or `Zebra.Crossing`: words with dots that in code would be a member of an object, and
 * in a setting a translation key or the name of a file.
 */
const isDottedWords = (value: string, context: ValueContext): boolean =>
  value.length >= 8 &&
  /^\w+(?:\.\w+){1,4}$/.test(value) &&
  (/\d/.test(value) ||
    context === "declared" ||
    /^[A-Za-z][a-z]+(?:\.[A-Z][a-z]+)+$/.test(value) ||
    (context === "quoted" && /^[A-Za-z][a-z]{3,}\.[a-z]{2,}$|^[A-Z][a-z]+(?:\.[a-z]{2,}){2,3}$/.test(value))) &&
  !OBJECT.test(value) &&
  !MESSAGE_KEY.test(value) &&
  ((context === "declared" && /\d/.test(value)) || !SENSITIVE_WORD.test(value));

const isDottedPassword = (value: string, family: NameFamily, context: ValueContext): boolean =>
  (family === "password" || family === "passphrase") &&
  context !== "loose" &&
  (isDottedWords(value, context) ||
    ((isRandom(value, 10) || isRandomLetters(value, 12)) && (context === "declared" || !SENSITIVE_WORD.test(value))));

/** Format of recovery and license keys: `HIA3-QJKX-NNO1-XIXM`. */
const GROUPED_KEY = /^(?=[A-Z-]{0,40}\d)(?:[A-Z0-9]{4,8}-){3,8}[A-Z0-9]{4,8}$/;

function isKeyValue(value: string, context: ValueContext): boolean {
  if (GROUPED_KEY.test(value)) return true;
  return (
    isRandom(value, isData(context) ? 8 : 16) || (context !== "loose" && isLongMix(value, isData(context) ? 16 : 20))
  );
}

/** Words that describe a secret, or that make the value the name of an object that contains it. */
const ABOUT_SECRETS =
  /(?:^|[-_ ])(?:name|file|path|ref|arn|env|id|header|required|missing|invalid|must|not|certs?|creds?|credentials|config|tls|auth|key|keys|change|replace|dummy|example|sample|placeholder|fake|insecure|your|my|random|generate[d]?|here|string|value|default|test|insert|enter|set|none)(?=$|[-_ ])|changeme|example|placeholder|your/i;

/** Returns true for words that developers choose as a signing key: `velvet-hammer`, `keyboard cat`. */
const isTypedSecret = (value: string): boolean =>
  value.length >= 10 &&
  /[a-z]/.test(value) &&
  /^[A-Za-z\d]+(?:[-_ ][A-Za-z\d]+)+$/.test(value) &&
  isWordy(value) &&
  !ABOUT_SECRETS.test(value);

/** Returns true for `monkeyWrench2024`, `Sommerfest-2023` or `minio-s3cr3t`, but not for `oauth2-proxy-v2`, the name of an object. */
const isTypedKey = (value: string): boolean =>
  value.length >= 8 &&
  /^[A-Za-z][\w.!#-]+$/.test(value) &&
  /\d/.test(value) &&
  /[a-z][A-Z]|[a-z][-_.!#][A-Z]|[a-z][-!#][a-z]+[-!#]?\d{1,4}!?$|^[A-Z][a-z]+[-_.!]|[a-z]\d[a-z]+\d[a-z]/.test(value) &&
  !/^key|key$|(?:base|utf|u?int|float|sha|md|argon|bytes|pass|(?<![a-z])v)\d/i.test(value) &&
  !isTechnical(value) &&
  !ABOUT_SECRETS.test(value);

/** Returns true for secrets of programs that developers choose instead of random strings. */
const isChosenSecret = (value: string, context: ValueContext): boolean =>
  (context === "declared" &&
    (/^[a-z]{8,}$/.test(value) || (/\d|[a-z][A-Z]|-[A-Z]/.test(value) && isTypedSecret(value)))) ||
  (isData(context) && (/^[A-Za-z]{4,}\d{3,}$/.test(value) || /^(?=.*[!@#$%^&*])\S{8,}$/.test(value)));

/** Returns true for `user:password` in base64, complete or cut off. */
export function isEncodedLogin(value: string, cut: boolean): boolean {
  const decoded = Buffer.from(value, "base64").toString("latin1");
  if (!/^[\x20-\x7e]+$/.test(decoded)) return false;
  const colon = decoded.indexOf(":", 1);
  return (colon > 0 && colon <= 64 && colon < decoded.length - 1) || (cut && decoded.length >= 4);
}

/** Returns true for the fingerprint or short id of a public key, as in git's `user.signingkey`. */
export const isFingerprint = (name: string, value: string): boolean =>
  /signing.?key$/i.test(name) && /^(?:0x)?(?:[0-9a-f]{16}|[0-9a-f]{40})$/i.test(value);

/** Returns true for anything that could be the password of a real login: not a reference, a label or a message. */
export const isLoginPassword = (value: string): boolean =>
  value.length >= 4 &&
  !isPlain(value) &&
  !isPathLike(value) &&
  !opensBracket(value) &&
  !isAboutPasswords(value) &&
  !SENSITIVE_WORD.test(value) &&
  !MESSAGE_WORD.test(value);

/** Returns true if `value`, next to a name of `family`, is a secret. */
export const isSecretValue = (value: string, family: NameFamily, context: ValueContext): boolean =>
  !isStandIn(value) && hasSecretForm(value, family, context);

/** Returns true if `value`, which is no stand-in, is a secret next to a name of `family`. */
export function hasSecretForm(value: string, family: NameFamily, context: ValueContext): boolean {
  if (value.length < 4 || isPlain(value)) return false;
  if (context !== "quoted" && opensBracket(value)) return false;
  if (!isData(context) && isCode(value) && !isDottedPassword(value, family, context)) return false;
  // Base64 may start with a slash.
  if (isPathLike(value) && !isRandom(value, 24) && !isDottedPassword(value, family, context)) return false;
  return HAS_FORM[family](value, context);
}

type Judge = (value: string, context: ValueContext) => boolean;

const isKey: Judge = (value, context) => isKeyValue(value, context) || (context !== "loose" && isTypedKey(value));
const isSecret: Judge = (value, context) => isKey(value, context) || isChosenSecret(value, context);

/** Returns true if a value that is data, not code or a placeholder, has the form of a secret of the family. */
const HAS_FORM: Readonly<Record<NameFamily, Judge>> = {
  password: isPasswordValue,
  passphrase: (value, context) => isPhrase(value, context) || isPasswordValue(value, context),
  secret: isSecret,
  signing: (value, context) => (isData(context) && isTypedSecret(value)) || isSecret(value, context),
  token: (value, context) => isKey(value, context) || (context !== "quoted" && /^\d{18,20}$/.test(value)),
  "api-key": isKey,
  "other-key": (value, context) => isRandom(value, isData(context) ? 20 : 24) && !value.includes("."),
  oauth: (value, context) => context === "quoted" && isRandom(value, 32),
  session: (value) => (isRandom(value, 20) || isLongMix(value, 24)) && !/^(?:ses_|[0-9a-f]{8}-)/.test(value),
  "url-only": (value) => isRandom(value, 16),
  login: (value) =>
    (isRandom(value, 16) && !/^[0-9a-f]{40}$|^[0-9a-f]{64}$/.test(value)) ||
    (value.length >= 12 && isEncodedLogin(value, false)),
  // Headers contain more than the secret; `credential-headers.ts` reads them.
  authorization: () => false,
  cookie: () => false,
};
