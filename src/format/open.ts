import type { TranscriptItem } from "./entries.ts";
import type { TranscriptInput } from "./input.ts";
import { readJsonlTranscript } from "./jsonl-read.ts";
import { readMarkdownTranscript, type MarkdownReadOptions } from "./markdown-read.ts";

/** Reads a transcript of either format, item by item. */
export function openTranscript(
  format: "markdown" | "jsonl",
  input: TranscriptInput,
  options: MarkdownReadOptions = {},
): AsyncGenerator<TranscriptItem> {
  return format === "jsonl" ? readJsonlTranscript(input) : readMarkdownTranscript(input, options);
}
