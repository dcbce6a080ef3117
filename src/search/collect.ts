/** Entries of a store that match a query, judged, without their texts. */
import { passageAround, type Passage } from "../matching/passage.ts";
import type { Candidate, CandidateQuery, Store } from "../store/store.ts";
import { TermMatcher, type Match } from "./matching-texts.ts";

/** Characters on both sides of a match by which copies are told. */
const LIKENESS = 60;

/** An entry that matches. */
export interface Found {
  event: Omit<Candidate, "content">;
  /** Characters of its texts. */
  size: number;
  match: Omit<Match, "text" | "places">;
  /** What tells it from copies of it. */
  likeness: string;
  passage(): Passage;
}

export interface Collected {
  found: Found[];
  /** Whether there may be more entries that match, before `lowest`. */
  isCut: boolean;
  /** Of all that were found; 0 if nothing was. */
  lowest: number;
  highest: number;
}

/** Which of the candidates count, besides that they match. */
export interface Range {
  /** Collects no more than so many. Infinity: all. */
  atMost: number;
  /** Entries before this position are left out. */
  lowest: number;
  /** Entries after this position count only if they occurred at `writtenAnewBefore` or earlier. */
  highest: number;
  writtenAnewBeforeMs: number;
}

/** The newest entries that have so many of the terms. */
export async function collect(
  store: Store,
  query: CandidateQuery & { required: number },
  range: Range,
  signal: AbortSignal | undefined,
): Promise<Collected> {
  const matcher = new TermMatcher(query.terms, query.required);
  const collected: Collected = { found: [], isCut: false, lowest: 0, highest: 0 };
  for await (const page of store.candidates(query)) {
    signal?.throwIfAborted();
    for (const candidate of page) {
      if (candidate.position < range.lowest) return collected;
      if (!isWithin(candidate, range)) continue;
      const match = matcher.match(candidate.content);
      if (!match) continue;
      if (collected.found.length >= range.atMost) return { ...collected, isCut: true };
      collected.found.push(foundOf(candidate, match, range.atMost !== Infinity));
      collected.lowest = candidate.position;
      collected.highest = Math.max(collected.highest, candidate.position);
    }
    // Where signals get their turn: reading blocks.
    await new Promise((resolve) => setImmediate(resolve));
  }
  return collected;
}

function isWithin({ position, occurred_at }: Candidate, { highest, writtenAnewBeforeMs }: Range): boolean {
  return position <= highest || (occurred_at !== null && Date.parse(occurred_at) <= writtenAnewBeforeMs);
}

/** Most passages are never shown: they are made when they are. Where all are, the texts are not kept until then. */
export function foundOf(
  { content, ...event }: Candidate,
  { text, places, ...match }: Match,
  keepsTexts: boolean,
): Found {
  const [[start] = [0]] = places;
  const likeness = text.slice(Math.max(0, start - LIKENESS), start + LIKENESS);
  const found = { event, size: content.length, match, likeness };
  if (keepsTexts) return { ...found, passage: () => passageAround(text, places) };
  const passage = passageAround(text, places);
  return { ...found, passage: () => passage };
}
