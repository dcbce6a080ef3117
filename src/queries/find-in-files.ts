/** Finds passages by reading sessions. Results have the same shape as those of `findInIndex`. */
import { given } from "../given.ts";
import type { SearchQuery } from "../search/query.ts";
import { searchedTerms } from "../search/search.ts";
import { readHead } from "../sessions/file-ref.ts";
import type { SessionRef } from "../places/session-ref.ts";
import type { StoredSession } from "../store/stored-model.ts";
import type { Hit } from "./find-in-session.ts";
import { overSessions } from "./over-sessions.ts";
import type { SessionAccess } from "./stored-session.ts";

export interface FindAsked extends Omit<SearchQuery, "sessions" | "beside" | "signal"> {
  /** See `findSessions`. */
  project?: string | undefined;
  agent?: string | undefined;
  signal: AbortSignal;
}

/** The session of a passage. */
export interface HitSession {
  ref: SessionRef;
  /** Its row; undefined for a session that was read, whose passages have no event in the store. */
  stored: StoredSession | undefined;
  access: SessionAccess;
}

export interface FoundPassage extends Hit {
  session: HitSession;
  /** Counted from 1 across all pages; null if passages are not ranked, as in files. */
  rank: number | null;
  /** Event id in the store; null if it has none. */
  event_id: string | null;
  /** The session dropped it, as after a revert: only the store still has it. */
  superseded: boolean;
  /** For several words: those that it lacks. */
  missing: string[];
}

export interface FoundInFile {
  ref: SessionRef;
  /** In the order of the session. */
  passages: FoundPassage[];
  /** Number of damaged places, where text may be missing. */
  damaged: number;
  /** Error that kept the session from being read, or read to its end. */
  failure?: unknown;
}

/**
 * Yields what each session has, in the order of the list, including sessions without passages. With several words, a
 * passage has all of them, or all but one. Rejects with the signal's reason; an error from reading a session is its
 * `failure`.
 */
export async function* findInFiles(refs: readonly SessionRef[], query: FindAsked): AsyncGenerator<FoundInFile> {
  const { role, tool, since, until, errorsOnly, file, signal } = query;
  const calls = file === undefined ? undefined : query.term === "";
  const filters = given({ role, tool, since, until, errorsOnly, file, calls });
  const terms = searchedTerms(query);
  const job = { kind: "find", query: { ...filters, terms } } as const;
  for await (const { ref, result, failure } of overSessions(job, refs, { signal })) {
    const { hits, damaged } = result ?? { hits: [], damaged: 0 };
    // Only sessions with hits need their project and title. The file may have gone meanwhile.
    const named = hits.length === 0 ? ref : await readHead(ref).catch(() => ref);
    const session = { ref: named, stored: undefined, access: HERE };
    const passages = hits.map(({ counts, ...hit }) => {
      const missing = terms.filter((_, at) => counts[at] === 0);
      return { ...hit, session, rank: null, event_id: null, superseded: false, missing };
    });
    yield { ref, passages, damaged, failure };
  }
}

const HERE = { kind: "here" } as const;
