/** Converts JSON lines to units, for any agent whose session files have a record on each line. */
import { linesOfBytes, type RawLine } from "../transcript/format/lines.ts";
import type { Fields } from "./json-fields.ts";
import { recordsOfLine } from "./json-records.ts";
import { type InputPlace, type InputUnit, type MessageDraft, onlyPart, problemAt } from "./message-draft.ts";
import { MAX_LINE_BYTES, type ReadOptions } from "./content.ts";
import type { ParseError } from "./model.ts";

/** Converts the records of a file, in order. */
export interface RecordReader {
  /** Returns the unit of a record. Those of other sessions in the file are left out afterwards: see `onlyPart`. */
  unit(line: RawLine, fields: Fields, problems: readonly ParseError[]): InputUnit;
  /** Returns what only the end of the file tells, such as the branch that is current. Called once, after the last record. */
  end?(): Pick<InputUnit, "supersedes">;
}

export const NO_MESSAGES: readonly MessageDraft[] = [];
const NO_PROBLEMS: readonly ParseError[] = [];
const BLANK = { as: "blank" } as const;
const FAILED = { as: "failed" } as const;

/** See `Format.read`. Yields a unit for each record of the lines; of several on a line, the most useful one represents it. */
export async function* readRecords(
  chunks: AsyncIterable<Uint8Array>,
  { maxLineBytes = MAX_LINE_BYTES, part }: ReadOptions,
  reader: RecordReader,
): AsyncGenerator<InputUnit[]> {
  let last = { line: 1, offset: 0 };
  for await (const lines of linesOfBytes(chunks, maxLineBytes)) {
    const units: InputUnit[] = [];
    for (const line of lines) {
      const { records, problems, blank } = recordsOfLine(line, maxLineBytes);
      const first = units.length;
      for (const fields of records) {
        const unit = onlyPart(reader.unit(line, fields, units.length === first ? problems : NO_PROBLEMS), part);
        unit.record = fields;
        units.push(unit);
      }
      if (records.length === 0) units.push(emptyUnit(line, blank ? BLANK : FAILED, problems));
      if (records.length > 1) countOnce(units.slice(first));
      last = line;
    }
    yield units;
  }
  const end = reader.end?.();
  if (end !== undefined) yield [{ ...emptyUnit(last, BLANK, NO_PROBLEMS), ...end, lines: 0 }];
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
  const reason = "The line is a JSON object without a type, which no session file has.";
  return emptyUnit(line, FAILED, [...problems, problemAt(line, "not_a_record", reason)]);
}

/** Returns the unit of a record of a type that this version does not know. */
export function unknownUnit(line: InputPlace, type: string, raw: Fields, problems: readonly ParseError[]): InputUnit {
  const reason = `Lines of type "${type}" are not known to this version. The line is kept in unknown_lines.`;
  const problem = problemAt(line, "unknown_type", reason, true);
  return emptyUnit(line, { as: "unknown", type, raw }, [...problems, problem]);
}
