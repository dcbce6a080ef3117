/** Sets of ASCII characters, which scan runs faster than a regular expression. All other characters count as one. */
export type CharSet = Readonly<Uint8Array>;

const ASCII = 128;

/** Creates a set of the characters in `chars`. */
export function charSet(chars: string): CharSet {
  const set = new Uint8Array(ASCII + 1);
  for (let i = 0; i < chars.length; i++) set[Math.min(chars.charCodeAt(i), ASCII)] = 1;
  return set;
}

/** Creates a set of all characters except those in `chars`. */
export function charSetExcept(chars: string): CharSet {
  return charSet(chars).map((flag) => 1 - flag);
}

export const inSet = (set: CharSet, code: number): boolean => set[code < ASCII ? code : ASCII] === 1;

const UPPER = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
const LOWER = UPPER.toLowerCase();
const DIGITS = "0123456789";

export const HEX = charSet(`${DIGITS}abcdefABCDEF`);
export const UPPER_ALNUM = charSet(UPPER + DIGITS);
export const LOWER_ALNUM_DOLLAR = charSet(`${LOWER}${DIGITS}$`);
export const ALNUM = charSet(UPPER + LOWER + DIGITS);
/** Letters, digits and underscore. */
export const WORD = charSet(`${UPPER}${LOWER}${DIGITS}_`);
/** base64url without padding. */
export const URL_SAFE = charSet(`${UPPER}${LOWER}${DIGITS}_-`);
export const URL_SAFE_DOT = charSet(`${UPPER}${LOWER}${DIGITS}_-.`);
export const URL_SAFE_PADDED = charSet(`${UPPER}${LOWER}${DIGITS}_-=`);
/** base64 with padding. */
export const BASE64 = charSet(`${UPPER}${LOWER}${DIGITS}+/=`);
export const BASE64_WORD = charSet(`${UPPER}${LOWER}${DIGITS}+/=_-`);
/** Characters that RFC 6750 allows in a bearer token, and `%` for URL-encoded tokens. */
export const BEARER = charSet(`${UPPER}${LOWER}${DIGITS}-._~+/=%`);
