/** Converts JSON lines to units, for any agent whose session files have a record on each line. */
import { endingOf } from "../calls/ending.ts";
import { linesOfBytes } from "../transcript/format/lines.ts";
import { EntryTree, type TreeNode } from "./entry-tree.ts";
import type { Fields } from "./json-fields.ts";
import { recordsOfLine } from "./json-records.ts";
import {
  type BlockDraft,
  type InputPlace,
  type InputUnit,
  type MessageDraft,
  onlyPart,
  problemAt,
} from "./message-draft.ts";
import { MAX_LINE_BYTES, type ReadOptions } from "./content.ts";
import type { ParseError } from "./model.ts";

/** Converts the records of a file, in order. */
export interface RecordReader {
  /** Kinds of records that are not part of the conversation. Other records without messages are reported as unknown. */
  readonly silent: ReadonlySet<string>;
  /** Returns what a record says; undefined if it has no type. */
  read(fields: Fields): ReadRecord | undefined;
  /** The next record may change the drafts of the last one, which waits for it. */
  readonly isUndecided?: boolean;
}

export interface ReadRecord extends Pick<InputUnit, "session" | "timestamp" | "supersedes" | "part"> {
  /** Name of the kind of record, in the account of lines. */
  kind: string;
  /** Undefined for a kind that has none, or is not known. */
  messages?: readonly MessageDraft[] | undefined;
  /** Its node, if the records form a tree and the conversation is one branch; `new` at the start of a session, and so of a tree. */
  node?: TreeNode | "new" | undefined;
}

const NO_MESSAGES: readonly MessageDraft[] = [];
const NO_PROBLEMS: readonly ParseError[] = [];
const USED = { as: "used" } as const;
const BLANK = { as: "blank" } as const;
const FAILED = { as: "failed" } as const;

/** See `Format.read`. Yields a unit for each record of the lines; of several on a line, the most useful one represents it. */
export async function* readRecords(
  chunks: AsyncIterable<Uint8Array>,
  { maxLineBytes = MAX_LINE_BYTES, part }: ReadOptions,
  reader: RecordReader,
): AsyncGenerator<InputUnit[]> {
  const made = new RecordUnits(reader);
  let last = { line: 1, offset: 0 };
  let waiting: InputUnit[] = [];
  for await (const lines of linesOfBytes(chunks, maxLineBytes)) {
    const units = waiting;
    let decided = 0;
    for (const line of lines) {
      const { records, problems, blank } = recordsOfLine(line, maxLineBytes);
      const first = units.length;
      for (const fields of records) {
        const unit = onlyPart(made.unit(line, fields, units.length === first ? problems : NO_PROBLEMS), part);
        unit.record = fields;
        units.push(unit);
      }
      if (records.length === 0) units.push(emptyUnit(line, blank ? BLANK : FAILED, problems));
      if (records.length > 1) countOnce(units.slice(first));
      if (reader.isUndecided !== true) decided = units.length;
      last = line;
    }
    waiting = units.splice(decided);
    yield units;
  }
  const supersedes = made.tree.superseded();
  if (supersedes.length > 0) waiting.push({ ...emptyUnit(last, BLANK, NO_PROBLEMS), supersedes, lines: 0 });
  yield waiting;
}

/** Makes units of records. */
export class RecordUnits {
  readonly #reader: RecordReader;
  /** Inputs of calls without a result, by call id. */
  readonly #inputs = new Map<string, unknown>();
  readonly tree = new EntryTree();

  constructor(reader: RecordReader) {
    this.#reader = reader;
  }

  unit(place: InputPlace, fields: Fields, problems: readonly ParseError[]): InputUnit {
    const read = this.#reader.read(fields);
    if (read === undefined) return untypedUnit(place, problems);
    const { kind, messages, session, timestamp, supersedes, part, node } = read;
    if (node === "new") this.tree.clear();
    else if (node !== undefined) this.tree.add(node);
    const isUsed = (messages !== undefined && messages.length > 0) || supersedes !== undefined;
    const isKnown = isUsed || messages !== undefined || this.#reader.silent.has(kind);
    const unit = isKnown
      ? emptyUnit(place, isUsed ? USED : { as: "skipped", kind }, problems)
      : unknownUnit(place, kind, fields, problems);
    for (const { blocks } of messages ?? NO_MESSAGES) for (const block of blocks) this.#judge(block);
    unit.messages = messages ?? NO_MESSAGES;
    unit.session = session;
    unit.timestamp = timestamp;
    unit.supersedes = supersedes;
    unit.part = part;
    return unit;
  }

  /** Sets the status of a result by the rule for all agents, which depends on the command of its call. */
  #judge(block: BlockDraft): void {
    const { type, toolUseId: id = "", exitCode } = block;
    if (type === "tool_use") this.#inputs.set(id, block.input);
    if (type !== "tool_result") return;
    const { status = block.isError === true ? "error" : "completed" } = block;
    block.status = endingOf({ input: this.#inputs.get(id), reported: status, exitCode });
    this.#inputs.delete(id);
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
export function emptyUnit(
  { line, offset }: InputPlace,
  outcome: InputUnit["outcome"],
  problems: readonly ParseError[],
): InputUnit {
  return {
    line,
    offset,
    lines: 1,
    outcome,
    messages: NO_MESSAGES,
    problems,
    session: undefined,
    timestamp: undefined,
    record: undefined,
    identity: undefined,
    supersedes: undefined,
    part: undefined,
  };
}

/** Returns the unit of a record without a type, which no session file has. */
export function untypedUnit(line: InputPlace, problems: readonly ParseError[]): InputUnit {
  const reason = "This is a JSON object without a type, which no session has.";
  return emptyUnit(line, FAILED, [...problems, problemAt(line, "not_a_record", reason)]);
}

/** Returns the unit of a record of a type that this version does not know. */
export function unknownUnit(line: InputPlace, type: string, raw: Fields, problems: readonly ParseError[]): InputUnit {
  const reason = `Records of the type "${type}" are not known to this version. This one is kept in unknown_lines.`;
  const problem = problemAt(line, "unknown_type", reason, true);
  return emptyUnit(line, { as: "unknown", type, raw }, [...problems, problem]);
}
