/**
 * Where a page of hits ended. It holds what the hits were ranked from, so that entries that came later do not move those
 * of the pages before and after: later pages are made from the same entries, though sessions grow meanwhile.
 *
 * Entries are ranked in blocks: the newest ones, then those before them, and so on, so that each can be reached.
 */
import { SearchError } from "./search-error.ts";
import type { SearchQuery } from "./query.ts";
import { shortHash } from "./short-hash.ts";

export interface Cursor {
  /** When the first page was made, in milliseconds since 1970. */
  nowMs: number;
  /** Entries written after this position count only if they are older than the first page: written anew. */
  highest: number;
  /** The page goes on with entries before this position, which were not ranked yet. Null within the first block. */
  before: number | null;
  /** How many entries were ranked in the blocks before. */
  passed: number;
  /** Entries before this position are not ranked with this block; 0 if it is the last one. Null where a block begins. */
  lowest: number | null;
  /** How many of the words an entry must have. */
  required: number;
  /** `since` and `until` of the first page: people ask for "the last week", which moves. */
  sinceMs: number | null;
  untilMs: number | null;
  /** The last entry of the block that was shown, and its score; empty where a block begins. */
  eventId: string;
  score: number;
  /** How many were shown. */
  shown: number;
}

export function cursorText(query: SearchQuery, cursor: Cursor): string {
  const { nowMs, highest, before, passed, lowest, required, sinceMs, untilMs, eventId, score, shown } = cursor;
  const place = [nowMs, highest, before, passed, lowest];
  const fields = [keyOf(query), ...place, required, sinceMs, untilMs, shown, score, eventId];
  return Buffer.from(JSON.stringify(fields)).toString("base64url");
}

/** Throws a `SearchError` for what is no cursor of this query. */
export function readCursor(query: SearchQuery, text: string): Cursor {
  const fields = fieldsOf(text);
  const [key, nowMs, highest, before, passed, lowest, required, sinceMs, untilMs, shown, score, eventId] = fields;
  if (
    !isCount(nowMs) ||
    !isCount(highest) ||
    !(before === null || isCount(before)) ||
    !isCount(passed) ||
    !(lowest === null || isCount(lowest)) ||
    !isCount(required) ||
    (sinceMs !== null && typeof sinceMs !== "number") ||
    (untilMs !== null && typeof untilMs !== "number") ||
    !isCount(shown) ||
    typeof score !== "number" ||
    typeof eventId !== "string"
  ) {
    throw wrong("The cursor is none of this program.");
  }
  if (key !== keyOf(query)) throw wrong("The cursor belongs to another search.");
  return { nowMs, highest, before, passed, lowest, required, sinceMs, untilMs, shown, score, eventId };
}

function fieldsOf(text: string): unknown[] {
  let fields: unknown;
  try {
    fields = JSON.parse(Buffer.from(text, "base64url").toString("utf8"));
  } catch (error) {
    throw wrong("The cursor is none of this program.", error);
  }
  return Array.isArray(fields) ? fields : [];
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}

function wrong(problem: string, cause?: unknown): SearchError {
  const next = "Give the one that came with the page before, with the same term and filters, or none to begin anew.";
  return new SearchError("bad_cursor", "cursor", problem, next, cause === undefined ? {} : { cause });
}

/** What makes two queries the same search. Not the sessions: those of a project become more meanwhile. */
function keyOf({ term, match, since, until, role, tool, errorsOnly, rankedAtMost }: SearchQuery): string {
  const all = [
    term,
    match ?? "phrase",
    since !== undefined,
    until !== undefined,
    role ?? null,
    tool?.toLowerCase() ?? null,
  ];
  return shortHash(JSON.stringify([...all, errorsOnly === true, rankedAtMost ?? null]));
}
