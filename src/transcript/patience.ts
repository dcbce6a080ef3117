/** An answer that is awaited longer than this does not come, in milliseconds. */
const ANSWER_MS = 30_000;
/** The same once the process ends, when the host grants its plugins a few seconds in all. */
const LAST_ANSWER_MS = 500;

export interface PatienceOptions {
  /** Resolves after that time, or when the signal is given. */
  delay: (ms: number, signal: AbortSignal) => Promise<void>;
}

/** How long the recorder waits for others: as long as it takes, but only for moments while a process ends. */
export class Patience {
  readonly #delay: PatienceOptions["delay"];
  #hurried = new AbortController();
  #hurries = 0;

  constructor({ delay }: PatienceOptions) {
    this.#delay = delay;
  }

  /** Whether the process, or one life of the plugin in it, ends: nothing is worth a second attempt. */
  get isHurried(): boolean {
    return this.#hurried.signal.aborted;
  }

  /** Cuts all waits short until the returned function is called. */
  hurry(): () => void {
    this.#hurries += 1;
    this.#hurried.abort();
    return () => {
      this.#hurries -= 1;
      if (this.#hurries === 0) this.#hurried = new AbortController();
    };
  }

  /** Waits; `stop` and hurry end it. */
  async pause(ms: number, stop?: AbortSignal): Promise<void> {
    await this.#delay(ms, this.#eitherOf(stop));
  }

  /** The answer, or undefined if it fails, does not come in time or is not needed any more. Never rejects. */
  async answer<T>(question: () => Promise<T>, stop?: AbortSignal): Promise<T | undefined> {
    const done = new AbortController();
    const end = stop ? AbortSignal.any([stop, done.signal]) : done.signal;
    try {
      return await Promise.race([question(), this.#outOfTime(end)]);
    } catch {
      // The caller asks again, or does without: an answer that failed says nothing.
      return undefined;
    } finally {
      done.abort();
    }
  }

  async #outOfTime(end: AbortSignal): Promise<undefined> {
    await this.#delay(ANSWER_MS, this.#eitherOf(end));
    if (!end.aborted && this.isHurried) await this.#delay(LAST_ANSWER_MS, end);
    return undefined;
  }

  #eitherOf(stop: AbortSignal | undefined): AbortSignal {
    return stop ? AbortSignal.any([stop, this.#hurried.signal]) : this.#hurried.signal;
  }
}
