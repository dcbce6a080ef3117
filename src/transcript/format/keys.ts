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
  const id = entry.type === "session_event" ? (entry.partID ?? entry.eventID) : entry.partID;
  const name = entry.type === "session_event" ? entry.name : undefined;
  return specialKey(entry) ?? plainKey(entry.type, entry.messageID, id, name);
}

/** Returns the key of an entry if it does not follow from type and ids. It is then in the markdown section's comment. */
export function specialKey(entry: TranscriptEntry): string | undefined {
  if (entry.partID === undefined) return undefined;
  if (entry.type === "user") {
    return entry.messageID === undefined ? undefined : `user/${entry.messageID}/${entry.partID}`;
  }
  if (entry.type === "session_event" || entry.continues === undefined) return undefined;
  if (entry.type === "tool_use" || entry.type === "tool_result") return `${entry.type}/${entry.partID}/replace`;
  const hash = createHash("sha1").update(entry.content).digest("hex").slice(0, 12);
  const how = entry.unfinished === true ? `${entry.continues}/unfinished` : entry.continues;
  return `${entry.type}/${entry.partID}/${how}/${hash}`;
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

/** Returns an entry's additional key: `openKey`, `endKey`, `textKey`, or none. `chars`: length of its content. */
export function stateKey(
  type: TranscriptEntry["type"],
  { partID, unfinished, continues }: { partID?: unknown; unfinished?: unknown; continues?: unknown },
  chars: unknown,
): string | undefined {
  if (typeof partID !== "string") return undefined;
  if (unfinished === true) return openKey(type, partID);
  if (continues !== undefined) return endKey(type, partID);
  const isText = (type === "assistant" || type === "reasoning") && typeof chars === "number";
  return isText ? textKey(type, partID, chars) : undefined;
}

/** Returns the keys of an entry: `entryKey` and `stateKey`. */
export function keysOf(entry: TranscriptEntry): (string | undefined)[] {
  return [entryKey(entry), stateKey(entry.type, entry, "content" in entry ? entry.content.length : undefined)];
}

/**
 * Returns the key of all other entries. For a session event, `partID` may be its `eventID`; the usage of a message's only
 * model call needs none.
 */
export function plainKey(
  type: TranscriptEntry["type"],
  messageID: string | undefined,
  partID: string | undefined,
  name: string | undefined,
): string | undefined {
  const isUsage = type === "session_event" && name === "usage" && partID === undefined && messageID !== undefined;
  if (isUsage) return `event/usage/${messageID}`;
  const id = type === "user" ? messageID : partID;
  if (id === undefined) return undefined;
  return type === "session_event" ? `event/${id}` : `${type}/${id}`;
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
