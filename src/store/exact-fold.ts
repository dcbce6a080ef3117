/**
 * Folding that is exact: a text has a term, as `foldedPattern` sees it, where and only where its fold has the term's
 * fold. So a database can compare by itself. `foldText` is not exact (`ß` becomes `ss`); it is what is in the index of
 * events, whose finds are looked at again.
 */
import { foldedKin } from "../matching/folding.ts";

const ASCII = /^[\0-\u007f]*$/;
const BEYOND_ASCII = /[A-Z]+|[^\0-\u007f]/gu;

/** One of the characters that count as the same stands for all, of each character that was met. */
const standIns = new Map<string, string>();

export function exactFold(text: string): string {
  if (ASCII.test(text)) return text.toLowerCase();
  return text.replaceAll(BEYOND_ASCII, (piece) => (piece < "\u0080" ? piece.toLowerCase() : standIn(piece)));
}

/** The text with its ASCII letters in lower case: what `lower(… COLLATE "C")` is in PostgreSQL. */
export function asciiFolded(text: string): string {
  return text.replaceAll(/[A-Z]+/g, (letters) => letters.toLowerCase());
}

function standIn(character: string): string {
  const known = standIns.get(character);
  if (known !== undefined) return known;
  const [first = character] = foldedKin(character).toSorted();
  const folded = first < "\u0080" ? first.toLowerCase() : first;
  standIns.set(character, folded);
  return folded;
}
