/** Positions of secrets in a text, and their replacement. */
import { isTurnOver, nextTurn } from "./event-loop-turns.ts";
import { matchEnd } from "./scan-text.ts";

/** Part of a text: the characters from `start` to `end`, exclusive. */
export interface Span {
  start: number;
  end: number;
}

/** Secret in a text. */
export interface Finding extends Span {
  /** Short kebab-case name, e.g. `github-token`. */
  kind: string;
  /** True if detected by the text around it (`password: …`). A finding by form names the kind better. */
  byContext?: boolean;
}

export const NOTHING: readonly Finding[] = [];

/** Returns a finding by context from `start` to `end`, or nothing if the text is not a secret. */
export const findingIf = (isSecret: boolean, { start, end }: Span, kind: string): readonly Finding[] =>
  isSecret ? [{ start, end, kind, byContext: true }] : NOTHING;

/** Returns what the first of `finders` that finds anything finds. */
export function firstFound(finders: readonly (() => readonly Finding[])[]): readonly Finding[] {
  for (const find of finders) {
    const found = find();
    if (found.length > 0) return found;
  }
  return NOTHING;
}

/** Returns the group `secret` of a match of the sticky `pattern` at `at`, and all its groups as texts. */
export function secretAt(
  pattern: RegExp,
  text: string,
  at: number,
): (Span & { value: string; groups: Readonly<Record<string, string | undefined>> }) | undefined {
  pattern.lastIndex = at;
  const { indices, groups = {} } = pattern.exec(text) ?? {};
  const [start, end] = indices?.groups?.["secret"] ?? [];
  return start === undefined || end === undefined ? undefined : { start, end, value: text.slice(start, end), groups };
}

/** Number of replaced secrets by kind. */
export type RedactionCounts = Record<string, number>;

/** Marker of an earlier redaction; it is not searched again. */
export const MARKER = /\[REDACTED:[a-z0-9-]{1,64}\]/y;
const IN_MARKER = /\[REDACTED:[a-z0-9-]{0,64}$/;
const LONGEST_MARKER = 75;

/** Returns the part of a finding that is not in a marker at its beginning; undefined if nothing is left of it. */
export function withoutMarker(text: string, finding: Finding): Finding | undefined {
  const from = Math.max(0, finding.start - LONGEST_MARKER);
  const marker = text.slice(from, finding.start).search(IN_MARKER);
  const start = marker < 0 ? undefined : matchEnd(MARKER, text, from + marker);
  if (start === undefined) return finding;
  return /[\p{L}\p{N}]/u.test(text.slice(start, finding.end)) ? { ...finding, start } : undefined;
}

const marker = (kind: string): string => `[REDACTED:${kind}]`;

/** Returns the finding whose kind is used for both: the first, unless only the second was detected by form. */
const naming = (first: Finding, second: Finding): Finding =>
  first.byContext === true && second.byContext !== true ? second : first;

/** Characters of a text that are processed together between two checks of the clock. */
const REGION_CHARS = 16 * 1024;
/** Cost of a finding, in characters searched in the same time. */
const FINDING_COST = 64;

/**
 * Replaces each finding with `[REDACTED:kind]`. Overlapping findings are replaced with one marker; of two at the same
 * place, the first in `findings` names the kind.
 */
export async function replaceFindings(
  text: string,
  findings: readonly Finding[],
): Promise<{ text: string; counts: RedactionCounts }> {
  const counts: RedactionCounts = {};
  if (findings.length === 0) return { text, counts };
  const regions: Finding[][] = Array.from({ length: Math.ceil(text.length / REGION_CHARS) }, () => []);
  for (const finding of findings) {
    regions[Math.floor(finding.start / REGION_CHARS)]?.push(finding);
    if (isTurnOver(FINDING_COST)) await nextTurn();
  }
  // Pieces are joined by region: one join of all of them would take too long.
  const parts: string[] = [];
  let pieces: string[] = [];
  let at = 0;
  let joined: Finding | undefined;
  const replace = ({ start, end, kind }: Finding): void => {
    pieces.push(text.slice(at, start), marker(kind));
    counts[kind] = (counts[kind] ?? 0) + 1;
    at = end;
  };
  for (const region of regions) {
    for (const finding of region.sort((a, b) => a.start - b.start || b.end - a.end)) {
      if (joined !== undefined && finding.start < joined.end) {
        const { start, end } = joined;
        joined = { ...naming(joined, finding), start, end: Math.max(end, finding.end) };
        continue;
      }
      if (joined !== undefined) replace(joined);
      joined = finding;
    }
    if (pieces.length > 0) parts.push(pieces.join(""));
    pieces = [];
    if (isTurnOver(FINDING_COST * region.length)) await nextTurn();
  }
  if (joined !== undefined) replace(joined);
  parts.push(...pieces, text.slice(at));
  return { text: parts.join(""), counts };
}

/** Adds `more` to `total`, in place. */
export function addCounts(total: RedactionCounts, more: RedactionCounts): void {
  for (const [kind, count] of Object.entries(more)) total[kind] = (total[kind] ?? 0) + count;
}
