/** Searching the store. */
import { storableText } from "../store/storable.ts";
import type { CandidateQuery, Store } from "../store/store.ts";
import { collect, type Collected, type Found, type Range } from "./collect.ts";
import { cursorText, readCursor, type Cursor } from "./cursor.ts";
import type { SearchHit, SearchQuery, SearchResult } from "./query.ts";
import { better, inOrder, Ranking, weightsOf, type Orderable } from "./ranking.ts";
import { SearchError } from "./search-error.ts";
import { wordsOf } from "./words.ts";

export type { SearchHit, SearchQuery, SearchResult } from "./query.ts";

const USUAL_LIMIT = 20;
/** So many are looked at and ranked in some 10 ms. */
const RANKED_AT_MOST = 300;

/**
 * What the entries of a store have of a term: exactly what `findInSession` finds in the same sessions, ranked. With a
 * limit the newest entries are ranked, and `isTotalExact` says whether there are more.
 *
 * Pages that a cursor leads to are made from the same entries as the first one, though sessions grow meanwhile.
 * Rejects with a `SearchError` for a term or a cursor that is none, and with what the store rejects.
 */
export async function search(store: Store, query: SearchQuery): Promise<SearchResult> {
  const { term, limit = USUAL_LIMIT, match = "phrase", now = new Date() } = query;
  if (term === "") {
    throw new SearchError("empty_term", "term", "The term to find is empty.", "Give at least one character.");
  }
  const cursor = query.cursor === undefined ? undefined : readCursor(query, query.cursor);
  const terms = (match === "words" ? wordsOf(term) : [term]).map(storableText);
  if (terms.length === 0) {
    throw new SearchError("empty_term", "term", "There is no word in the term.", "Give at least one word.");
  }
  const pinnedNow = cursor === undefined ? now : new Date(cursor.nowMs);
  const { collected, required } = await collectBest(store, terms, query, cursor, pinnedNow);
  const ordered = ranked(collected.found, terms, term, pinnedNow);
  const from = cursor === undefined ? 0 : startAfter(ordered, cursor);
  const shown = ordered.slice(from, from + limit);
  const before = cursor?.shown ?? 0;
  const last = shown.at(-1);
  const isCut = cursor === undefined ? collected.isCut : cursor.lowest > 0;
  return {
    hits: shown.map((each, at) => hitOf(each, before + at + 1, terms)),
    total: ordered.length,
    isTotalExact: !isCut,
    cursor:
      last === undefined || from + shown.length >= ordered.length
        ? null
        : cursorText(query, {
            nowMs: pinnedNow.getTime(),
            highest: cursor?.highest ?? collected.highest,
            lowest: cursor?.lowest ?? (collected.isCut ? collected.lowest : 0),
            required,
            sinceMs: cursor === undefined ? (query.since?.getTime() ?? null) : cursor.sinceMs,
            eventId: last.event_id,
            score: last.score,
            shown: before + shown.length,
          }),
    words: match === "words" ? { wanted: terms, required } : null,
  };
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
  for (let required = cursor?.required ?? terms.length; ; required -= 1) {
    const candidates = { ...filtersOf(query, cursor), terms, required, atLeast: required };
    const collected = await collect(store, candidates, range, query.signal);
    if (collected.found.length > 0 || required <= least) return { collected, required };
  }
}

function rangeOf({ limit = USUAL_LIMIT, rankedAtMost }: SearchQuery, cursor: Cursor | undefined, now: Date): Range {
  if (cursor !== undefined) {
    const { highest, lowest, nowMs } = cursor;
    return { atMost: Infinity, lowest, highest, writtenAnewBeforeMs: nowMs };
  }
  const atMost = rankedAtMost ?? (limit === Infinity ? Infinity : Math.max(RANKED_AT_MOST, limit));
  return { atMost, lowest: 0, highest: Infinity, writtenAnewBeforeMs: now.getTime() };
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

function hitOf({ found, score }: RankedFound, rank: number, terms: readonly string[]): SearchHit {
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
