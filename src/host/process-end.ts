import { isMainThread } from "node:worker_threads";
import type { Recorder } from "../transcript/recorder.ts";

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
/** How long the end of the process is delayed at most, in milliseconds. A second signal ends it at once. */
const FLUSH_MS = 2_000;

const recorders = new Set<Recorder>();
let isListening = false;

/**
 * Has the recorder write what it holds when the process is told to stop. `opencode run` and `serve` die of a
 * signal without disposing their plugins; what the assistant has streamed so far would be lost.
 */
export function endWithProcess(recorder: Recorder): void {
  recorders.add(recorder);
  // In a worker (the TUI's plugins) signals do not arrive; the host disposes its plugins there.
  if (isListening || !isMainThread) return;
  isListening = true;
  for (const signal of SIGNALS) process.once(signal, onSignal);
  process.once("exit", () => {
    for (const held of recorders) held.flushSync();
  });
}

function onSignal(signal: NodeJS.Signals): void {
  const flushes = [...recorders].map((recorder) => recorder.flush(FLUSH_MS, "all", "now"));
  // Where the host listens too, it decides how the process ends.
  const end = (): boolean => process.listenerCount(signal) === 0 && process.kill(process.pid, signal);
  void Promise.allSettled(flushes).then(end);
}
