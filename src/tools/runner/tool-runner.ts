/** Runs tools in a separate thread, so that they never block the caller's. */
import { failure } from "../failure.ts";
import type { ToolAnswer } from "../tool.ts";
import type { ToolCallRequest, ToolSurroundings } from "./tool-requests.ts";
import { TranscriptsError } from "../../transcripts-error.ts";
import { scriptBeside, WorkerThread } from "../../worker-thread.ts";

/** Runs calls in a worker thread, or in-process if none starts. */
interface Performer {
  run(request: ToolCallRequest, signal: AbortSignal): Promise<ToolAnswer>;
  /** Resolves to false if it hangs and cannot be ended. */
  close(limitMs: number): Promise<boolean | void>;
  /** Resolves to whether it responds within `limitMs`. Missing for in-process calls. */
  reacts?(limitMs: number): Promise<boolean>;
}

export interface ToolRunnerOptions extends ToolSurroundings {
  /** Time after which an idle thread ends, in milliseconds. Default 30,000. */
  idleMs?: number;
  /** Maximum time for a call, in milliseconds; after that it is cancelled and answered as failed. Default 55,000. */
  callMs?: number;
  /**
   * Maximum time in which a thread must respond after a cancelled call, in milliseconds, before it is abandoned.
   * Default 2,000.
   */
  stuckMs?: number;
  /** File of the thread. Default: `tool-worker`. */
  workerUrl?: URL;
  /** Loads `ToolCalls` into this thread, if no other can be started. Default: from `tool-requests`. */
  loadCalls?: () => Promise<{ ToolCalls: new (where: ToolSurroundings) => Performer }>;
}

const IDLE_MS = 30_000;
/** Below the 60 seconds after which clients built on the MCP SDK give up without a reason. */
const CALL_MS = 55_000;
const STUCK_MS = 2_000;
/** Maximum time for a thread to close its store before it is terminated, and then to end. */
const CLOSE_MS = 2_000;

export class ToolRunner {
  readonly #options: ToolRunnerOptions;
  #performer: Promise<Performer> | undefined;
  #underWay = 0;
  #idle: NodeJS.Timeout | undefined;
  #isClosed = false;
  /** Threads that are closing or hanging. */
  readonly #endings = new Set<Promise<boolean>>();

  constructor(options: ToolRunnerOptions) {
    this.#options = options;
  }

  /**
   * Answers within `callMs`; the answer is a failure if the work took longer. Rejects at once with the signal's reason,
   * and if the thread broke or was closed in the meantime. A thread that is still stuck afterwards is replaced.
   */
  async call(request: ToolCallRequest, signal: AbortSignal): Promise<ToolAnswer> {
    signal.throwIfAborted();
    if (this.#isClosed) throw new Error("The tools are closed.");
    clearTimeout(this.#idle);
    this.#underWay += 1;
    const late = new AbortController();
    const limit = setTimeout(() => late.abort(tooLong(this.#callMs)), this.#callMs);
    const ended = AbortSignal.any([signal, late.signal]);
    const starting = this.#performer ?? this.#begin();
    try {
      const work = starting.then((performer) => performer.run(request, ended));
      return await Promise.race([work, rejectionOf(ended)]);
    } catch (error) {
      if (ended.aborted) void this.#replaceIfStuck(starting);
      if (late.signal.aborted && !signal.aborted) return failure(request.tool, late.signal.reason);
      throw error;
    } finally {
      clearTimeout(limit);
      this.#underWay -= 1;
      if (this.#underWay === 0) this.#restLater();
    }
  }

  get #callMs(): number {
    return this.#options.callMs ?? CALL_MS;
  }

  async #replaceIfStuck(starting: Promise<Performer>): Promise<void> {
    const limitMs = this.#options.stuckMs ?? STUCK_MS;
    const performer = await starting.catch(() => undefined);
    if (performer?.reacts === undefined || (await performer.reacts(limitMs)) || this.#performer !== starting) return;
    this.#rest(CLOSE_MS);
  }

  /**
   * Cancels running calls and releases all resources. Never rejects, and waits at most twice `limitMs` for a hanging
   * call. Resolves to false if a thread is stuck in a system call and cannot be terminated; then the process cannot
   * exit either (Node waits for its threads) and must be killed.
   */
  async close(limitMs = CLOSE_MS): Promise<boolean> {
    this.#isClosed = true;
    this.#rest(limitMs);
    const ended = await Promise.all(this.#endings);
    return ended.every(Boolean);
  }

  #restLater(): void {
    if (this.#isClosed) return;
    this.#idle = setTimeout(() => this.#rest(CLOSE_MS), this.#options.idleMs ?? IDLE_MS);
    this.#idle.unref();
  }

  #rest(limitMs: number): void {
    clearTimeout(this.#idle);
    const performer = this.#performer;
    this.#performer = undefined;
    if (performer === undefined) return;
    const ending = endOf(performer, limitMs).then((hasEnded) => {
      if (hasEnded) this.#endings.delete(ending);
      return hasEnded;
    });
    this.#endings.add(ending);
  }

  #begin(): Promise<Performer> {
    const { env, home, workerUrl = near("tool-worker"), loadCalls = loadRequests } = this.#options;
    // Only plain data can be sent to a thread.
    const where = { env: { ...env }, home };
    const thread = new WorkerThread<ToolCallRequest, ToolAnswer>(workerUrl, { data: where });
    const starting = thread.ready.then(async (isReady): Promise<Performer> => {
      if (!isReady) return new (await loadCalls()).ToolCalls(where);
      void thread.ended.then(drop);
      return thread;
    });
    const drop = (): void => {
      // Another one may have been started by then.
      if (this.#performer === starting) this.#performer = undefined;
    };
    this.#performer = starting;
    return starting;
  }
}

/** By addresses that a bundler does not follow, since all of the store and the parser hang on these files. */
function near(name: string): URL {
  return scriptBeside(import.meta.url, name);
}

const loadRequests: NonNullable<ToolRunnerOptions["loadCalls"]> = () => import(near("tool-requests").href);

function tooLong(callMs: number): TranscriptsError {
  const problem = `It took longer than ${Math.round(callMs / 1000)} seconds and was given up.`;
  return new TranscriptsError("timeout", problem, "Ask for less: one session, a shorter range or a later `since`.");
}

/** Returns a promise that rejects with the signal's reason on abort. */
function rejectionOf(signal: AbortSignal): Promise<never> {
  const rejection = new Promise<never>((_, reject) => {
    const end = (): void => reject(signal.reason);
    if (signal.aborted) end();
    else signal.addEventListener("abort", end, { once: true });
  });
  // Avoids an unhandled rejection if the work ended first.
  rejection.catch(() => undefined);
  return rejection;
}

async function endOf(performer: Promise<Performer>, limitMs: number): Promise<boolean> {
  try {
    return (await (await performer).close(limitMs)) !== false;
  } catch {
    // It is abandoned either way.
    return true;
  }
}
