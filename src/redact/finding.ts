/** Where secrets are in a text, and what stands there afterwards. */

/** A secret in a text: the characters from `start` up to, but not including, `end`. */
export interface Finding {
  start: number;
  end: number;
  /** Short kebab-case name, e.g. `github-token`. */
  kind: string;
  /** Known by what stands around it (`password: …`), not by its own shape. A finding with a shape names the kind better. */
  byContext?: boolean;
}

/** How many secrets of each kind were replaced. */
export type RedactionCounts = Record<string, number>;

/** What earlier redaction left; it is never searched again. */
export const MARKER = /\[REDACTED:[a-z0-9-]{1,64}\]/y;

const marker = (kind: string): string => `[REDACTED:${kind}]`;

/** The finding that names both: the first, unless only the second knows the secret by its own shape. */
const naming = (first: Finding, second: Finding): Finding =>
  first.byContext === true && second.byContext !== true ? second : first;

/**
 * Joins findings that overlap into one that covers them all. The result is sorted and does not overlap.
 * Of two findings at the same place the one that stands first in `findings` gives the name.
 */
export function mergeFindings(findings: readonly Finding[]): Finding[] {
  const sorted = findings.toSorted((a, b) => a.start - b.start || b.end - a.end);
  const merged: Finding[] = [];
  let named: Finding | undefined;
  for (const finding of sorted) {
    const last = merged.at(-1);
    if (last === undefined || named === undefined || finding.start >= last.end) {
      merged.push({ start: finding.start, end: finding.end, kind: finding.kind });
      named = finding;
      continue;
    }
    named = naming(named, finding);
    last.end = Math.max(last.end, finding.end);
    last.kind = named.kind;
  }
  return merged;
}

/** Puts `[REDACTED:kind]` in place of each finding. `findings` are as `mergeFindings` gives them. */
export function applyFindings(text: string, findings: readonly Finding[]): { text: string; counts: RedactionCounts } {
  const counts: RedactionCounts = {};
  if (findings.length === 0) return { text, counts };
  const pieces: string[] = [];
  let at = 0;
  for (const { start, end, kind } of findings) {
    pieces.push(text.slice(at, start), marker(kind));
    counts[kind] = (counts[kind] ?? 0) + 1;
    at = end;
  }
  pieces.push(text.slice(at));
  return { text: pieces.join(""), counts };
}

/** Adds `more` to `total`, in place. */
export function addCounts(total: RedactionCounts, more: RedactionCounts): void {
  for (const [kind, count] of Object.entries(more)) total[kind] = (total[kind] ?? 0) + count;
}
