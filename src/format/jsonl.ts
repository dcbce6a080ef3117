/** JSONL transcripts: a header line, then one entry a line. Pure. */
import type { TranscriptEntry, TranscriptHeader } from "./entries.ts";
import { lineJson } from "./json-text.ts";
import { JSONL_FORMAT } from "./sections.ts";

/** The first line of a new file. */
export function encodeJsonlHeader(header: TranscriptHeader): string {
  return `${lineJson({ format: JSONL_FORMAT, ...header })}\n`;
}

/** One entry as a line, `type` first. Outputs stand in it whole. */
export function encodeJsonlEntry(entry: TranscriptEntry): string {
  const { type, ...fields } = entry;
  return `${lineJson({ type, ...fields })}\n`;
}
