/** The identity of an entry, by which a recorder knows what a file holds already. */
import { createHash } from "node:crypto";
import type { TranscriptEntry } from "./entries.ts";

/**
 * `type/partID`; of a user message `user/messageID`, and of a part that came to it later `user/messageID/partID`; of a
 * session event `event/name/partID` or `event/eventID`; of a text's continuation `type/partID/continues/hash of its
 * content`, with `unfinished` before the hash where it is that; of what replaces a call or a result `type/partID/replace`.
 * Undefined for an entry without the id that this needs: such an entry cannot be told from another one.
 */
export function entryKey(entry: TranscriptEntry): string | undefined {
  const id = entry.type === "session_event" ? entry.eventID : entry.partID;
  return specialKey(entry) ?? plainKey(entry.type, entry.messageID, id);
}

/** The key of an entry that its type and ids alone do not give. A markdown section's comment holds it. */
export function specialKey(entry: TranscriptEntry): string | undefined {
  if (entry.partID === undefined) return undefined;
  if (entry.type === "user") {
    return entry.messageID === undefined ? undefined : `user/${entry.messageID}/${entry.partID}`;
  }
  if (entry.type === "session_event") return `event/${entry.name}/${entry.partID}`;
  if (entry.continues === undefined) return undefined;
  if (entry.type === "tool_use" || entry.type === "tool_result") return `${entry.type}/${entry.partID}/replace`;
  const hash = createHash("sha1").update(entry.content).digest("hex").slice(0, 12);
  const how = entry.unfinished === true ? `${entry.continues}/unfinished` : entry.continues;
  return `${entry.type}/${entry.partID}/${how}/${hash}`;
}

/** The key that a file has, besides the entry's own, of a text or call that was written before it was whole. */
export function openKey(type: TranscriptEntry["type"], partID: string): string {
  return `${type}/${partID}/open`;
}

/** The key that a file has, besides the entry's own, of a continuation that makes a text or call whole. */
export function endKey(type: TranscriptEntry["type"], partID: string): string {
  return `${type}/${partID}/end`;
}

/** What a file says of an entry besides its key: `openKey`, `endKey`, or neither. */
export function stateKey(
  type: TranscriptEntry["type"],
  { partID, unfinished, continues }: { partID?: unknown; unfinished?: unknown; continues?: unknown },
): string | undefined {
  if (typeof partID !== "string") return undefined;
  if (unfinished === true) return openKey(type, partID);
  return continues === undefined ? undefined : endKey(type, partID);
}

/** The key of every other entry. `partID` is the `eventID` of a session event. */
export function plainKey(
  type: TranscriptEntry["type"],
  messageID: string | undefined,
  partID: string | undefined,
): string | undefined {
  const id = type === "user" ? messageID : partID;
  if (id === undefined) return undefined;
  return type === "session_event" ? `event/${id}` : `${type}/${id}`;
}
