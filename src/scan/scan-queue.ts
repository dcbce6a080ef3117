/** Sessions that several threads scan together: each takes the next one when it is done with its last. */
import { setImmediate } from "node:timers/promises";
import { catalogPricing, flatPricing } from "../parse/pricing.ts";
import { SessionError } from "../sessions/session-error.ts";
import type { SessionRef } from "../sessions/session-ref.ts";
import { sessionSums, type SessionSums } from "./session-scan.ts";
import { type LoneScan, scanAlone } from "./scan-session.ts";

/** What all threads know. Plain data, so that it can be sent to them. */
export interface ScanQueue {
  refs: readonly SessionRef[];
  pricing: "catalog" | "flat";
  /** How many of `refs` were taken. Shared memory. */
  taken: Int32Array;
}

/** A scan, or why there is none: a sentence for people. */
export type ScanOutcome = { index: number; scan: SessionSums } | { index: number; problem: string };

export function scanQueue(refs: readonly SessionRef[], pricing: "catalog" | "flat"): ScanQueue {
  return { refs, pricing, taken: new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT)) };
}

/** Scans sessions until none is left; gives the thread's event loop a turn after each. */
export async function* workOff({ refs, pricing, taken }: ScanQueue): AsyncGenerator<ScanOutcome> {
  const prices = pricing === "flat" ? flatPricing : await catalogPricing();
  for (;;) {
    const index = Atomics.add(taken, 0, 1);
    const ref = refs[index];
    if (!ref) return;
    yield await outcomeOf(index, scanAlone(ref, { pricing: prices }));
    await setImmediate();
  }
}

/** Lets the threads find nothing more to do. */
export function closeQueue({ refs, taken }: ScanQueue): void {
  Atomics.store(taken, 0, refs.length);
}

async function outcomeOf(index: number, scanning: Promise<LoneScan>): Promise<ScanOutcome> {
  try {
    const { scan, agentProgress } = await scanning;
    return { index, scan: sessionSums(scan, agentProgress) };
  } catch (error) {
    if (error instanceof SessionError) return { index, problem: error.message };
    throw error;
  }
}
