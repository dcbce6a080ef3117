/** Runs tools in a thread of their own, so that they never hold up the one that calls them. */
import { Worker } from "node:worker_threads";
import { failure } from "../failure.ts";
import { nestingFault } from "../nesting.ts";
import { ToolError } from "../tool-error.ts";
import type { ToolAnswer } from "../tool.ts";
import type { FromThread, ToThread } from "./thread-messages.ts";
import type { ToolCallRequest, ToolSurroundings } from "./tool-calls.ts";

/** How a call is done: by a thread, or by this one where none can be had. */
interface Performer {
  call(request: ToolCallRequest, signal: AbortSignal): Promise<ToolAnswer>;
  /** False if it hangs so that nothing ends it. */
  close(limitMs: number): Promise<boolean | void>;
  /** Whether it reacts within so many milliseconds. Missing: it works in this thread. */
  reacts?(limitMs: number): Promise<boolean>;
}

export interface ToolRunnerOptions extends ToolSurroundings {
  /** The thread ends if it was not needed for so long, in milliseconds. Default 30,000. */
  idleMs?: number;
  /** How long a call may take, in milliseconds; then it is cancelled and answered as failed. Default 55,000. */
  callMs?: number;
  /** How long a thread may not react after a cancelled call, in milliseconds, before it is given up. Default 2,000. */
  stuckMs?: number;
  /** The file of the thread, `tool-worker`. Handed in, as bundles lie elsewhere than this file. */
  workerUrl: URL;
  /** Loads `tool-calls` into this thread, where no other can be had. */
  loadCalls: () => Promise<{ ToolCalls: new (where: ToolSurroundings) => Performer }>;
}

const IDLE_MS = 30_000;
/** Clients that are built on the SDK of MCP give up after 60 seconds, and say nothing about why. */
const CALL_MS = 55_000;
const STUCK_MS = 2_000;
/** How long a thread may take to close its store before it is ended, and then to end. */
const CLOSE_MS = 2_000;

export class ToolRunner {
  readonly #options: ToolRunnerOptions;
  #performer: Promise<Performer> | undefined;
  #underWay = 0;
  #idle: NodeJS.Timeout | undefined;
  #isClosed = false;
  /** Threads that are being closed, or hang. */
  readonly #endings = new Set<Promise<boolean>>();

  constructor(options: ToolRunnerOptions) {
    this.#options = options;
  }

  /**
   * Answers within `callMs`, as failed if the work took longer. Rejects with the signal's reason at once, and if the
   * thread broke or was closed meanwhile. A thread that is stuck afterwards is replaced.
   */
  async call(request: ToolCallRequest, signal: AbortSignal): Promise<ToolAnswer> {
    signal.throwIfAborted();
    if (this.#isClosed) throw new Error("The tools are closed.");
    const fault = nestingFault(request.args);
    if (fault !== undefined) return failure(request.tool, fault);
    clearTimeout(this.#idle);
    this.#underWay += 1;
    const late = new AbortController();
    const limit = setTimeout(() => late.abort(tooLong(this.#callMs)), this.#callMs);
    const ended = AbortSignal.any([signal, late.signal]);
    const starting = this.#performer ?? this.#begin();
    try {
      const work = starting.then((performer) => performer.call(request, ended));
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
   * Cancels what is under way and gives everything back. Never rejects, and waits for a call that hangs no longer than
   * twice `limitMs`. False: a thread is stuck in a call to the system and cannot be ended; then the process cannot exit
   * either (Node waits for its threads), but must be killed.
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
    const starting = this.#start(() => {
      // By then another may have been started.
      if (this.#performer === starting) this.#performer = undefined;
    });
    this.#performer = starting;
    return starting;
  }

  /** `onEnd`: it cannot be used any more. */
  async #start(onEnd: () => void): Promise<Performer> {
    const { env, home, workerUrl, loadCalls } = this.#options;
    // Only plain data goes to a thread.
    const where = { env: { ...env }, home };
    const thread = await ToolThread.start(workerUrl, where, onEnd);
    if (thread !== undefined) return thread;
    const { ToolCalls } = await loadCalls();
    return new ToolCalls(where);
  }
}

function tooLong(callMs: number): ToolError {
  const problem = `It took longer than ${Math.round(callMs / 1000)} seconds and was given up.`;
  return new ToolError("timeout", problem, "Ask for less: one session, a shorter range or a later `since`.");
}

/** Rejects with the signal's reason when it is given. */
function rejectionOf(signal: AbortSignal): Promise<never> {
  const rejection = new Promise<never>((_, reject) => {
    const end = (): void => reject(signal.reason);
    if (signal.aborted) end();
    else signal.addEventListener("abort", end, { once: true });
  });
  // The work may have ended first.
  rejection.catch(() => undefined);
  return rejection;
}

async function endOf(performer: Promise<Performer>, limitMs: number): Promise<boolean> {
  try {
    return (await (await performer).close(limitMs)) !== false;
  } catch {
    // It is given up either way.
    return true;
  }
}

interface Pending {
  resolve: (answer: ToolAnswer) => void;
  reject: (reason: unknown) => void;
}

class ToolThread implements Performer {
  readonly #worker: Worker;
  readonly #pending = new Map<number, Pending>();
  #lastId = 0;
  #isAlive: () => void = () => undefined;

  private constructor(worker: Worker) {
    this.#worker = worker;
  }

  /** Undefined if no thread can be started here. `onEnd`: it cannot be used any more. */
  static async start(url: URL, where: ToolSurroundings, onEnd: () => void): Promise<ToolThread | undefined> {
    let worker: Worker;
    try {
      worker = new Worker(url, { workerData: where });
    } catch {
      return undefined;
    }
    const thread = new ToolThread(worker);
    const isReady = await new Promise<boolean>((resolve) => {
      worker.on("message", (message: FromThread) => {
        if (message.kind === "ready") resolve(true);
        else if (message.kind === "alive") thread.#isAlive();
        else thread.#take(message);
      });
      worker.on("error", (error) => {
        resolve(false);
        onEnd();
        thread.#broken(error);
      });
      worker.on("exit", () => {
        resolve(false);
        onEnd();
        thread.#broken(new Error("The thread of the tools has ended."));
      });
    });
    // A host that is about to end does not wait for it.
    worker.unref();
    return isReady ? thread : undefined;
  }

  call(request: ToolCallRequest, signal: AbortSignal): Promise<ToolAnswer> {
    this.#lastId += 1;
    const id = this.#lastId;
    return new Promise((resolve, reject) => {
      const cancel = (): void => {
        this.#say({ kind: "cancel", id });
        this.#release(id);
        reject(signal.reason);
      };
      const done = (): void => signal.removeEventListener("abort", cancel);
      this.#keep(id, {
        resolve: (answer) => (done(), resolve(answer)),
        reject: (reason) => (done(), reject(reason)),
      });
      signal.addEventListener("abort", cancel, { once: true });
      try {
        this.#say({ kind: "call", id, request });
      } catch (error) {
        this.#release(id);
        done();
        reject(error);
      }
    });
  }

  async close(limitMs: number): Promise<boolean> {
    const ended = new Promise<void>((resolve) => this.#worker.once("exit", () => resolve()));
    this.#say({ kind: "close" });
    if (await within(ended, limitMs)) return true;
    return within(this.#worker.terminate(), limitMs);
  }

  reacts(limitMs: number): Promise<boolean> {
    const alive = new Promise<void>((resolve) => {
      const before = this.#isAlive;
      this.#isAlive = () => (before(), resolve());
    });
    this.#say({ kind: "ping" });
    return within(alive, limitMs);
  }

  #take(message: Exclude<FromThread, { kind: "ready" | "alive" }>): void {
    const pending = this.#release(message.id);
    if (message.kind === "answer") pending?.resolve(message.answer);
    else pending?.reject(new Error("The call was cancelled."));
  }

  /** The process goes on for calls, and for nothing else. */
  #keep(id: number, pending: Pending): void {
    this.#pending.set(id, pending);
    this.#worker.ref();
  }

  #release(id: number): Pending | undefined {
    const pending = this.#pending.get(id);
    this.#pending.delete(id);
    if (this.#pending.size === 0) this.#worker.unref();
    return pending;
  }

  #broken(error: unknown): void {
    const all = [...this.#pending.values()];
    this.#pending.clear();
    for (const { reject } of all) reject(error);
  }

  #say(message: ToThread): void {
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
    this.#worker.postMessage(message);
  }
}

/** Whether it comes to its end in so many milliseconds. */
async function within(work: Promise<unknown>, limitMs: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<false>((resolve) => (timer = setTimeout(resolve, limitMs, false)));
  try {
    return await Promise.race([work.then(() => true), late]);
  } finally {
    clearTimeout(timer);
  }
}
