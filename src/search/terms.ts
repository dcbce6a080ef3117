/** Reads a query: the text as it stands, and the words in it. */
import { fileName } from "../calls/file-paths.ts";
import { storableText } from "../store/storable.ts";
import { TranscriptsError } from "../transcripts-error.ts";
import type { SearchQuery } from "./query.ts";

/** The terms of a search: at least one of the two. */
export interface Terms {
  /** The query as it stands. Undefined if parts of it are in quotes. */
  phrase: string | undefined;
  words: Words | undefined;
}

/** Words that may be in any order. */
export interface Words {
  all: readonly Word[];
  /** Words that count. Of these an entry must have at least `least`. */
  counted: number;
  least: number;
}

export interface Word {
  /** As it was typed. */
  typed: string;
  /** Text to look for: the word, or what its forms have in common. */
  text: string;
  kind: "quoted" | "counted" | "short";
}

/** Shorter words are in no index. They only add to the rank, unless there is at most one other. */
const LEAST_CHARACTERS = 3;

/** Throws a `TranscriptsError` if there is nothing to look for. */
export function readTerms({ term, exact = false, file }: Pick<SearchQuery, "term" | "exact" | "file">): Terms {
  if (term === "" && file !== undefined) return { phrase: storableText(fileName(file)), words: undefined };
  if (term === "") throw empty("The term to find is empty.", "Give at least one character.");
  if (exact) return { phrase: storableText(term), words: undefined };
  const { quoted, rest } = withoutQuotes(term);
  const [only] = quoted;
  if (only !== undefined && quoted.length === 1 && rest.trim() === "") return { phrase: only, words: undefined };
  // One word is found as it stands, with its punctuation.
  if (quoted.length === 0 && !/\S\s+\S/.test(term)) return { phrase: storableText(term), words: undefined };
  const phrase = quoted.length === 0 ? storableText(term.trim()) : undefined;
  const words = [...quoted, ...wordsOf(rest)].length === 0 ? undefined : wordsFrom(quoted, wordsOf(rest));
  return { phrase, words };
}

/** Returns the texts of which an entry must have at least `least`. Some entries that have them may not match. */
export function countedTexts({ phrase, words }: Terms): { texts: string[]; least: number } {
  if (words === undefined) return { texts: phrase === undefined ? [] : [phrase], least: 1 };
  const texts = words.all.filter(({ kind }) => kind !== "short").map(({ text }) => text);
  return { texts, least: texts.length - words.counted + words.least };
}

function wordsFrom(quoted: readonly string[], typed: readonly string[]): Words {
  const isShort = (word: string): boolean => Array.from(word).length < LEAST_CHARACTERS;
  const isShortCounted = quoted.length + typed.filter((word) => !isShort(word)).length < 2;
  const all = [
    ...quoted.map((text): Word => ({ typed: text, text, kind: "quoted" })),
    ...typed.map((word): Word => {
      const kind = isShort(word) && !isShortCounted ? "short" : "counted";
      return { typed: word, text: storableText(stemOf(word)), kind };
    }),
  ];
  const counted = all.filter(({ kind }) => kind === "counted").length;
  return { all, counted, least: leastOf(counted) };
}

/** Of two words both, of up to four all but one, of more all but two. */
function leastOf(counted: number): number {
  if (counted <= 2) return counted;
  return counted - (counted <= 4 ? 1 : 2);
}

function empty(problem: string, next: string): TranscriptsError {
  return new TranscriptsError("empty_term", problem, next, { field: "term" });
}

/** Quotes count where a word could begin and end: in `"type":` they are a part of the text. */
const QUOTED = /(?<=^|\s)"([^"]*[^"\s][^"]*)"(?=\s|$)/g;

function withoutQuotes(term: string): { quoted: string[]; rest: string } {
  const quoted = [...term.matchAll(QUOTED)].map(([, inner = ""]) => storableText(inner));
  return { quoted, rest: term.replaceAll(QUOTED, " ") };
}

/** Letters, digits and marks, including the punctuation inside identifiers, paths and numbers but not at their ends. */
const WORD = /[\p{L}\p{N}\p{M}_$]+(?:[.:/\\@'’+-]+[\p{L}\p{N}\p{M}_$]+)*/gu;

/** Words that only phrase the question. English only, the language of most queries. */
const ASKING = new Set(
  (
    "a about again all also am an and any are as at be because been before being but by can could did do does doing done " +
    "for from get got had has have having he her his how i if in into is it its just let like made make may me might more " +
    "most my no not of on or our out over own please she should so some such than that the their them then there these " +
    "they this those through to too up us use used using very was we were what when where which while who whom whose why " +
    "will with would you your"
  ).split(" "),
);

/** Returns each word once, ignoring case, in order, without those that only phrase the question. */
export function wordsOf(question: string): string[] {
  const once = new Map((question.match(WORD) ?? []).map((word) => [word.toLowerCase(), word]));
  return [...once].filter(([word]) => !ASKING.has(word)).map(([, word]) => word);
}

/** An English word, not an identifier. */
const PLAIN = /^[A-Za-z][a-z]{4,}$/;
const ENDING = /(?:ations?|ings?|ies|ied|ed|es|s|ly|e)$/;
/** Shorter beginnings belong to too many words. */
const LEAST_STEM = 4;

/** Returns the beginning that an English word has in common with its other forms: `duplicat` for `duplicated`. */
function stemOf(word: string): string {
  if (!PLAIN.test(word) || word.endsWith("ss")) return word;
  const stem = word.replace(ENDING, "");
  return stem.length < LEAST_STEM ? word : stem;
}
