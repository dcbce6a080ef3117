/** Searching many sessions, on two threads where that pays. */
import { setImmediate } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import { findInSession, type FindQuery, type Hit } from "./find.ts";
import { findInFile, type SearchedFile } from "./find-file.ts";
import type { ScanInput } from "./find-input.ts";
import { Claims } from "./find-claims.ts";
import type { FileTask, WorkerReport, WorkerTask } from "./find-worker.ts";
import type { ScanOptions } from "./find-units.ts";

/** A file of Claude Code, which needs nothing but itself to be read, or any other input with what it needs. */
export type Searched = (SearchedFile & { bytes: number }) | { input: ScanInput; options: ScanOptions };

export interface SessionHits {
  /** Place of the session in the list. */
  index: number;
  hits: readonly Hit[];
  /** Why the session could not be read, or not to its end. */
  failure?: unknown;
}

export interface SearchOptions {
  /** Threads at work, this one included. Default 2; more hardly help, for memory is what the search waits for. */
  threads?: number;
  /** Bytes in all from which another thread is started. Default 32 MiB: one takes some 35 ms until it is up. */
  threadFromBytes?: number;
}

const THREADS = 2;
const THREAD_FROM_BYTES = 32 * 1024 * 1024;

/**
 * The hits of each session, in the order of the list, those without hits included. A session that cannot be read costs
 * itself alone. Stopping early stops the other threads; they are never more than some sessions ahead.
 */
export async function* findInSessions(
  sessions: readonly Searched[],
  query: FindQuery,
  { threads = THREADS, threadFromBytes = THREAD_FROM_BYTES }: SearchOptions = {},
): AsyncGenerator<SessionHits> {
  const claims = Claims.of(sessions.length);
  const ready = new Map<number, SessionHits>();
  const files = filesOf(sessions, threadFromBytes);
  const helpers = Array.from(
    { length: files.length === 0 ? 0 : threads - 1 },
    () => new Helper({ files, query, claims: claims.shared }),
  );
  for (const helper of helpers) helper.onReport = (report) => ready.set(report.index, report);
  try {
    for (let next = 0; next < sessions.length;) {
      const found = ready.get(next);
      if (found) {
        ready.delete(next);
        next += 1;
        claims.passed(next);
        yield found;
        continue;
      }
      const index = claims.take();
      const session = index === undefined ? undefined : sessions[index];
      if (index !== undefined && session) ready.set(index, await searched(index, session, query));
      // Also where reports of the other threads come in, and signals.
      await (session ? setImmediate() : Promise.race(helpers.map((helper) => helper.nextReport())));
    }
  } finally {
    await Promise.all(helpers.map((helper) => helper.stop()));
  }
}

async function searched(index: number, session: Searched, query: FindQuery): Promise<SessionHits> {
  const hits: Hit[] = [];
  try {
    if ("path" in session) return { index, hits: await findInFile(session, query) };
    for await (const hit of findInSession(session.input, query, session.options)) hits.push(hit);
    return { index, hits };
  } catch (failure) {
    return { index, hits, failure };
  }
}

/** What another thread can search; nothing if that is too little. */
function filesOf(sessions: readonly Searched[], fromBytes: number): FileTask[] {
  const bytes = sessions.reduce((sum, session) => sum + ("path" in session ? session.bytes : 0), 0);
  if (bytes < fromBytes) return [];
  return sessions.flatMap((session, index): FileTask[] => {
    if (!("path" in session)) return [];
    const { path, isTop = false } = session;
    return [{ index, path, isTop }];
  });
}

/** Another thread that searches files of the list. */
class Helper {
  onReport: (report: SessionHits) => void = () => undefined;
  readonly #worker: Worker;
  #wake: () => void = () => undefined;
  #failure: unknown;

  constructor(task: WorkerTask) {
    // As this file: `.ts` where it runs as it was written, `.js` where it was built.
    this.#worker = new Worker(new URL(`./find-worker${import.meta.url.slice(-3)}`, import.meta.url), {
      workerData: task,
    });
    this.#worker.on("message", (report: WorkerReport) => {
      this.onReport(hitsOf(report));
      this.#wake();
    });
    this.#worker.on("error", (error) => {
      this.#failure = error;
      this.#wake();
    });
  }

  /** Rejects if the thread has broken down. */
  async nextReport(): Promise<void> {
    if (this.#failure === undefined) await new Promise<void>((resolve) => (this.#wake = resolve));
    if (this.#failure !== undefined) throw this.#failure;
  }

  async stop(): Promise<void> {
    await this.#worker.terminate();
  }
}

/** Errors lose their fields on the way from a thread. */
function hitsOf({ index, hits, failure }: WorkerReport): SessionHits {
  return failure === undefined
    ? { index, hits }
    : { index, hits, failure: Object.assign(new Error(failure.message), failure) };
}
