/** The thread in which tools work: SQLite, parsing and redaction would hold up the host's own. See `ToolRunner`. */
import { parentPort, workerData } from "node:worker_threads";
import type { FromThread, ToThread } from "./thread-messages.ts";
import { ToolCalls, type ToolSurroundings } from "./tool-calls.ts";

// Only what starts this file gives it its data.
// oxlint-disable-next-line typescript/no-unsafe-type-assertion
const calls = new ToolCalls(workerData as ToolSurroundings);
const underWay = new Map<number, AbortController>();

// What libraries print must not get between what the process says on its standard output.
process.stdout.write = process.stderr.write.bind(process.stderr);

parentPort?.on("message", (message: ToThread) => void take(message));
say({ kind: "ready" });

async function take(message: ToThread): Promise<void> {
  if (message.kind === "cancel") return underWay.get(message.id)?.abort();
  if (message.kind === "ping") return say({ kind: "alive" });
  if (message.kind === "close") return end();
  const { id, request } = message;
  const cancelling = new AbortController();
  underWay.set(id, cancelling);
  try {
    say({ kind: "answer", id, answer: await calls.call(request, cancelling.signal) });
  } catch {
    // A call rejects only if it was cancelled.
    say({ kind: "cancelled", id });
  } finally {
    underWay.delete(id);
  }
}

async function end(): Promise<void> {
  for (const cancelling of underWay.values()) cancelling.abort();
  try {
    await calls.close();
  } finally {
    parentPort?.close();
  }
}

function say(message: FromThread): void {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
  parentPort?.postMessage(message);
}
