/** A thread of tools that does as its calls say: answers, never answers, loops, breaks down; and notes when it is closed. */
import { appendFileSync } from "node:fs";
import { parentPort, threadId, workerData } from "node:worker_threads";
import type { ToolCallRequest } from "../../../src/tools/runner/tool-requests.ts";
import type { FromTask, ToThread } from "../../../src/worker-thread.ts";

const { home }: { home: string } = workerData;
const log = (line: string): void => appendFileSync(`${home}/thread.log`, `${line}\n`);

parentPort?.on("message", ({ kind, task, port }: ToThread) => {
  log(kind);
  const done = (result?: unknown): void => port.postMessage({ kind: "done", result } satisfies FromTask);
  if (kind === "close") parentPort?.close();
  if (kind !== "task") return;
  port.on("message", (reply: { kind: string }) => log(reply.kind));
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the runner gives nothing else
  const { tool } = task as ToolCallRequest;
  if (tool === "answer") done({ text: `thread ${threadId}`, data: { version: 1 } });
  if (tool === "loop") for (;;);
  if (tool === "break") throw new Error("broken on purpose");
});
// oxlint-disable-next-line unicorn/require-post-message-target-origin -- threads have no origins
parentPort?.postMessage("ready");
