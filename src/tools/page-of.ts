/** Pages of a list that grows at its front: the cursor names the last item that was shown. */
import type { SessionRef } from "../sessions/session-ref.ts";
import { shortHash } from "./conversation/entries.ts";
import { ToolError } from "./tool-error.ts";

export interface Slice<Item> {
  items: Item[];
  /** Null on the last page. */
  next: string | null;
}

/**
 * The items after the one that the cursor names. Items have a time, by which the list is ordered, newest first: what
 * became newer since the page before is not shown again, and nothing that was not shown is passed over but for what
 * became newer. `filters`: what the list was asked for. Throws a `ToolError` (`bad_cursor`).
 */
export function pageOf<Item extends { id: string; timeMs: number }>(
  items: readonly Item[],
  { limit, cursor, filters }: { limit: number; cursor: string | undefined; filters: unknown },
): Slice<Item> {
  const key = shortHash(JSON.stringify(filters), 6);
  const after = cursor === undefined ? undefined : readPlace(cursor, key);
  const rest = after === undefined ? items : items.filter((item) => isAfter(item, after));
  const shown = rest.slice(0, limit);
  const last = shown.at(-1);
  return {
    items: shown,
    next: last === undefined || shown.length === rest.length ? null : `${key}~${last.timeMs}~${shortHash(last.id, 8)}`,
  };
}

/** The time that sessions are listed by: of what was said last; 0 if that is not known. */
export function saidMs({ lastMs }: SessionRef): number {
  return lastMs === null || lastMs === Number.POSITIVE_INFINITY ? 0 : lastMs;
}

export interface Place {
  timeMs: number;
  /** A hash of the item's id. */
  id: string;
}

/** Of the same time, they stand in the order of the hashes of their ids: see `inOrder`. */
export function isAfter({ timeMs, id }: { timeMs: number; id: string }, after: Place): boolean {
  return timeMs < after.timeMs || (timeMs === after.timeMs && shortHash(id, 8) > after.id);
}

/** Newest first, in an order that a cursor can name. */
export function inOrder<Item extends { id: string; timeMs: number }>(items: readonly Item[]): Item[] {
  return items.toSorted((a, b) => b.timeMs - a.timeMs || (shortHash(a.id, 8) < shortHash(b.id, 8) ? -1 : 1));
}

function readPlace(cursor: string, key: string): Place {
  const [, ofKey, time, id] = /^([\w-]{6})~(\d{1,15}(?:\.\d{1,20})?)~([\w-]{8})$/.exec(cursor.trim()) ?? [];
  const next = "Pass the cursor of the page before with the same filters, or leave it out to start anew.";
  if (ofKey === undefined || time === undefined || id === undefined) {
    throw new ToolError("bad_cursor", "cursor: it is none of this tool.", next, { field: "cursor" });
  }
  if (ofKey !== key) {
    throw new ToolError("bad_cursor", "cursor: it belongs to a list with other filters.", next, { field: "cursor" });
  }
  return { timeMs: Number(time), id };
}
