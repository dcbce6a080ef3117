/** Reads the output of `opencode export`: `{ "info": {…}, "messages": [ { "info": {…}, "parts": […] } ] }`. */
import { isDeepStrictEqual } from "node:util";
import { problemAt, type Source, type SourcePlace, type SourceUnit } from "../message-draft.ts";
import { fieldsOf, textOf, type Fields } from "../json-fields.ts";
import type { ParseErrorCode } from "../model.ts";
import { timeOf } from "../times.ts";
import { isMessage2, messageOf2 } from "./opencode-2-message.ts";
import { messageDrafts } from "./opencode-message.ts";
import { beginsExport, exportPieces, type Piece } from "./opencode-pieces.ts";
import { given } from "../../given.ts";
import { LineShares } from "./transcript-units.ts";
import { FILE_START, lineFeedsIn } from "../../transcript/format/lines.ts";

/** Node limits strings to 512 MiB. */
const MAX_EXPORT_MIB = 500;
const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);
const LINE_FEED = 0x0a;

/** Exports of opencode sessions, pretty-printed or not. They are a single JSON value, so they are read as a whole. */
export const opencodeExport: Source = {
  name: "opencode-export",
  hasStableIds: true,
  detect: beginsExport,
  read: readExport,
};

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
    yield [{ ...failed(FILE_START, "line_too_long", reason), lines }];
    return;
  }
  const bytes = Buffer.concat(held);
  held = [];
  const reader = new ExportReader();
  const isMarked = bytes.subarray(0, BYTE_ORDER_MARK.length).equals(BYTE_ORDER_MARK);
  for (const piece of exportPieces(bytes)) {
    const unit = reader.add(piece);
    if (unit) yield [unit];
    else if (isMarked) reader.noteMark();
  }
  const unit = reader.end(lines);
  if (unit) yield [unit];
}

type OpenUnit = Omit<SourceUnit, "lines">;

/** Turns the pieces of an export into units. */
export class ExportReader {
  readonly #messages: Map<string, Fields> | undefined;
  readonly #shares = new LineShares();
  #sessionId: string | undefined;
  /** Its lines go up to the next unit. */
  #last: OpenUnit | undefined;

  /** `mayRepeat`: a message may be there twice, so all are kept in memory until the end. */
  constructor({ mayRepeat = true }: { mayRepeat?: boolean } = {}) {
    this.#messages = mayRepeat ? new Map() : undefined;
  }

  /** Returns the unit of the piece before this one. */
  add(piece: Piece): SourceUnit | undefined {
    const last = this.#last;
    this.#last = piece.kind === "session" ? this.#session(piece) : this.#message(piece);
    return last && { ...last, lines: this.#shares.take(Math.max(last.line, this.#last.line - 1)) };
  }

  /** Adds to the first piece that the file begins with a byte order mark. */
  noteMark(): void {
    if (this.#last) this.#last = withMark(this.#last);
  }

  /** Returns the last unit. */
  end(lines: number): SourceUnit | undefined {
    return this.#last && { ...this.#last, lines: this.#shares.take(lines) };
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
      session: given({
        sessionId: id,
        parentSessionId: parentID,
        title,
        version,
        cwd: directory ?? textOf(fieldsOf(value, "location"), "directory"),
      }),
      ...given({ timestamp: timeOf(fieldsOf(value, "time")?.["created"]) }),
    };
  }

  #message({ value: found, problems, line, offset, isBehindEnd }: Piece): OpenUnit {
    const unit = { line, offset, messages: [], problems };
    if (!found) return { ...unit, outcome: { as: "failed" } };
    const value = isMessage2(found) ? messageOf2(found) : found;
    if (value === "silent") return { ...unit, outcome: { as: "skipped", kind: textOf(found, "type") ?? "" } };
    if (value === undefined) return { ...unit, ...strange(found, unit) };
    const info = fieldsOf(value, "info") ?? {};
    const { id, sessionID } = textsOf(info);
    if (isBehindEnd && this.#sessionId !== undefined && sessionID !== this.#sessionId) {
      const reason =
        "The content after the end of the export belongs to another session. Move it to a file of its own.";
      return failed(unit, "not_a_record", reason);
    }
    if (id !== undefined && isDeepStrictEqual(this.#messages?.get(id), value)) {
      return { ...unit, outcome: { as: "skipped", kind: "duplicate" } };
    }
    if (id !== undefined) this.#messages?.set(id, value);
    const messages = messageDrafts(value);
    if (!messages) return { ...unit, ...strange(value, unit) };
    const session = this.#sessionId === undefined ? given({ sessionId: sessionID }) : undefined;
    this.#sessionId ??= sessionID;
    const timestamp = latestOf([
      timeOf(fieldsOf(info, "time")?.["completed"]),
      ...messages.map((each) => each.timestamp),
    ]);
    return { ...unit, outcome: { as: "used" }, messages, ...given({ session, timestamp }) };
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

/** Returns the unit for a message with an unknown role. */
function strange(value: Fields, place: SourcePlace): Pick<OpenUnit, "outcome" | "problems"> {
  const info = fieldsOf(value, "info");
  const role = info === undefined ? textOf(value, "type") : textOf(info, "role");
  if (role === undefined) {
    return failed(place, "not_a_record", "This is not an opencode message: it has no info with a role.");
  }
  const what = info === undefined ? "type" : "role";
  const reason = `Messages of the ${what} "${role}" are not known to this version. It is kept in unknown_lines.`;
  return { ...failed(place, "unknown_type", reason, true), outcome: { as: "unknown", type: role, raw: value } };
}

function failed({ line, offset }: SourcePlace, code: ParseErrorCode, reason: string, recovered = false): OpenUnit {
  const problems = [problemAt({ line, offset }, code, reason, recovered)];
  return { line, offset, outcome: { as: "failed" }, messages: [], problems };
}

function withMark(unit: OpenUnit): OpenUnit {
  const reason = "The file begins with a byte order mark, which was left out.";
  const mark = problemAt(FILE_START, "byte_order_mark", reason, true);
  return { ...unit, problems: [mark, ...unit.problems] };
}

function latestOf(times: readonly (string | undefined)[]): string | undefined {
  const given = times.filter((time) => time !== undefined);
  return given.reduce<string | undefined>(
    (latest, time) => (latest === undefined || Date.parse(time) > Date.parse(latest) ? time : latest),
    undefined,
  );
}
