/**
 * Runs tasks in a worker thread. Each task has a channel for its questions, its result and its cancellation, which is
 * closed when the task has ended.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { MessageChannel, type MessagePort, parentPort, Worker } from "node:worker_threads";
import { given } from "./given.ts";
import { errorCode } from "./transcript/files/fault.ts";
import { type ErrorCode, TranscriptsError } from "./transcripts-error.ts";

/** The thread is gone, or never started. */
export class BrokenThread extends Error {
  override readonly name = "BrokenThread";
}

/** A task, with the thread's end of its channel. */
export interface ToThread {
  /** `close`: cancel all tasks and release their resources. */
  kind: "task" | "close";
  task?: unknown;
  port: MessagePort;
}

/** Messages to the task. */
type TaskReply = { kind: "cancel" } | { kind: "reply"; value: unknown } | { kind: "refusal" };

/** Messages from the task. */
export type FromTask =
  | { kind: "done"; result: unknown }
  | { kind: "failed"; error: SentError }
  | { kind: "question"; question: unknown };

/** An error as it is sent between threads. */
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
  // Both sides belong to this package.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return new TranscriptsError(code as ErrorCode, message, "", given({ path, cause }));
}

export interface ThreadOptions {
  /** Passed to the thread as `workerData`. */
  data: unknown;
  /** Answers the thread's questions. If it rejects, so does the task that asked, with the same error. */
  answer?: (question: unknown) => Promise<unknown>;
}

/** Returns the URL of a file beside a module: `.ts` in the source tree, `.js` in the built package. */
export function scriptBeside(moduleUrl: string, name: string): URL {
  return new URL(`./${name}${moduleUrl.slice(-3)}`, moduleUrl);
}

export class WorkerThread<Task, Result> {
  /** Resolves to true when the thread accepts tasks, to false if it cannot be started. */
  readonly ready: Promise<boolean>;
  /** Resolves when the thread can no longer be used. */
  readonly ended: Promise<void>;
  readonly #worker: Worker | undefined;
  readonly #answer: NonNullable<ThreadOptions["answer"]>;
  /** `reject` functions of the running tasks. */
  readonly #underWay = new Set<(reason: unknown) => void>();
  #broken: BrokenThread | undefined;
  #isStopping = false;

  constructor(url: URL, { data, answer = async () => undefined }: ThreadOptions) {
    this.#answer = answer;
    const ready = Promise.withResolvers<boolean>();
    const ended = Promise.withResolvers<void>();
    this.ready = ready.promise;
    this.ended = ended.promise;
    const breakDown = (cause: unknown): void => {
      ready.resolve(false);
      ended.resolve();
      this.#broken ??= new BrokenThread(cause instanceof Error ? cause.message : String(cause), { cause });
      for (const reject of this.#underWay) reject(this.#broken);
    };
    try {
      this.#worker = new Worker(url, { workerData: data });
    } catch (error) {
      breakDown(error);
      return;
    }
    this.#worker.once("message", () => {
      ready.resolve(true);
      this.#rest();
    });
    this.#worker.on("error", breakDown);
    this.#worker.on("exit", () => breakDown(new Error("The thread has ended.")));
  }

  /** Rejects with the signal's reason, with a `BrokenThread`, or with the error of the task. */
  async run(task: Task, signal?: AbortSignal): Promise<Result> {
    // Both sides belong to this package.
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    return (await this.#send({ kind: "task", task }, signal)) as Result;
  }

  /** Lets the thread release its resources, then ends it. Waits at most `limitMs` for each. */
  async close(limitMs: number): Promise<void> {
    const late = (): Promise<void> => sleep(limitMs, undefined, { ref: false });
    await Promise.race([this.#send({ kind: "close" }), late()]).catch(() => undefined);
    await Promise.race([this.stop(), late()]);
  }

  /** Ends the thread at once. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    await this.#worker?.terminate();
  }

  async #send(message: Omit<ToThread, "port">, signal?: AbortSignal): Promise<unknown> {
    if (this.#broken) throw this.#broken;
    signal?.throwIfAborted();
    const { port1: port, port2: other } = new MessageChannel();
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    const say = (reply: TaskReply): void => port.postMessage(reply);
    // Error of `answer`, which the task then fails with.
    let failure: unknown;
    port.on("message", (reply: FromTask) => {
      if (reply.kind === "done") resolve(reply.result);
      else if (reply.kind === "failed") reject(failure ?? received(reply.error));
      else {
        void this.#answer(reply.question).then(
          (value) => say({ kind: "reply", value }),
          (error: unknown) => {
            failure = error;
            say({ kind: "refusal" });
          },
        );
      }
    });
    const cancel = (): void => {
      say({ kind: "cancel" });
      reject(signal?.reason);
    };
    signal?.addEventListener("abort", cancel, { once: true });
    this.#underWay.add(reject);
    // Keeps the process alive while a task runs, and only then.
    this.#worker?.ref();
    try {
      this.#worker?.postMessage({ ...message, port: other } satisfies ToThread, [other]);
      return await promise;
    } finally {
      signal?.removeEventListener("abort", cancel);
      this.#underWay.delete(reject);
      port.close();
      this.#rest();
    }
  }

  /** Lets the process exit without waiting for an idle thread; it does wait for one that is being stopped. */
  #rest(): void {
    if (this.#underWay.size === 0 && !this.#isStopping) this.#worker?.unref();
  }
}

export interface TaskContext {
  /** Aborted if the task is cancelled. */
  signal: AbortSignal;
  /** Asks the thread that started the task; one question at a time. */
  ask: (question: unknown) => Promise<unknown>;
}

export type Work<Task> = (task: Task, context: TaskContext) => Promise<unknown>;

/** Runs incoming tasks, several at once. Called in the thread. `close` releases what the tasks share. */
export function serveTasks<Task>(work: Work<Task>, close: () => Promise<void> = async () => undefined): void {
  const underWay = new Set<AbortController>();

  async function serve({ kind, task, port }: ToThread): Promise<void> {
    const say = (message: FromTask): void => port.postMessage(message);
    const cancelling = new AbortController();
    let asked = Promise.withResolvers<unknown>();
    port.on("message", (reply: TaskReply) => {
      if (reply.kind === "cancel") cancelling.abort();
      else if (reply.kind === "reply") asked.resolve(reply.value);
      else asked.reject(new Error("The question failed."));
    });
    const ask = (question: unknown): Promise<unknown> => {
      asked = Promise.withResolvers();
      say({ kind: "question", question });
      return asked.promise;
    };
    underWay.add(cancelling);
    try {
      if (kind === "close") {
        for (const each of underWay) each.abort();
        await close();
      }
      // Both sides belong to this package.
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion
      const result = kind === "task" ? await work(task as Task, { signal: cancelling.signal, ask }) : undefined;
      say({ kind: "done", result });
    } catch (error) {
      say({ kind: "failed", error: sent(error) });
    } finally {
      underWay.delete(cancelling);
    }
  }

  const port = parentPort;
  port?.on("message", (message: ToThread) => void serve(message));
  port?.postMessage("ready");
}
