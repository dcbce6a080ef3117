/** Encoders and readers of both file formats. Pure. */
export type * from "./entry-types.ts";
export { detectTranscriptFormat, isTranscriptBeginning } from "./open.ts";
export type { MarkdownEntryOptions, MarkdownHeaderOptions } from "./markdown-encode.ts";
export { chunksOf, type TranscriptInput } from "./items.ts";
export type { ParsedTranscript } from "./items.ts";
export { parseJsonlTranscript, readJsonlTranscript } from "./jsonl.ts";
export { encodeJsonlEntry, encodeJsonlHeader } from "./jsonl.ts";
export { endKey, entryKey, openKey, stateKey } from "./keys.ts";
export { encodeMarkdownEntry, encodeMarkdownHeader } from "./markdown-encode.ts";
export { parseMarkdownTranscript, readMarkdownTranscript, type MarkdownReadOptions } from "./markdown-read.ts";
export { continuableKey, isContinuable, mergeContinuations, type ContinuableEntry } from "./merge.ts";
export { openTranscript } from "./open.ts";
export { outputFileText } from "./output-text.ts";
export { closingOf, createJsonlScanner, createMarkdownScanner, type TailScanner } from "./scan.ts";
export { encodeNoteEntry, encodeTornEntry, isNote } from "./torn-entry.ts";
