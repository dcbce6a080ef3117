/** Worker thread of `overSessions`. */
import { workerData } from "node:worker_threads";
import type { SessionRef } from "../places/session-ref.ts";
import { serveTasks } from "../worker-thread.ts";
import { runJob, type SessionJob } from "./over-sessions.ts";

// The thread is started by code of the same package, so the type is known.
const job: SessionJob = workerData;
serveTasks((ref: SessionRef) => runJob(job, ref));
