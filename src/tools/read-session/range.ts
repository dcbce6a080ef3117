/** Which part of a session a call asks for. */
import type { Unit } from "../conversation/entries.ts";
import { ToolError } from "../tool-error.ts";
import type { ToolArguments } from "../tool.ts";
import { readCursor, type Cursor } from "./cursor.ts";
import type { READ_SESSION } from "./tool.ts";

export type PageRange =
  | { kind: "cursor"; cursor: Cursor }
  | { kind: "line"; line: number; withContext: boolean }
  | { kind: "turns"; first: number; last: number }
  /** So many turns at the end. */
  | { kind: "last"; count: number };

type Arguments = ToolArguments<(typeof READ_SESSION)["args"]>;

/** Throws a `ToolError` (`bad_arguments`, `bad_cursor`). */
export function rangeOf({ cursor, from_line: from, around_line: around, turns }: Arguments): PageRange {
  const given = Object.entries({ cursor, from_line: from, around_line: around, turns }).filter(
    ([, value]) => value !== undefined,
  );
  if (given.length > 1) {
    const names = given.map(([name]) => name);
    const problem = `${names.join(" and ")} exclude each other.`;
    throw new ToolError("bad_arguments", problem, `Pass one of them, such as ${names[0]}.`, { field: names[1] ?? "" });
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
  throw new ToolError(
    "bad_arguments",
    `turns: ${JSON.stringify(text.slice(0, 40))} is no range of turns.`,
    'Write "3" for the third, "3-5" for three of them, or "-2" for the last two.',
    { field: "turns" },
  );
}

/** The number of the last turn. */
export async function lastTurn(units: AsyncIterable<Unit>): Promise<number> {
  let last = 0;
  for await (const { entries } of units) last = entries.at(-1)?.turn ?? last;
  return last;
}
