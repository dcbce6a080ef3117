/** The entry that stands for what a broken-off write left behind. Pure. */
import type { SessionEventEntry } from "./entries.ts";

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
