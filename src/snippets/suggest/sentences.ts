/** Sentences of texts that are often Markdown. */

const FENCE = /^\s*(?:```|~~~)[^\n]*\n[^]*?(?:^\s*(?:```|~~~)\s*$|$(?![^]))/gm;
const MIN_TITLE_CHARS = 30;
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
function plain(text: string): string {
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
  const at = sentences.findIndex((sentence) => sentence.search(cue) !== -1);
  // "Found it!" tells nothing; what follows does.
  const telling =
    sentences.slice(Math.max(at, 0)).find(({ length }) => length >= MIN_TITLE_CHARS) ?? sentences[0] ?? "";
  return cutTitle(telling);
}

export function cutTitle(text: string): string {
  const line = plain(text);
  if (line.length <= MAX_TITLE_CHARS) return line.replace(/[:;,]$/, "");
  const cut = line.slice(0, MAX_TITLE_CHARS - 1);
  return `${cut.slice(0, Math.max(cut.lastIndexOf(" "), 60)).toWellFormed()}…`;
}
