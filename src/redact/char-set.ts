/** Sets of ASCII characters, for scanning runs without a regular expression. */
export type CharSet = Readonly<Uint8Array>;

/** A set of the characters in `chars`. */
export function charSet(chars: string): CharSet {
  const set = new Uint8Array(128);
  for (let i = 0; i < chars.length; i++) set[chars.charCodeAt(i) & 127] = 1;
  return set;
}

/** All ASCII characters but those in `chars`. Characters beyond ASCII are in no set. */
export function charSetExcept(chars: string): CharSet {
  return charSet(chars).map((flag) => 1 - flag);
}

export const inSet = (set: CharSet, code: number): boolean => code < 128 && set[code] === 1;

const UPPER = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
const LOWER = UPPER.toLowerCase();
const DIGITS = "0123456789";

export const DIGIT = charSet(DIGITS);
export const HEX = charSet(`${DIGITS}abcdefABCDEF`);
export const UPPER_ALNUM = charSet(UPPER + DIGITS);
export const ALNUM = charSet(UPPER + LOWER + DIGITS);
/** Letters, digits and underscore. */
export const WORD = charSet(`${UPPER}${LOWER}${DIGITS}_`);
/** The alphabet of base64url. */
export const URL_SAFE = charSet(`${UPPER}${LOWER}${DIGITS}_-`);
export const URL_SAFE_DOT = charSet(`${UPPER}${LOWER}${DIGITS}_-.`);
export const URL_SAFE_PADDED = charSet(`${UPPER}${LOWER}${DIGITS}_-=`);
/** The alphabet of base64 with its padding. */
export const BASE64 = charSet(`${UPPER}${LOWER}${DIGITS}+/=`);
export const BASE64_WORD = charSet(`${UPPER}${LOWER}${DIGITS}+/=_-`);
/** What RFC 6750 allows in a bearer token. */
export const BEARER = charSet(`${UPPER}${LOWER}${DIGITS}-._~+/=`);
