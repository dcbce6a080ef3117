/** The session and the messages in the bytes of an export, with their places. Damage costs the piece that it is in. */
import { isUtf8 } from "node:buffer";
import { isFields, type Fields } from "../json-fields.ts";
import type { ParseError, ParseErrorCode } from "../model.ts";

/** Byte offset, and line from 1. */
export interface Place {
  offset: number;
  line: number;
}

export interface Piece extends Place {
  kind: "session" | "message";
  /** Undefined if nothing could be read; `problems` says why. */
  value: Fields | undefined;
  problems: readonly ParseError[];
  /** Found after the end of the list, where another export was appended or the JSON is damaged. */
  isBehindEnd: boolean;
}

/** White space of JSON, and the NUL bytes that a crash leaves. */
const SPACE = String.raw`[ \t\r\n\0]*`;
const SCALAR = String.raw`"(?:[^"\\]|\\.)*"|[^"{[,\]}]+`;
const SCALAR_MEMBERS = `(?:"[^"]*"${SPACE}:${SPACE}(?:${SCALAR}),${SPACE})*`;
/** Some save the note to standard error that opencode prints before the export. */
const BEFORE_INFO = new RegExp(
  String.raw`^(?:\ufeff|\xef\xbb\xbf)?${SPACE}(?:Exporting session[^{]*)?\{${SPACE}${SCALAR_MEMBERS}"info"${SPACE}:${SPACE}(?=\{)`,
);
/** One byte of the key may be damaged. */
const LIST = new RegExp(
  String.raw`"messages"${SPACE}:${SPACE}\[|"[^"]{8}"${SPACE}:${SPACE}\[(?=${SPACE}\{${SPACE}"info")`,
  "g",
);
/** No text within JSON looks like this, since its quotes would be escaped. */
const MESSAGE = new RegExp(String.raw`\{${SPACE}"info"${SPACE}:${SPACE}\{`, "g");
const INFO = new RegExp(String.raw`"info"${SPACE}:${SPACE}(?=\{)`, "g");
const BETWEEN = new RegExp(String.raw`[ \t\r\n\0,]*`, "y");
const SCALAR_VALUE = new RegExp(SCALAR, "y");
const AFTER_LIST = new RegExp(String.raw`${SPACE}\}?${SPACE}`, "y");

const NO_LIST = "There is no list of messages in this file. Check that it is an export, and that it is whole.";

/** Whether a text begins as an export does: an object with a session's `info` and a list of messages. */
export function beginsExport(head: string): boolean {
  const start = BEFORE_INFO.exec(head)?.[0].length;
  if (start === undefined) return false;
  const end = endOf(head, start);
  const info = head.slice(start, end === -1 ? head.length : end);
  const list = end === -1 ? undefined : matched(LIST, head, end)?.end;
  const first = list === undefined ? "" : head.slice(list).trimStart();
  const hasMessage = first !== "" && !first.startsWith("]");
  if (hasMessage && !/^\{\s*(?:$|"(?:info|parts)")/.test(first)) return false;
  return /"id"\s*:\s*"ses_/.test(info) || (list !== undefined && (hasMessage || /"id"\s*:\s*"/.test(info)));
}

/** Reads the pieces of an export in order. */
export function* exportPieces(bytes: Buffer): Generator<Piece> {
  const reader = new PieceReader(bytes);
  let count = 0;
  for (const piece of reader.pieces()) {
    count += 1;
    yield piece;
  }
  if (count === 0 && bytes.length > 0) yield reader.failed("message", 0, "not_a_record", NO_LIST);
}

class PieceReader {
  readonly #bytes: Buffer;
  /** One character for each byte, so that places in it are byte offsets. */
  readonly #text: string;
  #place: Place = { offset: 0, line: 1 };
  #isBehindEnd = false;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
    this.#text = bytes.toString("latin1");
  }

  *pieces(): Generator<Piece> {
    const start = BEFORE_INFO.exec(this.#text)?.[0].length;
    const end = start === undefined ? -1 : endOf(this.#text, start);
    const session = start === undefined ? undefined : this.#session(start, end);
    const isClosed = session?.value !== undefined && session.problems.every(({ recovered }) => recovered);
    const list = matched(LIST, this.#text, isClosed ? end : (start ?? 0))?.end;
    if (session) yield list === undefined && session.problems.length === 0 ? this.#withoutList(session) : session;
    if (list !== undefined) yield* this.#messages(list);
  }

  #session(start: number, end: number): Piece {
    if (end === -1 && !matched(MESSAGE, this.#text, start)) {
      return this.failed("session", start, "torn_line", "The input ends within what the session is.");
    }
    const { value, problems } = this.#json(start, end === -1 ? start : end);
    if (isFields(value)) {
      const piece = this.#piece("session", start, value, problems);
      if (!Array.isArray(value["messages"])) return piece;
      const reason = "What the session is does not end before its messages: a bracket is lost.";
      return { ...piece, problems: [problem(piece, "invalid_json", reason)] };
    }
    return this.failed("session", start, "invalid_json", "What the session is cannot be read: its JSON is damaged.");
  }

  #withoutList(session: Piece): Piece {
    return { ...session, problems: [problem(session, "not_a_record", NO_LIST)] };
  }

  *#messages(list: number): Generator<Piece> {
    const text = this.#text;
    for (let at = skip(BETWEEN, text, list); at < text.length; at = skip(BETWEEN, text, at)) {
      if (text[at] === "{") {
        const [piece, end] = this.#message(at);
        yield piece;
        at = end;
        continue;
      }
      if (text[at] === "]") {
        at = skip(AFTER_LIST, text, at + 1);
        if (at === text.length) return;
        this.#isBehindEnd = true;
      } else {
        const end = text[at] === "[" || text[at] === '"' ? endOf(text, at) : skip(SCALAR_VALUE, text, at);
        if (end > at && this.#json(at, end).value !== undefined) {
          yield this.failed("message", at, "not_a_record", "What stands here is JSON, but not an object.");
          at = end;
          continue;
        }
      }
      yield this.failed("message", at, "invalid_json", this.#isBehindEnd ? BEHIND_END : LOST);
      at = matched(MESSAGE, text, at)?.start ?? text.length;
    }
  }

  /** The message that begins at `at`, and where it ends. */
  #message(at: number): [piece: Piece, end: number] {
    const end = endOf(this.#text, at);
    const { value, problems } = end === -1 ? NOTHING : this.#json(at, end);
    if (isFields(value)) return [this.#piece("message", at, value, problems), end];
    const next = matched(MESSAGE, this.#text, at + 1)?.start ?? this.#text.length;
    const stop = end === -1 ? next : Math.min(end, next);
    return [this.#saved(at, stop, end === -1 && stop === this.#text.length), stop];
  }

  /** What can be read of a damaged message: its `info`, and each of its parts that is whole. */
  #saved(at: number, stop: number, isTorn: boolean): Piece {
    const because = isTorn ? "the input ends within it" : "its JSON is damaged";
    const code = isTorn ? "torn_line" : "invalid_json";
    const start = matched(INFO, this.#text, at)?.end ?? stop;
    const [info, end] = start < stop ? this.#object(start, stop) : [undefined, stop];
    if (!info) return this.failed("message", at, code, `A message is lost: ${because}.`);
    const parts: Fields[] = [];
    let lost = 0;
    for (let from = this.#text.indexOf("{", end); from !== -1 && from < stop;) {
      const [part, partEnd] = this.#object(from, stop);
      if (part) parts.push(part);
      else lost += 1;
      from = this.#text.indexOf("{", partEnd);
    }
    const rest =
      lost > 0 ? `${parts.length} of its parts were read, at least ${lost} more were not` : "its end is lost";
    const reason = `A message is not whole: ${because}; ${rest}.`;
    const piece = this.#piece("message", at, { info, parts }, []);
    return { ...piece, problems: [problem(piece, isTorn ? code : "partly_lost", reason)] };
  }

  /** The object at `start`, if it is whole and ends before `stop`, and where to go on. */
  #object(start: number, stop: number): [object: Fields | undefined, end: number] {
    const end = endOf(this.#text, start);
    if (end === -1 || end > stop) return [undefined, stop];
    const text = this.#bytes.toString("utf8", start, end);
    const value = parsed(text) ?? parsed(text.replaceAll("\0", ""));
    return [isFields(value) ? value : undefined, end];
  }

  /** A JSON value from bytes; undefined if they are none. */
  #json(start: number, end: number): { value: unknown; problems: readonly ParseError[] } {
    const bytes = this.#bytes.subarray(start, end);
    const problems: ParseError[] = [];
    const text = bytes.toString("utf8");
    let value = parsed(text);
    if (value === undefined && text.includes("\0")) {
      value = parsed(text.replaceAll("\0", ""));
      const reason = "NUL bytes, as a crash leaves them, were left out.";
      problems.push(problem(this.#placeAt(start), "nul_bytes", reason, value !== undefined));
    }
    if (text.includes("\ufffd") && !isUtf8(bytes)) {
      const reason = "Bytes that are not UTF-8 were replaced by U+FFFD.";
      problems.push(problem(this.#placeAt(start), "invalid_utf8", reason, true));
    }
    return { value, problems };
  }

  #piece(kind: Piece["kind"], at: number, value: Fields | undefined, problems: readonly ParseError[]): Piece {
    return { kind, ...this.#placeAt(at), value, problems, isBehindEnd: this.#isBehindEnd };
  }

  failed(kind: Piece["kind"], at: number, code: ParseErrorCode, reason: string): Piece {
    return this.#piece(kind, at, undefined, [problem(this.#placeAt(at), code, reason)]);
  }

  /** Places are asked for in ascending order. */
  #placeAt(offset: number): Place {
    let { line } = this.#place;
    const text = this.#text;
    for (let feed = text.indexOf("\n", this.#place.offset); feed !== -1 && feed < offset; line += 1) {
      feed = text.indexOf("\n", feed + 1);
    }
    return (this.#place = { offset, line });
  }
}

const NOTHING = { value: undefined, problems: [] };
const LOST = "The JSON is damaged here. What stands before the next whole message is lost.";
const BEHIND_END = "What stands behind the end of the export was left out.";

/**
 * Where the JSON value at `start` ends; -1 if it does not. A line feed ends a text, since texts in JSON have none: its
 * quote is lost.
 */
function endOf(text: string, start: number): number {
  let depth = 0;
  let inText = false;
  for (let at = start; at < text.length; at += 1) {
    const char = text[at];
    if (inText) {
      if (char === "\\") at += 1;
      else if (char === '"' || char === "\n") inText = false;
      else continue;
    } else if (char === '"') inText = true;
    else if (char === "{" || char === "[") depth += 1;
    else if (char === "}" || char === "]") depth -= 1;
    else continue;
    if (!inText && depth <= 0) return at + 1;
  }
  return -1;
}

function matched(pattern: RegExp, text: string, from: number): { start: number; end: number } | undefined {
  pattern.lastIndex = from;
  const match = pattern.exec(text);
  return match ? { start: match.index, end: pattern.lastIndex } : undefined;
}

/** Where a match at `from` ends; `from` itself if there is none. */
function skip(pattern: RegExp, text: string, from: number): number {
  return matched(pattern, text, from)?.end ?? from;
}

function problem(place: Place, code: ParseErrorCode, reason: string, recovered = false): ParseError {
  return { code, line_number: place.line, byte_offset: place.offset, reason, recovered };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
