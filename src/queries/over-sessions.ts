/** Does the same work on many sessions: in this thread, or in others if the sessions are large. */
import { availableParallelism } from "node:os";
import { setImmediate } from "node:timers/promises";
import { errorCode } from "../transcript/files/fault.ts";
import type { SessionRef } from "../sessions/session-ref.ts";
import { type ErrorCode, TranscriptsError } from "../transcripts-error.ts";
import { scriptBeside, WorkerThread } from "../worker-thread.ts";
import { fileName } from "../fixes/touched-files.ts";
import { openReadable, openSession } from "../sessions/open-session.ts";
import { readingOptions } from "../sessions/reading-options.ts";
import { refusingContent } from "../sessions/refuse-content.ts";
import { type Figures, figuresOf } from "../sessions/read-figures.ts";
import { mayHaveTerms } from "./byte-filter.ts";
import { findTerms, type TermsHit, type TermsQuery } from "./find-in-session.ts";
import { leastTerms } from "../search/matching-texts.ts";

export interface OverOptions {
  /** Stops the work: the promise rejects with the signal's reason. */
  signal?: AbortSignal;
  /**
   * Number of threads besides this one, which then only waits. 0: works in this thread. Default: as many as pay off.
   */
  threads?: number;
  /** How many sessions may be finished ahead of the first unfinished one. Default 64. */
  ahead?: number;
}

export interface SessionOutcome<Result> {
  ref: SessionRef;
  /** Undefined if the work failed. */
  result?: Result;
  /** Error that kept the session from being read, or read to its end. */
  failure?: unknown;
}

/** Bytes that are read in the tenth of a second that a thread takes to start. */
const BYTES_A_THREAD = 16 * 1024 * 1024;
/** More threads would only wait for memory and disk. */
const MAX_THREADS = 8;
/** Bounds the memory for results that wait for their turn. */
const AHEAD = 64;
/** Sessions assigned to a thread at a time, so that the next is ready when one is done. */
const AT_A_TIME = 2;

/**
 * Yields the result for each session, in the order of `refs`. A session that cannot be read does not affect the others.
 */
export async function* overSessions<J extends SessionJob>(
  job: J,
  refs: readonly SessionRef[],
  { signal, threads = threadsFor(refs), ahead = AHEAD }: OverOptions = {},
): AsyncGenerator<SessionOutcome<JobResults[J["kind"]]>> {
  const pool = threads > 0 && refs.length > 1 ? new Pool(job, Math.min(threads, refs.length)) : undefined;
  const reports = new Map<number, Promise<ThreadReport | undefined>>();
  const { promise: aborted, resolve: abort } = Promise.withResolvers<undefined>();
  const onAbort = (): void => abort(undefined);
  signal?.addEventListener("abort", onAbort);
  let given = 0;
  try {
    for (const [index, ref] of refs.entries()) {
      signal?.throwIfAborted();
      const end = Math.min(refs.length, index + ahead);
      for (; given < end; given += 1) {
        const next = refs[given];
        // An archived session is read here, where the store is open.
        if (pool && next && next.archived === null) reports.set(given, pool.report(next));
      }
      const report = await Promise.race([reports.get(index), aborted]);
      reports.delete(index);
      signal?.throwIfAborted();
      yield { ref, ...(report ? outcomeOf<JobResults[J["kind"]]>(report) : await done(job, ref, signal)) };
      // Lets signals be received.
      await setImmediate();
    }
  } finally {
    signal?.removeEventListener("abort", onAbort);
    await pool?.stop();
  }
}

type Done<Result> = { result: Result } | { failure: unknown };

async function done<J extends SessionJob>(
  job: J,
  ref: SessionRef,
  signal: AbortSignal | undefined,
): Promise<Done<JobResults[J["kind"]]>> {
  try {
    return { result: await runJob(job, ref, signal) };
  } catch (failure) {
    return { failure };
  }
}

function threadsFor(refs: readonly SessionRef[]): number {
  const bytes = refs.reduce((sum, ref) => sum + (ref.bytes ?? 0), 0);
  const paying = Math.min(availableParallelism(), MAX_THREADS, Math.floor(bytes / BYTES_A_THREAD));
  return paying > 1 ? paying : 0;
}

/** Answer of a thread. */
export interface ThreadReport {
  result?: unknown;
  failure?: SentFailure;
}

/** An error in a form that can be sent between threads. */
interface SentFailure {
  message: string;
  code: string | undefined;
  causeCode: string | undefined;
  path: string | undefined;
  isOurs: boolean;
}

/** Processes one session in a worker thread. */
export async function threadReport(job: SessionJob, ref: SessionRef): Promise<ThreadReport> {
  const outcome = await done(job, ref, undefined);
  return "failure" in outcome ? { failure: sent(outcome.failure) } : { result: outcome.result };
}

function sent(error: unknown): SentFailure {
  const { message, cause } = error instanceof Error ? error : new Error(String(error));
  const isOurs = error instanceof TranscriptsError;
  const path = isOurs ? error.path : undefined;
  return { message, code: errorCode(error), causeCode: errorCode(cause), path, isOurs };
}

// A thread's answer is the result of `runJob` there.
// oxlint-disable typescript/no-unsafe-type-assertion
function outcomeOf<Result>({ result, failure }: ThreadReport): Done<Result> {
  return failure === undefined ? { result: result as Result } : { failure: received(failure) };
}

function received({ message, code, causeCode, path, isOurs }: SentFailure): Error {
  if (!isOurs) return Object.assign(new Error(message), code === undefined ? {} : { code });
  const cause = causeCode === undefined ? {} : { cause: { code: causeCode } };
  return new TranscriptsError(code as ErrorCode, message, "", { ...(path === undefined ? {} : { path }), ...cause });
}
// oxlint-enable typescript/no-unsafe-type-assertion

type SessionThread = WorkerThread<SessionRef, ThreadReport>;

/** Threads that process sessions in the order in which they are given. */
class Pool {
  readonly #threads: readonly SessionThread[];
  /** Free places: a thread is listed once for each further session that it can take. */
  #free: SessionThread[];
  readonly #waiting: (() => void)[] = [];
  readonly #working: Set<SessionThread>;

  constructor(job: SessionJob, threads: number) {
    const script = scriptBeside(import.meta.url, "session-worker");
    this.#threads = Array.from({ length: threads }, () => new WorkerThread(script, { data: job }));
    this.#working = new Set(this.#threads);
    this.#free = Array.from({ length: AT_A_TIME }, () => this.#threads).flat();
  }

  /** Returns the result for a session; undefined if the thread that had it broke, or none is left. */
  async report(ref: SessionRef): Promise<ThreadReport | undefined> {
    while (this.#free.length === 0 && this.#working.size > 0) {
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
    const thread = this.#free.shift();
    if (thread === undefined) return undefined;
    try {
      const report = await thread.run(ref);
      if (this.#working.has(thread)) this.#free.push(thread);
      this.#waiting.shift()?.();
      return report;
    } catch {
      this.#drop(thread);
      return undefined;
    }
  }

  #drop(thread: SessionThread): void {
    if (!this.#working.delete(thread)) return;
    this.#free = this.#free.filter((other) => other !== thread);
    if (this.#working.size === 0) for (const wake of this.#waiting.splice(0)) wake();
  }

  async stop(): Promise<void> {
    await Promise.all(this.#threads.map((thread) => thread.stop()));
  }
}

/** Plain data, so that it can be sent to a thread. */
export type SessionJob = { kind: "find"; query: TermsQuery } | { kind: "figures" };

interface JobResults {
  find: TermsHit[];
  figures: Figures;
}

export function runJob<J extends SessionJob>(
  job: J,
  ref: SessionRef,
  signal?: AbortSignal,
): Promise<JobResults[J["kind"]]>;
export async function runJob(job: SessionJob, ref: SessionRef, signal?: AbortSignal): Promise<unknown> {
  if (job.kind === "find") return find(ref, job.query, signal);
  return figuresOf(ref, signal === undefined ? {} : { signal });
}

async function find(ref: SessionRef, query: TermsQuery, signal: AbortSignal | undefined): Promise<TermsHit[]> {
  const { source, path, bytes } = ref;
  const isFile = source === "claude-code" && path !== null && bytes !== null;
  if (isFile && !mayHaveTerms(path, query.terms, leastTerms(query.terms))) return [];
  if (isFile && query.file !== undefined && !mayHaveTerms(path, [fileName(query.file)], 1)) return [];
  // The error names the path itself.
  const file = (): AsyncIterable<Uint8Array> =>
    refusingContent(openSession(ref), "The file", { mayBeEmpty: true, mayBeUnknown: true });
  return findTerms(
    ref.database === null ? file() : openReadable(ref),
    query,
    await readingOptions(ref, { subagents: true, signal }),
  );
}
