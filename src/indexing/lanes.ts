/** Where sessions are indexed: in this thread, or in others while this one writes. */
import { availableParallelism } from "node:os";
import { createRedactor, type Redactor } from "../redact/redactor.ts";
import type { Store } from "../store/store.ts";
import { attempt, type Attempt } from "./attempt.ts";
import { BrokenThread, IndexThread } from "./index-thread.ts";
import type { IndexRequest } from "./index-session.ts";
import type { IndexLimits } from "./limits.ts";

export type LaneTask = Pick<IndexRequest, "sessionId" | "ref" | "rebuild">;

/** Takes one session at a time. */
export interface Lane {
  index(task: LaneTask): Promise<Attempt>;
  stop(): Promise<void>;
}

export interface LaneOptions {
  store: Store;
  limits: IndexLimits;
  signal: AbortSignal | undefined;
  redactor: Redactor | undefined;
  /** Threads besides this one. */
  threads: number;
}

/** Writing takes a third of the time, so more would wait for it. Two keep one processor busy while this thread writes. */
const MOST_THREADS = 3;
/** Bytes to be read from which threads pay: each takes a third of a second and some 100 MB until it is up. */
const THREADS_FROM_BYTES = 64 * 1024 * 1024;

export function threadsFor(bytes: number): number {
  const processors = availableParallelism();
  return bytes < THREADS_FROM_BYTES || processors === 1 ? 0 : Math.min(MOST_THREADS, processors);
}

export function lanesFor({ store, limits, signal, redactor, threads }: LaneOptions): Lane[] {
  const made: { redactor: Redactor | undefined } = { redactor };
  const here: Lane = {
    index: (task) => attempt({ ...task, store, limits, signal, redactor: (made.redactor ??= createRedactor()) }),
    stop: async () => undefined,
  };
  // A redactor that was given stands in this thread.
  if (threads === 0 || redactor !== undefined) return [here];
  return Array.from({ length: threads }, () => laneIn(new IndexThread(store, limits), here));
}

/** A thread that cannot run costs its help alone. */
function laneIn(thread: IndexThread, here: Lane): Lane {
  let lane: Pick<Lane, "index"> = thread;
  let isStopped = false;
  return {
    index: async (task) => {
      try {
        return await lane.index(task);
      } catch (error) {
        if (isStopped || !(error instanceof BrokenThread)) throw error;
        lane = here;
        return here.index(task);
      }
    },
    stop: () => {
      isStopped = true;
      return thread.stop();
    },
  };
}
