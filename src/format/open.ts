import type { TranscriptItem } from "./entries.ts";
import type { TranscriptInput } from "./input.ts";
import { JsonlReader, readJsonlTranscript } from "./jsonl-read.ts";
import { MarkdownReader, readMarkdownTranscript, type MarkdownReadOptions } from "./markdown-read.ts";
import type { ReadingMark, ItemReader } from "./reading-mark.ts";

/** Reads a transcript of either format, item by item. */
export function openTranscript(
  format: "markdown" | "jsonl",
  input: TranscriptInput,
  options: MarkdownReadOptions = {},
): AsyncGenerator<TranscriptItem> {
  return format === "jsonl" ? readJsonlTranscript(input) : readMarkdownTranscript(input, options);
}

/** Reads on from a mark of an earlier reader. */
export function resumeTranscript(
  format: "markdown" | "jsonl",
  start: ReadingMark,
  options: MarkdownReadOptions = {},
): ItemReader {
  return format === "jsonl" ? new JsonlReader(start) : new MarkdownReader(options, start);
}
