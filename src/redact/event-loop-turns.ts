/** Yields to the host's event loop while texts are searched. */
import { performance } from "node:perf_hooks";

/** Work between two checks of the clock, in characters of plain text: a fraction of a millisecond. */
export const SLICE_CHARS = 1024;
/** Milliseconds after which to yield to the event loop. With the work until the next check it must stay below 20 ms. */
const SLICE_MS = 8;

let charsLeft = SLICE_CHARS;
let sliceStart = 0;
const waiting: (() => void)[] = [];

/**
 * Returns true if the caller should `await nextTurn()`. `chars` is the work since the last call, in characters. All
 * callers share one count, so that many short texts in a row block the event loop no longer than one long text.
 */
export function isTurnOver(chars: number): boolean {
  charsLeft -= chars;
  if (charsLeft > 0) return false;
  charsLeft = SLICE_CHARS;
  return performance.now() - sliceStart > SLICE_MS;
}

/** Resolves in a later turn of the event loop: one caller per turn. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    waiting.push(resolve);
    if (waiting.length === 1) setImmediate(wakeNext);
  });
}

function wakeNext(): void {
  const next = waiting.shift();
  if (waiting.length > 0) setImmediate(wakeNext);
  sliceStart = performance.now();
  next?.();
}
