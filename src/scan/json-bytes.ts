/**
 * The grammar of JSON (RFC 8259) over bytes. Each function takes the place where something begins and gives the place
 * after it, or -1 if it is not there or is damaged. The bytes must hold a line feed after the text: it stops them all.
 */

export const QUOTE = 0x22;
export const COMMA = 0x2c;
export const COLON = 0x3a;
export const OPEN_LIST = 0x5b;
export const BACKSLASH = 0x5c;
export const CLOSE_LIST = 0x5d;
export const OPEN_OBJECT = 0x7b;
export const CLOSE_OBJECT = 0x7d;

const MINUS = 0x2d;
const POINT = 0x2e;
const ZERO = 0x30;
const NINE = 0x39;

/** Values nested deeper are left to the runtime's own parser. */
const MAX_DEPTH = 200;

/** What a byte is within a text: 0 a part of it, 1 its end, 2 the start of an escape, 3 not allowed. */
const IN_TEXT = new Uint8Array(256).fill(3, 0, 0x20);
IN_TEXT[QUOTE] = 1;
IN_TEXT[BACKSLASH] = 2;

/** How long the escape with this letter is; 0 if there is none. */
const ESCAPE_LENGTH = new Uint8Array(256);
for (const letter of Buffer.from('"\\/bfnrt')) ESCAPE_LENGTH[letter] = 2;
ESCAPE_LENGTH[0x75] = 6;

const IS_HEX = new Uint8Array(256);
for (const digit of Buffer.from("0123456789abcdefABCDEF")) IS_HEX[digit] = 1;

const LITERALS = ["true", "false", "null"].map((word) => Buffer.from(word));

/** After white space; a line feed is none here. */
export function afterSpace(bytes: Uint8Array, start: number): number {
  let at = start;
  for (let byte = bytes[at]; byte === 0x20 || byte === 0x09 || byte === 0x0d; byte = bytes[at]) at += 1;
  return at;
}

/** `start` is after the opening quote. */
export function afterText(bytes: Uint8Array, start: number): number {
  let at = start;
  for (;;) {
    const kind = IN_TEXT[bytes[at] ?? 0];
    if (kind === 0) at += 1;
    else if (kind === 1) return at + 1;
    else if (kind === 3) return -1;
    else {
      const length = ESCAPE_LENGTH[bytes[at + 1] ?? 0] ?? 0;
      if (length === 0 || (length === 6 && !hasFourHexDigits(bytes, at + 2))) return -1;
      at += length;
    }
  }
}

function hasFourHexDigits(bytes: Uint8Array, at: number): boolean {
  for (let digit = at; digit < at + 4; digit += 1) if (IS_HEX[bytes[digit] ?? 0] !== 1) return false;
  return true;
}

/** Any value. `depth` counts what it is nested in. */
export function afterValue(bytes: Uint8Array, start: number, depth: number): number {
  const byte = bytes[start] ?? 0;
  if (byte === QUOTE) return afterText(bytes, start + 1);
  if (byte === OPEN_OBJECT) return depth < MAX_DEPTH ? afterObject(bytes, start + 1, depth + 1) : -1;
  if (byte === OPEN_LIST) return depth < MAX_DEPTH ? afterList(bytes, start + 1, depth + 1) : -1;
  if (byte === MINUS || (byte >= ZERO && byte <= NINE)) return afterNumber(bytes, start);
  return afterLiteral(bytes, start);
}

/** `start` is after the opening brace. */
function afterObject(bytes: Uint8Array, start: number, depth: number): number {
  let at = afterSpace(bytes, start);
  if (bytes[at] === CLOSE_OBJECT) return at + 1;
  for (;;) {
    if (bytes[at] !== QUOTE) return -1;
    at = afterText(bytes, at + 1);
    if (at === -1) return -1;
    at = afterSpace(bytes, at);
    if (bytes[at] !== COLON) return -1;
    at = afterValue(bytes, afterSpace(bytes, at + 1), depth);
    if (at === -1) return -1;
    at = afterSpace(bytes, at);
    if (bytes[at] === CLOSE_OBJECT) return at + 1;
    if (bytes[at] !== COMMA) return -1;
    at = afterSpace(bytes, at + 1);
  }
}

/** `start` is after the opening bracket. */
function afterList(bytes: Uint8Array, start: number, depth: number): number {
  let at = afterSpace(bytes, start);
  if (bytes[at] === CLOSE_LIST) return at + 1;
  for (;;) {
    at = afterValue(bytes, at, depth);
    if (at === -1) return -1;
    at = afterSpace(bytes, at);
    if (bytes[at] === CLOSE_LIST) return at + 1;
    if (bytes[at] !== COMMA) return -1;
    at = afterSpace(bytes, at + 1);
  }
}

function afterNumber(bytes: Uint8Array, start: number): number {
  let at = bytes[start] === MINUS ? start + 1 : start;
  if (bytes[at] === ZERO) at += 1;
  else at = afterDigits(bytes, at);
  if (at !== -1 && bytes[at] === POINT) at = afterDigits(bytes, at + 1);
  if (at !== -1 && (bytes[at] === 0x65 || bytes[at] === 0x45)) {
    const sign = bytes[at + 1];
    at = afterDigits(bytes, sign === 0x2b || sign === MINUS ? at + 2 : at + 1);
  }
  return at;
}

/** At least one digit. */
function afterDigits(bytes: Uint8Array, start: number): number {
  let at = start;
  for (let byte = bytes[at] ?? 0; byte >= ZERO && byte <= NINE; byte = bytes[at] ?? 0) at += 1;
  return at === start ? -1 : at;
}

function afterLiteral(bytes: Uint8Array, start: number): number {
  for (const literal of LITERALS) {
    if (literal[0] === bytes[start]) {
      return literal.every((byte, at) => bytes[start + at] === byte) ? start + literal.length : -1;
    }
  }
  return -1;
}
