/** Writes and reads the cursor of a search. */
import type { FindAsked } from "../../queries/find-in-files.ts";
import { argumentsKey, badCursor, CURSOR_TIME, SEPARATOR } from "../page-of.ts";

/** Position where a page ended. */
export interface Cursor {
  /** The first page used the index. */
  isIndexed: boolean;
  /** Time of the first page: a relative time such as "the last week" is the same on all pages. */
  now: Date;
  /**
   * Hashes of the sessions that were read because the index did not have them, so that later pages read the same ones even
   * if they are indexed by then.
   */
  named: string;
  /** Number of passages shown. */
  passed: number;
  /** Undefined while passages of the index follow. */
  scan: ScanPlace | undefined;
}

/** Position among the sessions that are read. */
export interface ScanPlace {
  /** Time of the latest write to any session when the first of them was read: milliseconds since 1970. */
  firstMs: number;
  /** The last session shown: its time and hash, and the number of its passages shown. */
  timeMs: number;
  id: string;
  passed: number;
  /** Number of words that an entry must have. */
  required: number;
  /** Hashes of the sessions with passages already shown. */
  shown: readonly string[];
}

export const HASH_CHARS = 8;
export const SHOWN_CHARS = 4;
/** Stands for the hash of a session when none was shown yet. */
export const START_ID = "-".repeat(HASH_CHARS);

const SCAN = String.raw`/(${CURSOR_TIME})/(${CURSOR_TIME})/([\w-]{8})/(\d{1,9})/(\d{1,4})/([\w-]*)`;
const FORM = new RegExp(String.raw`^([is])([\w-]*|\*)/([\w-]{6})/(\d{1,15})/(\d{1,9})(?:${SCAN})?$`);

export function textOf({ isIndexed, now, named, passed, scan }: Cursor, asked: FindAsked): string {
  const fields = [`${isIndexed ? "i" : "s"}${isIndexed ? named : ""}`, keyOf(asked), now.getTime(), passed];
  if (scan === undefined) return fields.join(SEPARATOR);
  const { firstMs, timeMs, id, passed: inSession, required, shown } = scan;
  return [...fields, firstMs, timeMs, id, inSession, required, shown.join("")].join(SEPARATOR);
}

/** Returns the cursor and the hash of the arguments that it was made with. Throws a `TranscriptsError` (`bad_cursor`). */
export function readCursor(text: string): Cursor & { key: string } {
  const match = FORM.exec(text.trim());
  if (match === null) throw badCursor("not a cursor of this tool");
  const [, kind, named = "", key = "", now, passed, firstMs, timeMs, id = "", inSession, required, shown = ""] = match;
  const scan = {
    firstMs: Number(firstMs),
    timeMs: Number(timeMs),
    id,
    passed: Number(inSession),
    required: Number(required),
    shown: shown.match(new RegExp(`.{${SHOWN_CHARS}}`, "g")) ?? [],
  };
  return {
    isIndexed: kind === "i",
    now: new Date(Number(now)),
    named,
    passed: Number(passed),
    scan: firstMs === undefined ? undefined : scan,
    key,
  };
}

export function keyOf({
  term,
  match,
  project,
  agent,
  file,
  role,
  tool,
  errorsOnly = false,
  ...asked
}: FindAsked): string {
  const dates = [asked.since !== undefined, asked.until !== undefined];
  return argumentsKey([term, match, ...dates, project, agent, file, role, tool, errorsOnly]);
}
