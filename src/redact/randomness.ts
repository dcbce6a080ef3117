/** Distinguishes generated values from words, names and numbers. */

/** Maximum characters of a value that are examined. */
const SAMPLE_CHARS = 256;

function sortOf(code: number): "small" | "capital" | "digit" | undefined {
  if (code >= 97 && code <= 122) return "small";
  if (code >= 65 && code <= 90) return "capital";
  return code >= 48 && code <= 57 ? "digit" : undefined;
}

/**
 * Returns how often case changes or a letter is next to a digit, as a share of all pairs: about half of them in random
 * values, few in words. A capital before a small letter starts a word and does not count.
 */
function restlessness(value: string): number {
  let changes = 0;
  let places = -1;
  let before: ReturnType<typeof sortOf>;
  for (let i = 0; i < Math.min(value.length, SAMPLE_CHARS); i++) {
    const sort = sortOf(value.charCodeAt(i));
    if (sort === undefined) continue;
    if (before !== undefined && sort !== before && !(before === "capital" && sort === "small")) changes++;
    places++;
    before = sort;
  }
  return places < 1 ? 0 : changes / places;
}

/** Returns true for random letters, half of them capitals: names in camelCase have few, acronyms have them together. */
export function isRandomLetters(value: string, min: number): boolean {
  if (value.length < min) return false;
  let capitals = 0;
  for (let i = 0; i < value.length; i++) if (sortOf(value.charCodeAt(i)) === "capital") capitals++;
  const share = capitals / value.length;
  return share >= 0.25 && share <= 0.75 && restlessness(value) >= 0.12;
}

const WORDY_PART = /^(?:[A-Za-z]+|\d{1,8}|[A-Za-z]{1,10}\d{1,2}|\d{1,2}[A-Za-z]{1,3})$/;

/** Returns true if `value` consists of words and short numbers, joined by any characters. */
export const isWordy = (value: string): boolean =>
  value.split(/[^A-Za-z0-9]+/).every((part) => part === "" || WORDY_PART.test(part));

const hasLettersAndDigits = (value: string): boolean => /[0-9]/.test(value) && /[A-Za-z]/.test(value);

/** Returns true for a generated value: letters and digits in random order, at least `min` characters. */
export function isRandom(value: string, min: number): boolean {
  if (value.length < min || /\s/.test(value)) return false;
  if (!hasLettersAndDigits(value)) return isRandomLetters(value, 16);
  return !isWordy(value) && restlessness(value) >= 0.2;
}

/** Returns true for letters and digits in any order, such as `abcdef1234567890`. Enough next to a secret's name. */
export const isLongMix = (value: string, min: number): boolean =>
  value.length >= min && /^[\w.+/=~-]+$/.test(value) && hasLettersAndDigits(value) && !isWordy(value);
/** Formats, algorithms and versions, which also mix letters and digits. */
const TECHNICAL =
  /(?:u?int|(?<![a-z])word|float|sha|blake2[bs]|(?<![a-z])ed|aes|rsa|hmac|pbkdf|argon|utf|base|latin|oauth|socks|http|python|node|ipv|log|imap)[-_]?\d{1,5}|v\d(?:alpha|beta)\d?/gi;
/** The same, if they are a whole part of a word: `md5`, `k8s`, `2nd`, `16px`. */
const TECHNICAL_PART =
  /^(?:(?:md|des|ucs|iso|tls|ssl|win|web|es|rfc|cve|mp|[a-z])\d+[a-z]{0,2}|(?:hs|rs|ps|a)\d{3}(?:cbc|gcm|kw)?|\d+(?:st|nd|rd|th|px|em|ms|kb|mb|gb|bit|min|sec|hour|day|week|year)s?)$/i;
const SPEAKING = /password|passwd|secret|token|credential|example|^(?:ctrl|alt|shift|cmd|command)-/i;
/** Returns true if a value says what it is. A `test` next to a sign may be a word of a password. */
const isSpeaking = (value: string): boolean => SPEAKING.test(value) || (/test/i.test(value) && !/[!#$^&*]/.test(value));

/** Returns true if all digits of a value belong to such names. */
export const isTechnical = (value: string): boolean =>
  isSpeaking(value) ||
  !/\d/.test(
    /[A-Z]/.test(value) && /[!#$^&*]/.test(value)
      ? value
      : value
          .replaceAll(TECHNICAL, "")
          .split(/[^\p{L}\d]/u)
          .filter((part) => !TECHNICAL_PART.test(part))
          .join(""),
  );

/** Returns true for `summerRiver42` or `elephant77!`: not a word, though it may be an identifier in code. */
export const isMadeUp = (value: string): boolean =>
  isStrong(value) ||
  /^[A-Za-z]{3,16}-[A-Z][a-z]{2,16}$/.test(value) ||
  (/^[A-Za-z][A-Za-z_.+*-]{4,40}\d{1,4}[.,;]?$/.test(value) && /[A-Z_*+-]|\d\d/.test(value) && value.length >= 7);

/** Returns true for a password that contains an equals sign, such as `ospreyLumen89=D7`, but not for `NAME=value`. */
export const hasEquals = (value: string): boolean =>
  /^(?=[^=]*[a-z])(?=[^=]*[A-Z])(?=[^=]*\d)[\w!#$*+~?.-]{4,32}=[\w!#$*+~?.-]{1,16}$/.test(value);

const UUID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i;

/** Returns true if a value does not look like a word, an identifier, a version or a size. */
const isStrong = (value: string): boolean =>
  value.length >= 6 &&
  !UUID.test(value) &&
  /[A-Za-z]/.test(value) &&
  (/[\d!@#$%^&*]/.test(value) || isRandomLetters(value, 12)) &&
  !/\s|[()[\]{}<>]/.test(value) &&
  !/^(?:[A-Za-z_.-]+\d{0,2}|v?[\d.:/-]+[a-z]{0,3})[.,:;]?$/.test(
    value.replace(/[.,:;]$/, "").concat(isRandomLetters(value, 12) ? "#" : ""),
  );

/**
 * Returns true for a chosen password that cannot be an identifier in a sentence: `Vespa_rossa125`, `Été-à-Nîmes-2019`.
 */
export const isChosen = (value: string): boolean =>
  value.length >= 7 &&
  /\d/.test(value) &&
  /\p{L}{2}/u.test(value) &&
  !isTechnical(value) &&
  !/[@/\\()[\]{}<>=|\u0600-\uffff]|^https?:|^[a-z]+(?:_[a-z\d]+)+$|^v?\d+(?:[.-]\d+)+/.test(value) &&
  (isStrong(value) ||
    /[^\x00-\x7f]/.test(value) ||
    /[\p{L}\d][._!#*&~+-][\p{L}\d]/u.test(value) ||
    /\d{3}$/.test(value));
