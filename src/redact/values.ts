/** Judges whether a value next to a sensitive name is a secret. */
import type { NameFamily } from "./names.ts";
import { isCode, isPathLike, isPlain, isStandIn, opensBracket } from "./placeholders.ts";
import { isLongMix, isRandom, isRandomLetters } from "./randomness.ts";

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

const isData = (context: ValueContext): boolean => context === "quoted" || context === "declared";

const SENSITIVE_WORD = /pass|pwd|secret|token|credential|string/i;

/** Letters only: a password that somebody made up, or a label, a word of prose, a variable. */
function isWordPassword(value: string, context: ValueContext): boolean {
  if (SENSITIVE_WORD.test(value) || context === "loose") return false;
  if (context !== "declared" && isRandomLetters(value, context === "quoted" ? 10 : 12)) return true;
  if (context === "declared") return value.length >= 6;
  return value.length >= (context === "line" ? 8 : 6) && value === value.toLowerCase();
}

function isPasswordValue(value: string, context: ValueContext): boolean {
  if (/\s/.test(value)) return false;
  if (/^\p{L}+$/u.test(value)) return isWordPassword(value, context);
  // Words joined by signs: a key of a translation, a kind of field.
  if (/^[\p{L}._:/-]+$/u.test(value)) {
    if (context === "loose" || SENSITIVE_WORD.test(value) || /[./:]/.test(value)) return false;
    return value.length >= 16 || isRandomLetters(value, 12);
  }
  // Rules of a validator: `required|min:8`.
  if (/^[a-z]+\|/.test(value)) return false;
  if (isData(context)) return true;
  if (context === "line" || isRandom(value, 24)) return true;
  const isVariable = SENSITIVE_WORD.test(value) || /^[a-z_]+\d{1,2}$|,\w+:/i.test(value);
  return value.length >= 6 && !/^\d+$/.test(value) && /[0-9!@#%^&*]/.test(value) && !isVariable;
}

function isPhrase(value: string, context: ValueContext): boolean {
  const words = value.split(" ");
  if (words.length < 3) return false;
  const hasNoise = context === "quoted" && words.every((word) => /^[\w!#*+.-]{2,20}$/.test(word)) && /\w\d/.test(value);
  return hasNoise || words.every((word) => /^[a-z]{2,12}$/.test(word));
}

const OBJECT =
  /^(?:this|self|super|that|config|cfg|conf|settings?|user|data|props|state|args?|opts?|options|params?|req|request|res|response|ctx|context|env|process|form|body|row|auth|account|session|event|node|item|obj|object|input|values?|fields?|vars?|local|module|input|client|server|db|app|meta|json|payload|entry|record|model|parser|lexer|e|t|r|n)\d?\./i;

/** `river.stone42`: words with a dot between them, which as code would be a member of an object. */
const isDottedPassword = (value: string, family: NameFamily, context: ValueContext): boolean =>
  (family === "password" || family === "passphrase") &&
  context !== "loose" &&
  (/^[A-Za-z]{3,}\.[A-Za-z]{3,}\d{1,8}$/.test(value) || isRandom(value, 10)) &&
  !OBJECT.test(value) &&
  !SENSITIVE_WORD.test(value);

function isKeyValue(value: string, context: ValueContext): boolean {
  if (context === "loose") return isRandom(value, 16);
  if (context === "line") return isRandom(value, 16) || isLongMix(value, 20);
  return isRandom(value, 8) || isLongMix(value, 16);
}

/** What developers type for a secret besides random strings. */
const isMadeUpSecret = (value: string, context: ValueContext): boolean =>
  (context === "declared" && /^[a-z]{8,}$/.test(value)) ||
  (isData(context) && /^[A-Za-z]{4,}\d{3,}$/.test(value)) ||
  (isData(context) && value.length >= 8 && /[!@#$%^&*]/.test(value) && !/\s/.test(value));

/** `user:password` in base64, whole or cut. */
export function isEncodedLogin(value: string, cut: boolean): boolean {
  const decoded = Buffer.from(value, "base64").toString("latin1");
  if (!/^[\x20-\x7e]+$/.test(decoded)) return false;
  const colon = decoded.indexOf(":", 1);
  return (colon > 0 && colon <= 64 && colon < decoded.length - 1) || (cut && decoded.length >= 4);
}

/** The public key that git signs with: `user.signingkey`, by its fingerprint or its short id. */
export const isFingerprint = (name: string, value: string): boolean =>
  /signing.?key$/i.test(name) && /^(?:0x)?(?:[0-9a-f]{16}|[0-9a-f]{40})$/i.test(value);

/** Whether `value`, which stands next to a name of `family`, is to be replaced. */
export function isSecretValue(value: string, family: NameFamily, context: ValueContext): boolean {
  if (value.length < 4 || isStandIn(value) || isPlain(value)) return false;
  if (context !== "quoted" && opensBracket(value)) return false;
  if (!isData(context) && isCode(value) && !isDottedPassword(value, family, context)) return false;
  // Base64 may start with a slash.
  if (isPathLike(value) && !isRandom(value, 32) && !isDottedPassword(value, family, context)) return false;
  return isOfFamily(value, family, context);
}

function isOfFamily(value: string, family: NameFamily, context: ValueContext): boolean {
  switch (family) {
    case "password":
      return isPasswordValue(value, context);
    case "passphrase":
      return isPhrase(value, context) || isPasswordValue(value, context);
    case "secret":
      return isMadeUpSecret(value, context) || isKeyValue(value, context);
    case "token":
    case "api-key":
      return isKeyValue(value, context);
    case "other-key":
      return isRandom(value, isData(context) ? 20 : 24) && !value.includes(".");
    case "oauth":
      return context === "quoted" && isRandom(value, 32);
    case "session":
      return isRandom(value, 20) && !/^(?:ses_|[0-9a-f]{8}-)/.test(value);
    case "url-only":
      return isRandom(value, 16);
    case "login":
      return isRandom(value, 16) || (value.length >= 12 && isEncodedLogin(value, false));
    // Headers hold more than the secret; they are taken apart elsewhere.
    case "authorization":
    case "cookie":
      return false;
  }
}
