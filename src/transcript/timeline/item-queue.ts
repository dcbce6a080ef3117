import type { Draft } from "../entry-draft.ts";
import { HOLD_MS } from "./waits.ts";

/** Entry that waits for its place among the parts of the conversation. */
export interface Item {
  /** Items are in the order of their keys, mostly the host's part ids. Those with the same key stay as they came. */
  readonly key: string;
  /** Time from which it may be written, in milliseconds since 1970; undefined while it is not complete. */
  readonly dueMs: number | undefined;
  /** It is complete as soon as anything follows it. */
  readonly endsWithNext: boolean;
  /** Returns the drafts for its place; none if it loses the place, because it is not complete. */
  take(): Draft[];
}

/** Maximum number of waiting items; beyond it the first must go. A real turn has a few dozen. */
const MAX_ITEMS = 1_000;

/** Returns the key of the item for a part. */
export function keyOf({ partID, inOrder }: { partID: string; inOrder?: boolean | undefined }): string {
  return inOrder === true ? "" : partID;
}

/** Items in conversation order. Only the first can be written, and it may hold up the others for a limited time. */
export class ItemQueue {
  readonly #items: Item[] = [];
  /** Since when the first item holds up one that is due. */
  #heldUpMs: number | undefined;

  get size(): number {
    return this.#items.length;
  }

  add(item: Item): void {
    let at = this.#items.length;
    while (at > 0 && (this.#items[at - 1]?.key ?? "") > item.key) at--;
    this.#items.splice(at, 0, item);
  }

  /** Removes and returns the first item, whether it is due or not. */
  shift(): Item | undefined {
    this.#heldUpMs = undefined;
    return this.#items.shift();
  }

  /** Removes and returns the first item, if its turn has come. */
  next(nowMs: number): Item | undefined {
    const [first, ...others] = this.#items;
    if (first === undefined) return undefined;
    const isDue = (item: Item): boolean => item.dueMs !== undefined && item.dueMs <= nowMs;
    if (others.some(isDue)) this.#heldUpMs ??= nowMs;
    const isOver =
      isDue(first) ||
      (first.endsWithNext && others.length > 0) ||
      (this.#heldUpMs !== undefined && this.#heldUpMs + HOLD_MS <= nowMs) ||
      others.length >= MAX_ITEMS;
    return isOver ? this.shift() : undefined;
  }

  /** Returns when the next turn comes without further records, in milliseconds since 1970; else infinity. */
  nextDueMs(): number {
    const [first, ...others] = this.#items;
    const waits = this.#heldUpMs === undefined ? others.map(({ dueMs }) => dueMs) : [this.#heldUpMs + HOLD_MS];
    return Math.min(...[first?.dueMs, ...waits].map((dueMs) => dueMs ?? Infinity));
  }
}
