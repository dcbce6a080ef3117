/** Pages through sessions, a list that grows at its front: a cursor names the last one shown. */
import { createHash } from "node:crypto";
import type { SessionRef } from "../sessions/session-ref.ts";
import { fieldError, type TranscriptsError } from "../transcripts-error.ts";

export interface Place {
  /** Time of the last message, in milliseconds since 1970; 0 if unknown. */
  timeMs: number;
  /** Hash of the session. */
  id: string;
}

export interface PagedSession extends Place {
  ref: SessionRef;
}

/** Returns the sessions newest first, in an order that a cursor can name: those of the same time by their hashes. */
export function inOrder(refs: readonly SessionRef[]): PagedSession[] {
  const sessions = refs.map((ref) => {
    const timeMs = ref.lastMs === null || ref.lastMs === Number.POSITIVE_INFINITY ? 0 : ref.lastMs;
    return { id: shortHash(`${ref.id} ${ref.path ?? ref.database ?? ""}`, 8), timeMs, ref };
  });
  return sessions.toSorted((a, b) => b.timeMs - a.timeMs || (a.id < b.id ? -1 : 1));
}

/** Sessions that moved to the front since the previous page are not shown again, and nothing else is skipped. */
export function isAfter({ timeMs, id }: Place, after: Place): boolean {
  return timeMs < after.timeMs || (timeMs === after.timeMs && id > after.id);
}

/** Returns a hash of the arguments that a cursor is made with. */
export function argumentsKey(args: unknown): string {
  return shortHash(JSON.stringify(args), 6);
}

/** Returns the cursor after a session or, with `left`, the cursor within it with that many entries left. */
export function cursorAfter(key: string, { timeMs, id }: Place, left?: number): string {
  return [key, timeMs, id, ...(left === undefined ? [] : [left])].join(SEPARATOR);
}

/** Returns the place of `cursorAfter`; undefined without a cursor. Throws a `TranscriptsError` (`bad_cursor`). */
export function placeOf(cursor: string | undefined, key: string): (Place & { left: number }) | undefined {
  if (cursor === undefined) return undefined;
  const [, made, time, id = "", left] = PLACE_FORM.exec(cursor.trim()) ?? [];
  checkMadeWith(made, key);
  return { timeMs: Number(time), id, left: Number(left ?? 0) };
}

/** Form of a time in a cursor: milliseconds since 1970, of any date in JavaScript. */
export const CURSOR_TIME = String.raw`-?\d{1,16}(?:\.\d{1,20})?`;
/** Between the parts of a cursor. Cursors are redacted with the answers; tokens contain no slash. */
export const SEPARATOR = "/";
const PLACE_FORM = new RegExp(`^([\\w-]{6})/(${CURSOR_TIME})/([\\w-]{8})(?:/(\\d{1,9}))?$`);

/** `made`: hash of the arguments that a cursor was made with; undefined if it is not a cursor. */
export function checkMadeWith(made: string | undefined, key: string): void {
  if (made === undefined) throw badCursor("not a cursor of this tool");
  if (made !== key) throw badCursor("it was made with other arguments");
}

export function badCursor(problem: string): TranscriptsError {
  const next = "Pass the cursor of the previous page with the same arguments, or leave it out to start over.";
  return fieldError("bad_cursor", "cursor", `${problem}.`, next);
}

/** Returns letters and digits of a hash, which with other signs could look like a token. */
export function shortHash(text: string, chars: number): string {
  const hash = createHash("sha256").update(text.toWellFormed()).digest("base64");
  return hash.replaceAll(/[^A-Za-z0-9]/g, "").slice(0, chars);
}
