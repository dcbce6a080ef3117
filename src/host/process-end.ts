import { isMainThread } from "node:worker_threads";
import type { Recorder } from "../transcript/recorder.ts";

/** Maximum delay of the process's end, in milliseconds. A second signal ends it at once. */
const FLUSH_MS = 2_000;

const recorders = new Set<Recorder>();
const listening = new Set<NodeJS.Signals>();

/**
 * Flushes the recorder when the process receives one of the signals to stop, on which the host ends without disposing its
 * plugins: text streamed so far would be lost.
 */
export function endWithProcess(recorder: Recorder, signals: readonly NodeJS.Signals[]): void {
  recorders.add(recorder);
  // A worker (as for the TUI's plugins) receives no signals; there the host disposes its plugins.
  if (!isMainThread) return;
  for (const signal of signals) {
    if (listening.has(signal)) continue;
    listening.add(signal);
    process.once(signal, onSignal);
  }
}

function onSignal(signal: NodeJS.Signals): void {
  const flushes = [...recorders].map((recorder) => recorder.flush(FLUSH_MS, "all", "now"));
  // If the host listens too, it decides how the process ends.
  const end = (): boolean => process.listenerCount(signal) === 0 && process.kill(process.pid, signal);
  void Promise.allSettled(flushes).then(end);
}
