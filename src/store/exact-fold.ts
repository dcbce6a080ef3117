/**
 * Exact case folding: a text contains a term, as `foldedPattern` matches it, if and only if its fold contains the
 * term's fold, so a database can do the comparison. `foldText` is not exact (`ß` becomes `ss`): the event index uses
 * it, and its hits are checked again.
 */
import { foldedKin } from "../matching/folding.ts";

const ASCII = /^[\0-\u007f]*$/;
const BEYOND_ASCII = /[A-Z]+|[^\0-\u007f]/gu;

/** Maps each character seen so far to the one representative of all characters that fold alike. */
const standIns = new Map<string, string>();

export function exactFold(text: string): string {
  if (ASCII.test(text)) return text.toLowerCase();
  return text.replaceAll(BEYOND_ASCII, (piece) => (piece < "\u0080" ? piece.toLowerCase() : standIn(piece)));
}

/** Lower-cases ASCII letters only, like PostgreSQL's `lower(… COLLATE "C")`. */
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
