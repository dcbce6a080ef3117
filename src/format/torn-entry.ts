/** The entries that stand for what was found behind a file's last complete entry. Pure. */
import type { SessionEventEntry } from "./entries.ts";
import { HEADING, TITLE_START } from "./sections.ts";

/** UTF-16 units of a fragment that are kept. */
const MAX_FRAGMENT_CHARS = 20_000;

/**
 * A session event that keeps what was found after the last complete entry, before it is cut off.
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
/** Longer beginnings of a line are no unfinished heading. */
const MAX_HEADING_CHARS = 1_000;

/**
 * Whether text found behind the last complete entry was written by a person, not by a recorder whose write broke off:
 * a recorder's begins as its entries do.
 */
export function isNote(format: "markdown" | "jsonl", fragmentText: string): boolean {
  const text = withoutFiller(fragmentText);
  // A file system leaves NULs where bytes were to be written when the power failed.
  if (text === "" || text.includes("\0")) return false;
  return !(format === "jsonl" ? text.startsWith("{") : isUnfinishedSection(text));
}

function isUnfinishedSection(text: string): boolean {
  const [line = ""] = text.split("\n", 1);
  if (line.length < text.length) return HEADING_LINE.test(line) || line.startsWith(TITLE_START);
  const starts = [TITLE_START, "## ["];
  return line.length <= MAX_HEADING_CHARS && starts.some((start) => start.startsWith(line.slice(0, start.length)));
}

/** A session event that keeps text which somebody else appended to the file. */
export function encodeNoteEntry(fragmentText: string, timestamp: string): SessionEventEntry {
  return { type: "session_event", timestamp, name: "note", text: withoutFiller(fragmentText) };
}

/** Without the blank lines and rules around it, which divide entries. */
function withoutFiller(text: string): string {
  return text.replace(/^(?:(?:---)?[ \t\r]*\n)+/, "").trimEnd();
}
