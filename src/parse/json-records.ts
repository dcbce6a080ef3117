/** The JSON objects of a line, saved from whatever damage the line has. */
import { isUtf8 } from "node:buffer";
import { isFields, type Fields } from "./json-fields.ts";
import type { RawLine } from "./lines.ts";
import type { ParseError, ParseErrorCode } from "./model.ts";

export interface LineRecords {
  records: readonly Fields[];
  problems: readonly ParseError[];
  /** Nothing but white space. */
  blank: boolean;
  /** The line as text, with what could not be read as text replaced. */
  text: string;
}

/** Starts of objects that are tried when a line has lost its beginning: so many, and fewer in lines of megabytes. */
const MAX_TRIES = 64;
const MAX_TRIED_CHARACTERS = 32_000_000;
/** Keys that the records of a session file have, and hardly anything inside of them. */
const RECORD_KEYS = ["uuid", "sessionId", "session_id", "leafUuid", "messageId", "message"];

const BYTE_ORDER_MARK = "\ufeff";
const NO_PROBLEMS: readonly ParseError[] = [];

/** Reads one line. `maxLineBytes` is for the message about lines that are longer. */
export function recordsOfLine(line: RawLine, maxLineBytes: number): LineRecords {
  const { bytes } = line;
  if (typeof bytes === "number") {
    const reason = `Line exceeds max size: ${bytes} bytes, and ${maxLineBytes} are read. Raise maxLineBytes to read it.`;
    return { records: [], problems: [problem(line, "line_too_long", reason, false)], blank: false, text: "" };
  }
  const text = bytes.toString("utf8");
  const value = parsed(text);
  if (isFields(value) && !text.includes("\ufffd"))
    return { records: [value], problems: NO_PROBLEMS, blank: false, text };
  return inspected(line, bytes, text);
}

/** The same for a line that has something odd about it. */
function inspected(line: RawLine, bytes: Buffer, whole: string): LineRecords {
  const problems: ParseError[] = [];
  let text = whole;
  if (line.offset === 0 && text.startsWith(BYTE_ORDER_MARK)) {
    text = text.slice(1);
    problems.push(
      problem(line, "byte_order_mark", "The file begins with a byte order mark, which was left out.", true),
    );
  }
  if (text.includes("\ufffd") && !isUtf8(bytes)) {
    const reason = "Bytes that are not UTF-8 were replaced by U+FFFD.";
    problems.push(problem(line, "invalid_utf8", reason, true));
  }
  if (text.includes("\0")) {
    text = text.replaceAll("\0", "");
    const reason = "NUL bytes, as a crash leaves them, were left out.";
    problems.push(problem(line, "nul_bytes", reason, text.trim() !== ""));
  }
  if (text.trim() === "") return { records: [], problems, blank: problems.every(({ recovered }) => recovered), text };
  const { records, lost } = savedFrom(text);
  if (records.length > 0 || lost !== undefined) problems.push(...reported(line, records, lost));
  return { records, problems, blank: false, text };
}

interface Saved {
  records: readonly Fields[];
  /** Why a part of the line, or all of it, is lost. */
  lost: string | undefined;
}

function savedFrom(text: string): Saved {
  const whole = parsed(text);
  if (isFields(whole)) return { records: [whole], lost: undefined };
  if (whole !== undefined) return { records: [], lost: `a JSON ${kindOf(whole)}, not an object` };
  const records: Fields[] = [];
  let lost: string | undefined;
  let from = 0;
  while (from < text.length) {
    const end = endOfObject(text, from);
    const value = end === -1 ? undefined : parsed(text.slice(from, end));
    if (isFields(value)) {
      records.push(value);
      from = skipSpace(text, end);
      continue;
    }
    lost ??= whyNot(text.slice(from));
    const next = nextRecord(text, from + 1);
    if (next === -1) break;
    from = next;
  }
  return { records, lost };
}

function reported(line: RawLine, records: readonly Fields[], lost: string | undefined): ParseError[] {
  if (lost === undefined) {
    const reason = `${records.length} JSON objects on one line: a lost line end. All of them were used.`;
    return records.length > 1 ? [problem(line, "glued_objects", reason, true)] : [];
  }
  if (records.length > 0) {
    const reason = `Only ${records.length} of the line's JSON objects could be read, the rest of it is lost: ${lost}.`;
    return [problem(line, "partly_lost", reason, false)];
  }
  if (lost.startsWith("a JSON ")) return [problem(line, "not_a_record", `The line is ${lost}.`, false)];
  if (!line.ended) return [problem(line, "torn_line", `The input ends within this line: ${lost}.`, false)];
  return [problem(line, "invalid_json", `The line is no JSON: ${lost}.`, false)];
}

/** After the `}` that closes the object which begins at `from`; -1 if none does. */
function endOfObject(text: string, from: number): number {
  if (text[from] !== "{") return -1;
  let depth = 0;
  for (let at = from; at < text.length; at += 1) {
    const char = text.charCodeAt(at);
    if (char === 0x22) {
      at = endOfString(text, at);
      if (at === -1) return -1;
    } else if (char === 0x7b || char === 0x5b) depth += 1;
    else if (char === 0x7d || char === 0x5d) {
      depth -= 1;
      if (depth === 0) return at + 1;
    }
  }
  return -1;
}

/** The quote that closes the text which begins at `from`; -1 if none does. */
function endOfString(text: string, from: number): number {
  for (let at = text.indexOf('"', from + 1); at !== -1; at = text.indexOf('"', at + 1)) {
    let backslashes = 0;
    while (text.charCodeAt(at - 1 - backslashes) === 0x5c) backslashes += 1;
    if (backslashes % 2 === 0) return at;
  }
  return -1;
}

/** Where, after damage, the next whole record of a session begins; -1 if there is none. */
function nextRecord(text: string, from: number): number {
  let tries = Math.min(MAX_TRIES, Math.ceil(MAX_TRIED_CHARACTERS / text.length));
  for (let at = text.indexOf('{"', from); at !== -1 && tries > 0; at = text.indexOf('{"', at + 1)) {
    tries -= 1;
    const end = endOfObject(text, at);
    const value = end === -1 ? undefined : parsed(text.slice(at, end));
    const rest = end === -1 ? "" : text.slice(end).trimStart();
    if (isFields(value) && isRecord(value) && (rest === "" || rest.startsWith("{"))) return at;
  }
  return -1;
}

function isRecord(value: Fields): boolean {
  return typeof value["type"] === "string" && RECORD_KEYS.some((key) => key in value);
}

function skipSpace(text: string, from: number): number {
  let at = from;
  while (at < text.length && text.charCodeAt(at) <= 0x20) at += 1;
  return at;
}

/** The value, or undefined if the text is no JSON. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** In our own words: those of the runtimes differ, and some quote the text, which may hold a secret. */
function whyNot(text: string): string {
  if (!text.startsWith("{")) return "text that begins no object";
  const end = endOfObject(text, 0);
  return end === -1 ? "its object never closes" : `the object of ${end} characters is not valid JSON`;
}

function kindOf(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "array" : typeof value;
}

function problem(line: RawLine, code: ParseErrorCode, reason: string, recovered: boolean): ParseError {
  return { code, line_number: line.line, byte_offset: line.offset, reason, recovered };
}
