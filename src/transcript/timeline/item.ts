import type { Draft } from "../entry-draft.ts";

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
/** Maximum wait of a finished text for the usage of its model call, in milliseconds; the host takes a snapshot in between. */
export const USAGE_MS = 500;
/** Maximum wait of a prompt for a streamed text before it, in milliseconds. Long, because a split text reads badly. */
export const PROMPT_HOLD_MS = 60_000;
/** Maximum wait for late ends of parts after the session became idle, in milliseconds; some never come. */
export const IDLE_GRACE_MS = 2_000;
/**
 * The same while the message of these parts is not completed. The host completes it after the last part, which on a busy
 * machine comes seconds after the session became idle.
 */
export const UNDER_WAY_GRACE_MS = 30_000;

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
