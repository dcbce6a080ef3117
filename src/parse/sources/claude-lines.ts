/** Claude Code's JSON lines into units; session files and stream-json have the same records. */
import type { MessageDraft, SourceOptions, SourceUnit } from "../draft.ts";
import { fingerprint, SeenSet } from "../fingerprint.ts";
import { textOf, type Fields } from "../json-fields.ts";
import { recordsOfLine, type LineRecords } from "../json-records.ts";
import { LineSplitter, type RawLine } from "../lines.ts";
import type { ParseError } from "../model.ts";
import { readRecord, type RecordReading } from "./claude-record.ts";

const NO_MESSAGES: readonly MessageDraft[] = [];

/** See `Source.read`. */
export async function* readClaudeLines(
  chunks: AsyncIterable<Uint8Array>,
  options: SourceOptions,
): AsyncGenerator<SourceUnit[]> {
  const splitter = new LineSplitter(options.maxLineBytes);
  const reader = new ClaudeLineReader(options);
  for await (const chunk of chunks) yield splitter.push(chunk).map((line) => reader.read(line));
  const last = splitter.end();
  if (last) yield [reader.read(last)];
}

/** Reads lines in order; remembers which records there were, since files repeat them. */
export class ClaudeLineReader {
  readonly #options: Pick<SourceOptions, "maxLineBytes" | "agentProgress">;
  readonly #records = new SeenSet();

  constructor(options: Pick<SourceOptions, "maxLineBytes" | "agentProgress">) {
    this.#options = options;
  }

  read(line: RawLine): SourceUnit {
    const found = recordsOfLine(line, this.#options.maxLineBytes);
    const [record, ...more] = found.records;
    if (record === undefined) return unitOf(line, { as: found.blank ? "blank" : "failed" }, found.problems);
    return more.length === 0 ? this.#single(line, found, record) : this.#several(line, found);
  }

  #single(line: RawLine, { text, problems }: LineRecords, record: Fields): SourceUnit {
    if (this.#isRepeat(record, text)) return unitOf(line, { as: "skipped", kind: "duplicate" }, problems);
    const reading = readRecord(record, this.#options.agentProgress);
    if (!reading) return unitOf(line, { as: "failed" }, [...problems, untyped(line)]);
    const { outcome, ...rest } = reading;
    const all = outcome.as === "unknown" ? [...problems, unknownType(line, outcome.type)] : problems;
    return { line: line.line, offset: line.offset, lines: 1, outcome, problems: all, ...rest };
  }

  /** Of several records on one line, the line counts as what the most useful of them is. */
  #several(line: RawLine, { records, problems }: LineRecords): SourceUnit {
    const readings = records.flatMap((record) => this.#reading(record));
    const best = (as: string): RecordReading | undefined => readings.find(({ outcome }) => outcome.as === as);
    const chosen = best("used") ?? best("skipped") ?? best("unknown");
    if (!chosen) return unitOf(line, { as: "failed" }, [...problems, untyped(line)]);
    const timestamp = readings.find((reading) => reading.timestamp !== undefined)?.timestamp;
    return {
      ...unitOf(line, chosen.outcome, problems),
      messages: readings.flatMap(({ messages }) => messages),
      session: Object.assign({}, ...readings.map(({ session }) => session)),
      ...(timestamp === undefined ? {} : { timestamp }),
    };
  }

  #reading(record: Fields): RecordReading[] {
    const text = fingerprintOf(record);
    if (this.#isRepeat(record, text)) return [{ outcome: { as: "skipped", kind: "duplicate" }, messages: NO_MESSAGES }];
    return [readRecord(record, this.#options.agentProgress)].filter((reading) => reading !== undefined);
  }

  /** The same record again, as when a session was recorded twice into its own file. */
  #isRepeat(record: Fields, text: string): boolean {
    const uuid = textOf(record, "uuid");
    return uuid !== undefined && !this.#records.add(`${uuid} ${fingerprint(text)}`);
  }
}

function fingerprintOf(record: Fields): string {
  try {
    return JSON.stringify(record);
  } catch {
    // Nested too deep for the runtime; the keys must do.
    return Object.keys(record).join(" ");
  }
}

function unitOf(line: RawLine, outcome: SourceUnit["outcome"], problems: readonly ParseError[]): SourceUnit {
  return { line: line.line, offset: line.offset, lines: 1, outcome, messages: NO_MESSAGES, problems };
}

function untyped(line: RawLine): ParseError {
  const reason = "The line is a JSON object without a type, which no session file has.";
  return { code: "not_a_record", line_number: line.line, byte_offset: line.offset, reason, recovered: false };
}

function unknownType(line: RawLine, type: string): ParseError {
  const reason = `Lines of type "${type}" are not known to this version. The line is kept in unknown_lines.`;
  return { code: "unknown_type", line_number: line.line, byte_offset: line.offset, reason, recovered: true };
}
