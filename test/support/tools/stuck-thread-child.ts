/** A thread of tools that waits for somebody to open the other end of a pipe, which nothing but that ends. */
import { open } from "node:fs/promises";
import { parentPort, workerData } from "node:worker_threads";
import type { FromTask, ToThread } from "../../../src/worker-thread.ts";

const { home }: { home: string } = workerData;

parentPort?.on("message", ({ kind, port }: ToThread) => {
  if (kind !== "task") return;
  void open(`${home}/pipe`).then((file) => file.close());
  port.postMessage({ kind: "done", result: { text: "waiting", data: { version: 1 } } } satisfies FromTask);
});
// oxlint-disable-next-line unicorn/require-post-message-target-origin -- threads have no origins
parentPort?.postMessage("ready");
