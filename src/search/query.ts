/** Types of search queries and results. */
import type { EventRole, StoredEvent } from "../store/stored-model.ts";
import type { SessionFilter } from "../store/store.ts";

export interface SearchQuery {
  /** May be empty only with `file`. */
  term: string;
  /**
   * `phrase` (default): the exact term, ignoring case. `words`: entries with all of its words or all but one, in any
   * order; of two words, both.
   */
  match?: SearchMatch;
  /** Only entries at this time or later; leaves out those without a time. */
  since?: Date;
  /** Only entries before this time; leaves out those without a time. */
  until?: Date;
  role?: EventRole;
  /** Only calls of this tool and their results; case is ignored for ASCII letters. */
  tool?: string;
  /** Only results of calls that failed. */
  errorsOnly?: boolean;
  /**
   * Only sessions with a call that read or changed this file: an absolute path, or a last part of one, such as a name.
   * With an empty term, finds those calls.
   */
  file?: string;
  sessions?: SessionFilter;
  /** Maximum number of hits. Default 20. Infinity: all, ranked together. */
  limit?: number;
  /**
   * Number of hits to skip: those of earlier pages. Entries that occurred after `now`, the time of the first page, are
   * skipped as well, so that hits do not move between pages.
   */
  offset?: number;
  /** With a limit: number of matches that are ranked, the newest. Default 1,000. */
  rankedAtMost?: number;
  /** Time from which the age of entries counts. Default: now. */
  now?: Date;
  /** Aborting rejects with the signal's reason. */
  signal?: AbortSignal;
}

type SearchMatch = "phrase" | "words";

export interface SearchResult {
  /** Best first. */
  hits: SearchHit[];
  /** Number of ranked matches, including other pages. */
  total: number;
  /** False if only the newest were ranked and there are more. */
  isTotalExact: boolean;
  /** Entries before this position are not ranked: see `olderHits`. 0 if all are. */
  lowest: number;
}

/** An entry that matches. */
export interface SearchHit extends Omit<StoredEvent, "content" | "is_own" | "block_type"> {
  block_type: StoredEvent["block_type"] | "title";
  /** Counted from 1 across all pages. */
  rank: number;
  /** From 0 to about 2; comparable only within one search. */
  score: number;
  /** One line around the first match, or around the place where most words are close together. */
  passage: string;
  /** Matches in the passage: start and end in UTF-16 units. */
  matches: (readonly [start: number, end: number])[];
  /** Number of matches of the term, or of any of the words. */
  match_count: number;
  /** With a file and no term: the call changes it, and does not only read it. */
  changes_file?: boolean;
  /** For `words`: those that the entry lacks. */
  missing: string[];
}
