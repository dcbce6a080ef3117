/** The index as a search finds it: brought up to date, as far as that goes quickly. */
import { staleSessions, type StaleSession, type StaleSessions } from "../indexing/stale-sessions.ts";
import type { Unreadable, Where } from "../sessions/session-ref.ts";
import type { Store } from "../store/store.ts";

/** More than this is read quicker than it is indexed: some ten seconds. */
const MOST_BYTES = 300_000_000;

/** What is to be known of the sessions on this machine. */
export interface KnownSessions {
  /** How many there are, subagents included. */
  count: number;
  /** How many the index has whose source is gone. */
  gone: number;
  /** Ids that several of them have. */
  ambiguous: string[];
}

export interface CurrentIndex {
  known: KnownSessions;
  /** Sessions on this machine that the index has not as they are: to be read. */
  changed: readonly StaleSession[];
  /** Why: too much is new, it took too long, the index could not be written, or it is a team's. */
  left: { reason: "large" | "late" | "shared" } | { reason: "failed"; error: unknown } | undefined;
  /** How many were brought into it just now. */
  updated: number;
  unreadable: readonly Unreadable[];
}

export interface CurrentIndexOptions {
  signal: AbortSignal;
  /** Does the work with a store that can be written. The one that is searched may be for reading only. */
  onWritable: (work: (store: Store) => Promise<void>) => Promise<void>;
  /** How long bringing it up to date may take, in milliseconds. What was written by then stays. Default: any time. */
  maxMs?: number;
  /** Told before sessions are brought in. */
  onStale?: (sessions: number, bytes: number) => void;
  /** Told as it goes on: how many of them are done. */
  onDone?: (done: number) => void;
}

/**
 * Whether the index knows all sessions as they are, after what changed was brought in. What cannot be is in `changed`.
 * Rejects with a `StoreError` if the store cannot be read, and with the signal's reason.
 */
export async function currentIndex(store: Store, where: Where, options: CurrentIndexOptions): Promise<CurrentIndex> {
  return updated(store, where, await staleSessions(store, where), options);
}

/** Bytes of the sessions that changed. */
export function changedBytes(changed: readonly StaleSession[]): number {
  return changed.reduce((sum, { ref }) => sum + (ref.bytes ?? 0), 0);
}

async function updated(
  store: Store,
  where: Where,
  found: StaleSessions,
  options: CurrentIndexOptions,
): Promise<CurrentIndex> {
  const { stale, unreadable } = found;
  const index = { known: factsOf(found), changed: stale, left: undefined, updated: 0, unreadable };
  if (stale.length === 0) return index;
  // Only who says so adds to a team's index, for everyone on the team reads it.
  if (store.backend === "postgres") return { ...index, left: { reason: "shared" } };
  const bytes = changedBytes(stale);
  if (bytes > MOST_BYTES) return { ...index, left: { reason: "large" } };
  options.onStale?.(stale.length, bytes);
  const late = AbortSignal.any(options.maxMs === undefined ? [] : [AbortSignal.timeout(options.maxMs)]);
  try {
    return await broughtIn(where, index, AbortSignal.any([options.signal, late]), options);
  } catch (error) {
    options.signal.throwIfAborted();
    // Whatever keeps the index from being written, what changed can be read.
    if (!late.aborted) return { ...index, left: { reason: "failed", error } };
    const { stale: changed } = await staleSessions(store, where);
    return { ...index, changed, left: { reason: "late" }, updated: Math.max(0, stale.length - changed.length) };
  }
}

async function broughtIn(
  where: Where,
  index: CurrentIndex,
  signal: AbortSignal,
  { onWritable, onDone }: CurrentIndexOptions,
): Promise<CurrentIndex> {
  const { updateIndex } = await import("../indexing/update-index.ts");
  const only = index.changed.map(({ ref }) => ref);
  let current = index;
  await onWritable(async (store) => {
    const onProgress = ({ done }: { done: number }): void => onDone?.(done);
    const report = await updateIndex(store, where, { only, signal, onProgress });
    const unreadable = [...index.unreadable, ...report.unreadable];
    current = { ...index, changed: [], updated: report.new + report.changed, unreadable };
  });
  return current;
}

function factsOf({ stale, current, gone }: StaleSessions): KnownSessions {
  const ids = new Map<string, number>();
  for (const { ref } of [...stale, ...current]) ids.set(ref.id, (ids.get(ref.id) ?? 0) + 1);
  const ambiguous = [...ids].filter(([, count]) => count > 1).map(([id]) => id);
  return { count: stale.length + current.length, gone: gone.length, ambiguous };
}
