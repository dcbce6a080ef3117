/** Sentences of texts that are often Markdown. */

const FENCE = /^\s*(?:```|~~~)[^\n]*\n[^]*?(?:^\s*(?:```|~~~)\s*$|$(?![^]))/gm;
/** Longer titles say no more. */
const MAX_TITLE_CHARS = 140;

/** The text without blocks of code, tables and quotations. */
export function proseOf(text: string): string {
  return text
    .replaceAll(FENCE, "\n\n")
    .split("\n")
    .filter((line) => !/^\s*(?:\||>|[-=*_]{3,}\s*$)/.test(line))
    .join("\n");
}

export function sentencesOf(prose: string): string[] {
  return prose
    .split(/(?<=[.!?])\s+(?=[A-Z"'`*([])|\n+/)
    .map(plain)
    .filter((sentence) => sentence.length > 0);
}

/** One line without the marks of Markdown. */
export function plain(text: string): string {
  return text
    .replaceAll(/\*\*|__/g, "")
    .replaceAll(/\[([^\]]+)\]\([^)]*\)/g, "$1")
    .replace(/^\s*(?:[-*+•]|#{1,6}|\d+[.)])\s+/, "")
    .replaceAll(/\s+/g, " ")
    .trim();
}

/** The first sentence in which a way of speaking comes up, or the first of all, as a title. */
export function titleFrom(prose: string, cue: RegExp): string {
  const sentences = sentencesOf(prose);
  const telling =
    sentences.find((sentence) => sentence.length >= 30 && sentence.search(cue) !== -1) ?? sentences[0] ?? "";
  return cutTitle(telling);
}

export function cutTitle(text: string): string {
  const line = plain(text);
  if (line.length <= MAX_TITLE_CHARS) return line.replace(/[:;,]$/, "");
  const cut = line.slice(0, MAX_TITLE_CHARS - 1);
  return `${cut.slice(0, Math.max(cut.lastIndexOf(" "), 60)).toWellFormed()}…`;
}
