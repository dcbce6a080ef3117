/** Searches the store. */
import { fileName } from "../calls/file-paths.ts";
import { given } from "../given.ts";
import { storableText } from "../store/storable.ts";
import type { CandidateQuery, Store } from "../store/store.ts";
import { collect, collectTitles, foundOf, type Collected, type Found } from "./collect.ts";
import type { SearchHit, SearchQuery, SearchResult } from "./query.ts";
import { inOrder, Ranking, weightsOf, type Orderable } from "./ranking.ts";
import { leastTerms, TermMatcher } from "./matching-texts.ts";
import { TranscriptsError } from "../transcripts-error.ts";

export type { SearchHit, SearchQuery, SearchResult } from "./query.ts";

const USUAL_LIMIT = 20;
/** Ranking this many takes about 30 ms. */
const RANKED_AT_MOST = 1_000;

/**
 * Returns the ranked entries with a term, and the titles: all that a search which ignores case finds in the conversations.
 * With a limit, only the newest are ranked, and `isTotalExact` says whether there are more: see `olderHits`. Rejects with a
 * `TranscriptsError` for an empty term, and with the store's errors.
 */
export async function search(store: Store, query: SearchQuery): Promise<SearchResult> {
  const { now = new Date(), limit = USUAL_LIMIT, offset = 0 } = query;
  const terms = searchedTerms(query);
  const { found, lowest } = await collected(store, terms, query, now);
  const ordered = ranked(found, terms, query.term, now);
  return {
    hits: ordered.slice(offset, offset + limit).map((each, index) => hitOf(each, offset + index + 1, terms)),
    total: ordered.length,
    isTotalExact: lowest === 0,
    lowest,
  };
}

/**
 * Yields the matches that were not ranked, newest first, in pages, so that memory stays small. `result` is that of the
 * search without a cursor. Their ranks continue from `total`; their score is 0.
 */
export async function* olderHits(
  store: Store,
  query: SearchQuery,
  { lowest, total }: SearchResult,
): AsyncGenerator<SearchHit[]> {
  if (lowest === 0) return;
  const terms = searchedTerms(query);
  const required = leastTerms(terms);
  const matcher = new TermMatcher(terms, required);
  let rank = total;
  const candidates = { ...filtersOf(query, query.now), terms, atLeast: required, before: lowest };
  for await (const page of store.candidates(candidates)) {
    query.signal?.throwIfAborted();
    const hits: SearchHit[] = [];
    for (const candidate of page) {
      const match = matcher.match(candidate.content);
      if (match) hits.push(hitOf({ found: foundOf(candidate, match, false), score: 0 }, (rank += 1), terms));
    }
    if (hits.length > 0) yield hits;
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** Returns the terms to search for: the term, or its words, or the name of the file. Throws a `TranscriptsError` if there are none. */
export function searchedTerms({ term, match, file }: Pick<SearchQuery, "term" | "match" | "file">): string[] {
  if (term === "" && file !== undefined) return [storableText(fileName(file))];
  if (term === "") {
    throw new TranscriptsError("empty_term", "The term to find is empty.", "Give at least one character.", {
      field: "term",
    });
  }
  const terms = (match === "words" ? wordsOf(term) : [term]).map(storableText);
  if (terms.length > 0) return terms;
  throw new TranscriptsError("empty_term", "The term contains no word.", "Give at least one word.", {
    field: "term",
  });
}

/** Collects the entries with all terms, or all but one. */
async function collected(store: Store, terms: readonly string[], query: SearchQuery, now: Date): Promise<Collected> {
  const { limit = USUAL_LIMIT, rankedAtMost = limit === Infinity ? Infinity : Math.max(RANKED_AT_MOST, limit) } = query;
  const filters = filtersOf(query, now);
  const required = leastTerms(terms);
  const candidates = { ...filters, terms, required, atLeast: required };
  const { found, lowest } = await collect(store, candidates, rankedAtMost, query.signal);
  return { found: [...found, ...(await collectTitles(store, { ...filters, terms, required }))], lowest };
}

function filtersOf(
  { term, since, until, role, tool, errorsOnly, file, offset = 0, ...query }: SearchQuery,
  now: Date | undefined,
): Omit<CandidateQuery, "terms"> {
  const writtenBy = offset === 0 ? undefined : now;
  const filters = given({ since, until, writtenBy, role, tool, errorsOnly, sessions: query.sessions });
  if (file === undefined) return filters;
  // With a term, a file limits the sessions. Without one, its calls are found.
  return term === "" ? { ...filters, file } : { ...filters, sessions: { ...query.sessions, file } };
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
      const score = ranking.score(each.event, each.size, each.match, weights);
      return { event_id, session_id, occurred_at, likeness: each.likeness, score, found: each };
    }),
  );
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

// Extracts the words of a query that are worth searching for.

/** Letters, digits and marks, including the punctuation inside identifiers, paths and numbers but not at their ends. */
const WORD = /[\p{L}\p{N}\p{M}_$]+(?:[.:/\\@'’+-]+[\p{L}\p{N}\p{M}_$]+)*/gu;

/** Words that only phrase the question. English only, the language of most queries. */
const ASKING = new Set(
  (
    "a about again all also am an and any are as at be because been before being but by can could did do does doing done " +
    "for from get got had has have having he her his how i if in into is it its just let like made make may me might more " +
    "most my no not of on or our out over own please she should so some such than that the their them then there these " +
    "they this those through to too up us use used using very was we were what when where which while who whom whose why " +
    "will with would you your"
  ).split(" "),
);

/**
 * Returns each word once, ignoring case, in order. Leaves out words that only phrase the question, unless there are no
 * others.
 */
export function wordsOf(question: string): string[] {
  const found = question.match(WORD) ?? question.split(/\s+/).filter((piece) => piece !== "");
  const once = [...new Map(found.map((word) => [word.toLowerCase(), word])).values()];
  const telling = once.filter((word) => !ASKING.has(word.toLowerCase()));
  return telling.length > 0 ? telling : once;
}
