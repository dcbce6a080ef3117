/**
 * What a database can hold, made in one place so that both backends keep the same. PostgreSQL takes neither NUL nor
 * half a surrogate pair, and SQLite gives back less of a text with NUL than it was given.
 */

/**
 * Between and after texts in an index. `storableText` leaves none of it, so no term that is looked for has it. One of
 * Unicode's noncharacters, and none of the two that FTS5 takes for U+FFFD.
 */
export const INDEX_MARK = "\ufdd0";

const UNSTORABLE = /[\0\ufdd0\ufffe\uffff]/;
const ALL_UNSTORABLE = /[\0\ufdd0\ufffe\uffff]/g;
const REPLACEMENT = "\ufffd";
/** Outside of these years times do not sort as text. */
const FIRST_TIME = Date.parse("0001-01-01T00:00:00.000Z");
const LAST_TIME = Date.parse("9999-12-31T23:59:59.999Z");

/** The text with U+FFFD for NUL, lone surrogates and the noncharacters that indexes need. What is looked for goes the same way. */
export function storableText(text: string): string {
  const whole = text.isWellFormed() ? text : text.toWellFormed();
  return UNSTORABLE.test(whole) ? whole.replaceAll(ALL_UNSTORABLE, REPLACEMENT) : whole;
}

export function storableTextOrNull(text: string | null): string | null {
  return text === null ? null : storableText(text);
}

/** ISO 8601 in UTC with milliseconds, so that times sort as text. Null for what is no time of the years 1 to 9999. */
export function storableTime(time: string | Date | null): string | null {
  if (time === null) return null;
  const ms = typeof time === "string" ? Date.parse(time) : time.getTime();
  return ms >= FIRST_TIME && ms <= LAST_TIME ? new Date(ms).toISOString() : null;
}

/** A value as JSON, each text in it storable, names of fields too. Throws a `TypeError` for what JSON cannot hold. */
export function storableJson(value: unknown): string {
  const json = JSON.stringify(value, (_, inner: unknown) => {
    if (typeof inner === "string") return storableText(inner);
    return isRecord(inner) ? withStorableNames(inner) : inner;
  });
  if (json === undefined) throw new TypeError("This is no JSON value.");
  return json;
}

function withStorableNames(record: Record<string, unknown>): Record<string, unknown> {
  const names = Object.keys(record);
  if (names.every((name) => storableText(name) === name)) return record;
  return Object.fromEntries(names.map((name) => [storableText(name), record[name]]));
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
