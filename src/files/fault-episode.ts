import { describeFault, type Fault } from "./fault.ts";

/** Told once when writing begins to fail, and once when it works again. */
export type FaultEvent =
  | { kind: "fault"; path: string; fault: Fault }
  | {
      kind: "recovered";
      path: string;
      /** The last thing that was wrong. */
      fault: Fault;
      /** Attempts that failed. */
      attempts: number;
      /** Records that were dropped meanwhile. The file says so in their place. */
      missing: number;
    };

export interface FaultEpisodesOptions {
  path: string;
  /** Waits between attempts, in ms; the last is repeated. */
  retryDelaysMs: readonly number[];
  /** What it throws is ignored. */
  onFault: ((event: FaultEvent) => void) | undefined;
}

/** Keeps count while a file cannot be written: from the first failed attempt to the next that succeeds. */
export class FaultEpisodes {
  readonly #options: FaultEpisodesOptions;
  #current: { fault: Fault; attempts: number; missingBefore: number } | undefined;
  #nextDelay = 0;
  /** Failed attempts over all episodes. */
  failures = 0;

  constructor(options: FaultEpisodesOptions) {
    this.#options = options;
  }

  /** What is wrong at present. */
  get fault(): Fault | undefined {
    return this.#current?.fault;
  }

  /** An attempt failed. `missing` is the number of records dropped so far. Returns the wait before the next, in ms. */
  failed(error: unknown, missing: number): number {
    const { path, retryDelaysMs } = this.#options;
    const fault = describeFault(error);
    this.failures += 1;
    if (this.#current) {
      this.#current.fault = fault;
      this.#current.attempts += 1;
    } else {
      this.#current = { fault, attempts: 1, missingBefore: missing };
      this.#tell({ kind: "fault", path, fault });
    }
    const delay = retryDelaysMs[this.#nextDelay] ?? retryDelaysMs.at(-1) ?? 1_000;
    this.#nextDelay += 1;
    return delay;
  }

  /** An attempt succeeded. */
  succeeded(missing: number): void {
    if (!this.#current) return;
    const { fault, attempts, missingBefore } = this.#current;
    this.#current = undefined;
    this.#nextDelay = 0;
    this.#tell({
      kind: "recovered",
      path: this.#options.path,
      fault,
      attempts,
      missing: missing - missingBefore,
    });
  }

  /** Somebody waits for the next attempts: begin with the short delays again. */
  hurry(): void {
    this.#nextDelay = 0;
  }

  #tell(event: FaultEvent): void {
    try {
      this.#options.onFault?.(event);
    } catch {
      // The listener's own trouble must not stop the writing.
    }
  }
}
