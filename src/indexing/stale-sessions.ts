/** Finds sessions that changed since they were indexed, by name, size and time. */
import type { SessionRef, Where } from "../places/session-ref.ts";
import type { Store } from "../store/store.ts";
import { isCurrent, type IndexLevel } from "./is-current.ts";
import { databaseShares, machineSessions, type MachineSessions } from "./machine-sessions.ts";

export interface StaleSession {
  ref: SessionRef;
  /** Its id in the store, even if it is not stored yet. */
  sessionId: string;
  /** Approximate number of bytes to read for indexing it. */
  bytes: number;
}

export interface StaleSessions extends MachineSessions {
  /** Sessions that are new or were written since they were indexed, newest first: to be passed to `updateIndex` as `only`. */
  stale: StaleSession[];
}

/**
 * Returns which sources changed since they were indexed. Reads no session: it checks the name, size and time of each
 * file, a few microseconds each, and queries the store once.
 */
export async function staleSessions(store: Store, where: Where, level: IndexLevel = "content"): Promise<StaleSessions> {
  const found = await machineSessions(store, where);
  const changed = found.sessions.filter(({ ref, stored }) => !isCurrent(ref, stored, level));
  const hasDatabase = changed.some(({ ref }) => ref.database !== null);
  const inDatabases = hasDatabase ? databaseShares(found.sessions.map(({ ref }) => ref)) : new Map<string, number>();
  const stale = changed.map(({ ref, sessionId }) => {
    return { ref, sessionId, bytes: ref.bytes ?? inDatabases.get(ref.database) ?? 0 };
  });
  return { ...found, stale };
}
