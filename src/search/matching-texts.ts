/** Finds terms in the texts of an entry. */
import { foldedPattern } from "../matching/folding.ts";
import { TEXT_SEPARATOR } from "../store/stored-model.ts";
import type { Words } from "./terms.ts";

export type Place = readonly [start: number, end: number];

/** Matches in an entry. */
export interface Match {
  /** Text for the passage, with the matches in it in order. */
  text: string;
  places: Place[];
  count: number;
  /** Number of matches per term. */
  counts: number[];
  /** Best `wholeness` per term; 0 if it does not match. */
  wholeness: number[];
  /** Whether the term is in the part of the text with most of them. */
  near: boolean[];
  /** Length of that part, in characters; 0 for one term. */
  span: number;
  /** Whether the text only announces what comes next: see `announces`. */
  announces: boolean;
}

/** Returns the matches in an entry; undefined if it does not match. */
export type Matcher = (content: string) => Match | undefined;

/** No passage contains more places than this. */
const MOST_PLACES = 200;
/** Number of places of a word that are considered in a text. */
const MOST_OF_WORD = 2_000;
/** Number of places checked for `wholeness`. */
const MOST_JUDGED = 12;
/** Length of a part that a passage can show, in characters. */
const PART_CHARACTERS = 240;
/** Longest ending of another form of a word. */
const MOST_ENDING = 5;
const WORD_CHARACTER = /[\p{L}\p{N}\p{M}_$]/u;
const LETTER = /\p{L}/u;

/** Matches a text as it stands, apart from case. */
export function phraseMatcher(phrase: string): Matcher {
  const pattern = foldedPattern(phrase);
  return (content) => {
    let first: { text: string; places: Place[] } | undefined;
    let count = 0;
    let whole = 0;
    for (const text of content.split(TEXT_SEPARATOR)) {
      const found = placesOf(pattern, text, MOST_PLACES);
      if (found.count === 0) continue;
      count += found.count;
      whole = Math.max(whole, bestWholeness(text, found.places));
      first ??= { text, places: found.places };
    }
    if (first === undefined) return undefined;
    const one = { count, counts: [count], wholeness: [whole], near: [true], span: 0 };
    return { ...first, ...one, announces: announces(content) };
  };
}

/** Matches enough of the words in any order: see `Words`. */
export function wordsMatcher({ all, least }: Words): Matcher {
  const patterns = all.map(({ text }) => foldedPattern(text));
  return (content) => {
    const counts = all.map(() => 0);
    const wholeness = all.map(() => 0);
    let best: { text: string; part: Part } | undefined;
    for (const text of content.split(TEXT_SEPARATOR)) {
      const found = patterns.map((pattern, at) => {
        const { count, places } = placesOf(pattern, text, MOST_OF_WORD);
        counts[at] = (counts[at] ?? 0) + count;
        return all[at]?.text === all[at]?.typed ? places : places.map((place) => withEnding(text, place));
      });
      for (const [at, places] of found.entries())
        wholeness[at] = Math.max(wholeness[at] ?? 0, bestWholeness(text, places));
      const part = densestPart(found);
      if (part !== undefined && (best === undefined || isDenser(part, best.part))) best = { text, part };
    }
    const has = (kind: string): number => counts.filter((count, at) => count > 0 && all[at]?.kind === kind).length;
    const quoted = all.filter(({ kind }) => kind === "quoted").length;
    if (best === undefined || has("quoted") < quoted || has("counted") < least) return undefined;
    const { places, near, span } = best.part;
    const count = counts.reduce((sum, each) => sum + each, 0);
    return { text: best.text, places, count, counts, wholeness, near, span, announces: announces(content) };
  };
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

function placesOf(pattern: RegExp, text: string, most: number): { places: Place[]; count: number } {
  const places: Place[] = [];
  let count = 0;
  pattern.lastIndex = 0;
  for (let match = pattern.exec(text); match; match = pattern.exec(text)) {
    count += 1;
    if (places.length < most) places.push([match.index, pattern.lastIndex]);
  }
  return { places, count };
}

/** Extends the place of a word's beginning to the end of the word, unless the rest is longer than an ending. */
function withEnding(text: string, [start, end]: Place): Place {
  for (let at = end; at <= end + MOST_ENDING; at += 1) if (!LETTER.test(text.charAt(at))) return [start, at];
  return [start, end];
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

interface Part {
  /** Number of distinct words in it. */
  words: number;
  near: boolean[];
  /** Length in characters from its first to its last word. */
  span: number;
  /** All places from its start on, in order, without overlaps. */
  places: Place[];
}

function isDenser(a: Part, b: Part): boolean {
  return a.words === b.words ? a.span < b.span : a.words > b.words;
}

/** Returns the part of a text with the most of the words, and of several such parts the shortest. */
function densestPart(found: readonly (readonly Place[])[]): Part | undefined {
  const all = found
    .flatMap((places, word) => places.map((place) => ({ word, place })))
    .toSorted((a, b) => a.place[0] - b.place[0] || b.place[1] - a.place[1]);
  const counts = found.map(() => 0);
  let words = 0;
  let from = 0;
  let best: { from: number; words: number; span: number; near: boolean[] } | undefined;
  for (const { word, place } of all) {
    if (counts[word] === 0) words += 1;
    counts[word] = (counts[word] ?? 0) + 1;
    for (let first = all[from]; first !== undefined; first = all[from]) {
      const isRepeated = (counts[first.word] ?? 0) > 1;
      if (!isRepeated && place[1] - first.place[0] <= PART_CHARACTERS) break;
      if (first.place === place) break;
      counts[first.word] = (counts[first.word] ?? 0) - 1;
      if (counts[first.word] === 0) words -= 1;
      from += 1;
    }
    const span = place[1] - (all[from]?.place[0] ?? 0);
    if (best === undefined || words > best.words || (words === best.words && span < best.span))
      best = { from, words, span, near: counts.map((count) => count > 0) };
  }
  if (best === undefined) return undefined;
  const places: Place[] = [];
  for (const { place } of all.slice(best.from)) {
    if (places.length === MOST_PLACES) break;
    if (place[0] >= (places.at(-1)?.[1] ?? 0)) places.push(place);
  }
  return { words: best.words, near: best.near, span: best.span, places };
}
