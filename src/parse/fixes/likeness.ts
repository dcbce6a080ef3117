/** How like two texts or inputs are, from 0 to 1. */

/** What comes later in a text says little more, and inputs may be whole files. */
const MAX_CHARACTERS = 5_000;

/** Share of the words that two texts have in common (Jaccard), without regard to case and order. */
export function textLikeness(a: string, b: string): number {
  if (a === b) return 1;
  return wordLikeness(wordsOf(a.slice(0, MAX_CHARACTERS)), wordsOf(b.slice(0, MAX_CHARACTERS)));
}

function wordLikeness(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  const shared = sharedWords(a, b);
  return shared === 0 ? 0 : shared / (a.size + b.size - shared);
}

/** Share of the smaller set that the larger one has too: 1 for a text and a part of it. */
export function overlap(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  return a.size === 0 || b.size === 0 ? 0 : sharedWords(a, b) / Math.min(a.size, b.size);
}

function sharedWords(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  let shared = 0;
  for (const word of a) if (b.has(word)) shared += 1;
  return shared;
}

export function wordsOf(text: string): Set<string> {
  return new Set(text.toLowerCase().match(/[\p{L}\p{N}_]+/gu));
}

/** Fields that say how a tool is to do its work, not on what. */
const MANNERS = new Set(["timeout", "limit", "offset", "head_limit", "run_in_background", "model", "max_results"]);
/** A field that only one of two inputs has counts little: a missing or surplus one is a common cause of failure. */
const ONE_SIDED_WEIGHT = 0.3;

/** An input's fields as texts with their words; an input that is no object has one field without a name. */
export type InputFields = ReadonlyMap<string, { text: string; words: ReadonlySet<string> }>;

export function inputFields(input: unknown): InputFields {
  const entries = isRecord(input) ? Object.entries(input) : [["", input] as const];
  return new Map(
    entries.map(([name, value]) => {
      const text = asText(value);
      return [name, { text, words: wordsOf(text.slice(0, MAX_CHARACTERS)) }];
    }),
  );
}

/** Share of equal fields of two inputs; fields with texts count by their likeness. */
export function inputLikeness(a: InputFields, b: InputFields): number {
  let total = 0;
  let alike = 0;
  for (const key of new Set([...a.keys(), ...b.keys()])) {
    const [left, right] = [a.get(key), b.get(key)];
    const weight = MANNERS.has(key) ? 0.1 : left && right ? 1 : ONE_SIDED_WEIGHT;
    total += weight;
    if (left && right) alike += weight * (left.text === right.text ? 1 : wordLikeness(left.words, right.words));
  }
  return total === 0 ? 1 : alike / total;
}

/** Fields in which a call says something of itself. */
const REMARKS = new Set(["description", "explanation", "timeout", "run_in_background", "toolSummary", "toolAction"]);

/** Whether two inputs are the same, but for what they say of themselves. */
export function isSameInput(a: unknown, b: unknown): boolean {
  if (!isRecord(a) || !isRecord(b)) return asText(a) === asText(b);
  const names = Object.keys(a).filter((name) => !REMARKS.has(name));
  if (names.length !== Object.keys(b).filter((name) => !REMARKS.has(name)).length) return false;
  return names.every((name) => Object.hasOwn(b, name) && asText(a[name]) === asText(b[name]));
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A string as it is, anything else as JSON; empty for what has none. */
export function asText(value: unknown): string {
  if (typeof value === "string") return value;
  try {
    return JSON.stringify(value) ?? "";
  } catch {
    return "";
  }
}
