/** Generates a transcript of our own of any size, in either format. */
import { writeFileSync } from "node:fs";
import {
  encodeJsonlEntry,
  encodeJsonlHeader,
  encodeMarkdownEntry,
  encodeMarkdownHeader,
  type TranscriptEntry,
} from "../src/transcript/format/formats.ts";
import { textOf } from "./fake-host.ts";

export type TranscriptFormat = "markdown" | "jsonl";

const HEADER = { version: 1, sessionID: "ses_bench" } as const;
const MARKDOWN = { filePath: `${HEADER.sessionID}.md` };

export const TRANSCRIPT_NAMES: Readonly<Record<TranscriptFormat, string>> = {
  markdown: `${HEADER.sessionID}.md`,
  jsonl: `${HEADER.sessionID}.jsonl`,
};

/** Returns entry `at` as written to a file: a question, a call, its result of 6 KB and an answer, in turn. */
export function encodedEntry(format: TranscriptFormat, at: number): string {
  const entry = madeEntry(at);
  return format === "jsonl" ? encodeJsonlEntry(entry) : encodeMarkdownEntry(entry, MARKDOWN);
}

/** Writes a transcript of at least this many bytes; returns its number of entries. */
export function writeTranscript(path: string, format: TranscriptFormat, bytes: number): number {
  const parts = [format === "jsonl" ? encodeJsonlHeader(HEADER) : encodeMarkdownHeader(HEADER, MARKDOWN)];
  for (let size = 0; size < bytes; size += Buffer.byteLength(parts.at(-1) ?? "")) {
    parts.push(encodedEntry(format, parts.length));
  }
  writeFileSync(path, parts.join(""));
  return parts.length - 1;
}

function madeEntry(at: number): TranscriptEntry {
  const turn = at >> 2;
  const timestamp = new Date(1_750_000_000_000 + at * 1_000).toISOString();
  const part = { messageID: `msg_${turn}`, partID: `prt_${at}`, timestamp };
  const call = { tool: "bash", callID: `call_${turn}`, input: { command: textOf(200, turn + 1) } };
  const kind = at % 4;
  if (kind === 0) return { type: "user", messageID: `msg_${turn}`, timestamp, content: textOf(300, at + 1), parts: [] };
  if (kind === 1) return { type: "tool_use", ...call, ...part };
  if (kind === 2) return { type: "tool_result", ...call, ...part, output: textOf(6_000, at), status: "completed" };
  return { type: "assistant", ...part, content: textOf(800, at) };
}
