/** One timer, set to the earliest of many due times. It does not keep the process alive. */
export class DueTimer {
  readonly #nowMs: () => number;
  readonly #onDue: () => void;
  #timer: NodeJS.Timeout | undefined;
  #dueMs = Infinity;

  constructor(nowMs: () => number, onDue: () => void) {
    this.#nowMs = nowMs;
    this.#onDue = onDue;
  }

  /** Calls no later than at `dueMs`, in milliseconds since 1970; undefined: there is nothing to be called for. */
  set(dueMs: number | undefined): void {
    if (dueMs === undefined || dueMs >= this.#dueMs) return;
    clearTimeout(this.#timer);
    this.#dueMs = dueMs;
    this.#timer = setTimeout(() => this.#fire(), Math.max(0, dueMs - this.#nowMs()));
    this.#timer.unref();
  }

  #fire(): void {
    this.#dueMs = Infinity;
    this.#onDue();
  }
}
