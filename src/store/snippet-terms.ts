/**
 * What snippets are listed by, so that the snippets that a question is about are known without a look at each. Lists are
 * kept of every one, two and three characters in a row, of every word, of types, of tags, and of all. A keyword of up to
 * three characters has a list; one within a word is in the snippets of the words that have it. Rows were written with
 * this: another way to take terms is another step of `migrations`.
 */
import { exactFold } from "./exact-fold.ts";
import type { SnippetConditions } from "./snippet-values.ts";
import { INDEX_MARK } from "./storable.ts";

/** Runs of so many characters are listed. */
const GRAM_CHARS = 3;
/** Of a longer keyword so many are looked up: what has all of them mostly has it. */
const MOST_GRAMS = 24;
/** More words than that have a keyword, and other ways are faster. */
export const MOST_WORDS = 1_000;
/** Snippets that were written since are looked at one by one, until there are so many that they are listed at once. */
export const LISTED_AT_ONCE = 256;

/** No text has the mark, so that these are no grams and no words. */
const ALL = INDEX_MARK;
const TYPE = `${INDEX_MARK}:`;
const TAG = `${INDEX_MARK}#`;
const LONG_TAG = `${INDEX_MARK}##`;
/** Longer tags are listed by a checksum, as indexes take no texts of any length. */
const LONG_TAG_CHARS = 256;

/** Scripts with words that are set apart. Of the others a whole sentence would be one. */
const LETTER = String.raw`[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{Nd}_]`;
const WORDS = new RegExp(`${LETTER}{${GRAM_CHARS + 1},}`, "gu");
const IN_WORD = new RegExp(`^${LETTER}{${GRAM_CHARS + 1},}$`, "u");
/** Longer ones, such as base64, are listed in pieces, each of which begins in the middle of the one before. */
const PIECE_CHARS = 48;
const PIECE_STEP = PIECE_CHARS / 2;

const ASCII = /^[\u0001-\u007f]*$/;
/** Runs of ASCII that were met in a text; made once. */
let asciiSeen: Uint8Array | undefined;

/** What is listed of a snippet. */
export interface Listable {
  snippet_type: string;
  title: string;
  content: string;
  tags: readonly string[];
}

/** The terms of a snippet. None goes from the title into the content. */
export function termsOf({ snippet_type, title, content, tags }: Listable): Set<string> {
  const terms = new Set([ALL, TYPE + snippet_type, ...tags.map(tagTerm)]);
  for (const text of [exactFold(title), exactFold(content)]) {
    addGrams(terms, text);
    for (const [word] of text.matchAll(WORDS)) for (const piece of piecesOf(word)) terms.add(piece);
  }
  return terms;
}

/** The lists that tell which snippets a question is about, but for its other filters. */
export interface AskedLists {
  /** A snippet is in all of these lists. */
  terms: string[];
  /** And in one of a word that has this folded keyword. */
  within?: string;
  /** Of this folded keyword `terms` tell only what a snippet with it has too. */
  phrase?: string;
}

export function askedLists({ snippet_type, tags, keyword }: SnippetConditions): AskedLists {
  const terms = tags.map(tagTerm);
  if (snippet_type !== undefined) terms.push(TYPE + snippet_type);
  const term = keyword === undefined ? undefined : exactFold(keyword);
  if (term === undefined) return { terms: terms.length === 0 ? [ALL] : terms };
  if (isGram(term)) return { terms: [...terms, term] };
  return isInWord(term) ? { terms, within: term } : { terms: [...terms, ...gramsOf(term)], phrase: term };
}

/** Whether there is anything that lists tell. */
export function asksLists({ snippet_type, tags, keyword }: SnippetConditions): boolean {
  return snippet_type !== undefined || tags.length > 0 || keyword !== undefined;
}

/** The lists of a question whose keyword stands in more words than are looked up. */
export function withoutWords({ terms, within }: AskedLists): AskedLists {
  return within === undefined ? { terms } : { terms: [...terms, ...gramsOf(within)], phrase: within };
}

/** Whether a snippet that is in no list yet has what the lists of a question would tell. */
export function isAsked(snippet: Listable, { snippet_type, tags, keyword }: SnippetConditions): boolean {
  if (snippet_type !== undefined && snippet.snippet_type !== snippet_type) return false;
  if (!tags.every((tag) => snippet.tags.includes(tag))) return false;
  return keyword === undefined || hasTerm(snippet, exactFold(keyword));
}

/** Whether a snippet has a folded keyword. */
export function hasTerm({ title, content }: Pick<Listable, "title" | "content">, term: string): boolean {
  return exactFold(title).includes(term) || exactFold(content).includes(term);
}

/** Whether words are looked through for a term: others are looked up as they are. */
export function isWord(term: string): boolean {
  return IN_WORD.test(term);
}

function isGram(term: string): boolean {
  return term.length <= GRAM_CHARS * 2 && [...term].length <= GRAM_CHARS;
}

/** Whether a folded keyword stands in words only, whole in a piece of one. */
function isInWord(term: string): boolean {
  return term.length <= PIECE_STEP && IN_WORD.test(term);
}

/** The longest ones, which tell most. */
function gramsOf(term: string): string[] {
  const characters = [...term];
  const grams = characters.slice(GRAM_CHARS - 1).map((_, at) => characters.slice(at, at + GRAM_CHARS).join(""));
  return [...new Set(grams)].slice(0, MOST_GRAMS);
}

function tagTerm(tag: string): string {
  if (tag.length <= LONG_TAG_CHARS) return TAG + tag;
  const { createHash } = process.getBuiltinModule("node:crypto");
  return LONG_TAG + createHash("sha256").update(tag).digest("hex");
}

function addGrams(terms: Set<string>, text: string): void {
  if (ASCII.test(text)) {
    addAsciiGrams(terms, text);
    return;
  }
  let before = "";
  let last = "";
  for (const character of text) {
    terms.add(character);
    if (last !== "") terms.add(last + character);
    if (before !== "") terms.add(before + last + character);
    before = last;
    last = character;
  }
}

/** The same, three times as fast: what was met is known by number, and only then looked up as a text. */
function addAsciiGrams(terms: Set<string>, text: string): void {
  asciiSeen ??= new Uint8Array(1 << (7 * GRAM_CHARS));
  const met: number[] = [];
  for (let at = 0, gram = 0; at < text.length; at++) {
    gram = ((gram << 7) | text.charCodeAt(at)) & (asciiSeen.length - 1);
    for (let chars = 1; chars <= Math.min(GRAM_CHARS, at + 1); chars++) {
      // Texts have no NUL: no shorter run has the number of a longer one.
      const number = gram & ((1 << (7 * chars)) - 1);
      if (asciiSeen[number] === 1) continue;
      asciiSeen[number] = 1;
      met.push(number);
      terms.add(text.slice(at + 1 - chars, at + 1));
    }
  }
  for (const number of met) asciiSeen[number] = 0;
}

function* piecesOf(word: string): Generator<string, void, undefined> {
  if (word.length <= PIECE_CHARS) yield word;
  else for (let at = 0; at < word.length - PIECE_STEP; at += PIECE_STEP) yield word.slice(at, at + PIECE_CHARS);
}
