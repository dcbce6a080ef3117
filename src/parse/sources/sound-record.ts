/**
 * The record of a line without damage, by way of Latin-1: each byte a character. JSON is all ASCII but for what stands
 * in texts, so it can be read that way in two thirds of the time; texts that are not ASCII are mended afterwards, those
 * that nobody asks for left out.
 */
import { isAscii, isUtf8 } from "node:buffer";
import { isFields, type Fields } from "../json-fields.ts";

/** The host's second copy of a result, as session files and stream-json spell it: only its own fields are looked at. */
const COPIES: ReadonlySet<string> = new Set(["toolUseResult", "tool_use_result"]);
/** What is nested deeper is read in the usual way: a recursion must end somewhere. */
const MAX_DEPTH = 100;
const NOT_ASCII = /[^\0-\u007f]/;

/**
 * The same as `JSON.parse` of the text, if that is an object and the bytes are UTF-8; undefined if not. Of a result's
 * `toolUseResult` the nested texts may come out wrong.
 */
export function soundRecord(bytes: Buffer): Fields | undefined {
  const text = bytes.toString("latin1");
  if (isAscii(bytes)) return objectIn(text);
  if (!isUtf8(bytes)) return undefined;
  // An escape may stand for a character that looks like a byte of another.
  const record = text.includes(String.raw`\u`) ? undefined : objectIn(text);
  const copies = record?.["type"] === "user" ? COPIES : undefined;
  return record && mend(record, 0, copies) ? record : objectIn(bytes.toString("utf8"));
}

function objectIn(text: string): Fields | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isFields(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Puts right the texts of a value in place. False if that cannot be done. `shallow`: fields to go no deeper into. */
function mend(value: object, depth: number, shallow?: ReadonlySet<string>): boolean {
  if (depth > MAX_DEPTH) return false;
  if (Array.isArray(value)) return mendItems(value, depth);
  if (!isRecord(value)) return false;
  for (const key in value) {
    if (NOT_ASCII.test(key)) return false;
    const item = value[key];
    if (typeof item === "string") {
      if (NOT_ASCII.test(item)) value[key] = mended(item);
    } else if (typeof item === "object" && item !== null) {
      const done = shallow?.has(key) === true ? mendOwn(item) : mend(item, depth + 1);
      if (!done) return false;
    }
  }
  return true;
}

function mendItems(items: unknown[], depth: number): boolean {
  for (const [at, item] of items.entries()) {
    if (typeof item === "string") items[at] = mended(item);
    else if (typeof item === "object" && item !== null && !mend(item, depth + 1)) return false;
  }
  return true;
}

/** Only the texts right in it. */
function mendOwn(value: object): boolean {
  if (!isRecord(value)) return true;
  for (const key in value) {
    const item = value[key];
    if (typeof item === "string" && NOT_ASCII.test(item)) value[key] = mended(item);
  }
  return true;
}

/** Every object is one. */
function isRecord(value: object): value is Record<string, unknown> {
  return !Array.isArray(value);
}

/** The text whose bytes these characters are. */
function mended(text: string): string {
  return Buffer.from(text, "latin1").toString("utf8");
}
