/** Claude Code's JSON lines into units; session files and stream-json have the same records. */
import { crc32 } from "node:zlib";
import type { MessageDraft, SourceOptions, SourceUnit } from "../draft.ts";
import { hashOf, repeatsRemembered, SeenSet } from "../fingerprint.ts";
import { textOf } from "../json-fields.ts";
import { recordsOfLine, type LineRecord } from "../json-records.ts";
import { LineSplitter, linesOfText, type RawLine } from "../lines.ts";
import type { ParseError } from "../model.ts";
import { readRecord } from "./claude-record.ts";

/** Bytes or characters: of an answer, all but the middle of its text. */
const END = 1_024;
const NO_MESSAGES: readonly MessageDraft[] = [];

/** See `Source.read`. */
export async function* readClaudeLines(
  chunks: AsyncIterable<Uint8Array>,
  options: SourceOptions,
): AsyncGenerator<SourceUnit[]> {
  const splitter = new LineSplitter(options.maxLineBytes);
  const reader = new ClaudeLineReader(options);
  for await (const chunk of chunks) yield splitter.push(chunk).flatMap((line) => reader.read(line));
  const last = splitter.end();
  if (last) yield reader.read(last);
}

/** See `Source.readText`. */
export function* readClaudeText(text: string, options: SourceOptions): Generator<SourceUnit[]> {
  const reader = new ClaudeLineReader(options);
  for (const lines of linesOfText(text, options.maxLineBytes)) yield lines.flatMap((line) => reader.read(line));
}

/** Reads lines in order; remembers which records there were, since files repeat them. */
export class ClaudeLineReader {
  readonly #options: Pick<SourceOptions, "maxLineBytes" | "agentProgress">;
  readonly #records: SeenSet;

  /** `records`: those of lines before, for readers that go on where an earlier one ended. */
  constructor(
    options: Pick<SourceOptions, "maxLineBytes" | "agentProgress" | "windowLines">,
    records: SeenSet = new SeenSet(repeatsRemembered(options.windowLines)),
  ) {
    this.#options = options;
    this.#records = records;
  }

  /** A unit for each record of the line; the most useful of them stands for the line in the account. */
  read(line: RawLine): SourceUnit[] {
    const { records, problems, blank } = recordsOfLine(line, this.#options.maxLineBytes);
    const [record, ...more] = records;
    if (record === undefined) return [unitOf(line, { as: blank ? "blank" : "failed" }, problems)];
    const first = this.#unit(line, record, problems);
    if (more.length === 0) return [first];
    const units = [first, ...more.map((each) => this.#unit(line, each, []))];
    const chosen = units.reduce((best, unit) => (worth(unit) > worth(best) ? unit : best));
    return units.map((unit) => (unit === chosen ? unit : { ...unit, lines: 0 }));
  }

  #unit(line: RawLine, record: LineRecord, problems: readonly ParseError[]): SourceUnit {
    if (this.#isRepeat(line, record)) return unitOf(line, { as: "skipped", kind: "duplicate" }, problems);
    const reading = readRecord(record.fields, this.#options.agentProgress);
    if (!reading) return unitOf(line, { as: "failed" }, [...problems, untyped(line)]);
    const { outcome, messages, session, timestamp } = reading;
    const all = outcome.as === "unknown" ? [...problems, unknownType(line, outcome.type)] : problems;
    return { line: line.line, offset: line.offset, lines: 1, outcome, messages, problems: all, session, timestamp };
  }

  /** The same record again, as when a session was recorded twice into its own file. */
  #isRepeat({ bytes }: RawLine, { fields, json }: LineRecord): boolean {
    const uuid = textOf(fields, "uuid");
    if (uuid === undefined) return false;
    // What was saved from a damaged line of bytes may be the same as a sound line.
    const comparable = typeof json === "string" && typeof bytes !== "string" ? Buffer.from(json) : json;
    return !this.#records.addHashes(hashOfEnds(comparable), hashOf(uuid));
  }
}

/** Records of one uuid that are as long as each other and begin and end alike are the same. */
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
  return { code: "not_a_record", line_number: line.line, byte_offset: line.offset, reason, recovered: false };
}

function unknownType(line: RawLine, type: string): ParseError {
  const reason = `Lines of type "${type}" are not known to this version. The line is kept in unknown_lines.`;
  return { code: "unknown_type", line_number: line.line, byte_offset: line.offset, reason, recovered: true };
}
