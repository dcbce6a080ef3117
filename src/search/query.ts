/** Types of search queries and results. */
import type { EventRole, StoredEvent } from "../store/stored-model.ts";
import type { SessionFilter } from "../store/store.ts";

export interface SearchQuery {
  /**
   * Words to look for, and phrases in double quotes. Entries with the whole text as it stands come first, then those with
   * all of its words, or all but one (of two, both), in any order; all of them with what is in quotes. One word is found as
   * it stands, also within others. May be empty only with `file`.
   */
  term: string;
  /** Finds the term only as it stands, apart from case. Default: false. */
  exact?: boolean;
  /** Maximum number of hits in one session, of those that are ranked. Default: no maximum. */
  perSession?: number;
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
  /** Number of hits to skip: those of earlier pages. */
  offset?: number;
  /** With a limit: number of matches that are ranked, the newest. Default 1,000. */
  rankedAtMost?: number;
  /** Time from which the age of entries counts. Default: now. */
  now?: Date;
  /** Aborting rejects with the signal's reason. */
  signal?: AbortSignal;
}

export interface SearchResult {
  /** Best first. */
  hits: SearchHit[];
  /** Number of ranked matches, including other pages; without those with only the words, if `hasWords` is false. */
  total: number;
  /** Number of these that have the text as it stands. */
  phrases: number;
  /** Entries with only the words were searched. They are not if the others fill the page, or are too many to be ranked. */
  hasWords: boolean;
  /** Number of ranked matches left out because of `perSession`. */
  held: number;
  /** False if only the newest were ranked and there are more. */
  isTotalExact: boolean;
  /** Entries with the text as it stands before this position are not ranked: see `olderHits`. 0 if all are. */
  lowest: number;
}

/** An entry that matches. */
export interface SearchHit extends Omit<StoredEvent, "content" | "is_own" | "block_type"> {
  block_type: StoredEvent["block_type"] | "title";
  /** Counted from 1 across all pages. */
  rank: number;
  /** From 0 to about 2; comparable only within one search. */
  score: number;
  /** `phrase`: it has the text as it stands. `words`: it has the words. */
  match: "phrase" | "words";
  /** One line around the first match, or the part with the most of the words. */
  passage: string;
  /** Matches in the passage: start and end in UTF-16 units. */
  matches: (readonly [start: number, end: number])[];
  /** Number of matches of the term, or of any of the words. */
  match_count: number;
  /** With a file and no term: the call changes it, and does not only read it. */
  changes_file?: boolean;
  /** Words that the entry lacks. */
  missing: string[];
}
