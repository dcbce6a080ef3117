/** Recovers the JSON objects of a damaged line. */
import { isUtf8 } from "node:buffer";
import { endOfJson, isFields, parsedJson, type Fields } from "./json-fields.ts";
import type { RawLine } from "../transcript/format/lines.ts";
import { problemAt } from "./message-draft.ts";
import type { ParseError } from "./model.ts";

export interface LineRecord {
  fields: Fields;
  /** Its JSON, with replacements for unreadable bytes. */
  json: string;
}

export interface LineRecords {
  records: readonly LineRecord[];
  problems: readonly ParseError[];
  /** Only white space. */
  blank: boolean;
}

/** Maximum number of failed attempts on one damaged line; fewer on lines of megabytes. */
const MAX_TRIES = 16;
const MAX_TRIED_CHARACTERS = 32_000_000;
/** Keys of session records that nested objects rarely have. */
const RECORD_KEYS = ["uuid", "sessionId", "session_id", "leafUuid", "messageId", "message"];

const BYTE_ORDER_MARK = "\ufeff";
/** Detects UTF-16 with Latin letters; NULs from a crash are contiguous instead. */
const UTF_16 = /(?:[^\0]\0){8}/;
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
  const text = typeof bytes === "string" ? bytes : bytes.toString("utf8");
  const value = parsedJson(text);
  if (isFields(value) && isReadable(bytes, text))
    return { records: [{ fields: value, json: text }], problems: NO_PROBLEMS, blank: false };
  return inspected(line, bytes, text, value);
}

/** Reads an unusual line. `known`: `whole` as JSON; undefined if it is not JSON. */
function inspected(line: RawLine, bytes: Buffer | string, whole: string, known: unknown): LineRecords {
  const problems: ParseError[] = [];
  let text = whole;
  if (text.startsWith(BYTE_ORDER_MARK)) {
    text = text.slice(1);
    // Files concatenated by a shell have one at the start of the second.
    const reason = "The line begins with a byte order mark, which was left out.";
    problems.push(problemAt(line, "byte_order_mark", reason, true));
  }
  const hasNul = text.includes("\0");
  if (hasNul && UTF_16.test(text)) {
    const reason = "The line is UTF-16, and only UTF-8 is read. Convert the file: iconv -f UTF-16 -t UTF-8.";
    return { records: [], problems: [problemAt(line, "invalid_json", reason)], blank: false };
  }
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
function isReadable(bytes: Buffer | string, text: string): boolean {
  return typeof bytes === "string" || !text.includes("\ufffd") || isUtf8(bytes);
}

/** A backslash that begins no escape of JSON, as in `\\[`, becomes an escaped one. */
function withKnownEscapes(text: string): string {
  return text.replace(/\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})?/g, (match) => (match === "\\" ? "\\\\" : match));
}

interface Saved {
  records: readonly LineRecord[];
  /** Reason why part or all of the line is lost. */
  lost: string | undefined;
}

/** `whole`: the text as JSON; undefined if it is not JSON. */
function savedFrom(text: string, whole: unknown): Saved {
  if (isFields(whole)) return { records: [{ fields: whole, json: text }], lost: undefined };
  if (whole !== undefined) return { records: [], lost: `a JSON ${kindOf(whole)}, not an object` };
  const search = new ObjectSearch(text);
  const records: LineRecord[] = [];
  let lost: string | undefined;
  let from = 0;
  while (from < text.length) {
    const found = search.at(from);
    if (found) {
      records.push(found);
      from = skipSpace(text, found.end);
      continue;
    }
    lost ??= whyNot(text.slice(from));
    const next = search.nextRecord(from + 1);
    if (next === -1) break;
    from = next;
  }
  return { records, lost };
}

interface FoundObject extends LineRecord {
  /** Position after its `}`. */
  end: number;
}

/** Searches a line for objects, with a limited effort. */
class ObjectSearch {
  readonly #text: string;
  #tries: number;

  constructor(text: string) {
    this.#text = text;
    this.#tries = Math.min(MAX_TRIES, Math.ceil(MAX_TRIED_CHARACTERS / text.length));
  }

  /** Returns the object that begins at `from`. */
  at(from: number): FoundObject | undefined {
    if (this.#tries === 0 || this.#text[from] !== "{") return undefined;
    const end = endOfJson(this.#text, from);
    const json = this.#text.slice(from, end);
    const fields = end === -1 ? undefined : parsedJson(json);
    if (isFields(fields)) return { fields, json, end };
    this.#tries -= 1;
    return undefined;
  }

  /** Returns the start of the next complete record after damage; -1 if there is none. */
  nextRecord(from: number): number {
    for (let at = this.#text.indexOf('{"', from); at !== -1 && this.#tries > 0;) {
      const found = this.at(at);
      if (found && isRecord(found.fields) && !this.#isInner(found)) return at;
      at = this.#text.indexOf('{"', found?.end ?? at + 1);
    }
    return -1;
  }

  /** Returns whether the rest of an object or list without its beginning follows. */
  #isInner({ end }: FoundObject): boolean {
    return ",}]".includes(this.#text[skipSpace(this.#text, end)] ?? " ");
  }
}

function reported(line: RawLine, records: readonly LineRecord[], lost: string | undefined): ParseError[] {
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
