/** Puts an answer together: as many items as its size allows, and how to get the others. */
import { DEFAULT_CHARS } from "./tool-definitions.ts";

export interface AnswerPage {
  /** First lines, for the number of items that are shown. */
  head: (shown: number) => readonly string[];
  items: readonly string[];
  /** Number of items before these. */
  offset: number;
  /** There are more after these. */
  hasMore: boolean;
  maxChars: number | undefined;
}

/** Characters reserved for the last line. */
const FOOTER_CHARS = 80;

/** Returns at least one item, cut if it does not fit alone. */
export function answerText({ head, items, offset, hasMore, maxChars = DEFAULT_CHARS }: AnswerPage): string {
  const shown: string[] = [];
  let room = maxChars - FOOTER_CHARS - head(items.length).join("\n").length;
  for (const item of items) {
    if (item.length > room && shown.length > 0) break;
    shown.push(cut(item, Math.max(room, 0)));
    room -= item.length + 1;
  }
  const isMore = hasMore || shown.length < items.length;
  const more = isMore ? [`More: the same arguments with offset ${offset + shown.length}.`] : [];
  return [...head(shown.length), ...shown, ...more].join("\n");
}

function cut(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text;
  const end = "… (cut: max_chars shows more)";
  return `${text.slice(0, Math.max(0, maxChars - end.length)).toWellFormed()}${end}`;
}
