/** The side of a helping thread that has the store. */
import { Worker } from "node:worker_threads";
import type { Store } from "../store/store.ts";
import type { Attempt } from "./attempt.ts";
import type { ThreadAnswer, ThreadReport, ThreadTask } from "./index-worker.ts";
import type { IndexLimits } from "./limits.ts";

/** The thread is not there any more, or never was. */
export class BrokenThread extends Error {
  override readonly name = "BrokenThread";
}

export class IndexThread {
  readonly #worker: Worker;
  readonly #store: Store;
  #resolve: (attempt: Attempt) => void = () => undefined;
  #reject: (error: unknown) => void = () => undefined;
  #broken: BrokenThread | undefined;
  /** What the store rejected with. */
  #failure: unknown;

  constructor(store: Store, limits: IndexLimits) {
    this.#store = store;
    // As this file: `.ts` where it runs as it was written, `.js` where it was built.
    const script = new URL(`./index-worker${import.meta.url.slice(-3)}`, import.meta.url);
    this.#worker = new Worker(script, { workerData: limits });
    this.#worker.on("message", (report: ThreadReport) => void this.#take(report));
    this.#worker.on("error", (error) => this.#break(error));
    this.#worker.on("exit", () => this.#break(undefined));
  }

  /** One at a time. Rejects with what the store rejects with, and with a `BrokenThread`. */
  index(task: Omit<ThreadTask, "kind">): Promise<Attempt> {
    if (this.#broken) return Promise.reject(this.#broken);
    return new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
      this.#tell({ kind: "task", ...task });
    });
  }

  async stop(): Promise<void> {
    await this.#worker.terminate();
  }

  #tell(message: ThreadTask | ThreadAnswer): void {
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- threads have no origin
    this.#worker.postMessage(message);
  }

  async #take(report: ThreadReport): Promise<void> {
    if (report.kind === "done") this.#resolve(report.attempt);
    else if (report.kind === "call") this.#tell(await this.#answer(report));
    else this.#reject(this.#failure ?? Object.assign(new Error(report.message), { stack: report.stack }));
  }

  async #answer({ method, args }: Extract<ThreadReport, { kind: "call" }>): Promise<ThreadAnswer> {
    try {
      const call: unknown = this.#store[method];
      if (typeof call !== "function") throw new TypeError(`A store has no ${method}.`);
      return { kind: "answer", value: await Reflect.apply(call, this.#store, args), failed: false };
    } catch (error) {
      this.#failure = error;
      return { kind: "answer", value: undefined, failed: true };
    }
  }

  #break(cause: unknown): void {
    this.#broken = new BrokenThread("The thread that helps to index has broken down.", { cause });
    this.#reject(this.#broken);
  }
}
