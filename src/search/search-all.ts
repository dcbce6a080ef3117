/** One search over the index and over the sessions that it has not as they are. */
import { statSync } from "node:fs";
import type { StaleSession } from "../indexing/stale-sessions.ts";
import type { SessionRef, Unreadable, Where } from "../sessions/session-ref.ts";
import type { StoredSession } from "../store/model.ts";
import type { Store } from "../store/store.ts";
import { passageAround } from "../matching/passage.ts";
import { isWithin } from "../scan/find-matches.ts";
import type { Found } from "./collect.ts";
import { TermMatcher, type Match } from "./matching-texts.ts";
import type { SearchHit, SearchQuery, SearchResult } from "./query.ts";
import { search, searchedTerms } from "./search.ts";
import { accessOf, type SessionAccess } from "./session-access.ts";
import { storedRef } from "./stored-ref.ts";
import { wantedSessions, type WantedSessions } from "./wanted-sessions.ts";

/** The first prompt of a session is among so many events. */
const EVENTS_PAGE = 50;

export interface SearchAllQuery extends Omit<SearchQuery, "sessionIds" | "beside"> {
  /** See `findSessions`. */
  project?: string | undefined;
  signal: AbortSignal;
}

/** The session that a hit is of. */
export interface HitSession {
  ref: SessionRef;
  /** Its row; undefined of a session that was read: its hits have no event in the store. */
  stored: StoredSession | undefined;
  access: SessionAccess;
}

export interface SearchedAll {
  result: SearchResult;
  /** What the store was asked, for `olderHits`. */
  asked: SearchQuery;
  /** How many sessions of the index were searched, if not all. */
  indexed: number | undefined;
  /** Of the sessions that were read; undefined if none had to be. */
  read: { searched: number; hits: number; unreadable: Unreadable[] } | undefined;
  /** Undefined if somebody removed the session a moment ago. */
  sessionOf: (hit: SearchHit) => Promise<HitSession | undefined>;
}

/** `changed`: sessions to read (see `currentIndex`). Rejects as `search` does. */
export async function searchAll(
  store: Store,
  where: Where,
  { project, ...query }: SearchAllQuery,
  changed: readonly StaleSession[],
): Promise<SearchedAll> {
  const wanted = await wantedSessions(store, where, { project, changed });
  const reading = wanted.changed.length === 0 ? undefined : await readChanged(wanted.changed, query);
  const titles = await titlesFound(store, wanted, query);
  const beside = [...titles, ...(reading?.found ?? [])];
  const asked: SearchQuery = {
    ...query,
    ...(wanted.ids === undefined ? {} : { sessionIds: wanted.ids }),
    ...(beside.length === 0 ? {} : { beside }),
  };
  const result = await search(store, asked);
  const refs = new Map(wanted.changed.map(({ sessionId, ref }) => [sessionId, ref]));
  const sessions = new Map<string, Promise<HitSession | undefined>>();
  const sessionOf = async (id: string): Promise<HitSession | undefined> => {
    const ref = refs.get(id);
    if (ref !== undefined) return { ref: await withHead(ref), stored: undefined, access: { kind: "here" } };
    const stored = wanted.stored.get(id) ?? (await store.session(id));
    if (stored === undefined) return undefined;
    const access = accessOf(stored, store);
    const indexed = storedRef(stored);
    return { ref: access.kind === "here" ? await withMark(indexed, where) : indexed, stored, access };
  };
  for (const hit of result.hits) {
    if (hit.block_type !== "title" || hit.line_number !== 0) continue;
    const session = await sessionOf(hit.session_id);
    if (session?.stored !== undefined && session.access.kind === "here")
      Object.assign(hit, await placeOfTitle(session.ref, query));
  }
  return {
    result,
    asked,
    indexed: wanted.ids?.length,
    read: reading && { ...reading, hits: reading.found.length },
    sessionOf: ({ session_id: id }) => {
      const known = sessions.get(id) ?? sessionOf(id);
      sessions.set(id, known);
      return known;
    },
  };
}

/** The titles of the sessions that are searched in the index, as `findInSession` finds those of files. */
async function titlesFound(store: Store, wanted: WantedSessions, query: SearchAllQuery): Promise<Found[]> {
  const { role, tool, errorsOnly, since, until } = query;
  if ((role !== undefined && role !== "system") || tool !== undefined || errorsOnly === true) return [];
  const terms = searchedTerms(query);
  const matcher = new TermMatcher(terms, Math.ceil(terms.length / 2));
  const asked = wanted.ids && new Set(wanted.ids);
  const sessions = wanted.stored.size > 0 ? wanted.stored.values() : await store.sessions();
  const found: Found[] = [];
  for (const session of sessions) {
    if (session.title === null || (asked && !asked.has(session.session_id))) continue;
    const match = matcher.match(session.title);
    if (!match || (await isSaid(store, session, session.title))) continue;
    const last = since === undefined ? null : await lastTime(store, session);
    if (!isWithin({ first: session.started_at, last }, { ...(since && { since }), ...(until && { until }) })) continue;
    found.push(foundTitle(session, session.title, match));
  }
  return found;
}

function foundTitle(
  { session_id, started_at }: StoredSession,
  title: string,
  { text, places, ...match }: Match,
): Found {
  return {
    event: {
      event_id: `${session_id} title`,
      session_id,
      ordinal: 0,
      position: 0,
      line_number: 0,
      byte_offset: 0,
      occurred_at: started_at,
      message_type: "system",
      role: "system",
      block_type: "title",
      tool_name: null,
      tool_use_id: null,
      status: null,
      is_sidechain: false,
      is_own: false,
    },
    size: title.length,
    match,
    likeness: title,
    passage: () => passageAround(text, places),
  };
}

/**
 * Whether the title of a row is found among the events: the beginning of the first prompt, for want of a title, or an
 * event of a transcript of ours.
 */
async function isSaid(store: Store, { session_id, source, state }: StoredSession, title: string): Promise<boolean> {
  const flat = (text: string): string => text.replaceAll(/\s+/g, " ").trim();
  const beginning = title.replace(/…$/, "");
  for (let from = 0; from < state.events; from += EVENTS_PAGE) {
    const events = await store.events(session_id, { from, limit: EVENTS_PAGE });
    const prompt = from > 0 ? undefined : events.find(({ role, is_sidechain }) => role === "user" && !is_sidechain);
    if (prompt !== undefined && flat(prompt.content).startsWith(beginning)) return true;
    if (source !== "transcript") return false;
    if (events.some(({ role, content }) => role === "system" && flat(content).startsWith(beginning))) return true;
  }
  return false;
}

/** Where the session's file has the title: the index does not say. */
async function placeOfTitle(
  ref: SessionRef,
  query: SearchAllQuery,
): Promise<Pick<SearchHit, "line_number" | "byte_offset"> | undefined> {
  const { hitsInFiles } = await import("./search-files.ts");
  for await (const { hits } of hitsInFiles([ref], { terms: searchedTerms(query), signal: query.signal })) {
    const title = hits.find(({ block_type }) => block_type === "title");
    if (title) return { line_number: title.line_number, byte_offset: title.byte_offset };
  }
  return undefined;
}

async function lastTime(store: Store, { session_id, state }: StoredSession): Promise<string | null> {
  const [last] = await store.events(session_id, { from: Math.max(0, state.events - 1), limit: 1 });
  return last?.occurred_at ?? null;
}

/** As it is, if its head cannot be read any more. */
async function withHead(ref: SessionRef): Promise<SessionRef> {
  const { readHead } = await import("../sessions/file-ref.ts");
  return readHead(ref).catch(() => ref);
}

/** With `isForeign`, which goes by the time of the file too. */
async function withMark(ref: SessionRef, where: Where): Promise<SessionRef> {
  if (ref.source !== "transcript" || ref.path === null) return ref;
  const { markForeign } = await import("../sessions/recorded-here.ts");
  const modifiedMs = statSync(ref.path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  const [marked] = await markForeign([{ ...ref, modifiedMs }], where);
  return { ...ref, isForeign: marked?.isForeign ?? false };
}

async function readChanged(
  changed: readonly StaleSession[],
  query: SearchAllQuery,
): Promise<{ found: Found[]; searched: number; unreadable: Unreadable[] }> {
  const { hitsInFiles } = await import("./search-files.ts");
  const { foundInFile } = await import("./scanned.ts");
  const { isReadFault } = await import("../sessions/read-fault.ts");
  const { reasonOf } = await import("../sessions/reasons.ts");
  const { role, tool, since, until, errorsOnly, signal } = query;
  const terms = searchedTerms(query);
  const ids = new Map(changed.map(({ ref, sessionId }) => [ref, sessionId]));
  const reading = { found: new Array<Found>(), searched: 0, unreadable: new Array<Unreadable>() };
  const filters = {
    ...(role === undefined ? {} : { role }),
    ...(tool === undefined ? {} : { tool }),
    ...(since === undefined ? {} : { since }),
    ...(until === undefined ? {} : { until }),
    ...(errorsOnly === undefined ? {} : { errorsOnly }),
  };
  for await (const { ref, hits, failure } of hitsInFiles([...ids.keys()], { terms, signal, ...filters })) {
    if (failure !== undefined && !isReadFault(failure)) throw failure;
    if (failure === undefined) reading.searched += 1;
    else reading.unreadable.push({ path: ref.path ?? ref.id, reason: reasonOf(failure) });
    reading.found.push(...foundInFile(ids.get(ref) ?? ref.id, hits, terms));
  }
  return reading;
}
