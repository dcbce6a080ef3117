/** The figures of many sessions, on all processors. */
import { availableParallelism } from "node:os";
import { Worker } from "node:worker_threads";
import type { SessionRef } from "../sessions/session-ref.ts";
import { closeQueue, type ScanOutcome, type ScanQueue, scanQueue, workOff } from "./scan-queue.ts";
import type { SessionSums } from "./session-scan.ts";

export interface ScannedSession {
  ref: SessionRef;
  /** Null if it could not be read. */
  scan: SessionSums | null;
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
  { pricing = "catalog", onScanned, signal, threads = threadsFor(refs) }: ScanSessionsOptions = {},
): Promise<ScannedSession[]> {
  const done = new Map<SessionRef, ScannedSession>();
  const onOutcome = (queue: ScanQueue, outcome: ScanOutcome): void => {
    const ref = queue.refs[outcome.index];
    if (!ref) return;
    done.set(ref, scannedSession(ref, outcome));
    onScanned?.(ref);
  };
  // The largest first: else one of them may keep a thread busy when all others are done.
  const queue = scanQueue(
    refs.toSorted((a, b) => (b.bytes ?? 0) - (a.bytes ?? 0)),
    pricing,
  );
  const workers = Array.from({ length: Math.min(threads, refs.length) - 1 }, () => startWorker(queue, onOutcome));
  try {
    await workHere(queue, onOutcome, signal);
    await Promise.all(workers.map(({ ended }) => ended));
  } finally {
    closeQueue(queue);
    await Promise.all(workers.map(({ worker }) => worker.terminate()));
  }
  // What a thread had taken when it broke.
  const left = queue.refs.filter((ref) => !done.has(ref));
  await workHere(scanQueue(left, pricing), onOutcome, signal);
  return refs.flatMap((ref) => done.get(ref) ?? []);
}

async function workHere(
  queue: ScanQueue,
  onOutcome: (queue: ScanQueue, outcome: ScanOutcome) => void,
  signal: AbortSignal | undefined,
): Promise<void> {
  signal?.throwIfAborted();
  for await (const outcome of workOff(queue)) {
    onOutcome(queue, outcome);
    signal?.throwIfAborted();
  }
}

/** `ended` never rejects: what a thread did not do is done by this one. */
function startWorker(
  queue: ScanQueue,
  onOutcome: (queue: ScanQueue, outcome: ScanOutcome) => void,
): { worker: Worker; ended: Promise<void> } {
  const file = import.meta.url.endsWith(".ts") ? "./scan-worker.ts" : "./scan-worker.js";
  const worker = new Worker(new URL(file, import.meta.url), { workerData: queue });
  worker.on("message", (outcome: ScanOutcome) => onOutcome(queue, outcome));
  const ended = new Promise<void>((resolve) => {
    worker.once("error", () => resolve());
    worker.once("exit", () => resolve());
  });
  return { worker, ended };
}

function threadsFor(refs: readonly SessionRef[]): number {
  const bytes = refs.reduce((sum, ref) => sum + (ref.bytes ?? 0), 0);
  return Math.min(availableParallelism(), MAX_THREADS, 1 + Math.floor(bytes / BYTES_A_THREAD));
}

function scannedSession(ref: SessionRef, outcome: ScanOutcome): ScannedSession {
  return "scan" in outcome ? { ref, scan: outcome.scan, problem: null } : { ref, scan: null, problem: outcome.problem };
}
