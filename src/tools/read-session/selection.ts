/** The units of a session that a page may show, with those of their entries that are wanted. */
import type { Entry, Unit } from "../conversation/entries.ts";
import { ToolError } from "../tool-error.ts";
import { entriesLeft, staleCursor, type Cursor } from "./cursor.ts";
import type { PageRange } from "./range.ts";

export interface Selected {
  unit: Unit;
  entries: readonly Entry[];
  /** Characters of the first entry that were shown before. */
  offset: number;
}

/** Entries before the line that is asked for: who said what led there. */
const CONTEXT_ENTRIES = 3;

/**
 * Everything from where the range begins to where it ends. Throws a `ToolError` (`stale_cursor`, `out_of_range`) if the
 * session has no such place.
 */
export async function* selected(
  units: AsyncIterable<Unit>,
  range: PageRange,
  isShown: (entry: Entry) => boolean,
): AsyncGenerator<Selected> {
  if (range.kind === "cursor") yield* afterCursor(units, range.cursor);
  else if (range.kind === "line") yield* fromLine(units, range.line, range.withContext ? isShown : undefined);
  else if (range.kind === "turns") yield* ofTurns(units, range.first, range.last);
  else throw new TypeError("Turns from the end have to be counted first.");
}

async function* afterCursor(units: AsyncIterable<Unit>, cursor: Cursor): AsyncGenerator<Selected> {
  let isFound = false;
  for await (const unit of units) {
    if (!isFound) {
      if (unit.id !== cursor.unitId) continue;
      const left = entriesLeft(unit, cursor);
      if (left === undefined) throw staleCursor();
      isFound = true;
      yield { unit, entries: until(left, cursor.untilTurn), offset: cursor.offset };
      if (cursor.isRest) return;
      continue;
    }
    const entries = until(unit.entries, cursor.untilTurn);
    if (entries.length === 0) return;
    yield { unit, entries, offset: 0 };
  }
  if (!isFound) throw staleCursor();
}

function until(entries: readonly Entry[], turn = Number.POSITIVE_INFINITY): Entry[] {
  return entries.filter((entry) => entry.turn <= turn);
}

async function* fromLine(
  units: AsyncIterable<Unit>,
  line: number,
  isContext: ((entry: Entry) => boolean) | undefined,
): AsyncGenerator<Selected> {
  let before: Selected[] = [];
  let lastLine = 0;
  for await (const unit of units) {
    const isBefore = unit.lastLine < line && lastLine < line;
    lastLine = unit.lastLine;
    if (!isBefore) {
      yield* before;
      before = [];
      yield { unit, entries: unit.entries, offset: 0 };
    } else if (isContext) {
      const shown = unit.entries.filter(isContext).map((entry) => ({ unit, entries: [entry], offset: 0 }));
      before = [...before, ...shown].slice(-CONTEXT_ENTRIES);
    }
  }
  if (line <= Math.max(lastLine, 1)) return;
  const problem = `The session has nothing at line ${line}: its last entry is on line ${lastLine}.`;
  throw new ToolError("out_of_range", problem, `Pass a line up to ${lastLine}, or turns: "-1".`, {
    field: "from_line",
  });
}

async function* ofTurns(units: AsyncIterable<Unit>, first: number, last: number): AsyncGenerator<Selected> {
  let turn = 0;
  let isEmpty = true;
  for await (const unit of units) {
    turn = unit.entries.at(-1)?.turn ?? turn;
    const entries = unit.entries.filter((entry) => entry.turn >= first && entry.turn <= last);
    isEmpty &&= entries.length === 0;
    if (entries.length > 0) yield { unit, entries, offset: 0 };
    if (turn > last) break;
  }
  if (!isEmpty) return;
  // Of turns between others only this can be missing.
  if (last === 0 && turn > 0) {
    const problem = "Nothing stands before the first prompt, which begins turn 1.";
    throw new ToolError("out_of_range", problem, 'Pass turns: "1" for the first one.', { field: "turns" });
  }
  if (turn >= first) return;
  const problem = turn === 1 ? "The session has 1 turn." : `The session has ${turn} turns.`;
  throw new ToolError("out_of_range", problem, `Pass turns: "${turn}" for the last one.`, { field: "turns" });
}
