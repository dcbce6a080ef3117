/** Brings the store up to date for a question about many sessions, as far as that is quick. */
import { given } from "../given.ts";
import type { IndexLevel } from "../indexing/is-current.ts";
import { baseId } from "../indexing/session-keys.ts";
import type { IndexReport, UpdateOptions } from "../indexing/update-index.ts";
import { type StaleSession, type StaleSessions, staleSessions } from "../indexing/stale-sessions.ts";
import type { SessionRef, Unreadable, Where } from "../places/session-ref.ts";
import { IN_MEMORY, openStoreInMemory, type StoreWhere } from "../store/open-store.ts";
import type { Store } from "../store/store.ts";
import { isStoreError, type TranscriptsError } from "../transcripts-error.ts";

/** Maximum number of bytes that a question adds to the store: of the newest sessions, and again of others. Takes a few seconds. */
const MOST_BYTES = 50_000_000;

export interface CurrentIndex {
  store: Store;
  /** Sessions on this machine, by their ids in the store. */
  here: ReadonlyMap<string, SessionRef>;
  /** Returns the agents' ids of all sessions, here and in the store. */
  ids: () => string[];
  /** Number of stored sessions whose source is gone. */
  gone: number;
  /** Stored sessions in places of their agent that are not searched now, such as those of another profile. */
  elsewhere: string[];
  /** Returns the ids shared by several sessions on this machine. */
  ambiguous: () => string[];
  /** Number of sessions added just now. */
  updated: number;
  /** Sessions that the store does not have in their current state, and that may have something for the question. */
  missing: readonly StaleSession[];
  /** Number of the others that it does not have: their bytes have nothing for the question. */
  ruledOut: number;
  /** Why the store could not be written. */
  fault: TranscriptsError | undefined;
  unreadable: readonly Unreadable[];
}

export interface CurrentIndexOptions {
  signal: AbortSignal;
  /** Rows that the question needs. Figures are read whatever their sessions' size. Default: content. */
  level?: IndexLevel;
  /** For figures: returns whether the answer is complete without `next` and older sessions. Default: never. */
  isEnough?: (index: CurrentIndex, next: SessionRef) => Promise<boolean>;
  /** Returns the sessions that the question is about. Default: all. */
  wanted?: (refs: readonly SessionRef[]) => Promise<ReadonlySet<SessionRef>>;
  /** Returns false for a session that has nothing for the question, without parsing it. */
  mayHave?: (ref: SessionRef) => boolean | Promise<boolean>;
  /** Maximum time for the update, in milliseconds. What was written by then stays. Default: no limit. */
  maxMs?: number;
  onProgress?: UpdateOptions["onProgress"];
}

/** How a question gets its store. */
export interface StoreAccess {
  /** Opens the store of the question. */
  open(): Promise<Store>;
  /** Closes it, unless others use it too. */
  close(store: Store): Promise<void>;
  /** Tells the user why the store on disk is not used. */
  note(text: string): void;
}

/**
 * Asks the current store, and then uses the answer. If the store cannot be read, or not be written and it has nothing, the
 * question is asked of one that is kept in memory. Rejects with what `ask` and `use` reject with, and with the signal's reason.
 */
export async function askStore<Answer, Result>(
  access: StoreAccess,
  where: Where & StoreWhere,
  options: CurrentIndexOptions,
  ask: (index: CurrentIndex) => Promise<Answer>,
  use: (index: CurrentIndex, answer: Answer) => Promise<Result>,
): Promise<Result> {
  const asked = async (store: Store): Promise<{ index: CurrentIndex; answer: Answer }> => {
    const index = await currentIndex(store, where, options);
    // An older store has more than fits into memory.
    const isEmpty = index.fault !== undefined && !(await hasAny(store, options.level));
    if (isEmpty && store.place !== IN_MEMORY) throw index.fault;
    return { index, answer: await ask(index) };
  };
  let store = await access.open();
  let found: Awaited<ReturnType<typeof asked>>;
  try {
    try {
      found = await asked(store);
    } catch (error) {
      if (!isStoreError(error) || where.team === true) throw error;
      access.note(`the store is kept in memory for this question: ${error.message}`);
      await access.close(store);
      store = await openStoreInMemory(where);
      found = await asked(store);
    }
    return await use(found.index, found.answer);
  } finally {
    await access.close(store);
  }
}

/** Returns whether the store has anything for a question. */
async function hasAny(store: Store, level: IndexLevel = "content"): Promise<boolean> {
  if (level === "content") return (await store.contentOf({})).sessions > 0;
  return (await store.countListed({ subagents: true, empty: true })) > 0;
}

/**
 * Adds what is new to the store: the newest sessions, and if that is not all, those of the others that may have something
 * for the question. Rejects with a `TranscriptsError` if the store cannot be read, and with the signal's reason. `scan`: what is
 * new, for several questions at one time.
 */
export async function currentIndex(
  store: Store,
  where: Where,
  options: CurrentIndexOptions,
  scan: () => Promise<StaleSessions> = () => staleSessions(store, where, options.level),
): Promise<CurrentIndex> {
  // A team's database has what was pushed: the sessions of this machine are no part of the question.
  if (store.backend === "postgres") return { ...NOTHING, store };
  const { wanted, level } = options;
  const found = await scan();
  const asked = await wanted?.(found.stale.map(({ ref }) => ref));
  const stale = asked === undefined ? found.stale : found.stale.filter(({ ref }) => asked.has(ref));
  const here = new Map(found.sessions.map(({ sessionId, ref }) => [sessionId, ref]));
  const current = {
    store,
    here,
    // Those of the store are in order, so that sorting them all is quick.
    ids: () => [...new Set([...found.stored.map(({ session_id: id }) => id), ...here.keys()])].map(baseId),
    gone: found.gone.length,
    elsewhere: found.elsewhere.map(({ session_id: id }) => id),
    ambiguous: () =>
      repeated([...found.sessions.map(({ ref }) => ref.id), ...found.gone.map(({ session_id: id }) => baseId(id))]),
    updated: 0,
    ruledOut: 0,
    fault: undefined,
    unreadable: found.unreadable,
  };
  if (stale.length === 0) return { ...current, missing: [] };
  if (level === "figures") return withFigures({ ...current, missing: [] }, where, stale, options);
  const newest = smallEnough(stale);
  const others = await withSomething(
    stale.filter((session) => !newest.includes(session)),
    options,
  );
  const chosen = [...newest, ...smallEnough(others)];
  const left = others.filter((session) => !chosen.includes(session));
  const ruledOut = stale.length - newest.length - others.length;
  const update = await updated(store, where, chosen, options);
  const { report, fault } = update;
  if (report === undefined) {
    // Some may have been added before.
    const ids = new Set((await staleSessions(store, where)).stale.map(({ sessionId }) => sessionId));
    const missing = [...chosen, ...left].filter(({ sessionId }) => ids.has(sessionId));
    return { ...current, fault, missing, ruledOut, updated: chosen.length + left.length - missing.length };
  }
  const unreadable = [...found.unreadable, ...report.unreadable];
  return { ...current, missing: left, ruledOut, updated: report.new + report.changed, unreadable };
}

const NOTHING: Omit<CurrentIndex, "store"> = {
  here: new Map(),
  ids: () => [],
  gone: 0,
  elsewhere: [],
  ambiguous: () => [],
  updated: 0,
  missing: [],
  ruledOut: 0,
  fault: undefined,
  unreadable: [],
};

/** Sessions whose figures are read before the answer is looked at; then twice as many, since each look is a query. */
const FIRST_AT_A_TIME = 8;

/** Adds the figures of sessions, the newest first. */
async function withFigures(
  index: CurrentIndex,
  where: Where,
  stale: readonly StaleSession[],
  options: CurrentIndexOptions,
): Promise<CurrentIndex> {
  const { isEnough } = options;
  const current = { ...index };
  let size = isEnough === undefined ? stale.length : FIRST_AT_A_TIME;
  for (let at = 0; at < stale.length;) {
    const batch = stale.slice(at, at + size);
    const [next] = batch;
    if (next === undefined || (await isEnough?.(current, next.ref)) === true) break;
    const { report, fault } = await updated(index.store, where, batch, options);
    if (report === undefined) return { ...current, fault, missing: stale.slice(at) };
    current.updated += report.new + report.changed;
    current.unreadable = [...current.unreadable, ...report.unreadable];
    at += batch.length;
    size *= 2;
  }
  return current;
}

/** Leaves out the sessions that have nothing for the question. */
async function withSomething(
  sessions: readonly StaleSession[],
  { mayHave, signal }: CurrentIndexOptions,
): Promise<StaleSession[]> {
  if (mayHave === undefined) return [...sessions];
  const found: StaleSession[] = [];
  for (const session of sessions) {
    signal.throwIfAborted();
    if (await mayHave(session.ref)) found.push(session);
    // Reading is synchronous, so yield for the abort signal.
    await new Promise((resolve) => setImmediate(resolve));
  }
  return found;
}

interface Updated {
  /** Undefined if it ended early. */
  report?: IndexReport;
  fault?: TranscriptsError;
}

/** Adds sessions, and ends early if the time is over or the store cannot be written. */
async function updated(
  store: Store,
  where: Where,
  sessions: readonly StaleSession[],
  { signal, maxMs, onProgress, level }: CurrentIndexOptions,
): Promise<Updated> {
  const late = AbortSignal.any(maxMs === undefined ? [] : [AbortSignal.timeout(maxMs)]);
  const only = sessions.map(({ ref }) => ref);
  const { updateIndex } = await import("../indexing/update-index.ts");
  try {
    const asked = given({ onProgress, level });
    return { report: await updateIndex(store, where, { only, signal: AbortSignal.any([signal, late]), ...asked }) };
  } catch (error) {
    signal.throwIfAborted();
    if (late.aborted) return {};
    if (!isStoreError(error)) throw error;
    return { fault: error };
  }
}

/** Returns the first sessions that are small enough together. One that is too large itself is left to `index`. */
function smallEnough(sessions: readonly StaleSession[]): StaleSession[] {
  let room = MOST_BYTES;
  return sessions.filter(({ bytes }) => {
    const isTaken = bytes <= room;
    if (isTaken) room -= bytes;
    return isTaken;
  });
}

function repeated(ids: readonly string[]): string[] {
  const met = new Set<string>();
  return ids.filter((id) => met.has(id) || !met.add(id));
}
