/** Converts Claude Code's JSON lines to units; session files and stream-json have the same records. */
import { crc32 } from "node:zlib";
import { MAX_LINE_BYTES, problemAt, type MessageDraft, type SourceOptions, type SourceUnit } from "../message-draft.ts";
import { recordKey, SeenSet } from "../repeats.ts";
import { textOf } from "../json-fields.ts";
import { recordsOfLine, type LineRecord } from "../json-records.ts";
import { linesOfBytes, linesOfText, type RawLine } from "../../transcript/format/lines.ts";
import type { ParseError } from "../model.ts";
import { readRecord } from "./claude-record.ts";

/** Bytes or characters hashed at each end of a record: of an answer, all but the middle of its text. */
const END = 1_024;
const NO_MESSAGES: readonly MessageDraft[] = [];

/** See `Source.read`. */
export async function* readClaudeLines(
  chunks: AsyncIterable<Uint8Array>,
  options: SourceOptions,
): AsyncGenerator<SourceUnit[]> {
  const reader = new ClaudeLineReader(options);
  const batches = linesOfBytes(chunks, reader.maxLineBytes, options.start);
  for await (const lines of batches) yield lines.flatMap((line) => reader.read(line));
}

/** See `Source.readText`. */
export function* readClaudeText(text: string, options: SourceOptions): Generator<SourceUnit[]> {
  const reader = new ClaudeLineReader(options);
  for (const lines of linesOfText(text, reader.maxLineBytes)) yield lines.flatMap((line) => reader.read(line));
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
    const recordHash = this.#hashOfNew(line, record);
    if (recordHash === null) return unitOf(line, { as: "skipped", kind: "duplicate" }, problems);
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

  /**
   * Returns null for a repeat of a record, as when a session was recorded twice into one file; undefined without a
   * uuid.
   */
  #hashOfNew({ bytes }: RawLine, { fields, json }: LineRecord): number | null | undefined {
    const uuid = textOf(fields, "uuid");
    if (uuid === undefined) return undefined;
    // Text recovered from a damaged line may equal a line of bytes, so compare it as bytes.
    const comparable = typeof json === "string" && typeof bytes !== "string" ? Buffer.from(json) : json;
    const hash = hashOfEnds(comparable);
    return this.#records.add(recordKey(hash, uuid)) ? hash : null;
  }
}

/** Records with the same uuid, length, beginning and end are the same. */
function hashOfEnds(json: Buffer | string): number {
  const { length } = json;
  if (length <= 2 * END) return crc32(json);
  const end = typeof json === "string" ? json.slice(-END) : json.subarray(-END);
  const start = typeof json === "string" ? json.slice(0, END) : json.subarray(0, END);
  return crc32(end, crc32(start, length));
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
