/** Who searches which session: shared by threads, so that each takes the next one that nobody has. */

/** How far ahead of what was passed on a session may be searched: what is found meanwhile is held in memory. */
const AHEAD = 64;
/** A thread that is too far ahead looks again after this time, should it have missed the call. */
const LOOK_AGAIN_MS = 1_000;

export class Claims {
  readonly shared: SharedArrayBuffer;
  /** How many sessions were passed on, and then for each whether somebody has taken it. */
  readonly #state: Int32Array;
  #from = 0;

  constructor(shared: SharedArrayBuffer) {
    this.shared = shared;
    this.#state = new Int32Array(shared);
  }

  static of(count: number): Claims {
    return new Claims(new SharedArrayBuffer((count + 1) * Int32Array.BYTES_PER_ELEMENT));
  }

  /** The next session that nobody has; undefined if there is none that is near enough. */
  take(): number | undefined {
    const end = Math.min(this.#state.length - 1, Atomics.load(this.#state, 0) + AHEAD);
    for (; this.#from < end; this.#from += 1) {
      if (this.claim(this.#from)) return this.#from;
    }
    return undefined;
  }

  /** Whether the session is now the caller's. */
  claim(index: number): boolean {
    return Atomics.compareExchange(this.#state, index + 1, 0, 1) === 0;
  }

  /** Tells the threads that wait how many sessions were passed on. */
  passed(count: number): void {
    Atomics.store(this.#state, 0, count);
    Atomics.notify(this.#state, 0);
  }

  /** Blocks the thread until the session is near enough. */
  waitFor(index: number): void {
    for (let passed = Atomics.load(this.#state, 0); index >= passed + AHEAD; passed = Atomics.load(this.#state, 0)) {
      Atomics.wait(this.#state, 0, passed, LOOK_AGAIN_MS);
    }
  }
}
