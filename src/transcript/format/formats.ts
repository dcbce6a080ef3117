/** Encoders and readers of both file formats. Pure. */
import { JSONL_FORMAT, STARTS_WITH_HEADING, TITLE_START } from "./sections.ts";

export type * from "./entry-types.ts";
export { chunksOf, type TranscriptInput } from "./items.ts";
export { encodeJsonlEntry, encodeJsonlHeader } from "./jsonl.ts";
export { FIRST_CONTEXT, inContext, type SectionContext } from "./section-context.ts";
export { continuableKey, endKey, entryKey, isContinuable, keysOf, openKey, textKey } from "./keys.ts";
export { encodeMarkdownEntry, encodeMarkdownHeader } from "./markdown-encode.ts";
export { outputFileText } from "./output-text.ts";
export { closingOf, encodeTornEntry, TranscriptScanner } from "./file-end.ts";

const JSONL_START = `{"format":"${JSONL_FORMAT}"`;
/** A shorter text does not identify a format. */
const MIN_BEGINNING = 4;

/**
 * Returns the format of a file from its beginning (200 characters suffice); undefined if it is neither.
 * A markdown file without its header is detected by its first heading.
 */
export function detectTranscriptFormat(firstBytes: string): "markdown" | "jsonl" | undefined {
  const start = firstBytes.replace(/^\ufeff?\s*/, "");
  if (start.startsWith(TITLE_START) || STARTS_WITH_HEADING.test(start)) return "markdown";
  return start.startsWith(JSONL_START) ? "jsonl" : undefined;
}

/** Returns whether a file may be a transcript whose first write was cut off within the header. */
export function isTranscriptBeginning(text: string): boolean {
  if (text.length < MIN_BEGINNING) return false;
  return [TITLE_START, JSONL_START].some((start) => start.startsWith(text) || text.startsWith(start));
}
