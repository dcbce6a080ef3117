import { setTimeout as sleep } from "node:timers/promises";

/** Timeout of a query to the host, in milliseconds. */
const ANSWER_MS = 30_000;
/** The same when the process is ending and the host grants its plugins only a few seconds. */
const LAST_ANSWER_MS = 500;

/** Resolves after that time, or when the signal is aborted. */
export async function pause(ms: number, signal?: AbortSignal): Promise<void> {
  try {
    await sleep(ms, undefined, signal ? { signal } : {});
  } catch {
    // The signal was aborted, which ends the wait.
  }
}

/** Resolves with the answer, or after that time without it. Rejects if the answer does. */
export async function atMost<T>(ms: number, answer: T | Promise<T>): Promise<T | undefined> {
  const isDone = new AbortController();
  const late = pause(ms, isDone.signal).then(() => undefined);
  return Promise.race([answer, late]).finally(() => isDone.abort());
}

/** Timeouts of the recorder: patient normally, short when the process is ending. */
export class Timeouts {
  readonly #delay: typeof pause;
  readonly #lastAnswerMs: number;
  #hurried = new AbortController();
  #hurries = 0;

  constructor(delay = pause, lastAnswerMs = LAST_ANSWER_MS) {
    this.#delay = delay;
    this.#lastAnswerMs = lastAnswerMs;
  }

  /** The process or the plugin instance is ending, so nothing is retried. */
  get isHurried(): boolean {
    return this.#hurried.signal.aborted;
  }

  /** Shortens all waits until the returned function is called. */
  hurry(): () => void {
    this.#hurries += 1;
    this.#hurried.abort();
    return () => {
      this.#hurries -= 1;
      if (this.#hurries === 0) this.#hurried = new AbortController();
    };
  }

  /** Waits until the time is over, `stop` is aborted or waits are shortened. */
  async pause(ms: number, stop?: AbortSignal): Promise<void> {
    await this.#delay(ms, this.#eitherOf(stop));
  }

  /** Returns the answer, or undefined if it fails, comes too late or is no longer needed. Never rejects. */
  async answer<T>(question: () => Promise<T>, stop?: AbortSignal): Promise<T | undefined> {
    const done = new AbortController();
    const end = stop ? AbortSignal.any([stop, done.signal]) : done.signal;
    try {
      return await Promise.race([question(), this.#outOfTime(end)]);
    } catch {
      // The caller retries or continues without an answer.
      return undefined;
    } finally {
      done.abort();
    }
  }

  async #outOfTime(end: AbortSignal): Promise<undefined> {
    await this.#delay(ANSWER_MS, this.#eitherOf(end));
    if (!end.aborted && this.isHurried) await this.#delay(this.#lastAnswerMs, end);
    return undefined;
  }

  #eitherOf(stop: AbortSignal | undefined): AbortSignal {
    return stop ? AbortSignal.any([stop, this.#hurried.signal]) : this.#hurried.signal;
  }
}
