/** Finds passages in the index, and in sessions that are not indexed in their current state. */
import { isElsewhere } from "../indexing/machine-sessions.ts";
import type { StaleSession } from "../indexing/stale-sessions.ts";
import { passageAround } from "../matching/passage.ts";
import { type Found, isWithin, sessionsWithFile } from "../search/collect.ts";
import { leastTerms, type Match, TermMatcher } from "../search/matching-texts.ts";
import type { SearchHit, SearchQuery, SearchResult } from "../search/query.ts";
import { olderHits, search, searchedTerms } from "../search/search.ts";
import { byEntryTime } from "../sessions/entry-times.ts";
import { filterByProject } from "../sessions/project-filter.ts";
import { type SessionRef, type Where } from "../places/session-ref.ts";
import { sessionRoots } from "../sessions/session-roots.ts";
import type { StoredSession } from "../store/stored-model.ts";
import type { SessionFilter, Store } from "../store/store.ts";
import type { FindAsked, FoundInFile, FoundPassage, HitSession } from "./find-in-files.ts";
import { accessOf, placedRef, storedRef } from "./stored-session.ts";

export interface FoundInIndex {
  /** Best first. */
  passages: FoundPassage[];
  result: Omit<SearchResult, "hits">;
  /** Number of indexed sessions searched. */
  indexed: number;
  /** Number of damaged places in these, where text may be missing. */
  damaged: number;
  /** Whether these are all of them. */
  isAll: boolean;
  /** Matches that were not ranked, newest first: see `olderHits`. */
  older: () => AsyncGenerator<FoundPassage[]>;
  /** Sessions that the index does not have in their current state, newest first, with the time of their last entry. */
  unindexed: readonly SessionRef[];
  /** Reads some of `unindexed`. Their passages come after the ranked ones. */
  rest: (refs: readonly SessionRef[]) => AsyncGenerator<FoundInFile>;
}

/** Search result without an index. */
const NO_RESULT = { total: 0, isTotalExact: true, lowest: 0 };

/**
 * Searches the index and lists the sessions in `changed` (see `currentIndex`), which are read as they are asked for.
 * Without a store there are only those. `stored`: all rows of the store, if they were read. Rejects as `search` does.
 */
export async function findInIndex(
  store: Store | undefined,
  where: Where,
  { project, agent, ...asked }: FindAsked,
  changed: readonly StaleSession[],
  stored?: readonly StoredSession[],
): Promise<FoundInIndex> {
  const all = stored ?? (await store?.sessions()) ?? [];
  const wanted = await wantedSessions(store, where, { project, agent, changed, all });
  const { since } = asked;
  const dated = await byEntryTime(wanted.changed.map(({ ref }) => ref));
  const unindexed = dated.filter(({ lastMs }) => since === undefined || (lastMs ?? 0) >= since.getTime());
  const found = await ranked(store, asked, wanted);
  const rest = async function* (refs: readonly SessionRef[]): AsyncGenerator<FoundInFile> {
    if (refs.length === 0) return;
    // Loaded here, since reading sessions takes the whole parser.
    const { findInFiles } = await import("./find-in-files.ts");
    yield* findInFiles(refs, asked);
  };
  return { ...found, unindexed, rest };
}

type Ranked = Pick<FoundInIndex, "passages" | "result" | "indexed" | "damaged" | "isAll" | "older">;

async function ranked(
  store: Store | undefined,
  { file, signal, ...terms }: Omit<FindAsked, "project" | "agent">,
  given: WantedSessions,
): Promise<Ranked> {
  if (store === undefined)
    return { passages: [], result: NO_RESULT, indexed: 0, damaged: 0, isAll: true, async *older() {} };
  // Without a term the calls that use the file are searched for, otherwise the sessions with such a call.
  const isOfSessions = file !== undefined && terms.term !== "";
  const ids = isOfSessions
    ? [...(await sessionsWithFile(store, file, { sessions: idsOf(given.ids), signal }))]
    : given.ids;
  const wanted = { ...given, ids, count: isOfSessions ? (ids?.length ?? 0) : given.count };
  const query = { ...terms, signal, ...(file === undefined || isOfSessions ? {} : { file }) };
  const beside = titlesFound(wanted, query);
  const searched: SearchQuery = {
    ...query,
    ...(ids === undefined ? {} : { sessions: { ids } }),
    ...(beside.length === 0 ? {} : { beside }),
  };
  const { hits, ...result } = await search(store, searched);
  const sessionOf = hitSessions(store, wanted);
  return {
    passages: await passagesOf(hits, sessionOf),
    result,
    indexed: wanted.count,
    damaged: damagedIn(wanted),
    isAll: ids === undefined,
    async *older() {
      for await (const more of olderHits(store, searched, { hits, ...result })) {
        yield await passagesOf(more, sessionOf);
      }
    },
  };
}

function idsOf(ids: readonly string[] | undefined): SessionFilter | undefined {
  return ids && { ids };
}

/** Leaves out hits of sessions that were deleted just now. */
async function passagesOf(
  hits: readonly SearchHit[],
  sessionOf: ReturnType<typeof hitSessions>,
): Promise<FoundPassage[]> {
  const passages: FoundPassage[] = [];
  for (const hit of hits) {
    const session = await sessionOf(hit.session_id);
    if (session === undefined) continue;
    const { occurred_at: timestamp, event_id, rank, missing, is_sidechain, ...rest } = hit;
    const { session_id: _id, ordinal: _ordinal, status: _status, score: _score, ...block } = rest;
    const isTitle = hit.block_type === "title";
    passages.push({
      ...block,
      timestamp,
      ...(is_sidechain ? { is_sidechain: true as const } : {}),
      session,
      rank,
      event_id: isTitle ? null : event_id,
      missing,
    });
  }
  return passages;
}

/** Returns a function that looks up the session of a hit, each once. */
function hitSessions(store: Store, { stored: rows }: WantedSessions): (id: string) => Promise<HitSession | undefined> {
  const known = new Map<string, Promise<HitSession | undefined>>();
  const look = async (id: string): Promise<HitSession | undefined> => {
    const stored = rows.get(id) ?? (await store.session(id));
    if (stored === undefined) return undefined;
    const access = accessOf(stored, store);
    if (access.kind === "elsewhere") return { ref: placedRef(stored, store), stored, access };
    return { ref: storedRef(stored), stored, access };
  };
  return (id) => {
    const session = known.get(id) ?? look(id);
    known.set(id, session);
    return session;
  };
}

/** Returns matching titles of the sessions searched in the index, as `findInSession` does for files. */
function titlesFound(wanted: WantedSessions, query: FindAsked): Found[] {
  const { role, tool, errorsOnly, since, until, term } = query;
  if (term === "" || (role !== undefined && role !== "system") || tool !== undefined || errorsOnly === true) return [];
  const terms = searchedTerms(query);
  const matcher = new TermMatcher(terms, leastTerms(terms));
  const asked = wanted.ids && new Set(wanted.ids);
  const found: Found[] = [];
  for (const session of wanted.stored.values()) {
    const { session_id, given_title: title, title_is_message, started_at: first, ended_at: last } = session;
    if (title === null || title_is_message || (asked && !asked.has(session_id))) continue;
    const match = matcher.match(title);
    if (!match || !isWithin({ first, last }, { since, until })) continue;
    found.push(foundTitle(session, title, match));
  }
  return found;
}

function foundTitle(
  { session_id, started_at, title_line, title_offset }: StoredSession,
  title: string,
  { text, places, ...match }: Match,
): Found {
  return {
    event: {
      event_id: `${session_id} title`,
      session_id,
      ordinal: 0,
      position: 0,
      line_number: title_line,
      byte_offset: title_offset,
      occurred_at: started_at,
      message_type: "system",
      role: "system",
      block_type: "title",
      tool_name: null,
      tool_use_id: null,
      status: null,
      is_sidechain: false,
      is_own: false,
      superseded: false,
    },
    size: title.length,
    match,
    likeness: title,
    passage: () => passageAround(text, places),
  };
}

function damagedIn({ ids, stored }: WantedSessions): number {
  const searched = ids === undefined ? [...stored.values()] : ids.flatMap((id) => stored.get(id) ?? []);
  return searched.reduce((sum, { counts }) => sum + counts.damaged, 0);
}

interface WantedSessions {
  /** Undefined for all indexed sessions. */
  ids: string[] | undefined;
  /** Number of indexed sessions. */
  count: number;
  /** Sessions to read. */
  changed: readonly StaleSession[];
  /** All rows of the store. */
  stored: ReadonlyMap<string, StoredSession>;
}

/**
 * Returns all sessions, or those of a project, as `findSessions` assigns them; those that changed since they were indexed
 * are read.
 */
async function wantedSessions(
  store: Store | undefined,
  where: Where,
  { changed, all, ...asked }: Wanting,
): Promise<WantedSessions> {
  const toRead = await ofProjectAndAgent(
    changed.map(({ ref }) => ref),
    asked,
    where,
  );
  const wanted = { changed: changed.filter(({ ref }) => toRead.has(ref)) };
  if (store === undefined) return { ids: [], count: 0, stored: new Map(), ...wanted };
  const stored = new Map(all.map((session) => [session.session_id, session]));
  const roots = await sessionRoots(where);
  const isAsked = (session: StoredSession): boolean => store.backend === "postgres" || !isElsewhere(session, roots);
  const read = new Set(changed.map(({ sessionId }) => sessionId));
  const indexed = all.filter((session) => !read.has(session.session_id) && isAsked(session));
  const isNarrowed = asked.project !== undefined || asked.agent !== undefined;
  const placed = new Map(isNarrowed ? indexed.map((session) => [placedRef(session, store), session]) : []);
  const inIndex = await ofProjectAndAgent([...placed.keys()], asked, where);
  const sessions = isNarrowed ? [...inIndex].flatMap((ref) => placed.get(ref) ?? []) : indexed;
  const ids = sessions.map(({ session_id: id }) => id);
  return { ids: ids.length === all.length ? undefined : ids, count: ids.length, stored, ...wanted };
}

interface Wanting {
  project: string | undefined;
  agent: string | undefined;
  changed: readonly StaleSession[];
  /** All rows of the store. */
  all: readonly StoredSession[];
}

async function ofProjectAndAgent(
  refs: readonly SessionRef[],
  { project, agent }: Pick<Wanting, "project" | "agent">,
  where: Where,
): Promise<Set<SessionRef>> {
  const ofAgent = refs.filter((ref) => agent === undefined || ref.agent === agent);
  return new Set(project === undefined ? ofAgent : await filterByProject(ofAgent, project, where));
}
