/** What is asked, and what comes back. */
import type { EventRole, StoredEvent } from "../store/model.ts";
import type { Found } from "./collect.ts";

export interface SearchQuery {
  /** Not empty. */
  term: string;
  /**
   * `phrase` (default): the term as it stands, whatever its case. `words`: each word of it, in any order, in one entry;
   * if no entry has all, those that have the most.
   */
  match?: SearchMatch;
  /** Entries of this time or later; those without a time are left out then. */
  since?: Date;
  /** Entries before this time; those without a time are left out then. */
  until?: Date;
  role?: EventRole;
  /** Only calls of this tool and their results; upper and lower case of ASCII letters count as the same. */
  tool?: string;
  /** Only results of calls that failed. */
  errorsOnly?: boolean;
  /** Only these sessions. */
  sessionIds?: readonly string[];
  /** Entries found elsewhere, of none of the sessions that are searched: ranked with those of the store. */
  beside?: readonly Found[];
  /** Default 20. Infinity: all of them, none left unranked. */
  limit?: number;
  /** Where the page before ended. Everything else must be as it was then, but for the limit. */
  cursor?: string;
  /** With a limit, so many of the entries that match are ranked at a time, the newest first. Default 300. */
  rankedAtMost?: number;
  /** What counts as new. Default: now. */
  now?: Date;
  /** Rejects with the signal's reason. */
  signal?: AbortSignal;
}

type SearchMatch = "phrase" | "words";

export interface SearchResult {
  /** Best first. */
  hits: SearchHit[];
  /** Entries that match, those on other pages too, of this block and of those before it. */
  total: number;
  /** False: there are more; only the newest were ranked so far. */
  isTotalExact: boolean;
  /** Entries before this position were not ranked yet: see `olderHits`. 0: all were. */
  lowest: number;
  /** For the next page; null on the last one. */
  cursor: string | null;
  /** Of `words`: which were looked for, and in how many of them each entry has to have at least. */
  words: { wanted: string[]; required: number } | null;
}

/** An entry that matches. */
export interface SearchHit extends Omit<StoredEvent, "content" | "is_own" | "block_type"> {
  block_type: StoredEvent["block_type"] | "title";
  /** From 1, over all pages. */
  rank: number;
  /** From 0 to some 2: comparable within one search only. */
  score: number;
  /** One line around the first match, or where most words are close together. */
  passage: string;
  /** Where the term or the words stand in the passage: start and end, in UTF-16 units. */
  matches: (readonly [start: number, end: number])[];
  /** How often the entry has the term, or any of the words. */
  match_count: number;
  /** Of `words`: those that the entry lacks. */
  missing: string[];
}
