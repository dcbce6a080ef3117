import type { SessionEventEntry } from "../../format/entries.ts";
import { given, isoTime, type Draft } from "../draft.ts";
import type { RemovalRecord, SessionRecord } from "../records.ts";
import { BURST_MS } from "./item.ts";

/** Notices what changed about the session itself: its title, a revert, messages that were taken back. */
export class SessionChanges {
  #title: string | undefined;
  #revertedTo: string | undefined;
  #isKnown = false;
  /** A revert was lifted: either the messages are removed now, or the user changed their mind. */
  #liftedAtMs: number | undefined;
  #removed: { messageIDs: Set<string>; partIDs: Set<string>; lastMs: number; eventID?: string } | undefined;

  onSession(record: SessionRecord, nowMs: number): Draft[] {
    const drafts: Draft[] = [];
    // The first record of a session says how it stands; only what differs later is news.
    if (this.#isKnown && record.title !== undefined && record.title !== this.#title) {
      drafts.push(event("title", nowMs, record.title, undefined, record.eventID));
    }
    if (this.#isKnown && record.revertedTo !== undefined && record.revertedTo !== this.#revertedTo) {
      drafts.push(
        event(
          "revert",
          nowMs,
          "The user went back to before a message.",
          { messageID: record.revertedTo },
          record.eventID,
        ),
      );
    }
    if (this.#revertedTo !== undefined && record.revertedTo === undefined) this.#liftedAtMs = nowMs;
    this.#isKnown = true;
    this.#title = record.title ?? this.#title;
    this.#revertedTo = record.revertedTo;
    return drafts;
  }

  onRemoval(record: RemovalRecord, nowMs: number): void {
    this.#removed ??= { messageIDs: new Set(), partIDs: new Set(), lastMs: nowMs };
    if (record.partID === undefined) this.#removed.messageIDs.add(record.messageID);
    else this.#removed.partIDs.add(record.partID);
    this.#removed.lastMs = nowMs;
    // The first names the burst.
    if (record.eventID !== undefined) this.#removed.eventID ??= record.eventID;
    // The prompt after a revert removes the messages, then lifts the revert.
    if (this.#revertedTo !== undefined) this.#revertedTo = undefined;
    this.#liftedAtMs = undefined;
  }

  nextDueMs(): number | undefined {
    const since = [this.#removed?.lastMs, this.#liftedAtMs].filter((at) => at !== undefined);
    return since.length === 0 ? undefined : Math.min(...since) + BURST_MS;
  }

  /** Events that waited for more of their kind, or all that wait. Removals come in bursts, one message each. */
  due(nowMs: number, which: "due" | "all" = "due"): Draft[] {
    const isDue = (sinceMs: number): boolean => which === "all" || sinceMs + BURST_MS <= nowMs;
    const drafts: Draft[] = [];
    if (this.#removed && isDue(this.#removed.lastMs)) {
      const { messageIDs, partIDs, eventID } = this.#removed;
      this.#removed = undefined;
      const data = {
        ...(messageIDs.size > 0 ? { messageIDs: [...messageIDs] } : {}),
        ...(partIDs.size > 0 ? { partIDs: [...partIDs] } : {}),
      };
      drafts.push(event("removed", nowMs, removedText(messageIDs.size, partIDs.size), data, eventID));
    }
    if (this.#liftedAtMs !== undefined && isDue(this.#liftedAtMs)) {
      this.#liftedAtMs = undefined;
      drafts.push(event("unrevert", nowMs, "The user took the revert back."));
    }
    return drafts;
  }
}

function removedText(messages: number, parts: number): string {
  const counts = [
    ...(messages > 0 ? [`${messages} ${messages === 1 ? "message" : "messages"}`] : []),
    ...(parts > 0 ? [`${parts} ${parts === 1 ? "part of a message" : "parts of messages"}`] : []),
  ];
  return `The host removed ${counts.join(" and ")} from the session.`;
}

function event(name: string, nowMs: number, text: string, data?: unknown, eventID?: string): Draft {
  const entry: SessionEventEntry = {
    type: "session_event",
    timestamp: isoTime(undefined, nowMs),
    name,
    text,
    ...given({ data, eventID: eventID === undefined ? undefined : `${eventID}/${name}` }),
  };
  return { entry };
}
