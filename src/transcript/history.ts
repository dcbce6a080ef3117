import type { Draft } from "./draft.ts";
import type { Patience } from "./patience.ts";
import type { HostRecord } from "./records.ts";
import { Timeline } from "./timeline/timeline.ts";

/** Messages that are compared with the host's store when a transcript is continued. */
const MAX_CONTINUED_MESSAGES = 100;
/** Waits between attempts to get the stored messages, in milliseconds; the session's live entries wait behind them. */
const ATTEMPT_DELAYS_MS = [50, 400, 0];

export interface HistoryQueries {
  /** The last `limit` messages of a session that the host has stored, as records; all without a limit. */
  history(sessionID: string, limit?: number): Promise<HostRecord[]>;
}

export interface HistoryOptions {
  sessionID: string;
  /** The session has a transcript: what a killed process may have lost of it is among the last messages. */
  isContinued: boolean;
  /** Messages that this process hears of by itself. */
  isLive: (messageID: string) => boolean;
  queries: HistoryQueries;
  patience: Patience;
  nowMs: () => number;
}

/**
 * What the host stored of a session before this process heard of it, as drafts. What of it stands in the transcript
 * already is known by its keys and not written again. None if the host cannot say: live entries are recorded all the
 * same.
 */
export async function pastDrafts(options: HistoryOptions): Promise<Draft[]> {
  const past = new Timeline(options.sessionID, options.nowMs);
  let messageID: string | undefined;
  for (const record of await storedRecords(options)) {
    if (!("messageID" in record) || options.isLive(record.messageID)) continue;
    // What is open in a message that is stored was cut off with its process: nothing will end it.
    if (record.messageID !== messageID) past.interrupt();
    messageID = record.messageID;
    past.accept(record);
  }
  past.interrupt();
  return past.take();
}

async function storedRecords({ sessionID, isContinued, queries, patience }: HistoryOptions): Promise<HostRecord[]> {
  const limit = isContinued ? MAX_CONTINUED_MESSAGES : undefined;
  for (const delayMs of ATTEMPT_DELAYS_MS) {
    const records = await patience.answer(() => queries.history(sessionID, limit));
    if (records) return records;
    if (patience.isHurried) break;
    await patience.pause(delayMs);
  }
  return [];
}
