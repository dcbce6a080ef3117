/**
 * Makes values storable, in one place so that both backends store the same. PostgreSQL accepts neither NUL nor a lone
 * surrogate, and SQLite returns a text with NUL truncated.
 */
import { createHash } from "node:crypto";
import { isFields } from "../parse/json-fields.ts";

const UNSTORABLE = /[\0\ufffe\uffff]/;
const ALL_UNSTORABLE = /[\0\ufffe\uffff]/g;
const REPLACEMENT = "\ufffd";
/** Most times as agents write them, which are stored as they are. Not every month has later days. */
const STORED_TIME = /^(?!0000)\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])T(?:[01]\d|2[0-3])(?::[0-5]\d){2}\.\d{3}Z$/;
/** May be in the JSON of a value that is not storable, and always is: a character as such, or escaped. */
const MAY_BE_UNSTORABLE = /\\u0000|\\ud[89a-f]|[\ufffe\uffff]/;
/** Outside these years, times do not sort as text. */
const FIRST_TIME = Date.parse("0001-01-01T00:00:00.000Z");
const LAST_TIME = Date.parse("9999-12-31T23:59:59.999Z");

/**
 * Replaces NUL, lone surrogates and the noncharacters reserved for indexes with U+FFFD. Search terms are converted the
 * same way.
 */
export function storableText(text: string): string {
  const whole = text.isWellFormed() ? text : text.toWellFormed();
  return UNSTORABLE.test(whole) ? whole.replaceAll(ALL_UNSTORABLE, REPLACEMENT) : whole;
}

/** Maximum UTF-8 bytes of a key: a PostgreSQL index entry allows about 2,700, and agents' ids have about 40. */
const MAX_KEY_BYTES = 1_000;
/** Characters kept of a longer key: even at 3 bytes each they fit the limit. */
const SHORT_KEY_CHARS = 300;

/** Returns a key for finding rows: the text, or the beginning and a hash of an overlong one. */
export function storableKey(text: string): string {
  const key = storableText(text);
  if (Buffer.byteLength(key) <= MAX_KEY_BYTES) return key;
  return `${key.slice(0, SHORT_KEY_CHARS).toWellFormed()} ${createHash("sha256").update(key).digest("hex")}`;
}

export function storableTextOrNull(text: string | null): string | null {
  return text === null ? null : storableText(text);
}

/**
 * Returns ISO 8601 in UTC with milliseconds, which sorts as text; null for anything but a time in the years 1 to 9999.
 */
export function storableTime(time: string | Date | null): string | null {
  if (time === null || (typeof time === "string" && STORED_TIME.test(time))) return time;
  const ms = typeof time === "string" ? Date.parse(time) : time.getTime();
  return ms >= FIRST_TIME && ms <= LAST_TIME ? new Date(ms).toISOString() : null;
}

/**
 * Returns the value as JSON, with all strings and field names storable. Throws a `TypeError` for values that JSON
 * cannot represent.
 */
export function storableJson(value: unknown): string {
  const plain = JSON.stringify(value);
  if (plain !== undefined && !MAY_BE_UNSTORABLE.test(plain)) return plain;
  const json = JSON.stringify(value, (_, inner: unknown) => {
    if (typeof inner === "string") return storableText(inner);
    return isFields(inner) ? withStorableNames(inner) : inner;
  });
  if (json === undefined) throw new TypeError("The value cannot be represented in JSON.");
  return json;
}

function withStorableNames(record: Record<string, unknown>): Record<string, unknown> {
  const names = Object.keys(record);
  if (names.every((name) => storableText(name) === name)) return record;
  return Object.fromEntries(names.map((name) => [storableText(name), record[name]]));
}

/** Lower-cases ASCII letters only, like PostgreSQL's `lower(… COLLATE "C")` and SQLite's `lower`. */
export function asciiFolded(text: string): string {
  return text.replaceAll(/[A-Z]+/g, (letters) => letters.toLowerCase());
}
