/** Runs tools in a separate thread, so that they never block the caller's. */
import { failure } from "../failure.ts";
import type { ToolAnswer } from "../tool.ts";
import type { ToolCallRequest, ToolSurroundings } from "./tool-requests.ts";
import { TranscriptsError } from "../../transcripts-error.ts";
import { BrokenThread, scriptBeside, WorkerThread } from "../../worker-thread.ts";

type ToolThread = WorkerThread<ToolCallRequest, ToolAnswer>;

export interface ToolRunnerOptions extends ToolSurroundings {
  /** Time after which an idle thread ends, in milliseconds. Default 30,000. */
  idleMs?: number;
  /** Maximum time for a call, in milliseconds; after that it is cancelled and answered as failed. Default 55,000. */
  callMs?: number;
  /** File of the thread. Default: `tool-worker`. */
  workerUrl?: URL;
}

const IDLE_MS = 30_000;
/** Below the 60 seconds after which clients built on the MCP SDK give up without a reason. */
const CALL_MS = 55_000;
/** Maximum time for a thread to close its store before it is terminated. */
const CLOSE_MS = 2_000;

export class ToolRunner {
  readonly #options: ToolRunnerOptions;
  #thread: Promise<ToolThread> | undefined;
  #underWay = 0;
  #idle: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(options: ToolRunnerOptions) {
    this.#options = options;
  }

  /**
   * Answers within `callMs`; the answer is a failure if the work took longer, and the next call gets another thread, since
   * this one may hang. Rejects at once with the signal's reason, and if the thread broke or was closed in the meantime.
   */
  async call(request: ToolCallRequest, signal: AbortSignal): Promise<ToolAnswer> {
    signal.throwIfAborted();
    if (this.#isClosed) throw new Error("The tools are closed.");
    clearTimeout(this.#idle);
    this.#underWay += 1;
    const late = new AbortController();
    const limit = setTimeout(() => late.abort(tooLong(this.#callMs)), this.#callMs);
    const ended = AbortSignal.any([signal, late.signal]);
    const starting = this.#thread ?? this.#begin();
    try {
      return await (await starting).run(request, ended);
    } catch (error) {
      if (!late.signal.aborted || signal.aborted) throw error;
      if (this.#thread === starting) void this.#rest(CLOSE_MS);
      return failure(request.tool, late.signal.reason);
    } finally {
      clearTimeout(limit);
      this.#underWay -= 1;
      if (this.#underWay === 0) this.#restLater();
    }
  }

  get #callMs(): number {
    return this.#options.callMs ?? CALL_MS;
  }

  /** Cancels running calls and releases all resources. Never rejects; waits at most twice `limitMs` for a call that hangs. */
  async close(limitMs = CLOSE_MS): Promise<void> {
    this.#isClosed = true;
    await this.#rest(limitMs);
  }

  #restLater(): void {
    if (this.#isClosed) return;
    this.#idle = setTimeout(() => void this.#rest(CLOSE_MS), this.#options.idleMs ?? IDLE_MS);
    this.#idle.unref();
  }

  async #rest(limitMs: number): Promise<void> {
    clearTimeout(this.#idle);
    // A thread that never started has nothing to close.
    const starting = this.#thread?.catch(() => undefined);
    this.#thread = undefined;
    await (await starting)?.close(limitMs);
  }

  #begin(): Promise<ToolThread> {
    // By an address that a bundler does not follow, since all of the store and the parser hang on this file.
    const { env, home, workerUrl = scriptBeside(import.meta.url, "tool-worker") } = this.#options;
    // Only plain data can be sent to a thread.
    const thread: ToolThread = new WorkerThread(workerUrl, { data: { env: { ...env }, home } });
    const starting = thread.ready.then((isReady): ToolThread => {
      if (!isReady) throw new BrokenThread("No thread for tools could be started.");
      return thread;
    });
    const drop = (): void => {
      // Another one may have been started by then.
      if (this.#thread === starting) this.#thread = undefined;
    };
    void thread.ended.then(drop);
    this.#thread = starting;
    return starting;
  }
}

function tooLong(callMs: number): TranscriptsError {
  const problem = `It took longer than ${Math.round(callMs / 1000)} seconds and was given up.`;
  return new TranscriptsError("timeout", problem, "Ask for less: one session, a shorter range or a later `since`.");
}
