import { isoTime, type Draft } from "../entry-draft.ts";
import { given } from "../../given.ts";
import type { SessionEventEntry } from "../format/entry-types.ts";
import type { RemovalRecord, SessionRecord } from "../records.ts";
import { BURST_MS } from "./waits.ts";

/** Detects changes of the session itself: its title, reverts, removed messages. */
export class SessionChanges {
  #title: string | undefined;
  #revertedTo: string | undefined;
  #isKnown = false;
  /** The revert ended: the messages are removed now, or the user undid it. */
  #liftedAtMs: number | undefined;
  #removed: { messageIDs: Set<string>; partIDs: Set<string>; lastMs: number; eventID?: string } | undefined;

  onSession(record: SessionRecord, nowMs: number): Draft[] {
    const drafts: Draft[] = [];
    // The first record gives the current state; only later differences are events.
    if (this.#isKnown && record.title !== undefined && record.title !== this.#title) {
      drafts.push(event("title", nowMs, record.title, undefined, record.eventID));
    }
    if (this.#isKnown && record.revertedTo !== undefined && record.revertedTo !== this.#revertedTo) {
      const text = "The user reverted the session to before a message.";
      drafts.push(event("revert", nowMs, text, { messageID: record.revertedTo }, record.eventID));
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
    // The first removal names the whole burst.
    if (record.eventID !== undefined) this.#removed.eventID ??= record.eventID;
    // The prompt after a revert removes the messages and then ends the revert.
    if (this.#revertedTo !== undefined) this.#revertedTo = undefined;
    this.#liftedAtMs = undefined;
  }

  nextDueMs(): number {
    return Math.min(this.#removed?.lastMs ?? Infinity, this.#liftedAtMs ?? Infinity) + BURST_MS;
  }

  /** Returns the events whose wait for more of the same is over at `dueMs`. Removals come in bursts, one message each. */
  due(nowMs: number, dueMs = nowMs): Draft[] {
    const isDue = (sinceMs: number): boolean => sinceMs + BURST_MS <= dueMs;
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
      drafts.push(event("unrevert", nowMs, "The user undid the revert."));
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
