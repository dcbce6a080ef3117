/** Resources shared by all files of one recorder: memory for waiting records, and turns on the thread pool. */
export interface WritePoolOptions {
  /**
   * Maximum number of bytes waiting in memory, for all files. Default 64 MiB. Beyond it new records are dropped. Two
   * records may wait even if each is larger than half of it.
   */
  maxQueuedBytes?: number;
  /**
   * Maximum number of files written at the same time. Default 2: half of Node's threads for file and DNS work, so that
   * the host has the other half. Under load files wait for their turn, and each turn writes more records at once.
   */
  maxTurns?: number;
}

export class WritePool {
  readonly #maxQueuedBytes: number;
  readonly #maxTurns: number;
  readonly #waiting: (() => void)[] = [];
  #queuedBytes = 0;
  #turns = 0;

  constructor(options: WritePoolOptions = {}) {
    this.#maxQueuedBytes = options.maxQueuedBytes ?? 64 * 1024 * 1024;
    this.#maxTurns = options.maxTurns ?? 2;
  }

  get queuedBytes(): number {
    return this.#queuedBytes;
  }

  reserve(bytes: number): boolean {
    const charge = this.#charge(bytes);
    if (this.#queuedBytes + charge > this.#maxQueuedBytes) return false;
    this.#queuedBytes += charge;
    return true;
  }

  release(bytes: number): void {
    this.#queuedBytes -= this.#charge(bytes);
  }

  /** Counts a huge record as half of the memory, so that it fits, with small ones beside it. */
  #charge(bytes: number): number {
    return Math.min(bytes, this.#maxQueuedBytes / 2);
  }

  /** Runs a turn when one is free, first come first served. */
  async run<T>(turn: () => Promise<T>): Promise<T> {
    // The next in line takes over the place of a turn that ended, so the count stays the same.
    if (this.#turns >= this.#maxTurns) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    else this.#turns += 1;
    try {
      return await turn();
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#turns -= 1;
      else next();
    }
  }
}
