/** A thread that helps `findInSessions`. */
import { parentPort, workerData } from "node:worker_threads";
import { Claims } from "./find-claims.ts";
import type { FindQuery, Hit } from "./find.ts";
import { findInFile, type SearchedFile } from "./find-file.ts";

export interface FileTask extends SearchedFile {
  index: number;
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
  for (const { index, ...file } of files) {
    claims.waitFor(index);
    if (claims.claim(index)) report(await searched(index, file, query));
  }
}

async function searched(index: number, file: SearchedFile, query: FindQuery): Promise<WorkerReport> {
  try {
    return { index, hits: await findInFile(file, query) };
  } catch (error) {
    return { index, hits: [], failure: failureOf(error) };
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
