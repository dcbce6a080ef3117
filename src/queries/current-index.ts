/** Brings the index up to date for a search, if that is quick. */
import { hasContent } from "../indexing/is-current.ts";
import { baseId } from "../indexing/session-keys.ts";
import type { UpdateOptions } from "../indexing/update-index.ts";
import { staleSessions, type StaleSession, type StaleSessions } from "../indexing/stale-sessions.ts";
import { findSessions } from "../sessions/find-sessions.ts";
import type { Unreadable, Where } from "../places/session-ref.ts";
import type { StoredSession } from "../store/stored-model.ts";
import type { Store } from "../store/store.ts";

/** Maximum number of bytes that a question adds to the index, which takes about two seconds. */
const MOST_BYTES = 50_000_000;

/** Facts about the sessions on this machine. */
export interface KnownSessions {
  /** Number of indexed sessions whose source is gone. */
  gone: number;
  /** Ids shared by several sessions. */
  ambiguous: string[];
}

export interface CurrentIndex {
  known: KnownSessions;
  /** Sessions on this machine that are not indexed in their current state and must be read, newest first. */
  changed: readonly StaleSession[];
  /**
   * The reason: nobody has asked for an index yet (`none`, the store has only figures), too much is new, it took too long,
   * or the index could not be written.
   */
  left: { reason: "none" | "large" | "late" } | { reason: "failed"; error: unknown } | undefined;
  /** Number of sessions indexed just now. */
  updated: number;
  /** All rows of the store, unless some were written since they were read. */
  stored?: readonly StoredSession[] | undefined;
  unreadable: readonly Unreadable[];
}

export interface CurrentIndexOptions {
  signal: AbortSignal;
  /** Runs `work` with a writable store. The store that is searched may be read-only. */
  onWritable: (work: (store: Store) => Promise<void>) => Promise<void>;
  /** Maximum time for the update, in milliseconds. What was written by then stays. Default: no limit. */
  maxMs?: number;
  onProgress?: UpdateOptions["onProgress"];
}

/** Returns the sessions on this machine, all of which must be read. */
export async function withoutIndex(where: Where): Promise<CurrentIndex> {
  const { sessions, unreadable } = await findSessions(where, { all: true });
  const changed = sessions.map((ref) => ({ ref, sessionId: ref.id, bytes: ref.bytes ?? 0 }));
  const known = factsOf({ stale: changed, current: [], gone: [] });
  return { known, changed, left: { reason: "none" }, updated: 0, unreadable };
}

/**
 * Adds what is new to the index, newest sessions first, up to a limit, and returns in `changed` the sessions that it still
 * does not have in their current state. Rejects with a `TranscriptsError` if the store cannot be read, and with the
 * signal's reason.
 */
export async function currentIndex(
  store: Store,
  where: Where,
  { signal, onWritable, maxMs, onProgress }: CurrentIndexOptions,
): Promise<CurrentIndex> {
  const found = await staleSessions(store, where);
  const { stale, unreadable } = found;
  const index = {
    known: factsOf(found),
    changed: stale,
    left: undefined,
    updated: 0,
    unreadable,
    stored: found.stored,
  };
  if (!found.stored.some(hasContent)) return { ...index, left: { reason: "none" } };
  if (stale.length === 0) return index;
  const chosen = newest(stale);
  if (chosen.length === 0) return { ...index, left: { reason: "large" } };
  const late = AbortSignal.any(maxMs === undefined ? [] : [AbortSignal.timeout(maxMs)]);
  const taken = new Set(chosen);
  const only = chosen.map(({ ref }) => ref);
  const options = { only, signal: AbortSignal.any([signal, late]), ...(onProgress && { onProgress }) };
  const { updateIndex } = await import("../indexing/update-index.ts");
  try {
    let current: CurrentIndex = index;
    await onWritable(async (writable) => {
      const report = await updateIndex(writable, where, options);
      const changed = stale.filter((session) => !taken.has(session));
      const left = changed.length === 0 ? undefined : ({ reason: "large" } as const);
      const updated = report.new + report.changed;
      current = {
        ...index,
        changed,
        left,
        updated,
        stored: undefined,
        unreadable: [...unreadable, ...report.unreadable],
      };
    });
    return current;
  } catch (error) {
    signal.throwIfAborted();
    // Whatever prevents writing to the index, the changed sessions can still be read.
    if (!late.aborted) return { ...index, left: { reason: "failed", error }, stored: undefined };
    const { stale: changed } = await staleSessions(store, where);
    const after = { changed, stored: undefined, left: { reason: "late" } as const };
    return { ...index, ...after, updated: Math.max(0, stale.length - changed.length) };
  }
}

/** Returns the newest sessions that are small enough together. One that is too large itself is left to `index`. */
function newest(stale: readonly StaleSession[]): StaleSession[] {
  let room = MOST_BYTES;
  return stale.filter(({ bytes }) => {
    const isTaken = bytes <= room;
    if (isTaken) room -= bytes;
    return isTaken;
  });
}

function factsOf({ stale, current, gone }: Pick<StaleSessions, "stale" | "current" | "gone">): KnownSessions {
  const ids = new Map<string, number>();
  const all = [...stale.map(({ ref }) => ref.id), ...current.map(({ ref }) => ref.id), ...gone.map(baseId)];
  for (const id of all) ids.set(id, (ids.get(id) ?? 0) + 1);
  const ambiguous = [...ids].filter(([, count]) => count > 1).map(([id]) => id);
  return { gone: gone.length, ambiguous };
}
