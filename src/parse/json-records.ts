/** Recovers the JSON objects of a damaged line. */
import { isUtf8 } from "node:buffer";
import { endOfJson, isFields, parsedJson, type Fields } from "./json-fields.ts";
import type { RawLine } from "../transcript/format/lines.ts";
import { problemAt } from "./message-draft.ts";
import type { ParseError } from "./model.ts";

export interface LineRecords {
  records: readonly Fields[];
  problems: readonly ParseError[];
  /** Only white space. */
  blank: boolean;
}

/** Keys of session records that nested objects rarely have. */
const RECORD_KEYS = ["uuid", "sessionId", "session_id", "leafUuid", "messageId", "message"];

const BYTE_ORDER_MARK = "\ufeff";
const NO_PROBLEMS: readonly ParseError[] = [];
const EMPTY: LineRecords = { records: [], problems: NO_PROBLEMS, blank: true };

/** Reads one line. `maxLineBytes` is used in the message about longer lines. */
export function recordsOfLine(line: RawLine, maxLineBytes: number): LineRecords {
  const { bytes } = line;
  if (typeof bytes === "number") {
    const reason = `Line exceeds max size: ${bytes} bytes, and ${maxLineBytes} are read. Raise maxLineBytes to read it.`;
    return { records: [], problems: [problemAt(line, "line_too_long", reason)], blank: false };
  }
  if (bytes.length === 0) return EMPTY;
  const text = bytes.toString("utf8");
  const value = parsedJson(text);
  if (isFields(value) && isReadable(bytes, text)) return { records: [value], problems: NO_PROBLEMS, blank: false };
  return inspected(line, bytes, text, value);
}

/** Reads an unusual line. `known`: `whole` as JSON; undefined if it is not JSON. */
function inspected(line: RawLine, bytes: Buffer, whole: string, known: unknown): LineRecords {
  const problems: ParseError[] = [];
  let text = whole;
  if (text.startsWith(BYTE_ORDER_MARK)) {
    text = text.slice(1);
    // Files concatenated by a shell have one at the start of the second.
    const reason = "The line begins with a byte order mark, which was left out.";
    problems.push(problemAt(line, "byte_order_mark", reason, true));
  }
  const hasNul = text.includes("\0");
  if (!isReadable(bytes, text)) {
    const reason = "Bytes that are not UTF-8 were replaced by U+FFFD.";
    problems.push(problemAt(line, "invalid_utf8", reason, true));
  }
  if (hasNul) {
    text = text.replaceAll("\0", "");
    const reason = "NUL bytes, as a crash leaves them, were left out.";
    problems.push(problemAt(line, "nul_bytes", reason, text.trim() !== ""));
  }
  const mended = isFields(known) ? text : withKnownEscapes(text);
  if (mended !== text && parsedJson(text) === undefined && isFields(parsedJson(mended))) {
    text = mended;
    const reason = "Escapes that JSON does not know were read as the characters that they are.";
    problems.push(problemAt(line, "unknown_escape", reason, true));
  }
  if (text.trim() === "") return { records: [], problems, blank: problems.every(({ recovered }) => recovered) };
  const { records, lost } = savedFrom(text, text === whole ? known : parsedJson(text));
  if (records.length > 0 || lost !== undefined) problems.push(...reported(line, records, lost));
  return { records, problems, blank: false };
}

/** Returns whether a text is all that its bytes contain: U+FFFD replaces those that are not UTF-8. */
function isReadable(bytes: Buffer, text: string): boolean {
  return !text.includes("\ufffd") || isUtf8(bytes);
}

/** A backslash that begins no escape of JSON, as in `\\[`, becomes an escaped one. */
function withKnownEscapes(text: string): string {
  return text.replace(/\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})?/g, (match) => (match === "\\" ? "\\\\" : match));
}

interface Saved {
  records: readonly Fields[];
  /** Reason why part or all of the line is lost. */
  lost: string | undefined;
}

/** `whole`: the text as JSON; undefined if it is not JSON. */
function savedFrom(text: string, whole: unknown): Saved {
  if (isFields(whole)) return { records: [whole], lost: undefined };
  if (whole !== undefined) return { records: [], lost: `a JSON ${kindOf(whole)}, not an object` };
  const records: Fields[] = [];
  let lost: string | undefined;
  for (const part of text.split(RECORD_START)) {
    const found = objectIn(part);
    // After damage, only what is surely a record and not a part of one.
    if (found !== undefined && (lost === undefined || isRecord(found.fields))) records.push(found.fields);
    else if (part.trim() !== "") lost ??= whyNot(part.trimStart());
    if (found !== undefined && part.slice(found.end).trim() !== "") lost ??= "text that begins no object";
  }
  return { records, lost };
}

/**
 * Start of an object that is not within another one. There a colon, comma or bracket comes before it, and in a text its
 * quotes are escaped. The brace comes first, so that a long run of spaces is gone over once and not at each of its spaces.
 */
const RECORD_START = /(?=\{\s*["}])(?<![:,[]\s*)/;

interface FoundObject {
  fields: Fields;
  /** Position after its `}`. */
  end: number;
}

/** Returns the object with which a text begins. */
function objectIn(text: string): FoundObject | undefined {
  const start = skipSpace(text, 0);
  const end = text[start] === "{" ? endOfJson(text, start) : -1;
  if (end === -1) return undefined;
  const fields = parsedJson(text.slice(start, end));
  return isFields(fields) ? { fields, end } : undefined;
}

function reported(line: RawLine, records: readonly Fields[], lost: string | undefined): ParseError[] {
  if (lost === undefined) {
    const reason = `${records.length} JSON objects on one line: a lost line end. All of them were read.`;
    return records.length > 1 ? [problemAt(line, "glued_objects", reason, true)] : [];
  }
  if (records.length > 0) {
    const reason = `Only ${records.length} of the line's JSON objects could be read, the rest of it is lost: ${lost}.`;
    return [problemAt(line, "partly_lost", reason)];
  }
  if (lost.startsWith("a JSON ")) return [problemAt(line, "not_a_record", `The line is ${lost}.`)];
  if (!line.ended) return [problemAt(line, "torn_line", `The input ends within this line: ${lost}.`)];
  return [problemAt(line, "invalid_json", `The line is not JSON: ${lost}.`)];
}

function isRecord(value: Fields): boolean {
  return typeof value["type"] === "string" && RECORD_KEYS.some((key) => key in value);
}

function skipSpace(text: string, from: number): number {
  let at = from;
  while (at < text.length && text.charCodeAt(at) <= 0x20) at += 1;
  return at;
}

/** Describes a JSON error. Messages of the runtimes differ, and some quote the text, which may contain a secret. */
function whyNot(text: string): string {
  if (!text.startsWith("{")) return "text that begins no object";
  const end = endOfJson(text, 0);
  return end === -1 ? "its object never closes" : `the object of ${end} characters is not valid JSON`;
}

function kindOf(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "array" : typeof value;
}
