/** What all files of one recorder share: the memory for records that wait, and the turns on the thread pool. */
export interface WritePoolOptions {
  /** Bytes of records that may wait in memory, over all files. Default 64 MiB. Beyond it new records are dropped. */
  maxQueuedBytes?: number;
  /**
   * Files that are written at the same time. Default 2: half of the threads that Node has for file and DNS work,
   * so that the host keeps the other half. Under load the files then wait for their turn, and each turn takes
   * more records with the same number of calls.
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

  /** Takes memory for a record; false if there is none left. A record larger than all of it is taken when nothing else waits. */
  reserve(bytes: number): boolean {
    if (this.#queuedBytes > 0 && this.#queuedBytes + bytes > this.#maxQueuedBytes) return false;
    this.#queuedBytes += bytes;
    return true;
  }

  release(bytes: number): void {
    this.#queuedBytes -= bytes;
  }

  /** Runs a turn when there is room for it, first come first served. */
  async run<T>(turn: () => Promise<T>): Promise<T> {
    // A turn that ends hands its place to the next in line, so the count stays as it is.
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
