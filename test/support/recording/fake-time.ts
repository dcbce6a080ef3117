/** A clock that moves only when told to, and waits that end by it. */
export class FakeTime {
  nowMs = 1_700_000_000_000;
  #waits: { dueMs: number; end: () => void }[] = [];

  readonly delay = (ms: number, signal?: AbortSignal): Promise<void> =>
    new Promise((resolve) => {
      if (signal?.aborted) return resolve();
      const wait = { dueMs: this.nowMs + ms, end: resolve };
      this.#waits.push(wait);
      signal?.addEventListener("abort", () => {
        this.#waits = this.#waits.filter((other) => other !== wait);
        resolve();
      });
    });

  /** Waits that have not ended. */
  get waiting(): number {
    return this.#waits.length;
  }

  /** Lets all work be done that waits for nothing outside of the program. */
  async settle(): Promise<void> {
    for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
  }

  async advance(ms: number): Promise<void> {
    const untilMs = this.nowMs + ms;
    await this.settle();
    for (;;) {
      const next = this.#waits.toSorted((a, b) => a.dueMs - b.dueMs)[0];
      if (!next || next.dueMs > untilMs) break;
      this.#waits = this.#waits.filter((other) => other !== next);
      this.nowMs = Math.max(this.nowMs, next.dueMs);
      next.end();
      await this.settle();
    }
    this.nowMs = untilMs;
  }
}
