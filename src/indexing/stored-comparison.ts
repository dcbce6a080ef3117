/** Holds events that were made anew against those that are stored, in order. */
import type { StoredEvent } from "../store/model.ts";
import type { IndexStore } from "./session-job.ts";

const PAGE = 1_000;

export class StoredComparison {
  readonly #store: IndexStore;
  readonly #sessionId: string;
  #stored: StoredEvent[] = [];
  #compared = 0;
  #isEqual = true;

  constructor(store: IndexStore, sessionId: string) {
    this.#store = store;
    this.#sessionId = sessionId;
  }

  /** Nothing differed so far. */
  get isEqual(): boolean {
    return this.#isEqual;
  }

  /** From now on all events are to be written. */
  stop(): void {
    this.#isEqual = false;
  }

  /** Of the next events those that are to be written, and from which on the stored ones are to be removed. */
  async newOnes(
    events: readonly StoredEvent[],
    isLast: boolean,
  ): Promise<{ fresh: readonly StoredEvent[]; removeFrom?: number }> {
    if (!this.#isEqual) return { fresh: events };
    for (const [at, event] of events.entries()) {
      const stored = await this.#next();
      if (stored !== undefined && isSame(stored, event)) continue;
      this.#isEqual = false;
      return { fresh: events.slice(at), ...(stored === undefined ? {} : { removeFrom: event.ordinal }) };
    }
    const surplus = isLast ? await this.#next() : undefined;
    return { fresh: [], ...(surplus === undefined ? {} : { removeFrom: surplus.ordinal }) };
  }

  async #next(): Promise<StoredEvent | undefined> {
    if (this.#stored.length === 0) {
      this.#stored = await this.#store.events(this.#sessionId, { from: this.#compared, limit: PAGE });
      this.#stored.reverse();
    }
    const next = this.#stored.pop();
    if (next !== undefined) this.#compared += 1;
    return next;
  }
}

function isSame(a: StoredEvent, b: StoredEvent): boolean {
  const fields = new Map<string, unknown>(Object.entries(a));
  return Object.entries(b).every(([name, value]) => fields.get(name) === value);
}
