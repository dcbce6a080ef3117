/** A thread of tools that waits for somebody to open the other end of a pipe, which nothing but that ends. */
import { open } from "node:fs/promises";
import { parentPort, workerData } from "node:worker_threads";
import type { FromThread, ToThread } from "../../../src/worker-thread.ts";

const { home }: { home: string } = workerData;
// oxlint-disable-next-line unicorn/require-post-message-target-origin -- threads have no origins
const say = (message: FromThread): void => parentPort?.postMessage(message);

parentPort?.on("message", (message: ToThread) => {
  if (message.kind !== "task") return;
  const { id } = message;
  void open(`${home}/pipe`).then((file) => file.close());
  say({ kind: "done", id, result: { text: "waiting", data: { version: 1 } } });
});
say({ kind: "ready" });
