/** What the store does not know yet, told by names, sizes and times. */
import type { SessionRef, Unreadable, Where } from "../sessions/session-ref.ts";
import type { Store } from "../store/store.ts";
import { isCurrent } from "./index-session.ts";
import { machineSessions } from "./machine-sessions.ts";

export interface StaleSession {
  ref: SessionRef;
  /** Its id in the store, whether it is there already or not. */
  sessionId: string;
}

export interface StaleSessions {
  /** New, or written since they were indexed. Newest first. For `updateIndex`'s `only`, or to be scanned. */
  stale: StaleSession[];
  /** Those that the store has as they are now. */
  current: StaleSession[];
  /** Ids of sessions in the store whose source is not there any more. */
  gone: string[];
  unreadable: Unreadable[];
}

/**
 * Which sources changed since they were indexed. Reads no session: a look at the name, size and time of each file, some
 * microseconds each, without letting go of the thread; and one query to the store.
 */
export async function staleSessions(store: Store, where: Where): Promise<StaleSessions> {
  const { sessions, gone, unreadable } = await machineSessions(store, where);
  const result: StaleSessions = { stale: [], current: [], gone: gone.map(({ session_id }) => session_id), unreadable };
  for (const { ref, sessionId, stored } of sessions) {
    (isCurrent(ref, stored) ? result.current : result.stale).push({ ref, sessionId });
  }
  return result;
}
