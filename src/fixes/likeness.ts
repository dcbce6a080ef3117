/** Similarity of two texts or inputs, from 0 to 1. */
import { type Fields, isFields, jsonText } from "../parse/json-fields.ts";

/** Number of characters compared; later text adds little, and inputs may be whole files. */
const MAX_CHARACTERS = 5_000;

/** Returns the share of common words of two texts (Jaccard), ignoring case and order. */
export function textLikeness(a: string, b: string): number {
  if (a === b) return 1;
  return wordLikeness(wordSet(a.slice(0, MAX_CHARACTERS)), wordSet(b.slice(0, MAX_CHARACTERS)));
}

function wordLikeness(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  const shared = sharedWords(a, b);
  return shared === 0 ? 0 : shared / (a.size + b.size - shared);
}

/** Returns the share of the smaller set that is in the larger one: 1 for a text and a part of it. */
export function overlap(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  return a.size === 0 || b.size === 0 ? 0 : sharedWords(a, b) / Math.min(a.size, b.size);
}

function sharedWords(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  let shared = 0;
  for (const word of a) if (b.has(word)) shared += 1;
  return shared;
}

export function wordSet(text: string): Set<string> {
  return new Set(text.toLowerCase().match(/[\p{L}\p{N}_]+/gu));
}

/** Fields that determine how a tool works, not its target. */
export const MANNERS = new Set("timeout limit offset head_limit run_in_background model max_results".split(" "));

/** Returns an input's fields as texts with their words; an input that is not an object has one field without a name. */
export type InputFields = ReadonlyMap<string, { text: string; words: ReadonlySet<string> }>;

export function inputFields(input: unknown): InputFields {
  const entries = isFields(input) ? Object.entries(input) : [["", input] as const];
  return new Map(
    entries.map(([name, value]) => {
      const text = asText(value);
      return [name, { text, words: wordSet(text.slice(0, MAX_CHARACTERS)) }];
    }),
  );
}

/** Returns the share of equal fields of two inputs; text fields count by their likeness. */
export function inputLikeness(a: InputFields, b: InputFields): number {
  let total = 0;
  let alike = 0;
  for (const key of new Set([...a.keys(), ...b.keys()])) {
    const [left, right] = [a.get(key), b.get(key)];
    const weight = MANNERS.has(key) ? 0.1 : 1;
    total += weight;
    if (left && right) alike += weight * (left.text === right.text ? 1 : wordLikeness(left.words, right.words));
  }
  return total === 0 ? 1 : alike / total;
}

/** Fields that only describe the call. */
const REMARKS = new Set(
  "description explanation justification timeout timeout_ms yield_time_ms max_output_tokens prefix_rule run_in_background toolSummary toolAction".split(
    " ",
  ),
);

/** Returns whether two inputs are equal, ignoring descriptions. */
export function isSameInput(a: unknown, b: unknown): boolean {
  if (!isFields(a) || !isFields(b)) return asText(a) === asText(b);
  return changedFields(a, b).length === 0;
}

/** Returns the fields in which two inputs differ, without those that only describe the call, unless they are `demanded`. */
export function changedFields(a: Fields, b: Fields, demanded: (name: string) => boolean = () => false): string[] {
  const names = [...new Set([...Object.keys(a), ...Object.keys(b)])].filter(
    (name) => !REMARKS.has(name) || demanded(name),
  );
  return names.filter(
    (name) => Object.hasOwn(a, name) !== Object.hasOwn(b, name) || asText(a[name]) !== asText(b[name]),
  );
}

/** Returns a string unchanged, anything else as JSON. */
export function asText(value: unknown): string {
  return typeof value === "string" ? value : jsonText(value);
}

/** Returns an expression that matches the text. */
export function asPattern(text: string): string {
  return text.replaceAll(/\W/g, String.raw`\$&`);
}

/** Returns whether a text has a word that is not part of a longer one. */
export function isWordIn(word: string, text: string): boolean {
  return text.includes(word) && new RegExp(String.raw`(?<![\w-])${asPattern(word)}(?![\w-])`).test(text);
}
