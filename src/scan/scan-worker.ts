/** A thread of `scanSessions`. It posts outcomes. */
import { parentPort, workerData } from "node:worker_threads";
import { type ScanQueue, workOff } from "./scan-queue.ts";

const queue: ScanQueue = workerData;
for await (const outcome of workOff(queue)) parentPort?.postMessage(outcome);
