/** Converts Claude Code's JSON lines to units; session files and stream-json have the same records. */
import { MAX_LINE_BYTES, problemAt, type SourceOptions, type SourceUnit } from "../message-draft.ts";
import { Identity, Seen } from "../repeats.ts";
import { textIn } from "../json-fields.ts";
import { recordsOfLine, type LineRecord } from "../json-records.ts";
import { linesOfBytes, linesOfText, type RawLine } from "../../transcript/format/lines.ts";
import type { ParseError } from "../model.ts";
import { timeOf } from "../times.ts";
import { messagesOf, NO_MESSAGES, sessionOf, unusedOutcome } from "./claude-record.ts";

const USED = { as: "used" } as const;
const BLANK = { as: "blank" } as const;
const FAILED = { as: "failed" } as const;
const DUPLICATE = { as: "skipped", kind: "duplicate" } as const;
const NO_PROBLEMS: readonly ParseError[] = [];

/** See `Source.read`. */
export async function* readClaudeLines(
  chunks: AsyncIterable<Uint8Array>,
  options: SourceOptions,
): AsyncGenerator<SourceUnit[]> {
  const reader = new ClaudeLineReader(options);
  for await (const lines of linesOfBytes(chunks, reader.maxLineBytes, options.start)) yield reader.read(lines);
}

/** See `Source.readText`. */
export function* readClaudeText(text: string, options: SourceOptions): Generator<SourceUnit[]> {
  const reader = new ClaudeLineReader(options);
  for (const lines of linesOfText(text, reader.maxLineBytes)) yield reader.read(lines);
}

/** Reads lines in order and remembers their records, because files repeat them. */
class ClaudeLineReader {
  readonly maxLineBytes: number;
  readonly #agentProgress: boolean;
  readonly #records: Seen;

  constructor({ maxLineBytes = MAX_LINE_BYTES, agentProgress = false, windowLines }: SourceOptions) {
    this.maxLineBytes = maxLineBytes;
    this.#agentProgress = agentProgress;
    this.#records = new Seen({ windowLines });
  }

  /** Returns a unit for each record of the lines; of several on a line, the most useful one represents it in the account. */
  read(lines: readonly RawLine[]): SourceUnit[] {
    const units: SourceUnit[] = [];
    for (const line of lines) {
      const { records, problems, blank } = recordsOfLine(line, this.maxLineBytes);
      const first = units.length;
      for (const record of records)
        units.push(this.#unit(line, record, units.length === first ? problems : NO_PROBLEMS));
      if (records.length === 0) units.push(unitOf(line, blank ? BLANK : FAILED, problems));
      if (records.length > 1) countOnce(units.slice(first));
    }
    return units;
  }

  #unit(line: RawLine, { fields, json }: LineRecord, problems: readonly ParseError[]): SourceUnit {
    const { type } = fields;
    if (typeof type !== "string") return unitOf(line, FAILED, [...problems, untyped(line)]);
    // Records with the same uuid and text are the same, as when a session was recorded twice into one file.
    const uuid = textIn(fields["uuid"]);
    const identity = uuid === undefined ? undefined : new Identity(uuid, json);
    if (identity !== undefined && !this.#records.add(identity, line.offset)) return unitOf(line, DUPLICATE, problems);
    const messages = messagesOf(type, fields, this.#agentProgress);
    const unit = unitOf(line, messages.length > 0 ? USED : unusedOutcome(type, fields), problems);
    if (unit.outcome.as === "unknown") unit.problems = [...problems, unknownType(line, type)];
    unit.messages = messages;
    unit.session = sessionOf(type, fields);
    unit.timestamp = timeOf(fields["timestamp"]);
    unit.identity = identity;
    return unit;
  }
}

const WORTH = ["failed", "blank", "unknown", "skipped", "used"] as const;

/** The most useful unit of a line represents it in the account. */
function countOnce(units: readonly SourceUnit[]): void {
  const worth = ({ outcome }: SourceUnit): number => WORTH.indexOf(outcome.as);
  const chosen = units.reduce((best, unit) => (worth(unit) > worth(best) ? unit : best));
  for (const unit of units) if (unit !== chosen) unit.lines = 0;
}

/** Returns a unit without messages. All units have the same fields in this order, since objects of one shape are fastest. */
function unitOf(
  { line, offset }: RawLine,
  outcome: SourceUnit["outcome"],
  problems: readonly ParseError[],
): SourceUnit {
  return {
    line,
    offset,
    lines: 1,
    outcome,
    messages: NO_MESSAGES,
    problems,
    session: undefined,
    timestamp: undefined,
    identity: undefined,
  };
}

function untyped(line: RawLine): ParseError {
  const reason = "The line is a JSON object without a type, which no session file has.";
  return problemAt(line, "not_a_record", reason);
}

function unknownType(line: RawLine, type: string): ParseError {
  const reason = `Lines of type "${type}" are not known to this version. The line is kept in unknown_lines.`;
  return problemAt(line, "unknown_type", reason, true);
}
