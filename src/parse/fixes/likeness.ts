/** How like two texts or inputs are, from 0 to 1. */

/** Words beyond this many say little more, and inputs may be whole files. */
const MAX_WORDS = 2_000;
const MAX_CHARACTERS = 20_000;

/** Share of the words that two texts have in common (Jaccard), without regard to case and order. */
export function textLikeness(a: string, b: string): number {
  if (a === b) return 1;
  const left = wordsOf(a);
  const right = wordsOf(b);
  if (left.size === 0 || right.size === 0) return 0;
  let shared = 0;
  for (const word of left) if (right.has(word)) shared += 1;
  return shared / (left.size + right.size - shared);
}

function wordsOf(text: string): Set<string> {
  const words =
    text
      .slice(0, MAX_CHARACTERS)
      .toLowerCase()
      .match(/[\p{L}\p{N}_]+/gu) ?? [];
  return new Set(words.slice(0, MAX_WORDS));
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
