/** Figures of many sessions: from the store, else by reading the sessions. */
import type { UpdateOptions } from "../indexing/update-index.ts";
import type { Figures } from "../sessions/read-figures.ts";
import { msOf } from "../parse/times.ts";
import { isReadFault } from "../places/reasons.ts";
import type { SessionRef, Where } from "../places/session-ref.ts";
import { storePlace, type StoreWhere } from "../store/store-place.ts";
import type { Store } from "../store/store.ts";
import type { OverOptions } from "./over-sessions.ts";
import { isSessionError, isStoreError } from "../transcripts-error.ts";

export interface SessionFigures {
  ref: SessionRef;
  /** Null if the session could not be read. */
  figures: Figures | null;
  /** Reason why it could not be read, and what to do next, as text for people. */
  problem: string | null;
}

export interface ReadFiguresOptions extends Omit<OverOptions, "ahead"> {
  /** Figures of sessions that need not be read: see `keptFigures`. */
  known?: ReadonlyMap<SessionRef, Figures>;
  /** Called for each finished session. */
  onRead?: (ref: SessionRef) => void;
}

/** Returns the session that started this one. For older subagents of Claude Code, only the content names it. */
export function parentOf({ ref, figures }: { ref: SessionRef; figures: Figures | null }): string | null {
  const { parentSessionId = null, sessionId = null } = figures?.metadata ?? {};
  return ref.parentId ?? (ref.agentId === null ? parentSessionId : sessionId);
}

export interface Between {
  since?: Date;
  /** Exclusive. */
  until?: Date;
}

/**
 * Returns the figures of each session, in the order of `refs`. A session that cannot be read does not stop the others.
 */
export async function readFigures(
  refs: readonly SessionRef[],
  { known = new Map(), onRead, ...options }: ReadFiguresOptions = {},
): Promise<SessionFigures[]> {
  options.signal?.throwIfAborted();
  const done = new Map<SessionRef, SessionFigures>();
  for (const [ref, figures] of known) done.set(ref, { ref, figures, problem: null });
  // Largest first: otherwise a large one may keep one thread busy after all others are done.
  const order = refs.filter((ref) => !known.has(ref)).toSorted((a, b) => (b.bytes ?? 0) - (a.bytes ?? 0));
  if (order.length > 0) {
    // Loaded here, since reading sessions takes the whole parser.
    const { overSessions } = await import("./over-sessions.ts");
    for await (const { ref, result = null, failure } of overSessions(order, { ...options, ahead: Infinity })) {
      if (result === null && !isSessionError(failure)) throw failure;
      done.set(ref, { ref, figures: result, problem: isSessionError(failure) ? failure.message : null });
      onRead?.(ref);
    }
  }
  return refs.flatMap((ref) => done.get(ref) ?? []);
}

export interface KeptFiguresOptions {
  signal: AbortSignal;
  /** Runs work with the store. */
  withStore: (readOnly: boolean, work: (store: Store) => Promise<void>) => Promise<void>;
  /** Keeps the figures of all sessions on the machine, not only those asked for. Default: false. */
  keepsAll?: boolean;
  /** Shows progress in indexing sessions. */
  withProgress?: (work: (onProgress?: UpdateOptions["onProgress"]) => Promise<unknown>) => Promise<unknown>;
  /** Called if the store cannot be used; the sessions are then read instead. */
  onUnused?: (message: string) => void;
}

/** Write errors without consequences: the next question reads the sessions again. */
const NOT_KEPT = new Set(["read_only", "busy", "full", "unavailable"]);

/**
 * Returns the figures in the store, after adding those that it lacks. Sessions that are missing in the result must be
 * read.
 */
export async function keptFigures(
  refs: readonly SessionRef[],
  where: Where & StoreWhere,
  { signal, withStore, keepsAll = false, withProgress = (work) => work(), onUnused }: KeptFiguresOptions,
): Promise<Map<SessionRef, Figures>> {
  const found = new Map<SessionRef, Figures>();
  const missing = (): SessionRef[] => refs.filter((ref) => !found.has(ref));
  const take = async (store: Store): Promise<void> => {
    const { storedFigures } = await import("./stored-figures.ts");
    for (const [ref, figures] of await storedFigures(store, missing())) found.set(ref, figures);
  };
  const use = async (readOnly: boolean, work: (store: Store) => Promise<void>): Promise<void> => {
    try {
      await withStore(readOnly, work);
    } catch (error) {
      if (!isStoreError(error)) throw error;
      if (readOnly || !NOT_KEPT.has(error.code)) onUnused?.(error.message);
    }
  };
  if (storePlace(where).exists && refs.length > 0) await use(true, take);
  if (where.team === true) return found;
  const only = missing().filter(({ place, bytes, database, archived }) => {
    return place !== "stdin" && place !== "file" && archived === null && (bytes !== null || database !== null);
  });
  if (only.length === 0 && !keepsAll) return found;
  await use(false, async (store) => {
    const { updateIndex } = await import("../indexing/update-index.ts");
    const options = { ...(keepsAll ? {} : { only }), level: "figures", signal } as const;
    await withProgress((onProgress) => updateIndex(store, where, { ...options, ...(onProgress && { onProgress }) }));
    await take(store);
  });
  return found;
}

/**
 * Returns the figures between two times, for sessions active in that time. A session that extends beyond it is read
 * again, because its figures have no times.
 */
export async function figuresBetween(
  read: readonly SessionFigures[],
  between: Between,
  signal: AbortSignal,
): Promise<SessionFigures[]> {
  const inside: SessionFigures[] = [];
  for (const each of read) {
    signal.throwIfAborted();
    const part = each.figures === null ? each : await partBetween(each.ref, each.figures, between);
    if (part !== undefined) inside.push(part);
  }
  return inside;
}

async function partBetween(ref: SessionRef, whole: Figures, between: Between): Promise<SessionFigures | undefined> {
  const first = msOf(whole.metadata.firstTimestamp);
  const last = msOf(whole.metadata.lastTimestamp);
  const since = between.since?.getTime() ?? Number.NEGATIVE_INFINITY;
  const until = between.until?.getTime() ?? Number.POSITIVE_INFINITY;
  if (first === null || last === null || last < since || first >= until) return undefined;
  if (first >= since && last < until) return { ref, figures: whole, problem: null };
  try {
    const { figuresOf } = await import("../sessions/read-figures.ts");
    const figures = await figuresOf(ref, { between });
    return figures.stats.total_messages === 0 ? undefined : { ref, figures, problem: null };
  } catch (error) {
    if (!isReadFault(error)) throw error;
    return { ref, figures: null, problem: error.message };
  }
}
