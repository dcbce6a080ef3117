/** Reads the figures of many sessions: in this thread, or in others if the sessions are large. */
import { availableParallelism } from "node:os";
import { setImmediate } from "node:timers/promises";
import type { SessionRef } from "../places/session-ref.ts";
import { BrokenThread, scriptBeside, WorkerThread } from "../worker-thread.ts";
import { type Figures, figuresOf } from "../sessions/read-figures.ts";

export interface OverOptions {
  /** Stops the work: the promise rejects with the signal's reason. */
  signal?: AbortSignal;
  /**
   * Number of threads besides this one, which then only waits. 0: works in this thread. Default: as many as pay off.
   */
  threads?: number;
  /** How many sessions may be finished ahead of the first unfinished one. Default 64. */
  ahead?: number;
}

export interface SessionOutcome {
  ref: SessionRef;
  /** Undefined if it could not be read. */
  result?: Figures;
  /** Error that kept the session from being read, or read to its end. */
  failure?: unknown;
}

/** Bytes that are read in the tenth of a second that a thread takes to start. */
const BYTES_A_THREAD = 16 * 1024 * 1024;
/** More threads would only wait for memory and disk. */
const MAX_THREADS = 8;
/** Bounds the memory for results that wait for their turn. */
const AHEAD = 64;
/** Sessions assigned to a thread at a time, so that the next is ready when one is done. */
const AT_A_TIME = 2;

/**
 * Yields the result for each session, in the order of `refs`. A session that cannot be read does not affect the others.
 */
export async function* overSessions(
  refs: readonly SessionRef[],
  { signal, threads = threadsFor(refs), ahead = AHEAD }: OverOptions = {},
): AsyncGenerator<SessionOutcome> {
  const pool = threads > 0 && refs.length > 1 ? new Pool(Math.min(threads, refs.length)) : undefined;
  const underWay = new Map<number, Promise<Done | undefined>>();
  let given = 0;
  try {
    for (const [index, ref] of refs.entries()) {
      signal?.throwIfAborted();
      const end = Math.min(refs.length, index + ahead);
      for (; given < end; given += 1) {
        const next = refs[given];
        // An archived session is read here, where the store is open.
        if (pool && next && next.archived === null) underWay.set(given, pool.done(next, signal));
      }
      const outcome = await underWay.get(index);
      underWay.delete(index);
      signal?.throwIfAborted();
      yield { ref, ...(outcome ?? (await done(ref, signal))) };
      // Lets signals be received.
      await setImmediate();
    }
  } finally {
    await pool?.stop();
  }
}

type Done = { result: Figures } | { failure: unknown };

async function done(ref: SessionRef, signal: AbortSignal | undefined): Promise<Done> {
  try {
    return { result: await figuresOf(ref, signal === undefined ? {} : { signal }) };
  } catch (failure) {
    return { failure };
  }
}

function threadsFor(refs: readonly SessionRef[]): number {
  const bytes = refs.reduce((sum, ref) => sum + (ref.bytes ?? 0), 0);
  const paying = Math.min(availableParallelism(), MAX_THREADS, Math.floor(bytes / BYTES_A_THREAD));
  return paying > 1 ? paying : 0;
}

/** Threads that process sessions in the order in which they are given. */
class Pool {
  readonly #threads: readonly WorkerThread<SessionRef, Figures>[];
  /** Free places: a thread is listed once for each further session that it can take. */
  #free: WorkerThread<SessionRef, Figures>[];
  readonly #waiting: (() => void)[] = [];
  readonly #working: Set<WorkerThread<SessionRef, Figures>>;

  constructor(threads: number) {
    const script = scriptBeside(import.meta.url, "session-worker");
    this.#threads = Array.from({ length: threads }, () => new WorkerThread(script, { data: undefined }));
    this.#working = new Set(this.#threads);
    this.#free = Array.from({ length: AT_A_TIME }, () => this.#threads).flat();
  }

  /** Processes a session; undefined if the thread that had it broke, or none is left. */
  async done(ref: SessionRef, signal: AbortSignal | undefined): Promise<Done | undefined> {
    while (this.#free.length === 0 && this.#working.size > 0) {
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
    const thread = this.#free.shift();
    if (thread === undefined || signal?.aborted === true) return undefined;
    try {
      return { result: await thread.run(ref, signal) };
    } catch (failure) {
      if (!(failure instanceof BrokenThread)) return { failure };
      this.#working.delete(thread);
      this.#free = this.#free.filter((other) => other !== thread);
      return undefined;
    } finally {
      if (this.#working.has(thread)) this.#free.push(thread);
      // With no thread left, all that wait are woken.
      for (const wake of this.#waiting.splice(0, this.#working.size === 0 ? Infinity : 1)) wake();
    }
  }

  async stop(): Promise<void> {
    await Promise.all(this.#threads.map((thread) => thread.stop()));
  }
}
