/** The bytes by which a line with a failed result is known. */
import { NeedleSearch, type ByteSearch } from "./find-search.ts";

const QUOTE = 0x22;
const COLON = 0x3a;
const SPACE = 0x20;
const TAG = Buffer.from("tool_use");
const HOST_FIELD = Buffer.from('toolUseResult"');
const TRUE = Buffer.from("true");

/**
 * Finds the lines that can hold a result which ended in an `error` by the rules of `resultStatus`: the mark
 * (`"is_error": true`), the tag (`<tool_use_error>`, of which JSON may escape the brackets), or the host's record of
 * the error as a bare text (`"toolUseResult": "Error: …"`).
 */
export function errorMarks(): ByteSearch {
  return new NeedleSearch([
    { text: "_error", confirms: isMarkOrTag },
    { text: "Error: ", confirms: isHostText },
  ]);
}

function isMarkOrTag(bytes: Buffer, at: number): boolean {
  const after = at + "_error".length;
  if (bytes[after] !== QUOTE) return endsAt(bytes, at, TAG);
  const colon = pastSpace(bytes, after + 1, 1);
  return bytes[colon] === COLON && startsAt(bytes, pastSpace(bytes, colon + 1, 1), TRUE);
}

function isHostText(bytes: Buffer, at: number): boolean {
  if (bytes[at - 1] !== QUOTE) return false;
  const colon = pastSpace(bytes, at - 2, -1);
  return bytes[colon] === COLON && endsAt(bytes, pastSpace(bytes, colon - 1, -1) + 1, HOST_FIELD);
}

/** The next place that is no white space. */
function pastSpace(bytes: Buffer, from: number, step: 1 | -1): number {
  let at = from;
  for (let byte = bytes[at]; byte !== undefined && byte <= SPACE; byte = bytes[at]) at += step;
  return at;
}

function startsAt(bytes: Buffer, at: number, text: Buffer): boolean {
  return text.every((byte, index) => bytes[at + index] === byte);
}

function endsAt(bytes: Buffer, end: number, text: Buffer): boolean {
  return startsAt(bytes, end - text.length, text);
}
