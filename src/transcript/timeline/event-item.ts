import type { SessionEventEntry } from "../../format/entries.ts";
import { isoTime } from "../draft.ts";
import { ORDER_MS, type Item } from "./item.ts";

/** A session event that has its place among the parts of a message. */
export function eventItem(
  { messageID, partID }: { messageID: string; partID: string },
  fields: Pick<SessionEventEntry, "name" | "text" | "data">,
  nowMs: number,
  atMs?: number,
): Item {
  const timestamp = isoTime(atMs, nowMs);
  const entry: SessionEventEntry = { type: "session_event", timestamp, messageID, partID, ...fields };
  return {
    key: partID,
    messageID,
    readySinceMs: nowMs,
    betterAfterMs: undefined,
    patienceMs: ORDER_MS,
    take: () => [{ entry }],
  };
}
