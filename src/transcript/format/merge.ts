/** Merges entries that were written in pieces. Pure. */
import type { TranscriptEntry, UserMessageEntry, SessionEventEntry } from "./entry-types.ts";

export type ContinuableEntry = Exclude<TranscriptEntry, UserMessageEntry | SessionEventEntry>;

/**
 * Merges each entry with `continues` into the first one with its type and `partID`: `append` adds its text, `replace`
 * replaces the entry. The first keeps its position and, unless it is a result, its time; usage and end are those of the
 * later one. A continuation without an earlier entry is unchanged. The given entries are not modified.
 */
export function mergeContinuations(entries: readonly TranscriptEntry[]): TranscriptEntry[] {
  const merged: TranscriptEntry[] = [];
  const places = new Map<string, number>();
  for (const entry of entries) {
    const key = isContinuable(entry) ? continuableKey(entry) : undefined;
    const place = key === undefined ? undefined : places.get(key);
    const first = place === undefined ? undefined : merged[place];
    const whole = first && continued(first, entry);
    if (place !== undefined && whole !== undefined) {
      merged[place] = whole;
      continue;
    }
    if (key !== undefined && place === undefined) places.set(key, merged.length);
    merged.push(entry);
  }
  return merged;
}

export function isContinuable(entry: TranscriptEntry): entry is ContinuableEntry {
  return entry.type !== "user" && entry.type !== "session_event";
}

/** Returns the key shared by an entry and its continuations; undefined if it cannot be continued. */
export function continuableKey({ type, partID }: ContinuableEntry): string | undefined {
  return partID === undefined ? undefined : `${type}/${partID}`;
}

/** Returns the merged entry; undefined if the later entry does not continue the first. */
function continued(first: TranscriptEntry, later: TranscriptEntry): TranscriptEntry | undefined {
  if (!("continues" in later) || later.continues === undefined) return undefined;
  const { continues, ...rest } = later;
  if (rest.type === "tool_result") return rest;
  if (rest.type === "tool_use") return { ...rest, timestamp: first.timestamp };
  if (first.type !== "assistant" && first.type !== "reasoning") return undefined;
  const { interrupted: _interrupted, unfinished: _unfinished, ...kept } = first;
  const content = continues === "append" ? first.content + rest.content : rest.content;
  return { ...kept, ...rest, timestamp: first.timestamp, content };
}
