/** How like two texts or inputs are, from 0 to 1. */

/** What comes later in a text says little more, and inputs may be whole files. */
const MAX_CHARACTERS = 5_000;

/** Share of the words that two texts have in common (Jaccard), without regard to case and order. */
export function textLikeness(a: string, b: string): number {
  if (a === b) return 1;
  const left = wordsOf(a.slice(0, MAX_CHARACTERS));
  const right = wordsOf(b.slice(0, MAX_CHARACTERS));
  const shared = sharedWords(left, right);
  return shared === 0 ? 0 : shared / (left.size + right.size - shared);
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

/** Share of equal fields of two inputs; fields with texts count by their likeness. */
export function inputLikeness(a: unknown, b: unknown): number {
  if (!isRecord(a) || !isRecord(b)) return textLikeness(asText(a), asText(b));
  let total = 0;
  let alike = 0;
  for (const key of new Set([...Object.keys(a), ...Object.keys(b)])) {
    const [left, right] = [a[key], b[key]];
    const oneSided = left === undefined || right === undefined;
    const weight = MANNERS.has(key) ? 0.1 : oneSided ? ONE_SIDED_WEIGHT : 1;
    total += weight;
    if (!oneSided) alike += weight * textLikeness(asText(left), asText(right));
  }
  return total === 0 ? 1 : alike / total;
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
