/** Converts Claude Code's JSON lines to units; session files and stream-json have the same records. */
import {
  MAX_LINE_BYTES,
  type MessageDraft,
  problemAt,
  type ReadOptions,
  type InputUnit,
} from "../../parse/message-draft.ts";
import type { Fields } from "../../parse/json-fields.ts";
import { recordsOfLine } from "../../parse/json-records.ts";
import { linesOfBytes, type RawLine } from "../../transcript/format/lines.ts";
import type { ParseError } from "../../parse/model.ts";
import { timeOf } from "../../parse/times.ts";
import { ClaudeRepeats } from "./claude-repeats.ts";
import { QueuedPrompts } from "./claude-queue.ts";
import { StreamTotals } from "./claude-totals.ts";
import { ClaudeTitles, isSessionRecord, messagesOf, NO_MESSAGES, sessionOf, unusedOutcome } from "./claude-record.ts";

const USED = { as: "used" } as const;
const BLANK = { as: "blank" } as const;
const FAILED = { as: "failed" } as const;
const DUPLICATE = { as: "skipped", kind: "duplicate" } as const;
const NO_PROBLEMS: readonly ParseError[] = [];

/** See `Format.read`. */
export async function* readClaudeLines(
  chunks: AsyncIterable<Uint8Array>,
  options: ReadOptions,
): AsyncGenerator<InputUnit[]> {
  const reader = new ClaudeLineReader(options);
  for await (const lines of linesOfBytes(chunks, reader.maxLineBytes)) yield reader.read(lines);
}

/** Reads lines in order. */
class ClaudeLineReader {
  readonly maxLineBytes: number;
  readonly #agentProgress: boolean;
  readonly #repeats = new ClaudeRepeats();
  readonly #queue = new QueuedPrompts();
  readonly #totals = new StreamTotals();
  readonly #titles = new ClaudeTitles();

  constructor({ maxLineBytes = MAX_LINE_BYTES, agentProgress = false }: ReadOptions) {
    this.maxLineBytes = maxLineBytes;
    this.#agentProgress = agentProgress;
  }

  /** Returns a unit for each record of the lines; of several on a line, the most useful one represents it in the account. */
  read(lines: readonly RawLine[]): InputUnit[] {
    const units: InputUnit[] = [];
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

  #unit(line: RawLine, fields: Fields, problems: readonly ParseError[]): InputUnit {
    const { type } = fields;
    if (typeof type !== "string") return unitOf(line, FAILED, [...problems, untyped(line)]);
    const drafts = this.#drafts(type, fields);
    const messages = drafts.flatMap((draft) => this.#repeats.newIn(draft) ?? []);
    if (drafts.length > 0 && messages.length === 0) return unitOf(line, DUPLICATE, problems);
    const unit = unitOf(line, messages.length > 0 ? USED : unusedOutcome(type, fields), problems);
    // Session files have no totals.
    if (!isSessionRecord(fields)) for (const message of messages) this.#totals.note(message);
    if (unit.outcome.as === "unknown") unit.problems = [...problems, unknownType(line, type)];
    unit.messages = type === "result" ? this.#totals.result(fields) : messages;
    unit.session = this.#titles.titleOf(type, fields) ?? sessionOf(type, fields);
    unit.timestamp = timeOf(fields["timestamp"]);
    return unit;
  }

  #drafts(type: string, fields: Fields): readonly MessageDraft[] {
    if (type !== "queue-operation")
      return messagesOf(type, fields, this.#agentProgress).filter((draft) => !this.#queue.isDelivered(draft));
    const prompt = this.#queue.operate(fields);
    return prompt === undefined ? NO_MESSAGES : [prompt];
  }
}

const WORTH = ["failed", "blank", "unknown", "skipped", "used"] as const;

/** The most useful unit of a line represents it in the account. */
function countOnce(units: readonly InputUnit[]): void {
  const worth = ({ outcome }: InputUnit): number => WORTH.indexOf(outcome.as);
  const chosen = units.reduce((best, unit) => (worth(unit) > worth(best) ? unit : best));
  for (const unit of units) if (unit !== chosen) unit.lines = 0;
}

/** Returns a unit without messages. All units have the same fields in this order, since objects of one shape are fastest. */
function unitOf({ line, offset }: RawLine, outcome: InputUnit["outcome"], problems: readonly ParseError[]): InputUnit {
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
