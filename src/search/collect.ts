/** Entries of a store that match a query, judged, without their texts. */
import { passageAround, type Passage } from "../matching/passage.ts";
import type { Candidate, CandidateQuery, Store } from "../store/store.ts";
import { TermMatcher, type Match } from "./matching-texts.ts";

/** Characters on both sides of a match by which copies are told. */
const LIKENESS = 60;

/** An entry that matches. */
export interface Found {
  event: Omit<Candidate, "content" | "block_type"> & { block_type: Candidate["block_type"] | "title" };
  /** Characters of its texts. */
  size: number;
  match: Omit<Match, "text" | "places">;
  /** What tells it from copies of it. */
  likeness: string;
  passage(): Passage;
}

export interface Collected {
  found: Found[];
  /** Entries before this position were not looked for; 0: there are none that match. */
  lowest: number;
  /** Of all that match, those too that came later and were left out; 0 if nothing does. */
  highest: number;
}

/** Which of the candidates count, besides that they match. */
export interface Range {
  /** Collects no more than so many, beside those that were written anew. Infinity: all. */
  atMost: number;
  /** Entries before this position are left out. */
  lowest: number;
  /** Entries from this position on are left out, up to `highest`: they stood on pages before. Null: none. */
  before: number | null;
  /** Entries after this position count only if they occurred at `writtenAnewBefore` or earlier. */
  highest: number;
  writtenAnewBeforeMs: number;
}

/** The newest entries that have so many of the terms. */
export async function collect(
  store: Store,
  query: CandidateQuery & { required: number; until?: Date },
  range: Range,
  signal: AbortSignal | undefined,
): Promise<Collected> {
  const { before, highest } = range;
  const collecting = new Collecting(new TermMatcher(query.terms, query.required), range, query.until);
  if (before !== null) await addAll(store, query, { collecting, downTo: highest + 1, signal });
  const rest = before === null ? query : { ...query, before };
  await addAll(store, rest, { collecting, downTo: range.lowest, signal });
  return collecting.collected;
}

interface Adding {
  collecting: Collecting;
  /** Candidates before this position are not looked at. */
  downTo: number;
  signal: AbortSignal | undefined;
}

async function addAll(store: Store, query: CandidateQuery, { collecting, downTo, signal }: Adding): Promise<void> {
  for await (const page of store.candidates(query)) {
    signal?.throwIfAborted();
    for (const candidate of page) {
      if (candidate.position < downTo || !collecting.add(candidate)) return;
    }
    // Where signals get their turn: reading blocks.
    await new Promise((resolve) => setImmediate(resolve));
  }
}

class Collecting {
  readonly collected: Collected = { found: [], lowest: 0, highest: 0 };
  readonly #matcher: TermMatcher;
  readonly #range: Range;
  readonly #until: Date | undefined;
  /** How many of those that were found may be so many at most. */
  #counted = 0;
  #last = 0;

  constructor(matcher: TermMatcher, range: Range, until: Date | undefined) {
    this.#matcher = matcher;
    this.#range = range;
    this.#until = until;
  }

  /** False if it is one too many: the collection is cut. */
  add(candidate: Candidate): boolean {
    const { collected } = this;
    const { position, content } = candidate;
    const { atMost, highest } = this.#range;
    const match = isBefore(candidate, this.#until) ? this.#matcher.match(content) : undefined;
    if (!match) return true;
    collected.highest = Math.max(collected.highest, position);
    const isAnew = position > highest;
    if (isAnew && !this.#occurredBefore(candidate)) return true;
    if (!isAnew && this.#counted >= atMost) {
      collected.lowest = this.#last;
      return false;
    }
    collected.found.push(foundOf(candidate, match, atMost !== Infinity));
    if (!isAnew) this.#counted += 1;
    this.#last = position;
    return true;
  }

  #occurredBefore({ occurred_at }: Candidate): boolean {
    return occurred_at !== null && Date.parse(occurred_at) <= this.#range.writtenAnewBeforeMs;
  }
}

/** Whether an entry is of an earlier time; true if there is no `until`. */
export function isBefore({ occurred_at }: Pick<Candidate, "occurred_at">, until: Date | undefined): boolean {
  return until === undefined || Date.parse(occurred_at ?? "") < until.getTime();
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
