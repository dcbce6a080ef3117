import type { Draft } from "./draft.ts";
import type { Patience } from "./patience.ts";
import type { HostRecord } from "./records.ts";
import { Timeline } from "./timeline/timeline.ts";

/**
 * Messages that are compared with the host's store when a transcript is continued: the last ones, and more of them as
 * long as the oldest is not in the transcript. All of a long session would hold up the host.
 */
const CONTINUED_MESSAGES = [100, 400, 1_600, 6_400, undefined];
/** Waits between attempts to get the stored messages, in milliseconds; the session's live entries wait behind them. */
const ATTEMPT_DELAYS_MS = [50, 400, 0];

export interface HistoryQueries {
  /** The last `limit` messages of a session that the host has stored, as records; all without a limit. */
  history(sessionID: string, limit?: number): Promise<HostRecord[]>;
}

export interface HistoryOptions {
  sessionID: string;
  /** Each file of the session has entries: what they lack is mostly among the last messages. */
  isContinued: boolean;
  /** Another process has the session open: what is open in the store may still end there. */
  isShared: boolean;
  /** Messages that this process hears of by itself. */
  isLive: (messageID: string) => boolean;
  /** Whether every file of the session has the draft. */
  isRecorded: (draft: Draft) => boolean;
  queries: HistoryQueries;
  patience: Patience;
  nowMs: () => number;
}

/**
 * What the host stored of a session and the session's files lack, as drafts. None if the host cannot say: live entries
 * are recorded all the same.
 */
export async function pastDrafts(options: HistoryOptions): Promise<Draft[]> {
  const { isContinued, isRecorded } = options;
  let drafts: Draft[] = [];
  for (const limit of isContinued ? CONTINUED_MESSAGES : [undefined]) {
    const records = await storedRecords(options, limit);
    if (!records) break;
    drafts = draftsOf(records, options);
    const isAll = limit === undefined || records.filter(({ kind }) => kind === "message").length < limit;
    const oldest = drafts[0];
    if (isAll || (oldest && isRecorded(oldest))) break;
  }
  return drafts.filter((draft) => !isRecorded(draft));
}

function draftsOf(records: readonly HostRecord[], { sessionID, nowMs, isLive, isShared }: HistoryOptions): Draft[] {
  const past = new Timeline(sessionID, nowMs);
  const isElsewhere = isShared ? openElsewhere(records) : () => false;
  let messageID: string | undefined;
  for (const record of records) {
    if (!("messageID" in record) || isLive(record.messageID) || isElsewhere(record)) continue;
    // What is open in a message that is stored was cut off with its process: nothing will end it.
    if (record.messageID !== messageID) past.interrupt();
    messageID = record.messageID;
    past.accept(record);
  }
  past.interrupt();
  return past.take();
}

/**
 * Tells the records that another process, which is at work, will have more to say about: in messages that the host has
 * not ended, calls without an end, and texts that are open or whose usage is to come.
 */
function openElsewhere(records: readonly HostRecord[]): (record: HostRecord) => boolean {
  const underWay = new Set<string>();
  const counted = new Set<string>();
  for (const record of records) {
    const isOpen = record.kind === "message" && record.role === "assistant" && !record.completed && !record.aborted;
    if (isOpen) underWay.add(record.messageID);
    if (record.kind === "usage") counted.add(record.messageID);
  }
  return (record) => {
    if (record.kind === "call") return underWay.has(record.messageID) && record.end === undefined;
    if (record.kind !== "text") return false;
    return underWay.has(record.messageID) && !(record.done && counted.has(record.messageID));
  };
}

async function storedRecords(
  { sessionID, queries, patience }: HistoryOptions,
  limit: number | undefined,
): Promise<HostRecord[] | undefined> {
  for (const delayMs of ATTEMPT_DELAYS_MS) {
    const records = await patience.answer(() => queries.history(sessionID, limit));
    if (records) return records;
    if (patience.isHurried) break;
    await patience.pause(delayMs);
  }
  return undefined;
}
