/**
 * Pages of sessions that are read one after the other, and that are written meanwhile. Those that nobody has written
 * since the first page keep their order, the one that was written last first. What was written since has lost its place:
 * it comes after them, unless the cursor says that it was shown.
 */
import { shortHash } from "../conversation/entries.ts";
import { inOrder, isAfter, saidMs } from "../page-of.ts";
import { ToolError } from "../tool-error.ts";
import type { SessionRef } from "../../sessions/session-ref.ts";
import type { Asked } from "./passages.ts";

export const SCAN_CURSOR = "s";

const HASH_CHARACTERS = 8;
/** Sessions that a cursor names: 100 of them take some 200 tokens. One that was shown before these may come again. */
const MOST_SHOWN = 100;
const SHOWN_CHARACTERS = 4;

export interface ScanCursor {
  /** When the session that was written last had been written, as the first page saw it: milliseconds since 1970. */
  firstMs: number;
  /** The last session that was shown, and the passages of it that were. */
  timeMs: number;
  id: string;
  passed: number;
  /** How many of the words an entry must have. */
  required: number;
  /** How many passages were shown up to here. */
  found: number;
  /** Short names of the sessions of which passages were shown. */
  shown: readonly string[];
}

export interface ScanItem {
  id: string;
  timeMs: number;
  ref: SessionRef;
}

/** Newest first. */
export function itemsOf(sessions: readonly SessionRef[]): ScanItem[] {
  return inOrder(
    sessions.map((ref) => ({ id: `${ref.id} ${ref.path ?? ref.database ?? ""}`, timeMs: saidMs(ref), ref })),
  );
}

export function hashOf({ id }: ScanItem): string {
  return shortHash(id, HASH_CHARACTERS);
}

function shownName({ id }: ScanItem): string {
  return shortHash(id, SHOWN_CHARACTERS);
}

/** What is left for the pages after the cursor: first the session of which it has shown a part. */
export function itemsAfter(items: readonly ScanItem[], after: ScanCursor): ScanItem[] {
  const begun = items.filter((item) => hashOf(item) === after.id);
  const others = items.filter((item) => hashOf(item) !== after.id);
  const shown = new Set(after.shown);
  const kept = others.filter((item) => item.timeMs <= after.firstMs && isAfter(item, after));
  const written = others.filter((item) => item.timeMs > after.firstMs && !shown.has(shownName(item)));
  return [...begun, ...kept, ...written];
}

/** Whether an entry was there when the first page was made. One without a time is taken to be. */
export function wasThere(timestamp: string | null, { firstMs }: Pick<ScanCursor, "firstMs">): boolean {
  return timestamp === null || !(Date.parse(timestamp) > firstMs);
}

/** The names of the sessions that were shown, and of this one. */
export function withShown(shown: readonly string[], item: ScanItem): string[] {
  const name = shownName(item);
  return [...shown.filter((other) => other !== name), name].slice(-MOST_SHOWN);
}

export function cursorText(asked: Asked, { shown, ...place }: ScanCursor): string {
  const { firstMs, timeMs, id, passed, required, found } = place;
  return [`${SCAN_CURSOR}${keyOf(asked)}`, firstMs, timeMs, id, passed, required, found, shown.join("")].join("~");
}

/** Throws a `ToolError` for what is no cursor of this search. */
export function readCursor(asked: Asked, cursor: string): ScanCursor {
  const time = String.raw`(\d{1,15}(?:\.\d{1,20})?)`;
  const shape = new RegExp(`^s([\\w-]{6})~${time}~${time}~([\\w-]{8})~(\\d{1,9})~(\\d{1,4})~(\\d{1,9})~([\\w-]*)$`);
  const [, key, first, last, id, passed, required, found, shown = ""] = shape.exec(cursor) ?? [];
  if (id === undefined || key !== keyOf(asked)) {
    const next = "Pass the one of the page before with the same arguments, or leave it out to start anew.";
    throw new ToolError("bad_cursor", "cursor: it is none of this search.", next, { field: "cursor" });
  }
  return {
    firstMs: Number(first),
    timeMs: Number(last),
    id,
    passed: Number(passed),
    required: Number(required),
    found: Number(found),
    shown: shown.match(new RegExp(`.{${SHOWN_CHARACTERS}}`, "g")) ?? [],
  };
}

function keyOf({ query, match, since, until, project, role, tool, errorsOnly }: Asked): string {
  return shortHash(
    JSON.stringify([query, match, since !== undefined, until !== undefined, project, role, tool, errorsOnly]),
    6,
  );
}
