/** Selects the units of a session for a page, with the requested entries. */
import type { Entry, Unit } from "../../queries/session-units.ts";
import { counted } from "../../quantities.ts";
import { type Cursor, entriesLeft, readCursor, staleCursor } from "./entry-cursor.ts";
import type { ToolArguments } from "../tool.ts";
import type { READ_SESSION } from "../tool-definitions.ts";
import { fieldError, TranscriptsError } from "../../transcripts-error.ts";

/** An entry to show. */
export interface Place {
  unit: Unit;
  entry: Entry;
  /** Number of its characters already shown. */
  offset: number;
}

/** Number of entries shown before a requested line, as context. */
const CONTEXT_ENTRIES = 3;

/**
 * Yields everything in the range. Throws a `TranscriptsError` (`stale_cursor`, `out_of_range`) if the session has no
 * such place.
 */
export async function* selected(
  units: () => AsyncIterable<Unit>,
  range: PageRange,
  isShown: (entry: Entry) => boolean,
): AsyncGenerator<Place> {
  if (range.kind === "cursor") yield* afterCursor(units(), range.cursor);
  else if (range.kind === "line") yield* fromLine(units(), range.line, range.withContext ? isShown : () => false);
  else if (range.kind === "turns") yield* ofTurns(units(), range.first, range.last);
  else {
    const last = await lastTurn(units());
    const first = Math.max(last - range.count + 1, Math.min(last, 1));
    yield* ofTurns(units(), first, Number.MAX_SAFE_INTEGER);
  }
}

function placesIn(unit: Unit, entries: readonly Entry[] = unit.entries): Place[] {
  return entries.map((entry) => ({ unit, entry, offset: 0 }));
}

async function* afterCursor(units: AsyncIterable<Unit>, cursor: Cursor): AsyncGenerator<Place> {
  const { unitId, untilTurn = Number.POSITIVE_INFINITY, isRest } = cursor;
  let isFound = false;
  for await (const unit of units) {
    if (!isFound && unit.id !== unitId) continue;
    const left = isFound ? unit.entries : entriesLeft(unit, cursor);
    if (left === undefined) throw staleCursor();
    const [first, ...rest] = placesIn(
      unit,
      left.filter(({ turn }) => turn <= untilTurn),
    );
    if (first === undefined && isFound) return;
    if (first !== undefined) yield isFound ? first : { ...first, offset: cursor.offset };
    if (isRest) return;
    yield* rest;
    isFound = true;
  }
  if (!isFound) throw staleCursor();
}

async function* fromLine(
  units: AsyncIterable<Unit>,
  line: number,
  isContext: (entry: Entry) => boolean,
): AsyncGenerator<Place> {
  let before: Place[] = [];
  let lastLine = 0;
  for await (const unit of units) {
    const isBefore = unit.lastLine < line && lastLine < line;
    lastLine = unit.lastLine;
    if (isBefore) before = [...before, ...placesIn(unit, unit.entries.filter(isContext))].slice(-CONTEXT_ENTRIES);
    else {
      yield* before;
      before = [];
      yield* placesIn(unit);
    }
  }
  if (line <= Math.max(lastLine, 1)) return;
  const problem = `The session has nothing at line ${line}: its last entry is on line ${lastLine}.`;
  throw outOfRange("from_line", problem, `Pass a line up to ${lastLine}, or turns: "-1".`);
}

async function* ofTurns(units: AsyncIterable<Unit>, first: number, last: number): AsyncGenerator<Place> {
  let turn = 0;
  let isEmpty = true;
  for await (const unit of units) {
    turn = unit.entries.at(-1)?.turn ?? turn;
    const entries = unit.entries.filter((entry) => entry.turn >= first && entry.turn <= last);
    isEmpty &&= entries.length === 0;
    yield* placesIn(unit, entries);
    if (turn > last) break;
  }
  if (!isEmpty) return;
  // The only turn that can be missing before others is turn 0.
  if (last === 0 && turn > 0) {
    const problem = "There is nothing before the first prompt, which begins turn 1.";
    throw outOfRange("turns", problem, 'Pass turns: "1" for the first one.');
  }
  if (turn >= first) return;
  const problem = `The session has ${counted(turn, "turn")}.`;
  throw outOfRange("turns", problem, `Pass turns: "${turn}" for the last one.`);
}

function outOfRange(field: string, problem: string, next: string): TranscriptsError {
  return new TranscriptsError("out_of_range", problem, next, { field });
}

export type PageRange =
  | { kind: "cursor"; cursor: Cursor }
  | { kind: "line"; line: number; withContext: boolean }
  | { kind: "turns"; first: number; last: number }
  | { kind: "last"; count: number };

type Arguments = ToolArguments<(typeof READ_SESSION)["args"]>;

/** Throws a `TranscriptsError` (`bad_arguments`, `bad_cursor`). */
export function rangeOf({ cursor, from_line: from, around_line: around, turns }: Arguments): PageRange {
  const given = Object.entries({ cursor, from_line: from, around_line: around, turns }).filter(
    ([, value]) => value !== undefined,
  );
  if (given.length > 1) {
    const names = given.map(([name]) => name);
    const problem = `${names.join(" and ")} exclude each other.`;
    throw new TranscriptsError("bad_arguments", problem, `Pass one of them, such as ${names[0]}.`, {
      field: names[1] ?? "",
    });
  }
  if (cursor !== undefined) return { kind: "cursor", cursor: readCursor(cursor) };
  if (turns !== undefined) return turnsOf(turns);
  return { kind: "line", line: from ?? around ?? 1, withContext: around !== undefined };
}

function turnsOf(text: string): PageRange {
  const [, last] = /^-(\d{1,9})$/.exec(text.trim()) ?? [];
  if (last !== undefined && Number(last) > 0) return { kind: "last", count: Number(last) };
  const [, from, , to] = /^(\d{1,9})(\s*-\s*(\d{1,9}))?$/.exec(text.trim()) ?? [];
  const first = Number(from ?? "x");
  const end = Number(to ?? first);
  if (end >= first) return { kind: "turns", first, last: end };
  const problem = `${JSON.stringify(text.slice(0, 40))} is not a range of turns.`;
  const next = 'Write "3" for the third, "3-5" for three of them, or "-2" for the last two.';
  throw fieldError("bad_arguments", "turns", problem, next);
}

async function lastTurn(units: AsyncIterable<Unit>): Promise<number> {
  let last = 0;
  for await (const { entries } of units) last = entries.at(-1)?.turn ?? last;
  return last;
}
