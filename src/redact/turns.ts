/** Lets the host's event loop go on while texts are searched. */
import { performance } from "node:perf_hooks";

/** Work between two looks at the clock, in characters of plain text: a fraction of a millisecond. */
export const SLICE_CHARS = 1024;
/** After so many milliseconds the event loop gets a turn. What runs until then is added: it must stay below 20 ms. */
const SLICE_MS = 8;

let charsLeft = SLICE_CHARS;
let sliceStart = 0;
const waiting: (() => void)[] = [];

/**
 * Whether it is time to `await nextTurn()`. `chars`: the work since the last call, in characters. Shared by all that
 * redact at the same time, so that many short texts in a row take no longer than one long text.
 */
export function isTurnOver(chars: number): boolean {
  charsLeft -= chars;
  if (charsLeft > 0) return false;
  charsLeft = SLICE_CHARS;
  return performance.now() - sliceStart > SLICE_MS;
}

/** Waits until the event loop has come round. Only one waiter goes on each time, the others wait for the next. */
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
