/** Converts Claude Code's JSON lines to units; session files and stream-json have the same records. */
import { MAX_LINE_BYTES, problemAt, type MessageDraft, type SourceOptions, type SourceUnit } from "../message-draft.ts";
import { hashOf, SeenSet } from "../repeats.ts";
import { recordsOfLine, type LineRecord } from "../json-records.ts";
import { linesOfBytes, linesOfText, type RawLine } from "../../transcript/format/lines.ts";
import type { ParseError } from "../model.ts";
import { readRecord } from "./claude-record.ts";

const NO_MESSAGES: readonly MessageDraft[] = [];

/** See `Source.read`. */
export async function* readClaudeLines(
  chunks: AsyncIterable<Uint8Array>,
  options: SourceOptions,
): AsyncGenerator<SourceUnit[]> {
  const reader = new ClaudeLineReader(options);
  const batches = linesOfBytes(chunks, reader.maxLineBytes, options.start);
  for await (const lines of batches) yield kept(lines, options).flatMap((line) => reader.read(line));
}

/** See `Source.readText`. */
export function* readClaudeText(text: string, options: SourceOptions): Generator<SourceUnit[]> {
  const reader = new ClaudeLineReader(options);
  const batches = linesOfText(text, reader.maxLineBytes);
  for (const lines of batches) yield kept(lines, options).flatMap((line) => reader.read(line));
}

function kept(lines: readonly RawLine[], { keepsLine }: SourceOptions): readonly RawLine[] {
  return keepsLine === undefined ? lines : lines.filter(keepsLine);
}

/** Reads lines in order and remembers their records, because files repeat them. */
class ClaudeLineReader {
  readonly maxLineBytes: number;
  readonly #agentProgress: boolean;
  readonly #records: SeenSet;

  constructor({ maxLineBytes = MAX_LINE_BYTES, agentProgress = false, windowLines }: SourceOptions) {
    this.maxLineBytes = maxLineBytes;
    this.#agentProgress = agentProgress;
    this.#records = new SeenSet(windowLines);
  }

  /** Returns a unit for each record of the line; the most useful one represents the line in the account. */
  read(line: RawLine): SourceUnit[] {
    const { records, problems, blank } = recordsOfLine(line, this.maxLineBytes);
    const [record, ...more] = records;
    if (record === undefined) return [unitOf(line, { as: blank ? "blank" : "failed" }, problems)];
    const first = this.#unit(line, record, problems);
    if (more.length === 0) return [first];
    const units = [first, ...more.map((each) => this.#unit(line, each, []))];
    const chosen = units.reduce((best, unit) => (worth(unit) > worth(best) ? unit : best));
    return units.map((unit) => (unit === chosen ? unit : { ...unit, lines: 0 }));
  }

  #unit(line: RawLine, record: LineRecord, problems: readonly ParseError[]): SourceUnit {
    const reading = readRecord(record.fields, this.#agentProgress);
    if (!reading) return unitOf(line, { as: "failed" }, [...problems, untyped(line)]);
    const recordHash = hashOfRecord(record);
    // A repeat, as when a session was recorded twice into one file.
    if (recordHash !== undefined && !this.#records.add(recordHash))
      return unitOf(line, { as: "skipped", kind: "duplicate" }, problems);
    const { outcome, messages, session, timestamp } = reading;
    const all = outcome.as === "unknown" ? [...problems, unknownType(line, outcome.type)] : problems;
    return {
      line: line.line,
      offset: line.offset,
      lines: 1,
      outcome,
      messages,
      problems: all,
      session,
      timestamp,
      recordHash,
    };
  }
}

/** Records of one session with the same uuid, time and text are the same. Undefined without a uuid. */
function hashOfRecord({ fields, json }: LineRecord): number | undefined {
  const { uuid, timestamp, sessionId } = fields;
  return typeof uuid === "string" && uuid !== "" ? hashOf(uuid, timestamp, sessionId, json) : undefined;
}

const WORTH = ["failed", "blank", "unknown", "skipped", "used"] as const;

function worth({ outcome }: SourceUnit): number {
  return WORTH.indexOf(outcome.as);
}

function unitOf(line: RawLine, outcome: SourceUnit["outcome"], problems: readonly ParseError[]): SourceUnit {
  return { line: line.line, offset: line.offset, lines: 1, outcome, messages: NO_MESSAGES, problems };
}

function untyped(line: RawLine): ParseError {
  const reason = "The line is a JSON object without a type, which no session file has.";
  return problemAt(line, "not_a_record", reason);
}

function unknownType(line: RawLine, type: string): ParseError {
  const reason = `Lines of type "${type}" are not known to this version. The line is kept in unknown_lines.`;
  return problemAt(line, "unknown_type", reason, true);
}
