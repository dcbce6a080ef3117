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
  if (!value.includes("_")) return /^\p{L}+(?:-\p{L}+)+$/u.test(value);
  return (
    (isData(context) && value.length >= (context === "declared" ? 8 : 12)) ||
    /^[A-Za-z][a-z]{3,}_[A-Z][a-z]{3,}$/.test(value)
  );
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

/** Words of sentences: a message is not a passphrase. */
const SENTENCE_WORD =
  /\b(?:is|are|was|must|should|can|cannot|the|an?|be|been|not|no|your|you|we|at|to|of|for|and|or|in|on|with|please|enter|than|this|that|it|if|use|new|old|has|have|char(?:acter)?s?|password|required)\b/i;

/** Words of a rule for passwords in other languages: `Mindestens 8 Zeichen`. */
const RULE_WORD = /zeichen|caract|carácter|karakter|tegn|tecken|znak|merkki|letter|ziffer|\bmin|\bmax/i;

function isPhrase(value: string, context: ValueContext): boolean {
  const words = value.split(" ");
  if (words.length < 3) return false;
  const hasNumber =
    context === "quoted" &&
    words.length <= 8 &&
    words.every((word) => /^[\p{L}\d'’-]{1,20}[!?.]?$/u.test(word)) &&
    words.some((word) => /^\d{1,6}[!?.]?$/.test(word));
  if (hasNumber && !SENTENCE_WORD.test(value) && !SENSITIVE_WORD.test(value) && !RULE_WORD.test(value)) return true;
  const hasNoise = context === "quoted" && words.every((word) => /^[\w!#*+.-]{2,20}$/.test(word)) && /\w\d/.test(value);
  return (
    hasNoise ||
    (words.every((word) => /^(?:[A-Za-z]?[a-z]{1,12}|\d{1,4})$/.test(word)) &&
      /^[a-z]|\d$/.test(value) &&
      !SENTENCE_WORD.test(value))
  );
}

/** Returns true for five words or more that are no instruction: `seven brave llamas cross the river`. */
const isVerse = (value: string): boolean =>
  /^[a-z]{3,}(?: [a-z]{1,12}){4,}$/.test(value) &&
  !/^(?:the|your|enter|please|use|must|should|leave|choose|type|if|when|not|for|only|same|see|set|any|will|can)\b/.test(
    value,
  ) &&
  !/\b(?:is|are|was|must|should|can|cannot|not|your|you|we|key|keys|value|field|required|if)\b/.test(value) &&
  !SENSITIVE_WORD.test(value) &&
  !RULE_WORD.test(value);

/** Words after the name of an option in prose. */
const PROSE_WORD =
  /^(?:and|or|is|are|the|to|for|with|when|if|in|of|on|as|from|by|not|no|flag|flags|option|options|switch|argument|arguments|parameter|parameters|instead|command|prompts?|interactive|interactively|will|would|can|may|must|should|then|but|so|because|which|that|this|it|only|also|works?|takes?|means?|sets?|value|values?|host|port|user|username|login|file|path|here|there|without|before|after|into|via|using|unless|where|since|does|read|reads|over|directly|followed|vs)$/i;

/** Returns true for a likely password where only a password is expected. `words`: also accepts letters only. */
export function isTypedPassword(value: string, words: boolean): boolean {
  if (
    value.length < 3 ||
    /\s|^[-<([{@\\]/.test(value) ||
    isStandIn(value.replace(/^["']/, "")) ||
    /^\d{1,5}$/.test(value)
  )
    return false;
  if (isPathLike(value))
    return (
      /\w\.\w+\d$/.test(value) ||
      isRandom(value, 10) ||
      (words && /^\w/.test(value) && !/config/i.test(value) && isDottedWords(value, "declared"))
    );
  if (/^[A-Za-z]+[.,:;]?$/.test(value))
    return (
      isRandomLetters(value, 12) ||
      (words && value.length >= 6 && /[a-z]$/i.test(value) && !SENSITIVE_WORD.test(value) && !PROSE_WORD.test(value))
    );
  return (
    !/^[A-Za-z_-]+[.,:]?$/.test(value) || isMixedWords(value) || (!SENSITIVE_WORD.test(value) && /[a-z]$/i.test(value))
  );
}

const OBJECT =
  /^(?:this|self|super|that|config|cfg|conf|settings?|user|data|props|state|args?|opts?|options|params?|req|request|res|response|ctx|context|env|process|form|body|row|auth|account|session|event|node|item|obj|object|input|values?|fields?|vars?|local|module|input|client|server|db|app|meta|json|payload|entry|record|model|parser|lexer|e|t|r|n)\d?\./i;

/** Translation keys: `login.label`. */
const MESSAGE_KEY =
  /^(?:auth\w*|login|sign(?:in|up)|register|common|global|general|forms?|errors?|messages?|labels?|pages?|profile|users?|accounts?|settings?|security|validation|validations?|fields?|i18n|locale|text|texts|admin|home|index|views?|rules?|schema|types?|assets?|images?|icons?|test|tests)\.|\.(?:label|title|hint|text|error|required|invalid|placeholder|message|name|description|help|value|type|hash|reset|forgot|change|confirm|change|field|input|html|json|yaml|conf|jpeg)$/;

const FILE_NAME =
  /\.(?:ya?ml|json|txt|pem|key|crt|conf|env|cfg|ini|jks|sh|sql|p12|pfx|md|[jt]sx?|py|rb|php|html?)\d?$/i;

/**
 * Returns true for `river.stone42` or `Zebra.Crossing`: words with dots that in code would be a member of an object, and
 * in a setting a translation key or the name of a file.
 */
const isDottedWords = (value: string, context: ValueContext): boolean =>
  value.length >= 8 &&
  /^\w+(?:\.\w+){1,4}$/.test(value) &&
  (/\d/.test(value) ||
    /^[A-Za-z][a-z]+(?:\.[A-Z][a-z]+)+$/.test(value) ||
    (context === "declared" && /^[A-Za-z][a-z]+(?:\.[a-z]{2,}){1,3}$/.test(value)) ||
    (context === "quoted" && /^[A-Za-z][a-z]{3,}\.[a-z]{2,}$|^[A-Z][a-z]+(?:\.[a-z]{2,}){2,3}$/.test(value))) &&
  !OBJECT.test(value) &&
  !MESSAGE_KEY.test(value) &&
  !FILE_NAME.test(value) &&
  ((context === "declared" && /\d/.test(value)) || !SENSITIVE_WORD.test(value));

const isDottedPassword = (value: string, family: NameFamily, context: ValueContext): boolean =>
  (family === "password" ||
    family === "passphrase" ||
    (isData(context) && /^(?:secret|signing)$/.test(family) && /[a-z]_?\d{1,4}$/.test(value))) &&
  context !== "loose" &&
  (isDottedWords(value, context) ||
    ((isRandom(value, 10) || isRandomLetters(value, 12)) &&
      !OBJECT.test(value) &&
      (context === "declared" || !SENSITIVE_WORD.test(value))));

/** Format of recovery and license keys: `HIA3-QJKX-NNO1-XIXM`. */
const GROUPED_KEY = /^(?=[A-Z-]{0,40}\d)(?:[A-Z0-9]{4,8}-){3,8}[A-Z0-9]{4,8}$/;

function isKeyValue(value: string, context: ValueContext): boolean {
  if (GROUPED_KEY.test(value)) return true;
  if (context === "loose") return isRandom(value, 16);
  if (context === "line") return isRandom(value, 16) || isLongMix(value, 20);
  return isRandom(value, 8) || isLongMix(value, 16);
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

/** Returns true for `minio-s3cr3t` or `sip-Peer-44`, but not for `oauth2-proxy-v2`, a name of a Kubernetes secret. */
const isTypedWithDigits = (value: string): boolean =>
  value.length >= 8 &&
  /^[\w.-]+$/.test(value) &&
  /\d/.test(value) &&
  (/[a-z][A-Z]|[a-z][-_.][A-Z]|^[A-Z][a-z]+[-_.!]/.test(value) || /[a-z]\d[a-z]+\d[a-z]/.test(value)) &&
  !/type|name|key$|(?:base|utf|u?int|float|sha|md|argon|bytes)\d/i.test(value);

/** Returns true for `monkeyWrench2024` or `Sommerfest-2023`, words with a number at the end. */
const isTypedKey = (value: string, context: ValueContext): boolean =>
  context !== "loose" &&
  /^[A-Za-z][A-Za-z!#_-]{6,40}\d{1,4}!?$/.test(value) &&
  /[a-z][A-Z]|[a-z][-_!#][A-Za-z]/.test(value) &&
  !/^[a-z]+(?:_[a-z]+)*_?\d+$|v\d$/.test(value) &&
  !isTechnical(value) &&
  !ABOUT_SECRETS.test(value);

/** Returns true for secrets that developers choose instead of random strings. */
const isMadeUpSecret = (value: string, context: ValueContext): boolean =>
  (context !== "loose" && isTypedWithDigits(value)) ||
  (context === "declared" &&
    (/^[a-z]{8,}$/.test(value) || (/\d|[a-z][A-Z]|-[A-Z]/.test(value) && isTypedSecret(value)))) ||
  (isData(context) && /^[A-Za-z]{4,}\d{3,}$/.test(value)) ||
  (isData(context) && value.length >= 8 && /[!@#$%^&*]/.test(value) && !/\s/.test(value)) ||
  (context !== "loose" && /^[A-Za-z]\w{2,24}[!#$&*~?+]\w{2,24}$/.test(value) && /\d/.test(value));

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
  !SENTENCE_WORD.test(value);

/** Returns true if `value`, next to a name of `family`, is a secret. */
export function isSecretValue(value: string, family: NameFamily, context: ValueContext): boolean {
  if (value.length < 4 || isStandIn(value) || isPlain(value)) return false;
  if (context !== "quoted" && opensBracket(value)) return false;
  if (!isData(context) && isCode(value) && !isDottedPassword(value, family, context)) return false;
  // Base64 may start with a slash.
  if (isPathLike(value) && !isRandom(value, isData(context) ? 24 : 32) && !isDottedPassword(value, family, context))
    return false;
  return HAS_FORM[family](value, context);
}

type Judge = (value: string, context: ValueContext) => boolean;

const isKeyOrTyped: Judge = (value, context) => isKeyValue(value, context) || isTypedKey(value, context);
const isSecretOfCode: Judge = (value, context) => isMadeUpSecret(value, context) || isKeyValue(value, context);

/** Returns true if a value that is data, not code or a placeholder, has the form of a secret of the family. */
const HAS_FORM: Readonly<Record<NameFamily, Judge>> = {
  password: isPasswordValue,
  passphrase: (value, context) =>
    isPhrase(value, context) ||
    isPasswordValue(value, context) ||
    (isData(context) &&
      /^\S+(?: \S+){2,7}$/.test(value) &&
      (/\d/.test(value) ? !SENTENCE_WORD.test(value) : isVerse(value))),
  secret: isSecretOfCode,
  signing: (value, context) => (isData(context) && isTypedSecret(value)) || isSecretOfCode(value, context),
  token: (value, context) => isKeyOrTyped(value, context) || (context !== "quoted" && /^\d{18,20}$/.test(value)),
  "api-key": isKeyOrTyped,
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
