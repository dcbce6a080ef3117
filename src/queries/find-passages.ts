/** Finds passages in the sessions of the store. */
import { given } from "../given.ts";
import type { SessionRef, Where } from "../places/session-ref.ts";
import type { SearchHit, SearchQuery, SearchResult } from "../search/query.ts";
import { olderHits, search } from "../search/search.ts";
import { countedTexts, readTerms } from "../search/terms.ts";
import { filterOf, refsAsked } from "./listed-sessions.ts";
import type { StoredSession } from "../store/stored-model.ts";
import type { Store } from "../store/store.ts";
import { mayHaveTerms } from "./byte-filter.ts";
import type { CurrentIndex, CurrentIndexOptions } from "./current-index.ts";
import { originOf, placedRef, type SessionOrigin } from "./stored-session.ts";

export interface FindAsked extends Omit<SearchQuery, "sessions" | "signal"> {
  /** See `filterByProject`. */
  project?: string | undefined;
  agent?: string | undefined;
  /** Only sessions with all of these tags. */
  tags?: readonly string[] | undefined;
  signal: AbortSignal;
}

/** The session of a passage. */
export interface HitSession extends SessionOrigin {
  ref: SessionRef;
  stored: StoredSession;
}

export interface FoundPassage extends SearchHit {
  session: HitSession;
}

export interface Found {
  /** Best first. */
  passages: FoundPassage[];
  result: Omit<SearchResult, "hits">;
  /** Number of sessions searched, and of damaged places in them, where text may be missing. */
  sessions: number;
  damaged: number;
  /** If there are no passages: the words that are in no entry, and those that are. Empty for a text as it stands. */
  words: { absent: string[]; present: string[] };
  /** Matches that were not ranked, newest first: see `olderHits`. */
  older: () => AsyncGenerator<FoundPassage[]>;
}

/** Searches the store as it is. Rejects as `search` does. */
export async function find(
  { store, elsewhere }: Pick<CurrentIndex, "store" | "elsewhere">,
  where: Where,
  asked: FindAsked,
): Promise<Found> {
  const { project, agent, tags, ...query } = asked;
  const sessions = await filterOf({ store, elsewhere }, where, { project, agent, ...given({ tags }) });
  const searched: SearchQuery = { ...query, ...(Object.keys(sessions).length === 0 ? {} : { sessions }) };
  const { hits, ...result } = await search(store, searched);
  const sessionOf = hitSessions(store);
  return {
    passages: await passagesOf(hits, sessionOf),
    result,
    ...(await store.contentOf(sessions)),
    words: hits.length === 0 ? await wordsIn(store, searched) : { absent: [], present: [] },
    async *older() {
      for await (const more of olderHits(store, searched, result)) yield await passagesOf(more, sessionOf);
    },
  };
}

/** Looks for each word of a query by itself. */
async function wordsIn(store: Store, query: SearchQuery): Promise<Found["words"]> {
  const words: Found["words"] = { absent: [], present: [] };
  for (const { typed, text } of readTerms(query).words?.all ?? []) {
    const { total } = await search(store, { ...query, term: text, exact: true, limit: 1, offset: 0, rankedAtMost: 1 });
    (total === 0 ? words.absent : words.present).push(typed);
  }
  return words;
}

/** Returns what a search asks of `currentIndex`: new sessions of the project and agent, and those that may have the terms. */
export function findNeeds(where: Where, asked: FindAsked): Pick<CurrentIndexOptions, "wanted" | "mayHave"> {
  const { project, agent } = asked;
  const { texts, least } = countedTexts(readTerms(asked));
  return {
    wanted: (refs) => refsAsked(refs, where, { project, agent }),
    mayHave: (ref) => mayHaveTerms(ref, texts, least),
  };
}

/** Leaves out hits of sessions that were deleted just now. */
async function passagesOf(
  hits: readonly SearchHit[],
  sessionOf: ReturnType<typeof hitSessions>,
): Promise<FoundPassage[]> {
  const passages: FoundPassage[] = [];
  for (const hit of hits) {
    const session = await sessionOf(hit.session_id);
    if (session !== undefined) passages.push({ ...hit, session });
  }
  return passages;
}

/** Returns a function that looks up the session of a hit, each once. */
function hitSessions(store: Store): (id: string) => Promise<HitSession | undefined> {
  const known = new Map<string, Promise<HitSession | undefined>>();
  const look = async (id: string): Promise<HitSession | undefined> => {
    const stored = await store.session(id);
    if (stored === undefined) return undefined;
    return { ref: placedRef(stored, store), stored, ...originOf(stored, store) };
  };
  return (id) => {
    const session = known.get(id) ?? look(id);
    known.set(id, session);
    return session;
  };
}
