/** A thread of tools that does as its calls say: answers, never answers, loops, breaks down; and notes when it is closed. */
import { appendFileSync } from "node:fs";
import { parentPort, threadId, workerData } from "node:worker_threads";
import type { ToolCallRequest } from "../../../src/tools/runner/tool-requests.ts";
import type { FromThread, ToThread } from "../../../src/worker-thread.ts";

const { home }: { home: string } = workerData;
const log = (line: string): void => appendFileSync(`${home}/thread.log`, `${line}\n`);
// oxlint-disable-next-line unicorn/require-post-message-target-origin -- threads have no origins
const say = (message: FromThread): void => parentPort?.postMessage(message);

parentPort?.on("message", (message: ToThread) => {
  log(message.kind);
  if (message.kind === "ping") say({ kind: "alive" });
  if (message.kind === "close") parentPort?.close();
  if (message.kind !== "task") return;
  const { id } = message;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the runner gives nothing else
  const request = message.task as ToolCallRequest;
  if (request.tool === "answer")
    say({ kind: "done", id, result: { text: `thread ${threadId}`, data: { version: 1 } } });
  if (request.tool === "loop") for (;;);
  if (request.tool === "break") throw new Error("broken on purpose");
});
say({ kind: "ready" });
