/** The two file formats, in both directions. Pure: texts and bytes in, entries out, and back. */
export type * from "./entries.ts";
export { detectTranscriptFormat, isTranscriptBeginning } from "./detect.ts";
export type { MarkdownEntryOptions, MarkdownHeaderOptions } from "./encode-options.ts";
export { chunksOf, type TranscriptInput } from "./input.ts";
export type { ParsedTranscript } from "./items.ts";
export { parseJsonlTranscript, readJsonlTranscript } from "./jsonl-read.ts";
export { encodeJsonlEntry, encodeJsonlHeader } from "./jsonl.ts";
export { endKey, entryKey, openKey, stateKey } from "./keys.ts";
export { encodeMarkdownEntry, encodeMarkdownHeader } from "./markdown-encode.ts";
export { parseMarkdownTranscript, readMarkdownTranscript, type MarkdownReadOptions } from "./markdown-read.ts";
export { continuableKey, isContinuable, mergeContinuations, type ContinuableEntry } from "./merge.ts";
export { openTranscript } from "./open.ts";
export { outputFileText } from "./output-text.ts";
export { closingOf, createJsonlScanner, createMarkdownScanner, type TailScanner } from "./scan.ts";
export { encodeNoteEntry, encodeTornEntry, isNote } from "./torn-entry.ts";
