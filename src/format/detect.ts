/** Tells the two formats apart. */
import { HEADING, JSONL_FORMAT, TITLE_START } from "./sections.ts";

const JSONL_START = `{"format":"${JSONL_FORMAT}"`;
/** A shorter text may be the beginning of anything. */
const MIN_BEGINNING = 4;
const startsWithHeading = new RegExp(`^${HEADING.source}`);

/**
 * Which of our formats a file has, from its beginning (200 characters are plenty); undefined if it is neither.
 * A markdown file that has lost its header is known by its first heading.
 */
export function detectTranscriptFormat(firstBytes: string): "markdown" | "jsonl" | undefined {
  const start = firstBytes.replace(/^\ufeff?\s*/, "");
  if (start.startsWith(TITLE_START) || startsWithHeading.test(start)) return "markdown";
  return start.startsWith(JSONL_START) ? "jsonl" : undefined;
}

/** Whether a whole file may be one of ours whose first write was cut off, within the header. */
export function isTranscriptBeginning(text: string): boolean {
  if (text.length < MIN_BEGINNING) return false;
  return [TITLE_START, JSONL_START].some((start) => start.startsWith(text) || text.startsWith(start));
}
