/** Finds sessions that changed since they were indexed, by name, size and time. */
import type { SessionRef, Unreadable, Where } from "../places/session-ref.ts";
import type { SessionMark } from "../store/stored-model.ts";
import type { Store } from "../store/store.ts";
import type { FolderListings } from "../agents/agent.ts";
import { type IndexLevel, isDone } from "./is-current.ts";
import { databaseShares, machineSessions } from "./machine-sessions.ts";

export interface StaleSession {
  ref: SessionRef;
  /** Its id in the store, even if it is not stored yet. */
  sessionId: string;
  /** Approximate number of bytes to read for indexing it; 0 if it is current. */
  bytes: number;
}

export interface StaleSessions {
  /**
   * Sessions that are new or were written since they were indexed, newest first: to be passed to `updateIndex` as
   * `only`, or scanned.
   */
  stale: StaleSession[];
  /** Sessions whose stored rows are current. */
  current: StaleSession[];
  /** Ids of stored sessions whose source no longer exists. */
  gone: string[];
  unreadable: Unreadable[];
  /** All sessions of the store. */
  stored: readonly SessionMark[];
}

/**
 * Returns which sources changed since they were indexed. Reads no session: it checks the name, size and time of each
 * file, a few microseconds each, and queries the store once.
 */
export async function staleSessions(store: Store, where: Where, level: IndexLevel = "content"): Promise<StaleSessions> {
  const { sessions, gone, unreadable, stored: rows } = await machineSessions(store, where);
  const goneIds = gone.map(({ session_id: id }) => id);
  const result: StaleSessions = { stale: [], current: [], gone: goneIds, unreadable, stored: rows };
  const inDatabases = databaseShares(sessions.map(({ ref }) => ref));
  const listings: FolderListings = new Map();
  for (const { ref, sessionId, stored } of sessions) {
    const size = ref.bytes ?? inDatabases.get(ref.database) ?? 0;
    if (await isDone({ ref, rebuild: false, level }, stored, listings))
      result.current.push({ ref, sessionId, bytes: 0 });
    else result.stale.push({ ref, sessionId, bytes: size });
  }
  return result;
}
