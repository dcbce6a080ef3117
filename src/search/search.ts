/** Searching the store. */
import { storableText } from "../store/storable.ts";
import type { CandidateQuery, Store } from "../store/store.ts";
import { collect, foundOf, isBefore, type Collected, type Found, type Range } from "./collect.ts";
import { cursorText, readCursor, type Cursor } from "./cursor.ts";
import type { SearchHit, SearchQuery, SearchResult } from "./query.ts";
import { better, inOrder, Ranking, weightsOf, type Orderable } from "./ranking.ts";
import { TermMatcher } from "./matching-texts.ts";
import { SearchError } from "./search-error.ts";
import { wordsOf } from "./words.ts";

export type { SearchHit, SearchQuery, SearchResult } from "./query.ts";

const USUAL_LIMIT = 20;
/** So many are looked at and ranked in some 10 ms. */
const RANKED_AT_MOST = 300;

/**
 * What the entries of a store have of a term: exactly what `findInSession` finds in the same sessions, ranked. With a
 * limit the newest entries are ranked, as a block; the cursor goes on with the next block where one ends, until there is
 * none. `isTotalExact` says whether there are more.
 *
 * Pages that a cursor leads to are made from the same entries as the first one, though sessions grow meanwhile: an entry
 * that was written anew is not lost, but may come again in the next block. Rejects with a `SearchError` for a term or a
 * cursor that is none, and with what the store rejects.
 */
export async function search(store: Store, query: SearchQuery): Promise<SearchResult> {
  const terms = searchedTerms(query);
  const cursor = query.cursor === undefined ? undefined : readCursor(query, query.cursor);
  const now = cursor === undefined ? (query.now ?? new Date()) : new Date(cursor.nowMs);
  const { collected, required } = await collectBest(store, terms, query, cursor, now);
  const ordered = ranked(collected.found, terms, query.term, now);
  const from = cursor === undefined || cursor.eventId === "" ? 0 : startAfter(ordered, cursor);
  const page = ordered.slice(from, from + (query.limit ?? USUAL_LIMIT));
  const shownBefore = cursor?.shown ?? 0;
  const { passed = 0 } = cursor ?? {};
  const lowest = cursor?.lowest ?? collected.lowest;
  const first = { nowMs: now.getTime(), highest: collected.highest, before: null, passed, ...timesOf(query) };
  const at = { ...(cursor ?? first), lowest, required, shown: shownBefore + page.length };
  const total = passed + ordered.length;
  return {
    hits: page.map((each, index) => hitOf(each, shownBefore + index + 1, terms)),
    total,
    isTotalExact: lowest === 0,
    lowest,
    cursor: nextCursor(query, at, { last: page.at(-1), isBlockEnd: from + page.length >= ordered.length, collected }),
    words: query.match === "words" ? { wanted: terms, required } : null,
  };
}

function timesOf({ since, until }: SearchQuery): Pick<Cursor, "sinceMs" | "untilMs"> {
  return { sinceMs: since?.getTime() ?? null, untilMs: until?.getTime() ?? null };
}

interface PageEnd {
  last: RankedFound | undefined;
  isBlockEnd: boolean;
  collected: Collected;
}

/** Behind the last entry of the page, in this block or where the next one begins. */
function nextCursor(
  query: SearchQuery,
  at: Omit<Cursor, "lowest" | "eventId" | "score"> & { lowest: number },
  { last, isBlockEnd, collected }: PageEnd,
): string | null {
  if (last !== undefined && !isBlockEnd) return cursorText(query, { ...at, eventId: last.event_id, score: last.score });
  if (at.lowest === 0) return null;
  const passed = at.passed + collected.found.length;
  const highest = Math.max(at.highest, collected.highest);
  const start = { before: at.lowest, lowest: null, highest, passed, shown: passed };
  return cursorText(query, { ...at, ...start, eventId: "", score: 0 });
}

/**
 * The entries that match and were not ranked, newest first, in pieces: of any number in little memory. `result` is that
 * of the search without a cursor. Their ranks go on from `total`; their score is 0.
 */
export async function* olderHits(
  store: Store,
  query: SearchQuery,
  { lowest, total, words }: SearchResult,
): AsyncGenerator<SearchHit[]> {
  if (lowest === 0) return;
  const terms = searchedTerms(query);
  const required = words?.required ?? terms.length;
  const matcher = new TermMatcher(terms, required);
  let rank = total;
  const candidates = { ...filtersOf(query, undefined), terms, atLeast: required, before: lowest };
  for await (const page of store.candidates(candidates)) {
    query.signal?.throwIfAborted();
    const hits: SearchHit[] = [];
    for (const candidate of page) {
      const match = isBefore(candidate, query.until) ? matcher.match(candidate.content) : undefined;
      if (match) hits.push(hitOf({ found: foundOf(candidate, match, false), score: 0 }, (rank += 1), terms));
    }
    if (hits.length > 0) yield hits;
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** What is looked for: the term, or its words. Throws a `SearchError` if that is nothing. */
export function searchedTerms({ term, match }: Pick<SearchQuery, "term" | "match">): string[] {
  if (term === "") {
    throw new SearchError("empty_term", "term", "The term to find is empty.", "Give at least one character.");
  }
  const terms = (match === "words" ? wordsOf(term) : [term]).map(storableText);
  if (terms.length > 0) return terms;
  throw new SearchError("empty_term", "term", "There is no word in the term.", "Give at least one word.");
}

/** Entries with all terms; if there are none, those with all but one, and so on down to half of them. */
async function collectBest(
  store: Store,
  terms: readonly string[],
  query: SearchQuery,
  cursor: Cursor | undefined,
  now: Date,
): Promise<{ collected: Collected; required: number }> {
  const range = rangeOf(query, cursor, now);
  const least = cursor?.required ?? Math.ceil(terms.length / 2);
  const isLaterBlock = cursor !== undefined && cursor.before !== null;
  for (let required = cursor?.required ?? terms.length; ; required -= 1) {
    const until = untilOf(query, cursor);
    const filters = { ...filtersOf(query, cursor), ...(until === undefined ? {} : { until }) };
    const candidates = { ...filters, terms, required, atLeast: required };
    const collected = await collect(store, candidates, range, query.signal);
    // They are of the first block.
    const beside = isLaterBlock
      ? undefined
      : query.beside?.filter(({ match }) => match.counts.filter((count) => count > 0).length >= required);
    if (beside !== undefined) collected.found.push(...beside);
    if (collected.found.length > 0 || required <= least) return { collected, required };
  }
}

function rangeOf({ limit = USUAL_LIMIT, rankedAtMost }: SearchQuery, cursor: Cursor | undefined, now: Date): Range {
  const most = rankedAtMost ?? (limit === Infinity ? Infinity : Math.max(RANKED_AT_MOST, limit));
  if (cursor === undefined) {
    return { atMost: most, lowest: 0, before: null, highest: Infinity, writtenAnewBeforeMs: now.getTime() };
  }
  const { highest, before, lowest, nowMs } = cursor;
  return {
    atMost: lowest === null ? most : Infinity,
    lowest: lowest ?? 0,
    before,
    highest,
    writtenAnewBeforeMs: nowMs,
  };
}

/** Of a later page that of the first one, as `since`. */
function untilOf({ until }: SearchQuery, cursor: Cursor | undefined): Date | undefined {
  if (cursor === undefined) return until;
  return cursor.untilMs === null ? undefined : new Date(cursor.untilMs);
}

function filtersOf(query: SearchQuery, cursor: Cursor | undefined): Omit<CandidateQuery, "terms"> {
  const { role, tool, errorsOnly, sessionIds } = query;
  const since = cursor === undefined ? query.since : cursor.sinceMs === null ? undefined : new Date(cursor.sinceMs);
  return {
    ...(since === undefined ? {} : { since }),
    ...(role === undefined ? {} : { role }),
    ...(tool === undefined ? {} : { tool }),
    ...(errorsOnly === undefined ? {} : { errorsOnly }),
    ...(sessionIds === undefined ? {} : { sessionIds }),
  };
}

interface RankedFound extends Orderable {
  found: Found;
}

function ranked(found: readonly Found[], terms: readonly string[], term: string, now: Date): RankedFound[] {
  const ranking = new Ranking(term, now);
  const weights = weightsOf(
    found.map(({ match }) => match.counts),
    terms.length,
  );
  return inOrder(
    found.map((each): RankedFound => {
      const { event_id, session_id, occurred_at } = each.event;
      const { score } = ranking.rank(each.event, each.size, each.match, weights);
      return { event_id, session_id, occurred_at, likeness: each.likeness, score, found: each };
    }),
  );
}

/** The place after the last entry that was shown, or where it would be if it is gone. */
function startAfter(ordered: readonly RankedFound[], { eventId, score }: Cursor): number {
  const at = ordered.findIndex(({ event_id }) => event_id === eventId);
  if (at !== -1) return at + 1;
  const last = { event_id: eventId, session_id: "", occurred_at: null, likeness: "", score };
  const next = ordered.findIndex((each) => better(last, each) < 0);
  return next === -1 ? ordered.length : next;
}

function hitOf(
  { found, score }: Pick<RankedFound, "found" | "score">,
  rank: number,
  terms: readonly string[],
): SearchHit {
  const { event, match } = found;
  const passage = found.passage();
  const { position: _position, is_own: _own, ...shown } = event;
  return {
    ...shown,
    rank,
    score,
    passage: passage.text,
    matches: passage.matches,
    match_count: match.count,
    missing: terms.filter((_, at) => match.counts[at] === 0),
  };
}
