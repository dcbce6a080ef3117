import type { Draft } from "../draft.ts";

/**
 * How long a prompt waits for more of the host's own records of it, in milliseconds. Mostly a record of the answer
 * comes within 100 ms and ends the wait.
 */
export const PROMPT_CONFIRM_MS = 1_000;
/**
 * How long a prompt waits for the first of its parts once the host has begun to store it, in milliseconds. The first
 * prompt of a process takes the host some seconds.
 */
export const PROMPT_STORE_MS = 30_000;
/**
 * How long a call that a hook saw begin waits for the host's record, which gives it its place and its final input.
 * On a busy machine it comes a third of a second after the hook.
 */
export const USE_CONFIRM_MS = 5_000;
/** How long a result that a hook saw waits for the host's record, which may differ: the host drops large images. */
export const RESULT_CONFIRM_MS = 5_000;
/** How long removals and a lifted revert wait for more of their kind, in milliseconds. */
export const BURST_MS = 40;
/**
 * How long a call waits behind a text that is still open, in milliseconds. Providers announce the end of a text
 * only with the end of the whole answer, when its calls run already, and some add to it after them.
 */
export const ORDER_MS = 1_000;
/** How long a finished text waits for the usage of its model call: the host takes a snapshot in between. */
export const USAGE_MS = 500;
/** How long a prompt waits behind a text that is still streamed: texts end, and a split text reads badly. */
export const PROMPT_HOLD_MS = 60_000;
/** How long after the session went idle the late ends of its parts are awaited, in milliseconds; some never come. */
export const IDLE_GRACE_MS = 2_000;
/**
 * The same while the host has not said that the message of these parts is over: it does so behind the last of them,
 * which on a busy machine comes seconds after the session went idle.
 */
export const UNDER_WAY_GRACE_MS = 30_000;

/** Something that takes one place in the conversation and waits for its turn there. */
export interface Item {
  /** Items stand in ascending order of their keys; the host's part id, mostly. */
  readonly key: string;
  readonly messageID: string | undefined;
  /** Since when it could be written; undefined while it is open. */
  readySinceMs: number | undefined;
  /** It gains from waiting until then, though it could be written. */
  betterAfterMs: number | undefined;
  /** How long it accepts to wait, once ready, behind an item that is still open. */
  readonly patienceMs: number;
  /** The drafts for its place. `early`: its turn was forced although it is open. */
  take(early: boolean): Draft[];
}

/** Whether the item can be written now. */
export function isReady(item: Item, nowMs: number): boolean {
  if (item.readySinceMs === undefined) return false;
  return item.betterAfterMs === undefined || item.betterAfterMs <= nowMs;
}
