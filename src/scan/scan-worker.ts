/** A thread of `scanSessions`. It posts outcomes. */
import { parentPort, workerData } from "node:worker_threads";
import { type ScanQueue, workOff } from "./scan-queue.ts";

const queue: ScanQueue = workerData;
// oxlint-disable-next-line unicorn/require-post-message-target-origin -- threads have no origins
for await (const outcome of workOff(queue)) parentPort?.postMessage(outcome);
