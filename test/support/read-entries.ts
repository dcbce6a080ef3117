/** Reads whole transcripts, and joins the entries that were written in pieces. */
import { isContinuable, continuableKey } from "../../src/transcript/format/formats.ts";
import type {
  TranscriptEntry,
  TranscriptHeader,
  TranscriptItem,
  TranscriptProblem,
} from "../../src/transcript/format/entry-types.ts";
import { chunksOf, type ItemReader, type TranscriptInput } from "../../src/transcript/format/items.ts";
import { JsonlReader } from "../../src/transcript/format/jsonl.ts";
import { MarkdownReader, type MarkdownReadOptions } from "../../src/transcript/format/markdown-read.ts";

export interface ParsedTranscript {
  header?: TranscriptHeader;
  entries: TranscriptEntry[];
  problems: TranscriptProblem[];
}

/** Reads a transcript of either format item by item. */
export function openTranscript(
  format: "markdown" | "jsonl",
  input: TranscriptInput,
  options: MarkdownReadOptions = {},
): AsyncGenerator<TranscriptItem> {
  return itemsOf(input, format === "jsonl" ? new JsonlReader() : new MarkdownReader(options));
}

export function readMarkdownTranscript(
  input: TranscriptInput,
  options: MarkdownReadOptions = {},
): AsyncGenerator<TranscriptItem> {
  return openTranscript("markdown", input, options);
}

export function readJsonlTranscript(input: TranscriptInput): AsyncGenerator<TranscriptItem> {
  return openTranscript("jsonl", input);
}

export function parseMarkdownTranscript(
  input: TranscriptInput,
  options: MarkdownReadOptions = {},
): Promise<ParsedTranscript> {
  return collect(readMarkdownTranscript(input, options));
}

export function parseJsonlTranscript(input: TranscriptInput): Promise<ParsedTranscript> {
  return collect(readJsonlTranscript(input));
}

async function* itemsOf(input: TranscriptInput, reader: ItemReader): AsyncGenerator<TranscriptItem> {
  for await (const chunk of chunksOf(input)) yield* reader.push(chunk);
  yield* reader.end();
}

async function collect(items: AsyncIterable<TranscriptItem>): Promise<ParsedTranscript> {
  const parsed: ParsedTranscript = { entries: [], problems: [] };
  for await (const item of items) {
    if (item.kind === "entry") parsed.entries.push(item.entry);
    else if (item.kind === "problem") parsed.problems.push(item.problem);
    else parsed.header ??= item.header;
  }
  return parsed;
}

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
  // A late result has the input of its call, which may have been corrected.
  return merged.map((entry) => {
    if (entry.type !== "tool_result" || entry.input !== null || entry.partID === undefined) return entry;
    const use = merged[places.get(`tool_use/${entry.partID}`) ?? -1];
    return use?.type === "tool_use" ? { ...entry, input: use.input } : entry;
  });
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
