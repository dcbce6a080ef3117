/** Worker thread of `overSessions`. */
import { workerData } from "node:worker_threads";
import type { SessionRef } from "../sessions/session-ref.ts";
import { serveTasks } from "../worker-thread.ts";
import { type SessionJob, threadReport, type ThreadReport } from "./over-sessions.ts";

// The thread is started by code of the same package, so the type is known.
const job: SessionJob = workerData;
let last: Promise<unknown> = Promise.resolve();
// One after the other: the next one waits here only so that there is no pause.
serveTasks((ref: SessionRef): Promise<ThreadReport> => {
  const report = last.then(() => threadReport(job, ref));
  last = report;
  return report;
});
