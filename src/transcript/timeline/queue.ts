import { isReady, type Item } from "./item.ts";

/** Items that wait at once; beyond it the oldest is forced. A turn of a real session has some dozens. */
const MAX_WAITING = 1_000;

/** The items whose turn has not come, in conversation order. */
export class ItemQueue {
  readonly #items: Item[] = [];

  get size(): number {
    return this.#items.length;
  }

  add(item: Item): void {
    let at = this.#items.length;
    while (at > 0 && (this.#items[at - 1]?.key ?? "") > item.key) at--;
    this.#items.splice(at, 0, item);
  }

  remove(item: Item): boolean {
    const at = this.#items.indexOf(item);
    if (at >= 0) this.#items.splice(at, 1);
    return at >= 0;
  }

  /** The last item of a message that `matches`. */
  findLast(matches: (item: Item) => boolean): Item | undefined {
    return this.#items.findLast(matches);
  }

  /** Takes out the item whose turn has come, if any. `early`: it is open yet, but others do not wait for it longer. */
  next(nowMs: number): { item: Item; early: boolean } | undefined {
    const item = this.#items[0];
    if (!item) return undefined;
    const early = !isReady(item, nowMs);
    if (early && !this.#mustForce(item, nowMs)) return undefined;
    this.#items.shift();
    return { item, early };
  }

  /** When the next item is due, in milliseconds since 1970, if no further record comes. */
  nextDueMs(): number | undefined {
    let next: number | undefined;
    for (const [at, item] of this.#items.entries()) {
      if (item.readySinceMs === undefined) continue;
      // The first waits for what would make it better, the others for the first.
      const due = at === 0 ? (item.betterAfterMs ?? item.readySinceMs) : item.readySinceMs + item.patienceMs;
      if (next === undefined || due < next) next = due;
    }
    return next;
  }

  #mustForce(first: Item, nowMs: number): boolean {
    if (this.#items.length > MAX_WAITING) return true;
    return this.#items.some(
      (item) => item !== first && item.readySinceMs !== undefined && item.readySinceMs + item.patienceMs <= nowMs,
    );
  }
}
