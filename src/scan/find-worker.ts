/** A thread that helps `findInSessions`. */
import { parentPort, workerData } from "node:worker_threads";
import { Claims } from "./find-claims.ts";
import { findInSession, type FindQuery, type Hit } from "./find.ts";
import { fileInput } from "./find-input.ts";

export interface FileTask {
  index: number;
  path: string;
}

export interface WorkerTask {
  files: readonly FileTask[];
  query: FindQuery;
  claims: SharedArrayBuffer;
}

export interface WorkerReport {
  index: number;
  hits: readonly Hit[];
  failure?: { message: string; code?: string; syscall?: string };
}

async function work(
  { files, query, claims: shared }: WorkerTask,
  report: (found: WorkerReport) => void,
): Promise<void> {
  const claims = new Claims(shared);
  for (const { index, path } of files) {
    claims.waitFor(index);
    if (claims.claim(index)) report(await searched(index, path, query));
  }
}

async function searched(index: number, path: string, query: FindQuery): Promise<WorkerReport> {
  const hits: Hit[] = [];
  try {
    for await (const hit of findInSession(fileInput(path), query)) hits.push(hit);
    return { index, hits };
  } catch (error) {
    return { index, hits, failure: failureOf(error) };
  }
}

function failureOf(error: unknown): NonNullable<WorkerReport["failure"]> {
  if (!(error instanceof Error)) return { message: String(error) };
  const failure: NonNullable<WorkerReport["failure"]> = { message: error.message };
  if ("code" in error && typeof error.code === "string") failure.code = error.code;
  if ("syscall" in error && typeof error.syscall === "string") failure.syscall = error.syscall;
  return failure;
}

const port = parentPort;
if (port) {
  // What starts the thread and what runs in it are of one package: the task is what it was given.
  const task: WorkerTask = workerData;
  await work(task, (found) => port.postMessage(found));
}
