/**
 * Extracts the session and the messages of an export, with their positions. Damage affects only the piece that contains
 * it.
 */
import { isUtf8 } from "node:buffer";
import { endOfJson, isFields, parsedJson, recordIn, type Fields } from "../json-fields.ts";
import { problemAt, type SourcePlace } from "../message-draft.ts";
import type { ParseError, ParseErrorCode } from "../model.ts";

export interface Piece extends SourcePlace {
  kind: "session" | "message";
  /** Undefined if nothing could be read; `problems` has the reason. */
  value: Fields | undefined;
  problems: readonly ParseError[];
  /** Found after the end of the list, where another export was appended or the JSON is damaged. */
  isBehindEnd: boolean;
}

/** White space of JSON, and the NUL bytes that a crash leaves. */
const SPACE = String.raw`[ \t\r\n\0]*`;
const SCALAR = String.raw`"(?:[^"\\]|\\.)*"|[^"{[,\]}]+`;
const SCALAR_MEMBERS = `(?:"[^"]*"${SPACE}:${SPACE}(?:${SCALAR}),${SPACE})*`;
/** Some save the note that opencode prints to standard error before the export. */
const BEFORE_INFO = new RegExp(
  String.raw`^(?:\ufeff|\xef\xbb\xbf)?${SPACE}(?:Exporting session[^{]*)?\{${SPACE}(?:"data"${SPACE}:${SPACE}\{${SPACE})?${SCALAR_MEMBERS}"info"${SPACE}:${SPACE}(?=\{)`,
);
/** One byte of the key may be damaged. */
const LIST = new RegExp(
  String.raw`"messages"${SPACE}:${SPACE}\[|"[^"]{8}"${SPACE}:${SPACE}\[(?=${SPACE}\{${SPACE}"info")`,
  "g",
);
/** No text within JSON looks like this, since its quotes would be escaped. The second form is that of 2.x. */
const MESSAGE = new RegExp(
  String.raw`\{${SPACE}"info"${SPACE}:${SPACE}\{|(?<!:${SPACE})\{${SPACE}"id"${SPACE}:${SPACE}"msg_`,
  "g",
);
const INFO = new RegExp(String.raw`"info"${SPACE}:${SPACE}(?=\{)`, "g");
const BETWEEN = new RegExp(String.raw`[ \t\r\n\0,]*`, "y");
const SCALAR_VALUE = new RegExp(SCALAR, "y");
const AFTER_LIST = new RegExp(String.raw`${SPACE}\}?${SPACE}\}?${SPACE}`, "y");
/** Keys with which a message of 2.x begins. */
const MESSAGE_2 = /^\{\s*"(?:id|type|time|metadata|text|agent|model|content)"/;

const NO_LIST = "There is no list of messages in this file. Check that it is an export, and that it is whole.";

/** Returns true if a text begins like an export: an object with a session's `info` and a list of messages. */
export function beginsExport(head: string): boolean {
  const start = BEFORE_INFO.exec(head)?.[0].length;
  if (start === undefined) return false;
  const end = endOfJson(head, start);
  const info = head.slice(start, end === -1 ? head.length : end);
  const list = end === -1 ? undefined : matched(LIST, head, end)?.end;
  const first = list === undefined ? "" : head.slice(list).trimStart();
  const hasMessage = first !== "" && !first.startsWith("]");
  const isOfSession = /"id"\s*:\s*"ses_/.test(info);
  if (hasMessage && !/^\{\s*(?:$|"(?:info|parts)")/.test(first)) return isOfSession && MESSAGE_2.test(first);
  return isOfSession || (list !== undefined && (hasMessage || /"id"\s*:\s*"/.test(info)));
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
  /** One character per byte, so that string indexes are byte offsets. */
  readonly #text: string;
  #place: SourcePlace = { offset: 0, line: 1 };
  #isBehindEnd = false;
  /** Characters searched in vain for the ends of messages. */
  #searched = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
    this.#text = bytes.toString("latin1");
  }

  *pieces(): Generator<Piece> {
    const start = BEFORE_INFO.exec(this.#text)?.[0].length;
    const end = start === undefined ? -1 : endOfJson(this.#text, start);
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
      const reason = "The session's info does not end before the messages: a bracket is missing.";
      return { ...piece, problems: [problemAt(piece, "invalid_json", reason)] };
    }
    return this.failed("session", start, "invalid_json", "The session's info cannot be read: its JSON is damaged.");
  }

  #withoutList(session: Piece): Piece {
    return { ...session, problems: [problemAt(session, "not_a_record", NO_LIST)] };
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
        const end = text[at] === "[" || text[at] === '"' ? endOfJson(text, at) : skip(SCALAR_VALUE, text, at);
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

  /** Returns the message that begins at `at`, and its end. */
  #message(at: number): [piece: Piece, end: number] {
    const end = this.#endOf(at);
    const { value, problems } = end === -1 ? NOTHING : this.#json(at, end);
    if (isFields(value)) return [this.#piece("message", at, value, problems), end];
    const next = matched(MESSAGE, this.#text, at + 1)?.start ?? this.#text.length;
    const stop = end === -1 ? next : Math.min(end, next);
    return [this.#saved(at, stop, end === -1 && stop === this.#text.length), stop];
  }

  /**
   * Returns the end of the message at `at`; -1 if it has none. Where many have none, each is looked for up to the next
   * message only, so that a text of nothing but beginnings takes linear time.
   */
  #endOf(at: number): number {
    const text = this.#text;
    const isHostile = this.#searched > MAX_SEARCHES * text.length;
    const limit = isHostile ? (matched(MESSAGE, text, at + 1)?.start ?? text.length) : text.length;
    const end = endOfJson(text, at, limit);
    if (end === -1) this.#searched += limit - at;
    return end;
  }

  /** Returns what can be read of a damaged message: its `info`, and each complete part. */
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
    const reason = `A message is damaged: ${because}; ${rest}.`;
    const piece = this.#piece("message", at, { info, parts }, []);
    return { ...piece, problems: [problemAt(piece, isTorn ? code : "partly_lost", reason)] };
  }

  /** Returns the object at `start` if it is complete and ends before `stop`, and where to continue. */
  #object(start: number, stop: number): [object: Fields | undefined, end: number] {
    const end = endOfJson(this.#text, start, stop);
    if (end === -1) return [undefined, stop];
    const text = this.#bytes.toString("utf8", start, end);
    return [recordIn(text) ?? recordIn(text.replaceAll("\0", "")), end];
  }

  /** Parses a JSON value from bytes; undefined if it is not JSON. */
  #json(start: number, end: number): { value: unknown; problems: readonly ParseError[] } {
    const bytes = this.#bytes.subarray(start, end);
    const problems: ParseError[] = [];
    const text = bytes.toString("utf8");
    let value = parsedJson(text);
    if (value === undefined && text.includes("\0")) {
      value = parsedJson(text.replaceAll("\0", ""));
      const reason = "NUL bytes, as a crash leaves them, were left out.";
      problems.push(problemAt(this.#placeAt(start), "nul_bytes", reason, value !== undefined));
    }
    if (text.includes("\ufffd") && !isUtf8(bytes)) {
      const reason = "Bytes that are not UTF-8 were replaced by U+FFFD.";
      problems.push(problemAt(this.#placeAt(start), "invalid_utf8", reason, true));
    }
    return { value, problems };
  }

  #piece(kind: Piece["kind"], at: number, value: Fields | undefined, problems: readonly ParseError[]): Piece {
    return { kind, ...this.#placeAt(at), value, problems, isBehindEnd: this.#isBehindEnd };
  }

  failed(kind: Piece["kind"], at: number, code: ParseErrorCode, reason: string): Piece {
    return this.#piece(kind, at, undefined, [problemAt(this.#placeAt(at), code, reason)]);
  }

  /** Must be called in ascending order. */
  #placeAt(offset: number): SourcePlace {
    let { line } = this.#place;
    const text = this.#text;
    for (let feed = text.indexOf("\n", this.#place.offset); feed !== -1 && feed < offset; line += 1) {
      feed = text.indexOf("\n", feed + 1);
    }
    return (this.#place = { offset, line });
  }
}

const NOTHING = { value: undefined, problems: [] };
const LOST = "The JSON is damaged here. Everything before the next complete message is lost.";
const BEHIND_END = "Content after the end of the export was left out.";

/** Number of searches through the whole text that may be in vain. */
const MAX_SEARCHES = 8;

function matched(pattern: RegExp, text: string, from: number): { start: number; end: number } | undefined {
  pattern.lastIndex = from;
  const match = pattern.exec(text);
  return match ? { start: match.index, end: pattern.lastIndex } : undefined;
}

/** Returns the end of a match at `from`; `from` itself if there is none. */
function skip(pattern: RegExp, text: string, from: number): number {
  return matched(pattern, text, from)?.end ?? from;
}
