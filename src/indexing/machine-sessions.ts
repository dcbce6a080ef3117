/** Matches the sessions on this machine with those in the store. */
import { agentAt, agentNamed, isInDatabase } from "../agents/registry.ts";
import { statSync, type Stats } from "node:fs";
import { isWithin } from "../transcript/files/data-folder.ts";
import { errorCode } from "../transcript/files/fault.ts";
import { mapFiles, nodeSessionFiles, type SessionFiles } from "../places/session-files.ts";
import { findSessions } from "../sessions/find-sessions.ts";
import {
  pathOf,
  type SessionRef,
  type Place,
  type SessionsFound,
  type Unreadable,
  type Where,
} from "../places/session-ref.ts";
import { msOf } from "../parse/times.ts";
import type { SessionMark } from "../store/stored-model.ts";
import type { Store } from "../store/store.ts";
import { isCurrent } from "./is-current.ts";
import { baseId, forgottenSessions, keyedSessions, type KeyedSession } from "./session-keys.ts";

export interface MachineSessions {
  /** Newest first, without forgotten ones. */
  sessions: KeyedSession[];
  /** Sessions that were removed from the store with `forget`. */
  forgotten: KeyedSession[];
  /** Rows whose source no longer exists. */
  gone: SessionMark[];
  /** Rows in places of their agent that are not searched now, such as those of another profile. */
  elsewhere: SessionMark[];
  unreadable: Unreadable[];
  /** All sessions of the store. */
  stored: readonly SessionMark[];
}

/**
 * Lists sessions by name, size and time without reading any, except for `withParts`. `only` limits it to these and skips the search for gone
 * ones.
 */
export async function machineSessions(
  store: Store,
  where: Where,
  only?: readonly SessionRef[],
): Promise<MachineSessions> {
  const stored = await store.marks();
  const found = only === undefined ? await findSessions(where) : undefined;
  const refs = await withParts(found?.sessions ?? only ?? [], stored);
  const isThere = (session: SessionMark): boolean => isSourceThere(session, found);
  const keyed = keyedSessions(refs, { sessions: stored, isThere });
  const forgotten = forgottenSessions(keyed, await store.forgotten());
  const sessions = keyed.filter((session) => !forgotten.has(session));
  const met = new Set(sessions.map(({ sessionId }) => sessionId));
  const others = found === undefined ? [] : stored.filter(({ session_id: id }) => !met.has(id));
  const [gone, elsewhere]: [SessionMark[], SessionMark[]] = [[], []];
  for (const session of others) {
    if (!isThere(session)) gone.push(session);
    else if (isElsewhere(session, found?.roots ?? [])) elsewhere.push(session);
  }
  return { sessions, forgotten: [...forgotten], gone, elsewhere, unreadable: found?.unreadable ?? [], stored };
}

/**
 * Adds the sessions that are in the files of others: those that the store has, if it has the file as it is, or else from
 * reading it. They are indexed before the session of the file, so that none is left out if that is interrupted.
 */
export async function withParts(
  refs: readonly SessionRef[],
  stored: readonly SessionMark[],
  files: SessionFiles = nodeSessionFiles,
): Promise<SessionRef[]> {
  if (!refs.some((ref) => agentAt(ref)?.parts !== undefined)) return [...refs];
  const key = ({ id, path }: SessionRef): string => `${path}\n${id}`;
  const known = new Set(refs.map(key));
  const atPath = Map.groupBy(stored, ({ path }) => path);
  const parts = await mapFiles(refs, async (ref) => {
    const agent = agentAt(ref);
    if (agent?.parts === undefined || ref.agentId !== null || ref.archived !== null) return [];
    const rows = atPath.get(pathOf(ref)) ?? [];
    const own = rows.find(({ agent_id: id }) => id === null);
    if (!isCurrent(ref, own, "figures")) return agent.parts(ref, files);
    return rows.flatMap(({ session_id: id, agent_id: agentId, parent_id: parentId, started_at }) =>
      agentId === null
        ? []
        : { ...ref, id: baseId(id), agentId, parentId: parentId ?? ref.id, startedMs: msOf(started_at) },
    );
  });
  return [...refs, ...parts.flat().filter((ref) => !known.has(key(ref)))];
}

/** Returns the bytes of an average session of each database, which does not list how large each one is. */
export function databaseShares(refs: readonly SessionRef[]): ReadonlyMap<string | null, number> {
  const counts = new Map<string, number>();
  for (const { database } of refs) if (database !== null) counts.set(database, (counts.get(database) ?? 0) + 1);
  return new Map([...counts].map(([path, count]) => [path, Math.ceil((factsOf(path)?.size ?? 0) / count)]));
}

/**
 * Returns true if the session is in a place of its agent that is not searched now, such as that of another profile. It is
 * then none of the sessions here, whether or not it was indexed.
 */
export function isElsewhere({ place, path }: Pick<SessionMark, "place" | "path">, roots: readonly Place[]): boolean {
  const agent = agentNamed(place);
  if (agent === undefined || agent.isRecorder === true) return false;
  return !roots.some((root) => isWithin(root.path, path)) && factsOf(path) !== undefined;
}

/** Returns true unless the source of a row is known to be missing. */
export function isSourceThere(
  { place, path }: Pick<SessionMark, "place" | "path">,
  found: SessionsFound | undefined,
): boolean {
  if (path === "") return true;
  const isListed =
    isInDatabase({ place }) &&
    found?.roots.some((root) => root.path === path && root.isThere) === true &&
    found.unreadable.every((place) => place.path !== path);
  return !isListed && factsOf(path) !== undefined;
}

/** Returns undefined if the path does not exist, null if that is unknown. */
function factsOf(path: string): Stats | null | undefined {
  try {
    return statSync(path);
  } catch (error) {
    const code = errorCode(error);
    return code === "ENOENT" || code === "ENOTDIR" ? undefined : null;
  }
}
