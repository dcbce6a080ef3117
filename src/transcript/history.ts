import { isoTime, type Draft } from "./entry-draft.ts";
import type { Timeouts } from "./timeouts.ts";
import type { HostRecord, RecorderQueries } from "./records.ts";
import { Timeline } from "./timeline/session-timeline.ts";

/**
 * Number of messages compared with the host's store when a transcript is continued: the last ones, and more as long as
 * the oldest is not in the transcript. Reading all of a long session would delay the host.
 */
const CONTINUED_MESSAGES = [100, 400, 1_600, 6_400, undefined];
/** Waits between attempts to get the stored messages, in milliseconds. The session's live entries wait meanwhile. */
const ATTEMPT_DELAYS_MS = [50, 400, 0];

export interface HistoryOptions {
  sessionID: string;
  /** Each file of the session has entries, so that mostly only the last messages are missing. */
  isContinued: boolean;
  /** True for messages that this process receives live. */
  isLive: (messageID: string) => boolean;
  /** True if every file of the session has the draft. */
  isRecorded: (draft: Draft) => boolean;
  queries: RecorderQueries;
  timeouts: Timeouts;
}

/**
 * Returns drafts for what the host stored of a session, at least for everything that the session's files lack. If the
 * host does not answer, a draft says so; live entries are recorded all the same.
 */
export async function pastDrafts(options: HistoryOptions): Promise<Draft[]> {
  const { isContinued, isRecorded } = options;
  let drafts: Draft[] = [];
  for (const limit of isContinued ? CONTINUED_MESSAGES : [undefined]) {
    const records = await storedRecords(options, limit);
    if (!records) return [unread(), ...drafts];
    drafts = draftsOf(records, options);
    const isAll = limit === undefined || records.filter(({ kind }) => kind === "message").length < limit;
    const oldest = drafts[0];
    if (isAll || (oldest && isRecorded(oldest))) break;
  }
  return drafts;
}

function unread(): Draft {
  const text = "Entries may be missing here: the messages that the host has stored could not be read.";
  return { entry: { type: "session_event", timestamp: isoTime(undefined, Date.now()), name: "missing entries", text } };
}

function draftsOf(records: readonly HostRecord[], { isLive }: HistoryOptions): Draft[] {
  const drafts: Draft[] = [];
  const past = new Timeline(Date.now, (draft) => drafts.push(draft));
  let messageID: string | undefined;
  for (const record of records) {
    if (!("messageID" in record) || isLive(record.messageID)) continue;
    // Unfinished parts in a stored message were mostly cut off with their process. If another process still works on
    // them, their real ends replace the invented ones.
    if (record.messageID !== messageID) past.interrupt();
    messageID = record.messageID;
    past.accept(record);
  }
  past.interrupt();
  return drafts;
}

async function storedRecords(
  { sessionID, queries, timeouts }: HistoryOptions,
  limit: number | undefined,
): Promise<HostRecord[] | undefined> {
  for (const delayMs of ATTEMPT_DELAYS_MS) {
    const records = await timeouts.answer(() => queries.history(sessionID, limit));
    if (records) return records;
    if (timeouts.isHurried) break;
    await timeouts.pause(delayMs);
  }
  return undefined;
}
