/** What `opencode export` prints: `{ "info": {…}, "messages": [ { "info": {…}, "parts": […] } ] }`. */
import { isDeepStrictEqual } from "node:util";
import type { Source, SourceUnit } from "../draft.ts";
import { fieldsOf, textOf, type Fields } from "../json-fields.ts";
import type { ParseErrorCode } from "../model.ts";
import { timeOf } from "../times.ts";
import { messageDrafts } from "./opencode-message.ts";
import { beginsExport, exportPieces, type Piece, type Place } from "./opencode-pieces.ts";
import { known } from "./transcript-fields.ts";
import { LineShares } from "./transcript-lines.ts";

/** Node has no longer texts than 512 MiB. */
const MAX_EXPORT_MIB = 500;
const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);
const LINE_FEED = 0x0a;

/** Exports of opencode sessions, pretty-printed or not. They are one JSON value, and so read as a whole. */
export const opencodeExport: Source = { name: "opencode-export", detect: beginsExport, read: readExport };

async function* readExport(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<SourceUnit[]> {
  let held: Uint8Array[] = [];
  let size = 0;
  let lines = 0;
  let last = LINE_FEED;
  for await (const chunk of chunks) {
    size += chunk.length;
    lines += lineFeedsIn(chunk);
    last = chunk.at(-1) ?? last;
    if (size <= MAX_EXPORT_MIB * 1024 * 1024) held.push(chunk);
    else held = [];
  }
  if (last !== LINE_FEED) lines += 1;
  if (size > MAX_EXPORT_MIB * 1024 * 1024) {
    const reason = `This export has ${size} bytes, and up to ${MAX_EXPORT_MIB} MiB are read. Export a fork of the session with fewer messages.`;
    yield [{ ...failed({ line: 1, offset: 0 }, "line_too_long", reason), lines }];
    return;
  }
  const bytes = Buffer.concat(held);
  held = [];
  yield* new ExportReader().units(bytes, lines);
}

function lineFeedsIn(chunk: Uint8Array): number {
  let count = 0;
  for (let at = chunk.indexOf(LINE_FEED); at !== -1; at = chunk.indexOf(LINE_FEED, at + 1)) count += 1;
  return count;
}

type OpenUnit = Omit<SourceUnit, "lines">;

class ExportReader {
  readonly #messages = new Map<string, Fields>();
  #sessionId: string | undefined;

  *units(bytes: Buffer, lines: number): Generator<SourceUnit[]> {
    const shares = new LineShares();
    // Each unit has the lines up to the next one.
    let last: OpenUnit | undefined;
    for (const piece of exportPieces(bytes)) {
      const unit = piece.kind === "session" ? this.#session(piece) : this.#message(piece);
      if (last) yield [{ ...last, lines: shares.take(Math.max(last.line, unit.line - 1)) }];
      const isMarked = last === undefined && bytes.subarray(0, BYTE_ORDER_MARK.length).equals(BYTE_ORDER_MARK);
      last = isMarked ? withMark(unit) : unit;
    }
    if (last) yield [{ ...last, lines: shares.take(lines) }];
  }

  #session({ value, problems, line, offset }: Piece): OpenUnit {
    if (!value) return { line, offset, outcome: { as: "failed" }, messages: [], problems };
    const { id, parentID, title, directory, version } = textsOf(value);
    this.#sessionId = id;
    return {
      line,
      offset,
      outcome: { as: "used" },
      messages: [],
      problems,
      session: known({ sessionId: id, parentSessionId: parentID, title, cwd: directory, version }),
      ...known({ timestamp: timeOf(fieldsOf(value, "time")?.["created"]) }),
    };
  }

  #message({ value, problems, line, offset, isBehindEnd }: Piece): OpenUnit {
    const unit = { line, offset, messages: [], problems };
    if (!value) return { ...unit, outcome: { as: "failed" } };
    const info = fieldsOf(value, "info") ?? {};
    const { id, sessionID } = textsOf(info);
    if (isBehindEnd && this.#sessionId !== undefined && sessionID !== this.#sessionId) {
      const reason = "What stands behind the end of the export is of another session. Give it a file of its own.";
      return failed(unit, "not_a_record", reason);
    }
    if (id !== undefined && isDeepStrictEqual(this.#messages.get(id), value)) {
      return { ...unit, outcome: { as: "skipped", kind: "duplicate" } };
    }
    if (id !== undefined) this.#messages.set(id, value);
    const messages = messageDrafts(value);
    if (!messages) return { ...unit, ...strange(value, unit) };
    const session = this.#sessionId === undefined ? known({ sessionId: sessionID }) : undefined;
    this.#sessionId ??= sessionID;
    const timestamp = latestOf([
      timeOf(fieldsOf(info, "time")?.["completed"]),
      ...messages.map((each) => each.timestamp),
    ]);
    return { ...unit, outcome: { as: "used" }, messages, ...known({ session, timestamp }) };
  }
}

function textsOf(value: Fields) {
  const of = (key: string): string | undefined => textOf(value, key);
  return {
    id: of("id"),
    sessionID: of("sessionID"),
    parentID: of("parentID"),
    title: of("title"),
    directory: of("directory"),
    version: of("version"),
  };
}

/** A message of nobody who is known. */
function strange(value: Fields, place: Place): Pick<OpenUnit, "outcome" | "problems"> {
  const role = textOf(fieldsOf(value, "info") ?? {}, "role");
  if (role === undefined) {
    return failed(place, "not_a_record", "What stands here is no message of opencode's: it has no info with a role.");
  }
  const reason = `Messages of the role "${role}" are not known to this version. It is kept in unknown_lines.`;
  return { ...failed(place, "unknown_type", reason, true), outcome: { as: "unknown", type: role, raw: value } };
}

function failed({ line, offset }: Place, code: ParseErrorCode, reason: string, recovered = false): OpenUnit {
  const problems = [{ code, line_number: line, byte_offset: offset, reason, recovered }];
  return { line, offset, outcome: { as: "failed" }, messages: [], problems };
}

function withMark(unit: OpenUnit): OpenUnit {
  const reason = "The file begins with a byte order mark, which was left out.";
  const [mark] = failed({ line: 1, offset: 0 }, "byte_order_mark", reason, true).problems;
  return mark ? { ...unit, problems: [mark, ...unit.problems] } : unit;
}

function latestOf(times: readonly (string | undefined)[]): string | undefined {
  const given = times.filter((time) => time !== undefined);
  return given.reduce<string | undefined>(
    (latest, time) => (latest === undefined || Date.parse(time) > Date.parse(latest) ? time : latest),
    undefined,
  );
}
