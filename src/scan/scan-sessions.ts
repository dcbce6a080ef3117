/** The figures of many sessions, on all processors. */
import { once } from "node:events";
import { availableParallelism } from "node:os";
import { Worker } from "node:worker_threads";
import type { SessionRef } from "../sessions/session-ref.ts";
import { closeQueue, type ScanOutcome, type ScanQueue, scanQueue, workOff } from "./scan-queue.ts";
import type { SessionScan } from "./session-scan.ts";

export interface ScannedSession {
  ref: SessionRef;
  /** Null if it could not be read. */
  scan: SessionScan | null;
  /** Why not: a sentence for people, with what to do next. */
  problem: string | null;
}

export interface ScanSessionsOptions {
  /** Default: the table of prices by model. */
  pricing?: "catalog" | "flat";
  /** Called for each session that is done, in any order. */
  onScanned?: (ref: SessionRef) => void;
  /** Stops it: the promise rejects with the signal's reason. */
  signal?: AbortSignal;
  /** Threads in all, this one included. Default: as many as pay. */
  threads?: number;
}

/** A thread takes some 50 ms to start, in which as much as this is scanned. */
const BYTES_A_THREAD = 16 * 1024 * 1024;
/** More of them wait for memory and disk. */
const MAX_THREADS = 8;

/** What `scanSession` says of each, in the order of `refs`. A session that cannot be read does not stop the others. */
export async function scanSessions(
  refs: readonly SessionRef[],
  options: ScanSessionsOptions = {},
): Promise<ScannedSession[]> {
  const { pricing = "catalog", onScanned, signal, threads = threadsFor(refs) } = options;
  signal?.throwIfAborted();
  // The largest first: else one of them may keep a thread busy when all others are done.
  const bySize = refs.toSorted((a, b) => (b.bytes ?? 0) - (a.bytes ?? 0));
  const outcomes = new Map<SessionRef, ScanOutcome>();
  const take = (outcome: ScanOutcome): void => {
    const ref = bySize[outcome.index];
    if (!ref || outcomes.has(ref)) return;
    outcomes.set(ref, outcome);
    onScanned?.(ref);
  };
  const queue = scanQueue(bySize, pricing);
  const workers = Array.from({ length: Math.min(threads, refs.length) - 1 }, () => workerFor(queue, take));
  try {
    await worked(queue, take, signal);
    await Promise.all(workers.map(({ done }) => done));
    // What a thread had taken when it broke.
    const left = bySize.filter((ref) => !outcomes.has(ref));
    await worked(scanQueue(left, pricing), (outcome) => take({ ...outcome, index: bySize.indexOf(left[outcome.index] ?? bySize[0]!) }), signal);
  } finally {
    closeQueue(queue);
    await Promise.all(workers.map(({ worker }) => worker.terminate()));
  }
  return refs.map((ref) => scannedSession(ref, outcomes.get(ref)));
}
