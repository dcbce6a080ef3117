/** Keys of entries, by which a recorder knows which entries a file has. */
import { createHash } from "node:crypto";
import type { SessionEventEntry, TranscriptEntry, UserMessageEntry } from "./entry-types.ts";

/**
 * Returns the key of an entry: `type/partID`; for a user message `user/messageID`, and for a part added to it later
 * `user/messageID/partID`; for a session event `event/partID`,
 * `event/eventID`, or `event/usage/messageID`; for a text's continuation
 * `type/partID/continues/hash of its content`, with `unfinished` before the hash if it is unfinished; for a replaced call
 * or result `type/partID/replace`. Undefined for an entry without the ids, which cannot be identified.
 */
export function entryKey(entry: TranscriptEntry): string | undefined {
  const { type, messageID, partID } = entry;
  switch (type) {
    case "user": {
      const key = messageID === undefined ? undefined : `user/${messageID}`;
      return key === undefined || partID === undefined ? key : `${key}/${partID}`;
    }
    case "session_event": {
      const id = partID ?? entry.eventID;
      if (id !== undefined) return `event/${id}`;
      return entry.name === "usage" && messageID !== undefined ? `event/usage/${messageID}` : undefined;
    }
    default:
  }
  if (partID === undefined) return undefined;
  if (entry.continues === undefined) return `${type}/${partID}`;
  if (!("content" in entry)) return `${type}/${partID}/replace`;
  const hash = createHash("sha1").update(entry.content).digest("hex").slice(0, 12);
  const how = entry.unfinished === true ? `${entry.continues}/unfinished` : entry.continues;
  return `${type}/${partID}/${how}/${hash}`;
}

/** Returns the additional key of a text or call that was written unfinished. */
export function openKey(type: TranscriptEntry["type"], partID: string): string {
  return `${type}/${partID}/open`;
}

/** Returns the additional key of a continuation that completes a text or call. */
export function endKey(type: TranscriptEntry["type"], partID: string): string {
  return `${type}/${partID}/end`;
}

/** Returns the additional key of a text of that length: a text may go on after it was written. */
export function textKey(type: TranscriptEntry["type"], partID: string, chars: number): string {
  return `${type}/${partID}/${chars}`;
}

/**
 * Returns the keys of an entry: `entryKey`, and `openKey`, `endKey` or `textKey` if one applies. `chars`: length of its text
 * as it was written, which a person may have edited since.
 */
export function keysOf(entry: TranscriptEntry, chars?: number): string[] {
  const key = entryKey(entry);
  if (key === undefined || !isContinuable(entry) || entry.partID === undefined) return key === undefined ? [] : [key];
  const { type, partID } = entry;
  if (entry.unfinished === true) return [key, openKey(type, partID)];
  if (entry.continues !== undefined) return [key, endKey(type, partID)];
  return "content" in entry ? [key, textKey(type, partID, chars ?? entry.content.length)] : [key];
}

/** Entry that may be written in pieces, which readers join. */
export type ContinuableEntry = Exclude<TranscriptEntry, UserMessageEntry | SessionEventEntry>;

export function isContinuable(entry: TranscriptEntry): entry is ContinuableEntry {
  return entry.type !== "user" && entry.type !== "session_event";
}

/** Returns the key shared by an entry and its continuations; undefined if it cannot be continued. */
export function continuableKey({ type, partID }: ContinuableEntry): string | undefined {
  return partID === undefined ? undefined : `${type}/${partID}`;
}
