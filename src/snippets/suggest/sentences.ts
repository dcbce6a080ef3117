/** Sentences of texts that are often Markdown, in any language. */
import { stripVTControlCharacters } from "node:util";

const FENCE = /^[ \t]*(?:```|~~~)[^\n]*\n[^]*?(?:^[ \t]*(?:```|~~~)[ \t]*$|$(?![^]))/gm;
const MIN_TITLE_CHARS = 30;
const FULL_CHARS = 50;
/** Longer titles say no more. */
const MAX_TITLE_CHARS = 140;
/** A sign of these scripts says about as much as so many letters. */
const DENSE = /[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff]/g;
const DENSE_WEIGHT = 2.5;

/** How much a text says, in letters of an alphabet. */
export function lengthOf(text: string): number {
  return text.length + (DENSE_WEIGHT - 1) * (text.match(DENSE)?.length ?? 0);
}

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
    .split(/(?<=[.!?]["')*]*)\s+(?=[\p{Lu}\p{Lo}"'`*([])|(?<=[。！？])|\n+/u)
    .map(plain)
    .filter((sentence) => sentence.length > 0);
}

/** One line without the marks of Markdown. */
function plain(text: string): string {
  return stripVTControlCharacters(text)
    .replaceAll(/\*\*|__/g, "")
    .replaceAll(/\[([^\]]+)\]\([^)]*\)/g, "$1")
    .replace(/^\s*(?:[-*+•]|#{1,6}|\d+[.)])\s+/, "")
    .replaceAll(/\s+/g, " ")
    .trim();
}

/**
 * The first sentence in which a way of speaking comes up, or the first of all, as a title; of several one that says
 * more than a heading does.
 */
export function titleFrom(prose: string, cue: RegExp): string {
  const sentences = sentencesOf(prose);
  const at = sentences.findIndex((sentence) => sentence.search(cue) !== -1);
  const full = sentences.find((sentence) => sentence.search(cue) !== -1 && isTelling(sentence) && isFull(sentence));
  // "Found it!" tells nothing; what follows does.
  const telling = full ?? sentences.slice(Math.max(at, 0)).find(isTelling) ?? sentences[0] ?? "";
  return cutTitle(telling);
}

/** Long enough, no announcement of what follows, no question, no item that is ticked off. */
export function isTelling(sentence: string): boolean {
  return (
    lengthOf(sentence) >= MIN_TITLE_CHARS && !/[:：?？]$/.test(sentence) && /^[\p{L}\p{N}`"'([<./$-]/u.test(sentence)
  );
}

function isFull(sentence: string): boolean {
  return /[.!。！]["')*`]*$/.test(sentence) && lengthOf(sentence) >= FULL_CHARS;
}

export function cutTitle(text: string): string {
  const line = plain(text);
  if (line.length <= MAX_TITLE_CHARS) return line.replace(/[:;,]$/, "");
  const cut = line.slice(0, MAX_TITLE_CHARS - 1);
  return `${cut.slice(0, Math.max(cut.lastIndexOf(" "), 60)).toWellFormed()}…`;
}
