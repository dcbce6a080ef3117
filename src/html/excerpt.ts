import { withoutSequences } from "../neutral-text.ts";

/** A first line shorter than this needs the second one to be understood. */
const MIN_GIST_CHARS = 24;

/** What is left of a text that may be too long, and how many characters are not there. */
export interface Excerpt {
  text: string;
  missingChars: number;
}

/** The first `maxChars` of a text, at least; never half a character. */
export function excerpt(text: string, maxChars: number): Excerpt {
  if (text.length <= maxChars) return { text, missingChars: 0 };
  const last = text.charCodeAt(maxChars - 1);
  const end = last >= 0xd800 && last < 0xdc00 ? maxChars + 1 : maxChars;
  return { text: text.slice(0, end), missingChars: text.length - end };
}

/** A text on one line, cut to `maxChars` with an ellipsis. */
export function oneLine(text: string, maxChars: number): string {
  const line = withoutSequences(text.slice(0, 8 * maxChars))
    .replace(/\s+/g, " ")
    .trim();
  if (line.length <= maxChars) return line;
  const { text: start } = excerpt(line, maxChars - 1);
  const lastSpace = start.lastIndexOf(" ");
  // Not within a word, if the word is not most of it.
  return `${(lastSpace > 0.8 * maxChars ? start.slice(0, lastSpace) : start).trimEnd()}…`;
}

/** Of a message that may begin with "Exit code 1" or the like: enough lines to say something. */
export function gist(text: string, maxChars: number): string {
  const lines = text
    .slice(0, 8 * maxChars)
    .split("\n")
    .map((line) => line.trim());
  const [first = "", second = ""] = lines.filter((line) => line !== "");
  const isShort = first.length < MIN_GIST_CHARS && second !== "";
  return oneLine(isShort ? `${first.replace(/:$/, "")}: ${second}` : first, maxChars);
}
