/** Tells the two formats apart. */
import { HEADING, JSONL_FORMAT, TITLE_START } from "./sections.ts";

const startsWithHeading = new RegExp(`^${HEADING.source}`);

/**
 * Which of our formats a file has, from its beginning (200 characters are plenty); undefined if it is neither.
 * A markdown file that has lost its header is known by its first heading.
 */
export function detectTranscriptFormat(firstBytes: string): "markdown" | "jsonl" | undefined {
  const start = firstBytes.replace(/^\ufeff?\s*/, "");
  if (start.startsWith(TITLE_START) || startsWithHeading.test(start)) return "markdown";
  return start.startsWith(`{"format":"${JSONL_FORMAT}"`) ? "jsonl" : undefined;
}
