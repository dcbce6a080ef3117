/** A line of text around a hit, short enough to be read at a glance. */

export interface Passage {
  /** One line, some 200 characters: white space and control characters are single spaces, a cut is `…`. */
  text: string;
  /** Where the term stands in `text`: start and end, in UTF-16 units. In ascending order, at least one. */
  matches: (readonly [start: number, end: number])[];
}

/** Characters that are shown, and the share of them before the first match. */
const WHOLE = 200;
const BEFORE = 0.3;
/** How far from the wished place a word may end. */
const SLACK = 20;
const CUT = "…";
/** Colours and the like of what was printed on a terminal. */
const SEQUENCES = /\u001b\[[0-?]*[ -/]*[@-~]/g;
const SPACES = /[\s\u0000-\u001f\u007f-\u009f]+/g;

/** Of a text and the places of a term in it, in order. `whole`: about so many characters. */
export function passageAround(
  text: string,
  places: readonly (readonly [number, number])[],
  whole: number = WHOLE,
): Passage {
  const [first = [0, 0]] = places;
  const start = wordStart(text, first[0] - Math.round(whole * BEFORE), first[0]);
  const end = wordEnd(text, Math.max(start + whole, first[0] + 1), first[1]);
  const passage: Passage = { text: start > 0 ? CUT : "", matches: [] };
  let done = start;
  for (const [from, to] of places) {
    if (from >= end) break;
    append(passage, text.slice(done, from));
    const before = passage.text.length;
    passage.text += text.slice(from, Math.min(to, end)).replaceAll(SPACES, " ");
    passage.matches.push([before, passage.text.length]);
    done = Math.min(to, end);
  }
  const rest = text.slice(done, end);
  append(passage, end < text.length ? rest.trimEnd() : rest);
  if (end < text.length) passage.text += CUT;
  return passage;
}

function append(passage: Passage, piece: string): void {
  const flat = piece.replaceAll(SEQUENCES, "").replaceAll(SPACES, " ");
  const doubles = flat.startsWith(" ") && (passage.text === "" || passage.text.endsWith(" "));
  passage.text += doubles ? flat.slice(1) : flat;
}

/** The start of a word at or soon after `wish`, not after `limit`. */
function wordStart(text: string, wish: number, limit: number): number {
  if (wish <= 0) return 0;
  const space = text.slice(wish, Math.min(wish + SLACK, limit)).search(/\s\S/);
  return space === -1 ? wholeCharacter(text, wish) : wish + space + 1;
}

/** The end of a word at or soon before `wish`, not before `limit` unless the match itself is longer than a passage. */
function wordEnd(text: string, wish: number, limit: number): number {
  if (wish >= text.length) return text.length;
  const from = Math.max(wish - SLACK, Math.min(limit, wish));
  const space = text.slice(from, wish).search(/\s\S*$/);
  return space === -1 ? wholeCharacter(text, wish) : from + space;
}

/** The place, or the one before it if it is within a surrogate pair. */
function wholeCharacter(text: string, at: number): number {
  const code = text.charCodeAt(at);
  return code >= 0xdc00 && code <= 0xdfff ? at - 1 : at;
}
