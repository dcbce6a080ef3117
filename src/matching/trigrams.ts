/** Three characters in a row: what indexes of texts are made of. */
import { foldText } from "./folding.ts";

const LENGTH = 3;

/**
 * The trigrams that every text has which has the term, in any case: each once, in the order of the term. None of a term
 * of one or two characters. Characters are code points of the folded term.
 */
export function trigramsOf(term: string): string[] {
  const characters = Array.from(foldText(term));
  const starts = Array.from({ length: Math.max(0, characters.length - LENGTH + 1) }, (_, at) => at);
  return [...new Set(starts.map((at) => characters.slice(at, at + LENGTH).join("")))];
}

/** At most so many of a list, two or more, from all over it, the first and the last included. */
export function spread<T>(values: readonly T[], most: number): T[] {
  if (values.length <= most) return [...values];
  const step = (values.length - 1) / (most - 1);
  const chosen = new Set(Array.from({ length: most }, (_, at) => Math.round(at * step)));
  return values.filter((_, at) => chosen.has(at));
}
