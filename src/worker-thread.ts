/** Work in a thread of its own: tasks with answers, cancelled tasks, and questions that the thread asks meanwhile. */
import { parentPort, Worker } from "node:worker_threads";
import { given } from "./given.ts";
import { errorCode } from "./transcript/files/fault.ts";
import { type ErrorCode, TranscriptsError } from "./transcripts-error.ts";

/** The thread is gone, or never started. */
export class BrokenThread extends Error {
  override readonly name = "BrokenThread";
}

export type ToThread =
  | { kind: "task"; id: number; task: unknown }
  | { kind: "cancel"; id: number }
  | { kind: "reply"; id: number; value: unknown; failed: boolean }
  /** Asks whether the thread still takes messages: answered with `alive`. */
  | { kind: "ping" }
  /** Cancel all tasks, close what is open and end. */
  | { kind: "close" };

export type FromThread =
  | { kind: "ready" }
  | { kind: "alive" }
  /** Everything is closed, so the thread may be ended. */
  | { kind: "closed" }
  | { kind: "done"; id: number; result: unknown }
  | { kind: "failed"; id: number; error: SentError }
  | { kind: "question"; id: number; question: unknown };

/** An error as it is sent between threads, with what tells readers of it why something failed. */
interface SentError {
  message: string;
  stack: string | undefined;
  code: string | undefined;
  causeCode: string | undefined;
  path: string | undefined;
  isOurs: boolean;
}

function sent(error: unknown): SentError {
  const { message, stack, cause } = error instanceof Error ? error : new Error(String(error));
  const isOurs = error instanceof TranscriptsError;
  const path = isOurs ? error.path : undefined;
  return { message, stack, code: errorCode(error), causeCode: errorCode(cause), path, isOurs };
}

function received({ message, stack, code, causeCode, path, isOurs }: SentError): Error {
  if (!isOurs) return Object.assign(new Error(message), given({ stack, code }));
  const cause = causeCode === undefined ? undefined : { code: causeCode };
  // Both threads run the same package.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return new TranscriptsError(code as ErrorCode, message, "", given({ path, cause }));
}

interface Pending<Result> {
  resolve: (result: Result) => void;
  reject: (reason: unknown) => void;
}

export interface ThreadOptions {
  /** Passed to the thread as `workerData`. */
  data: unknown;
  /** Answers the thread's questions. If it rejects, so does the task that asked, with the same error. */
  answer?: (question: unknown) => Promise<unknown>;
}

/** Returns the address of a file beside a module: `.ts` where it runs as it was written, `.js` where it was built. */
export function scriptBeside(moduleUrl: string, name: string): URL {
  return new URL(`./${name}${moduleUrl.slice(-3)}`, moduleUrl);
}

export class WorkerThread<Task, Result> {
  /** Resolves when the thread takes tasks; to false if it cannot be started. */
  readonly ready: Promise<boolean>;
  /** Resolves when the thread cannot be used any more. */
  readonly ended: Promise<void>;
  readonly #worker: Worker | undefined;
  readonly #answer: NonNullable<ThreadOptions["answer"]>;
  readonly #pending = new Map<number, Pending<Result>>();
  /** Errors of questions, by task. */
  readonly #failures = new Map<number, unknown>();
  #broken: BrokenThread | undefined;
  #lastId = 0;
  #isStopping = false;
  #isAlive: () => void = () => undefined;

  constructor(url: URL, { data, answer = async () => undefined }: ThreadOptions) {
    this.#answer = answer;
    const ready = Promise.withResolvers<boolean>();
    const ended = Promise.withResolvers<void>();
    this.ready = ready.promise;
    this.ended = ended.promise;
    const breakDown = (error: unknown): void => {
      ready.resolve(false);
      ended.resolve();
      this.#break(error);
    };
    try {
      this.#worker = new Worker(url, { workerData: data });
    } catch (error) {
      breakDown(error);
      return;
    }
    this.#worker.on("message", (message: FromThread) => {
      // In Bun 1.3 a thread that closes its port does not end.
      if (message.kind === "closed") return void this.stop().then(() => breakDown(new Error("The thread has ended.")));
      if (message.kind !== "ready") return this.#take(message);
      ready.resolve(true);
      this.#rest();
    });
    this.#worker.on("error", breakDown);
    this.#worker.on("exit", () => breakDown(new Error("The thread has ended.")));
  }

  /** Rejects with the signal's reason, with a `BrokenThread`, and with what the task fails with. */
  run(task: Task, signal?: AbortSignal): Promise<Result> {
    if (this.#broken) return Promise.reject(this.#broken);
    const id = (this.#lastId += 1);
    const { promise, resolve, reject } = Promise.withResolvers<Result>();
    const cancel = (): void => {
      this.#say({ kind: "cancel", id });
      this.#release(id);
      reject(signal?.reason);
    };
    const done = (): void => signal?.removeEventListener("abort", cancel);
    this.#pending.set(id, {
      resolve: (result) => (done(), resolve(result)),
      reject: (reason) => (done(), reject(reason)),
    });
    // The process goes on for tasks, and for nothing else.
    this.#worker?.ref();
    signal?.addEventListener("abort", cancel, { once: true });
    try {
      this.#say({ kind: "task", id, task });
    } catch (error) {
      // The task cannot be sent.
      this.#release(id)?.reject(error);
    }
    return promise;
  }

  /** Returns whether the thread reacts within `limitMs`. */
  reacts(limitMs: number): Promise<boolean> {
    const alive = new Promise<void>((resolve) => {
      const before = this.#isAlive;
      this.#isAlive = () => (before(), resolve());
    });
    this.#say({ kind: "ping" });
    return within(alive, limitMs);
  }

  /** Lets the thread close what it has open, then ends it. False if it hangs so that nothing ends it. */
  async close(limitMs: number): Promise<boolean> {
    this.#say({ kind: "close" });
    if (await within(this.ended, limitMs)) return true;
    return within(this.stop(), limitMs);
  }

  /** Ends the thread at once. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    await this.#worker?.terminate();
  }

  #take(message: Exclude<FromThread, { kind: "ready" | "closed" }>): void {
    if (message.kind === "alive") this.#isAlive();
    else if (message.kind === "question") void this.#reply(message);
    // What starts a thread and what runs in it are of one package.
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    else if (message.kind === "done") this.#release(message.id)?.resolve(message.result as Result);
    else {
      const failure = this.#failures.get(message.id);
      this.#release(message.id)?.reject(failure ?? received(message.error));
    }
  }

  async #reply({ id, question }: Extract<FromThread, { kind: "question" }>): Promise<void> {
    try {
      this.#say({ kind: "reply", id, value: await this.#answer(question), failed: false });
    } catch (error) {
      this.#failures.set(id, error);
      this.#say({ kind: "reply", id, value: undefined, failed: true });
    }
  }

  #release(id: number): Pending<Result> | undefined {
    const pending = this.#pending.get(id);
    this.#pending.delete(id);
    this.#failures.delete(id);
    this.#rest();
    return pending;
  }

  /** A process that is about to end does not wait for an idle thread, but for the end of one that is stopped. */
  #rest(): void {
    if (this.#pending.size === 0 && !this.#isStopping) this.#worker?.unref();
  }

  #break(cause: unknown): void {
    this.#broken ??= new BrokenThread(cause instanceof Error ? cause.message : String(cause), { cause });
    for (const id of this.#pending.keys()) this.#release(id)?.reject(this.#broken);
  }

  #say(message: ToThread): void {
    this.#worker?.postMessage(message);
  }
}

export interface TaskContext {
  /** Aborted if the task is cancelled. */
  signal: AbortSignal;
  /** Asks the thread that gave the task; one question at a time. */
  ask: (question: unknown) => Promise<unknown>;
}

export type Work<Task> = (task: Task, context: TaskContext) => Promise<unknown>;

/** In the thread: does the tasks that come, several at once. `close` gives back what they share. */
export function serveTasks<Task>(work: Work<Task>, close: () => Promise<void> = async () => undefined): void {
  const port = parentPort;
  if (port === null) return;
  const cancelling = new Map<number, AbortController>();
  const replies = new Map<number, PromiseWithResolvers<unknown>>();
  const say = (message: FromThread): void => port.postMessage(message);

  async function take(message: ToThread): Promise<void> {
    if (message.kind === "cancel") return cancelling.get(message.id)?.abort();
    if (message.kind === "ping") return say({ kind: "alive" });
    if (message.kind === "close") return end();
    if (message.kind === "reply") {
      const reply = replies.get(message.id);
      return message.failed ? reply?.reject(new Error("The question failed.")) : reply?.resolve(message.value);
    }
    const { id } = message;
    const cancel = new AbortController();
    cancelling.set(id, cancel);
    const ask = (question: unknown): Promise<unknown> => {
      const reply = Promise.withResolvers<unknown>();
      replies.set(id, reply);
      say({ kind: "question", id, question });
      return reply.promise;
    };
    try {
      // What starts a thread and what runs in it are of one package.
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion
      say({ kind: "done", id, result: await work(message.task as Task, { signal: cancel.signal, ask }) });
    } catch (error) {
      say({ kind: "failed", id, error: sent(error) });
    } finally {
      cancelling.delete(id);
      replies.delete(id);
    }
  }

  async function end(): Promise<void> {
    for (const cancel of cancelling.values()) cancel.abort();
    try {
      await close();
    } finally {
      say({ kind: "closed" });
    }
  }

  port.on("message", (message: ToThread) => void take(message));
  say({ kind: "ready" });
}

/** Returns whether the work ends within `limitMs`. */
async function within(work: Promise<unknown>, limitMs: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<false>((resolve) => (timer = setTimeout(resolve, limitMs, false)));
  try {
    return await Promise.race([work.then(() => true), late]);
  } finally {
    clearTimeout(timer);
  }
}
