/** Entries for text found after a file's last complete entry. Pure. */
import type { SessionEventEntry } from "./entry-types.ts";
import { HEADING, TITLE_START } from "./sections.ts";

/** Maximum number of UTF-16 units kept of a fragment. */
const MAX_FRAGMENT_CHARS = 20_000;

/**
 * Returns a session event with the text found after the last complete entry, before that is cut off.
 * @param fragmentText the bytes found, decoded as UTF-8 with replacement characters
 */
export function encodeTornEntry(
  format: "markdown" | "jsonl",
  fragmentText: string,
  timestamp: string,
): SessionEventEntry & { data: { format: string; chars: number; fragment: string } } {
  return {
    type: "session_event",
    timestamp,
    name: "torn entry",
    text: "The recording process ended while it wrote an entry. What had been written of it is kept below.",
    data: {
      format,
      chars: fragmentText.length,
      fragment: fragmentText.slice(0, MAX_FRAGMENT_CHARS),
    },
  };
}

const HEADING_LINE = new RegExp(`^${HEADING.source}`);
const MAX_HEADING_CHARS = 1_000;

/**
 * Returns whether text found after the last complete entry was written by a person. An incomplete write of a recorder
 * begins like its entries.
 */
export function isNote(format: "markdown" | "jsonl", fragmentText: string): boolean {
  const text = withoutFiller(fragmentText);
  // After a power loss a file system may leave NULs where bytes were to be written.
  if (text === "" || text.includes("\0")) return false;
  return !(format === "jsonl" ? text.startsWith("{") : isUnfinishedSection(text));
}

function isUnfinishedSection(text: string): boolean {
  const [line = ""] = text.split("\n", 1);
  if (line.length < text.length) return HEADING_LINE.test(line) || line.startsWith(TITLE_START);
  const starts = [TITLE_START, "## ["];
  return line.length <= MAX_HEADING_CHARS && starts.some((start) => start.startsWith(line.slice(0, start.length)));
}

/** Returns a session event with text that a person appended to the file. */
export function encodeNoteEntry(fragmentText: string, timestamp: string): SessionEventEntry {
  return { type: "session_event", timestamp, name: "note", text: withoutFiller(fragmentText) };
}

/** Trims blank lines and rules, which separate entries. */
function withoutFiller(text: string): string {
  return text.replace(/^(?:(?:---)?[ \t\r]*\n)+/, "").trimEnd();
}
