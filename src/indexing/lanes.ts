/** Lanes that index sessions: this thread, or other threads while this one writes. */
import { availableParallelism } from "node:os";
import { createRedactor, type Redactor } from "../redact/redactor.ts";
import type { Store } from "../store/store.ts";
import type { IndexWorkerData, LaneTask, StoreCall } from "./index-worker.ts";
import { indexSession, type Attempt } from "./index-session.ts";
import type { IndexLimits } from "./limits.ts";
import { BrokenThread, scriptBeside, WorkerThread } from "../worker-thread.ts";

/** Indexes one session at a time. */
export interface Lane {
  index(task: LaneTask): Promise<Attempt>;
  stop(): Promise<void>;
}

export interface LaneOptions {
  store: Store;
  limits: IndexLimits;
  signal: AbortSignal | undefined;
  redactor: Redactor | undefined;
  /** Number of threads besides this one. */
  threads: number;
}

/**
 * Writing takes a third of the time, so more threads would only wait for it. Two keep one processor busy while this
 * thread writes.
 */
const MOST_THREADS = 3;
/** Unread bytes from which threads pay off: each takes a third of a second and about 100 MB to start. */
const THREADS_FROM_BYTES = 64 * 1024 * 1024;

export function threadsFor(bytes: number): number {
  const processors = availableParallelism();
  return bytes < THREADS_FROM_BYTES || processors === 1 ? 0 : Math.min(MOST_THREADS, processors);
}

export function lanesFor({ store, limits, signal, redactor, threads }: LaneOptions): Lane[] {
  const made: { redactor: Redactor | undefined } = { redactor };
  const here: Lane = {
    index: (task) => indexSession({ ...task, store, limits, signal, redactor: (made.redactor ??= createRedactor()) }),
    stop: async () => undefined,
  };
  // A given redactor cannot be passed to another thread.
  if (threads === 0 || redactor !== undefined) return [here];
  return Array.from({ length: threads }, () => laneIn(store, limits, here));
}

/** If a thread breaks, its sessions are indexed in this one. */
function laneIn(store: Store, limits: IndexLimits, here: Lane): Lane {
  const thread = new WorkerThread<LaneTask, Attempt>(scriptBeside(import.meta.url, "index-worker"), {
    data: { limits, machine: store.machine } satisfies IndexWorkerData,
    answer: async (question) => {
      // The thread and what starts it are of one package.
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion
      const { method, args } = question as StoreCall;
      const call: unknown = store[method];
      if (typeof call !== "function") throw new TypeError(`A store has no ${method}.`);
      return Reflect.apply(call, store, args);
    },
  });
  let isStopped = false;
  return {
    index: async (task) => {
      try {
        return await thread.run(task);
      } catch (error) {
        if (isStopped || !(error instanceof BrokenThread)) throw error;
        return here.index(task);
      }
    },
    stop: () => {
      isStopped = true;
      return thread.stop();
    },
  };
}
