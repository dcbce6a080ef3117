/** Entries that had to be written in pieces. Pure. */
import type { AssistantMessageEntry, ReasoningEntry, TranscriptEntry } from "./entries.ts";

type TextEntry = AssistantMessageEntry | ReasoningEntry;

/**
 * Folds each entry with `continues` into the first one with its type and `partID`: `append` adds its text, `replace`
 * puts it in place. The first keeps its place and time; what the later one says of usage and of its end holds.
 * A continuation without anything before it stays as it is. The given entries are not changed.
 */
export function mergeContinuations(entries: readonly TranscriptEntry[]): TranscriptEntry[] {
  const merged: TranscriptEntry[] = [];
  const places = new Map<string, number>();
  for (const entry of entries) {
    const key = isText(entry) && entry.partID !== undefined ? `${entry.type}/${entry.partID}` : undefined;
    const place = key === undefined ? undefined : places.get(key);
    const first = place === undefined ? undefined : merged[place];
    if (place !== undefined && first !== undefined && isText(first) && isText(entry) && entry.continues !== undefined) {
      merged[place] = continued(first, entry);
      continue;
    }
    if (key !== undefined && place === undefined) places.set(key, merged.length);
    merged.push(entry);
  }
  return merged;
}

function isText(entry: TranscriptEntry): entry is TextEntry {
  return entry.type === "assistant" || entry.type === "reasoning";
}

function continued(first: TextEntry, later: TextEntry): TextEntry {
  const { continues, ...rest } = later;
  const { interrupted: _interrupted, unfinished: _unfinished, ...kept } = first;
  const content = continues === "append" ? first.content + later.content : later.content;
  return { ...kept, ...rest, timestamp: first.timestamp, content };
}
