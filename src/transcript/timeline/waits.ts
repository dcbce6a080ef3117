/** All time limits of the timeline, in milliseconds. The recorder's waits for the host and the disk are elsewhere. */

/**
 * From the moment a session is idle until what is still open ends. After an abort the last records come up to 260 ms
 * later, on a busy machine seconds later; some never come.
 */
export const GRACE_MS = 5_000;

/**
 * Longest wait for the host's own record of what a hook reported: the record has the position, and other plugins may
 * still change what the hook saw. On a busy machine it comes a third of a second later. The id of a subagent is waited
 * for as long, because it comes a moment after the call that starts it.
 */
export const RECORD_MS = 5_000;

/**
 * Longest time that a part of which nothing is known yet may hold up what follows it: a call while its arguments are
 * streamed, a text before its first piece. Models write one part after the other, so this is short; but some providers
 * report the arguments of a call only at the end of the answer.
 */
export const HOLD_MS = 1_000;

/** Removals come in bursts, one message each, and become one entry. A revert that ends without one was undone. */
export const BURST_MS = 40;
