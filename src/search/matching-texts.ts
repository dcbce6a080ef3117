/** Position of a match in a text. */
import { foldedPattern } from "../matching/folding.ts";
import { TEXT_SEPARATOR } from "../store/stored-model.ts";

export type Place = readonly [start: number, end: number];

/** Matches in an entry. */
export interface Match {
  /** Text for the passage, with the matches in it in order. */
  text: string;
  places: Place[];
  count: number;
  /** Number of matches per pattern. */
  counts: number[];
  /** Best `wholeness` per pattern; 0 if it does not match. */
  wholeness: number[];
  /** Whether the text only announces what comes next: see `announces`. */
  announces: boolean;
  /** Smallest distance, in characters, that contains all the words; 0 for one pattern. */
  span: number;
}

/** No passage contains more places than this. */
const MOST_PLACES = 200;
/** Number of places checked for `wholeness`. */
const MOST_JUDGED = 12;
const WORD_CHARACTER = /[\p{L}\p{N}\p{M}_$]/u;

/** Returns how many of several terms an entry must have: all but one, of two both. */
export function leastTerms(terms: readonly string[]): number {
  return terms.length > 2 ? terms.length - 1 : terms.length;
}

/** Matches terms in entries. */
export class TermMatcher {
  readonly #patterns: readonly RegExp[];
  readonly #required: number;

  /** `required`: number of terms that an entry must have. */
  constructor(terms: readonly string[], required = terms.length) {
    this.#patterns = terms.map(foldedPattern);
    this.#required = required;
  }

  match(content: string): Match | undefined {
    return this.matchTexts(content.split(TEXT_SEPARATOR), content);
  }

  /** Matches the texts of one entry. `content`: all of them. */
  matchTexts(texts: readonly string[], content = texts.join("\n")): Match | undefined {
    const match = this.#patterns.length === 1 ? this.#matchOne(texts) : this.#matchWords(texts);
    return match && { ...match, announces: announces(content) };
  }

  #matchOne(texts: readonly string[]): Omit<Match, "announces"> | undefined {
    const [pattern] = this.#patterns;
    if (!pattern) return undefined;
    let first: { text: string; places: Place[] } | undefined;
    let count = 0;
    let whole = 0;
    for (const text of texts) {
      const found = placesOf(pattern, text);
      if (found.count === 0) continue;
      count += found.count;
      whole = Math.max(whole, bestWholeness(text, found.places));
      first ??= { text, places: found.places };
    }
    return first && { ...first, count, counts: [count], wholeness: [whole], span: 0 };
  }

  #matchWords(texts: readonly string[]): Omit<Match, "announces"> | undefined {
    const counts = this.#patterns.map(() => 0);
    const wholeness = this.#patterns.map(() => 0);
    let best: { text: string; window: Window } | undefined;
    for (const text of texts) {
      const found = this.#patterns.map((pattern) => placesOf(pattern, text));
      for (const [at, { count, places }] of found.entries()) {
        counts[at] = (counts[at] ?? 0) + count;
        wholeness[at] = Math.max(wholeness[at] ?? 0, bestWholeness(text, places));
      }
      const window = closest(found.map(({ places }) => places));
      if (window && (!best || isCloser(window, best.window))) best = { text, window };
    }
    if (!best || counts.filter((count) => count > 0).length < this.#required) return undefined;
    const count = counts.reduce((sum, each) => sum + each, 0);
    const { places, span } = best.window;
    return { text: best.text, places, count, counts, wholeness, span };
  }
}

/** Sentences that announce work. Longer texts say more than that. */
const ANNOUNCEMENT =
  /^\s*(?:(?:ok(?:ay)?|now|good|great|perfect|sure|right|first|next|then|alright|also|excellent)\b[^.:\n]{0,40}?[,.!:]?\s+)?(?:let me|let's|let us|i'll|i will|i'm going to|i am going to|i need to|i should|i want to|we need to|now i)\b/i;
const LONGEST_ANNOUNCEMENT = 300;

/** Returns true for a short text that starts like an announcement or ends in a colon. */
function announces(text: string): boolean {
  if (text.length > LONGEST_ANNOUNCEMENT) return false;
  return text.trimEnd().endsWith(":") || ANNOUNCEMENT.test(text);
}

function placesOf(pattern: RegExp, text: string): { places: Place[]; count: number } {
  const places: Place[] = [];
  let count = 0;
  pattern.lastIndex = 0;
  for (let match = pattern.exec(text); match; match = pattern.exec(text)) {
    count += 1;
    if (places.length < MOST_PLACES) places.push([match.index, pattern.lastIndex]);
  }
  return { places, count };
}

function bestWholeness(text: string, places: readonly Place[]): number {
  let best = 0;
  for (const place of places.slice(0, MOST_JUDGED)) {
    best = Math.max(best, wholeness(text, place));
    if (best === 1) break;
  }
  return best;
}

/**
 * Returns 1 for a whole word or identifier, 0.75 for part of an identifier (`user` in `userName`, `user_name`), 0.5 for
 * the beginning of a word, 0.25 within a word.
 */
function wholeness(text: string, [start, end]: Place): number {
  const left = edge(text, start, true);
  const right = edge(text, end, false);
  if (left === 0) return 0.25;
  if (right === 0) return 0.5;
  return left === 2 && right === 2 ? 1 : 0.75;
}

/** Returns 2 if no word continues across this place, 1 if a part of an identifier ends here, 0 if a word continues. */
function edge(text: string, at: number, isStart: boolean): 0 | 1 | 2 {
  if (!isWordUnit(text, at - 1) || !isWordUnit(text, at)) return 2;
  const before = characterBefore(text, at);
  const after = characterAt(text, at);
  const outer = isStart ? before : after;
  if (outer === "_" || outer === "$") return 1;
  const isHump = isLower(before) && isUpper(after);
  const isDigitEdge = /\d/.test(before) !== /\d/.test(after);
  return isHump || isDigitEdge || before === "_" || after === "_" ? 1 : 0;
}

/**
 * Returns true if the character with this UTF-16 unit belongs to a word. Has a fast path for ASCII, which most text is.
 */
function isWordUnit(text: string, at: number): boolean {
  const unit = text.charCodeAt(at);
  if (Number.isNaN(unit)) return false;
  if (unit > 0x7f) {
    return WORD_CHARACTER.test(
      unit >= 0xdc00 && unit <= 0xdfff ? characterBefore(text, at + 1) : characterAt(text, at),
    );
  }
  const isLetter = (unit | 0x20) >= 0x61 && (unit | 0x20) <= 0x7a;
  return isLetter || (unit >= 0x30 && unit <= 0x39) || unit === 0x5f || unit === 0x24;
}

function characterAt(text: string, at: number): string {
  const code = text.codePointAt(at);
  return code === undefined ? "" : String.fromCodePoint(code);
}

function characterBefore(text: string, at: number): string {
  const unit = text.charCodeAt(at - 1);
  return characterAt(text, unit >= 0xdc00 && unit <= 0xdfff ? at - 2 : at - 1);
}

function isUpper(character: string): boolean {
  return character !== character.toLowerCase();
}

function isLower(character: string): boolean {
  return character !== character.toUpperCase();
}

interface Window {
  /** Number of distinct words in it. */
  words: number;
  /** Length in characters from its first to its last word. */
  span: number;
  /** All places from its start on, in order, without overlaps. */
  places: Place[];
}

function isCloser(a: Window, b: Window): boolean {
  return a.words === b.words ? a.span < b.span : a.words > b.words;
}

/** Returns the smallest window with all words that occur in the text. */
function closest(found: readonly (readonly Place[])[]): Window | undefined {
  const all = found
    .flatMap((places, word) => places.map((place) => ({ word, place })))
    .toSorted((a, b) => a.place[0] - b.place[0] || b.place[1] - a.place[1]);
  const words = found.filter((places) => places.length > 0).length;
  const counts = found.map(() => 0);
  let inside = 0;
  let from = 0;
  let best: { from: number; span: number } | undefined;
  for (const { word, place } of all) {
    if (counts[word] === 0) inside += 1;
    counts[word] = (counts[word] ?? 0) + 1;
    while (inside === words) {
      const first = all[from];
      if (!first) break;
      const span = place[1] - first.place[0];
      if (!best || span < best.span) best = { from, span };
      counts[first.word] = (counts[first.word] ?? 0) - 1;
      if (counts[first.word] === 0) inside -= 1;
      from += 1;
    }
  }
  if (!best) return undefined;
  const places: Place[] = [];
  for (const { place } of all.slice(best.from)) {
    if (place[0] >= (places.at(-1)?.[1] ?? 0)) places.push(place);
  }
  return { words, span: best.span, places };
}
