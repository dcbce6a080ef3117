/** What `opencode export` prints: `{ "info": {…}, "messages": [ { "info": {…}, "parts": […] } ] }`. */
import type { Source, SourceOptions, SourceUnit } from "../draft.ts";
import { SeenSet, fingerprint } from "../fingerprint.ts";
import { fieldsOf, textOf, type Fields } from "../json-fields.ts";
import type { ParseErrorCode } from "../model.ts";
import { timeOf } from "../times.ts";
import { messageDrafts } from "./opencode-message.ts";
import { readSpan, type Reading } from "./opencode-recover.ts";
import { ExportScanner } from "./opencode-scan.ts";
import type { Place, Span } from "./opencode-spans.ts";
import { known } from "./transcript-fields.ts";
import { LineShares } from "./transcript-lines.ts";

/** Messages with images in them are much longer than lines are. */
const MAX_MESSAGE_BYTES = 64 * 1024 * 1024;
const LIST = "messages";
const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf];

/** Exports of opencode sessions, pretty-printed or not. Messages over 64 MiB, or `maxLineBytes`, are not read whole. */
export const opencodeExport: Source = {
  name: "opencode-export",
  detect: isExport,
  read: readExport,
};

/** An object with a session's `info` and a list of messages. Some save the note to standard error that goes before it. */
function isExport(head: string): boolean {
  const start = /^\ufeff?\s*(?:Exporting session[^{]*)?(?=\{\s*")/.exec(head);
  if (!start) return false;
  const scanner = new ExportScanner({ list: LIST, maxBytes: head.length * 4, resumes: false });
  const spans = [...scanner.push(Buffer.from(head.slice(start[0].length))), ...scanner.end()];
  const info = spans.find(({ kind }) => kind === "info")?.bytes.toString("utf8") ?? "";
  const first = spans.find(({ kind }) => kind === "element")?.bytes.toString("utf8");
  if (first !== undefined && !/^\{\s*(?:$|"(?:info|parts)")/.test(first)) return false;
  return /"id"\s*:\s*"ses_/.test(info) || (scanner.hasList && (first !== undefined || /"id"\s*:\s*"/.test(info)));
}

async function* readExport(
  chunks: AsyncIterable<Uint8Array>,
  options: Pick<SourceOptions, "maxLineBytes">,
): AsyncGenerator<SourceUnit[]> {
  const reader = new ExportReader(Math.max(options.maxLineBytes, MAX_MESSAGE_BYTES));
  for await (const chunk of chunks) yield reader.push(chunk);
  yield reader.end();
}

type OpenUnit = Omit<SourceUnit, "lines">;

class ExportReader {
  readonly #scanner: ExportScanner;
  readonly #shares = new LineShares();
  readonly #messages = new SeenSet();
  /** The last unit: it has the lines before the next one. */
  #last: OpenUnit | undefined;
  #sessionId: string | undefined;
  readonly #start: number[] = [];

  constructor(maxBytes: number) {
    this.#scanner = new ExportScanner({ list: LIST, maxBytes, resumes: true });
  }

  push(chunk: Uint8Array): SourceUnit[] {
    if (this.#start.length < BYTE_ORDER_MARK.length) this.#start.push(...chunk.subarray(0, BYTE_ORDER_MARK.length));
    return this.#units(this.#scanner.push(chunk));
  }

  end(): SourceUnit[] {
    const units = this.#units(this.#scanner.end());
    const { lines, hasList } = this.#scanner;
    const last = this.#last;
    if (lines > 0 && (!last || (!hasList && last.problems.length === 0))) {
      const place = last ?? { line: 1, offset: 0 };
      const reason = "There is no list of messages in this file. Check that it is an export, and that it is whole.";
      const lack = failed(place, "not_a_record", reason);
      this.#last = last ? { ...last, problems: lack.problems } : lack;
    }
    return [...units, ...this.#finished(lines)];
  }

  #units(spans: readonly Span[]): SourceUnit[] {
    return spans.flatMap((span) => this.#ofSpan(span)).flatMap((unit) => this.#next(unit));
  }

  /** Puts a unit in line; gives the one before it, whose lines are known now. */
  #next(unit: OpenUnit): SourceUnit[] {
    const finished = this.#finished(Math.max(this.#last?.line ?? 0, unit.line - 1));
    const isFirst = this.#shares.covered === 0 && !this.#last && finished.length === 0;
    this.#last = isFirst && BYTE_ORDER_MARK.every((byte, at) => byte === this.#start[at]) ? withMark(unit) : unit;
    return finished;
  }

  #finished(lastLine: number): SourceUnit[] {
    const unit = this.#last;
    return unit ? [{ ...unit, lines: this.#shares.take(lastLine) }] : [];
  }

  #ofSpan(span: Span): OpenUnit[] {
    if (span.kind === "lost") return [lostUnit(span)];
    return readSpan(span).map((reading, at) =>
      span.kind === "info" && at === 0 ? this.#session(reading) : this.#message(reading, span.isBehindEnd),
    );
  }

  #session({ value, problems, line, offset }: Reading): OpenUnit {
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

  #message({ value, text, problems, line, offset }: Reading, isBehindEnd: boolean): OpenUnit {
    const unit = { line, offset, messages: [], problems };
    if (!value) return { ...unit, outcome: { as: "failed" } };
    const info = fieldsOf(value, "info") ?? {};
    const { id, sessionID } = textsOf(info);
    if (isBehindEnd && this.#sessionId !== undefined && sessionID !== this.#sessionId) {
      const reason = "What stands behind the end of the export is of another session. Give it a file of its own.";
      return failed(unit, "not_a_record", reason);
    }
    if (id !== undefined && !this.#messages.add(`${id} ${fingerprint(text)}`)) {
      return { ...unit, outcome: { as: "skipped", kind: "duplicate" } };
    }
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

function lostUnit(span: Span): OpenUnit {
  const reason = span.isBehindEnd
    ? "What stands behind the end of the export was left out."
    : "The JSON is damaged here. What stands before the next whole message is lost.";
  return failed(span, "invalid_json", reason);
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
