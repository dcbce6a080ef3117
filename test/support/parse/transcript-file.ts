/** Transcripts of our own, made from entries, in either format. */
import {
  encodeJsonlEntry,
  encodeJsonlHeader,
  encodeMarkdownEntry,
  encodeMarkdownHeader,
  type TranscriptEntry,
  type TranscriptHeader,
} from "../../../src/transcript/format/formats.ts";
import type { Format } from "../../../src/agents/agent.ts";
import { jsonl, markdown } from "../../../src/agents/transcripts/transcript-files.ts";

const filePath = "ses_parent/ses_1.md";

export const HEADER: TranscriptHeader = { version: 1, sessionID: "ses_1" };

export interface TranscriptFormat {
  source: Format;
  header: (header: TranscriptHeader) => string;
  entry: (entry: TranscriptEntry) => string;
  /** A whole file. */
  text: (entries: readonly TranscriptEntry[], header?: TranscriptHeader) => string;
}

function format(
  source: Format,
  header: (header: TranscriptHeader) => string,
  entry: (entry: TranscriptEntry) => string,
): TranscriptFormat {
  return { source, header, entry, text: (entries, head = HEADER) => header(head) + entries.map(entry).join("") };
}

export const MARKDOWN = format(
  markdown,
  (header) => encodeMarkdownHeader(header, { filePath }),
  (entry) => encodeMarkdownEntry(entry, { filePath }),
);
export const JSONL = format(jsonl, encodeJsonlHeader, encodeJsonlEntry);
export const FORMATS: Record<string, TranscriptFormat> = { markdown: MARKDOWN, jsonl: JSONL };
