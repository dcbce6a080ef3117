/** Makes a short line of text around a hit. */

export interface Passage {
  /** One line of about 200 characters. White space and control characters are single spaces, a cut is `…`. */
  text: string;
  /** Matches in `text`: start and end in UTF-16 units. In ascending order, at least one. */
  matches: (readonly [start: number, end: number])[];
}

/** Length of a passage in characters, and the share of it before the first match. */
const WHOLE = 200;
const BEFORE = 0.3;
/** Maximum distance of a word boundary from the desired position. */
const SLACK = 20;
const CUT = "…";
/** Matches terminal escape sequences, such as colours. */
const SEQUENCES = /\u001b\[[0-?]*[ -/]*[@-~]/g;
const SPACES = /[\s\u0000-\u001f\u007f-\u009f]+/g;

/** Makes the passage for a text and its matches, in order. `whole`: length of the passage in characters. */
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

/** Returns the start of a word at or soon after `wish`, not after `limit`. */
function wordStart(text: string, wish: number, limit: number): number {
  if (wish <= 0) return 0;
  const space = text.slice(wish, Math.min(wish + SLACK, limit)).search(/\s\S/);
  return space === -1 ? wholeCharacter(text, wish) : wish + space + 1;
}

/** Returns the end of a word at or soon before `wish`, not before `limit` unless the match is longer than a passage. */
function wordEnd(text: string, wish: number, limit: number): number {
  if (wish >= text.length) return text.length;
  const from = Math.max(wish - SLACK, Math.min(limit, wish));
  const space = text.slice(from, wish).search(/\s\S*$/);
  return space === -1 ? wholeCharacter(text, wish) : from + space;
}

/** Returns the position, or the one before it if it is within a surrogate pair. */
function wholeCharacter(text: string, at: number): number {
  const code = text.charCodeAt(at);
  return code >= 0xdc00 && code <= 0xdfff ? at - 1 : at;
}
