/** One search over the index and over the sessions that it has not as they are. */
import { statSync } from "node:fs";
import type { StaleSession } from "../indexing/stale-sessions.ts";
import type { SessionRef, Unreadable, Where } from "../sessions/session-ref.ts";
import type { StoredSession } from "../store/model.ts";
import type { Store } from "../store/store.ts";
import type { Found } from "./collect.ts";
import type { SearchHit, SearchQuery, SearchResult } from "./query.ts";
import { search, searchedTerms } from "./search.ts";
import { accessOf, type SessionAccess } from "./session-access.ts";
import { storedRef } from "./stored-ref.ts";
import { wantedSessions } from "./wanted-sessions.ts";

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
  const asked: SearchQuery = {
    ...query,
    ...(wanted.ids === undefined ? {} : { sessionIds: wanted.ids }),
    ...(reading === undefined ? {} : { beside: reading.found }),
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
