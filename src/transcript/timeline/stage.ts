import { type Draft, dropOldest } from "../entry-draft.ts";
import { hash } from "node:crypto";

/**
 * Maximum wait of a prompt for more of the host's own records, in milliseconds. Mostly a record of the answer ends the
 * wait within 100 ms.
 */
export const PROMPT_CONFIRM_MS = 1_000;
/**
 * Maximum wait of a prompt for its first part once the host has begun to store it, in milliseconds. The host takes
 * some seconds for the first prompt of a process.
 */
export const PROMPT_STORE_MS = 30_000;
/**
 * Maximum wait of a call reported by a hook for the host's record, which has its position and final input, in
 * milliseconds. On a busy machine the record comes a third of a second after the hook.
 */
export const USE_CONFIRM_MS = 5_000;
/** Maximum wait of a result reported by a hook for the host's record, in milliseconds; the host drops large images from it. */
export const RESULT_CONFIRM_MS = 5_000;
/** Time that removals and an undone revert wait for more of the same, in milliseconds. */
export const BURST_MS = 40;
/**
 * Maximum wait of a call for an unfinished text before it, in milliseconds. Providers report the end of a text only at
 * the end of the whole answer, when its calls already run, and some add to the text after them.
 */
export const ORDER_MS = 1_000;
/** Maximum wait of a prompt for a streamed text before it, in milliseconds. Long, because a split text reads badly. */
export const PROMPT_HOLD_MS = 60_000;
/** Maximum wait for late ends of parts after the session became idle, in milliseconds; some never come. */
export const IDLE_GRACE_MS = 2_000;
/**
 * The same while the message of these parts is not completed. The host completes it after the last part, which on a busy
 * machine comes seconds after the session became idle.
 */
export const UNDER_WAY_GRACE_MS = 30_000;

/** Sorts after all ids of the host. */
export const BEHIND_ALL = "\uffff";

/** Waits for its position in the conversation. */
export interface Item {
  /** Items are ordered by key, mostly the host's part id. Those with the same key stay as they came. */
  readonly key: string;
  readonly messageID: string | undefined;
  /** Time from which it could be written; undefined while it is unfinished. */
  readySinceMs: number | undefined;
  /** Time until which waiting may still improve it, though it could be written. */
  betterAfterMs: number | undefined;
  /** Maximum wait, once ready, for an unfinished item before it. */
  readonly patienceMs: number;
  /** Returns the drafts for its position. `early`: its turn was forced while it is unfinished. */
  take(early: boolean): Draft[];
}

/** Returns the key of the item for a part. */
export function keyOf({ partID, inOrder }: { partID: string; inOrder?: boolean }): string {
  return inOrder === true ? "" : partID;
}

export function isReady(item: Item, nowMs: number): boolean {
  if (item.readySinceMs === undefined) return false;
  return item.betterAfterMs === undefined || item.betterAfterMs <= nowMs;
}

/** State shared by the parts of one timeline. */
export interface Stage {
  readonly nowMs: () => number;
  /** Items whose turn has not come. */
  readonly queue: ItemQueue;
  /** Parts handed out so far. */
  readonly written: WrittenParts;
  readonly messages: Messages;
  /** Hands out drafts, after all earlier ones. */
  readonly emit: (drafts: readonly Draft[]) => void;
}

/** Maximum number of waiting items; beyond it the oldest is forced. A real turn has a few dozen. */
const MAX_WAITING = 1_000;

/** Waiting items, in conversation order. */
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

  findLast(matches: (item: Item) => boolean): Item | undefined {
    return this.#items.findLast(matches);
  }

  /** Removes and returns the first item, ready or not. */
  shift(): Item | undefined {
    return this.#items.shift();
  }

  /** Removes and returns the item whose turn has come, if any. `early`: it is unfinished, but the wait for it is over. */
  next(nowMs: number): { item: Item; early: boolean } | undefined {
    const item = this.#items[0];
    if (!item) return undefined;
    const early = !isReady(item, nowMs);
    if (early && !this.#mustForce(item, nowMs)) return undefined;
    this.#items.shift();
    return { item, early };
  }

  /** Returns when the next item is due without further records, in milliseconds since 1970; else infinity. */
  nextDueMs(): number {
    let next = Infinity;
    for (const [at, item] of this.#items.entries()) {
      if (item.readySinceMs === undefined) continue;
      // The first item waits for improvements, the others wait for the first.
      const due = at === 0 ? (item.betterAfterMs ?? item.readySinceMs) : item.readySinceMs + item.patienceMs;
      next = Math.min(next, due);
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

/** Maximum number of messages remembered; the host does not change older ones. */
const MAX_MESSAGES = 2_000;

/** Fields of a message that its entries need. */
export interface MessageFacts {
  role?: "user" | "assistant";
  agent?: string;
  model?: string;
  createdMs?: number;
  /** Latest time that the host gave for one of its parts. */
  lastMs?: number;
  completed?: boolean;
  aborted?: boolean;
}

export class Messages {
  readonly #facts = new Map<string, MessageFacts>();

  has(messageID: string): boolean {
    return this.#facts.has(messageID);
  }

  /** Returns the message's fields; the object is shared and may be changed. */
  of(messageID: string): MessageFacts {
    const known = this.#facts.get(messageID);
    if (known) return known;
    const facts: MessageFacts = {};
    this.#facts.set(messageID, facts);
    dropOldest(this.#facts, MAX_MESSAGES);
    return facts;
  }

  /** Notes the times of a part. */
  see(messageID: string, ...times: (number | undefined)[]): void {
    const facts = this.of(messageID);
    for (const ms of times) if (ms !== undefined && ms > (facts.lastMs ?? 0)) facts.lastMs = ms;
  }

  /** Returns whether the host may still change parts of the message, because it is not completed. */
  isUnderWay(messageID: string): boolean {
    const facts = this.#facts.get(messageID);
    return facts?.role === "assistant" && facts.completed !== true && facts.aborted !== true;
  }
}

/** Maximum number of ids remembered. */
const MAX_IDS = 100_000;

/**
 * Parts of a session handed out as entries, so that a part which the host sends again (on compaction, revert and restart)
 * is not recorded twice, and a changed text is noticed.
 */
export class WrittenParts {
  readonly #hashes = new Map<string, string | undefined>();

  add(id: string, text?: string): void {
    this.#hashes.set(id, text === undefined ? undefined : hashOf(text));
    dropOldest(this.#hashes, MAX_IDS);
  }

  has(id: string): boolean {
    return this.#hashes.has(id);
  }

  /** Returns whether the part was not written, or was written with another text. Without a text only the former counts. */
  isNews(id: string, text: string | undefined): boolean {
    const known = this.#hashes.get(id);
    if (known === undefined || text === undefined) return !this.#hashes.has(id);
    return known !== hashOf(text);
  }
}

function hashOf(text: string): string {
  return hash("sha1", text, "base64");
}
