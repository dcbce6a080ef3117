/** Searches the store. */
import { given } from "../given.ts";
import type { CandidateQuery, Store } from "../store/store.ts";
import { collect, collectTitles, foundOf, type Found } from "./collect.ts";
import { phraseMatcher, wordsMatcher, type Matcher } from "./matching-texts.ts";
import type { SearchHit, SearchQuery, SearchResult } from "./query.ts";
import { inOrder, Ranking, weightsOf, type Orderable } from "./ranking.ts";
import { countedTexts, readTerms, type Terms, type Words } from "./terms.ts";

export type { SearchHit, SearchQuery, SearchResult } from "./query.ts";

const USUAL_LIMIT = 20;
/** Ranking this many takes about 30 ms. */
const RANKED_AT_MOST = 1_000;
/** Candidates looked at for those that lack a word, as a multiple of those that are ranked. */
const LOOKED_AT = 4;

/**
 * Returns the ranked entries that match, and the titles. With `exact`, or one word, these are all that a search which ignores
 * case finds in the conversations. With a limit, only the newest are ranked, and `isTotalExact` says whether there are more:
 * see `olderHits`. Rejects with a `TranscriptsError` for an empty term, and with the store's errors.
 */
export async function search(store: Store, query: SearchQuery): Promise<SearchResult> {
  const { now = new Date(), limit = USUAL_LIMIT, offset = 0, perSession = Infinity } = query;
  const terms = readTerms(query);
  const { phrase, words } = terms;
  const phrased = phrase === undefined ? NOTHING : await withPhrase(store, phrase, query, now);
  const literal = capped(phrased.ordered, perSession);
  const isFull = literal.length >= offset + limit || phrased.lowest > 0;
  const worded = words === undefined || isFull ? NOTHING : await withWords(store, { ...terms, words }, query, now);
  const all = [...phrased.ordered, ...worded.ordered];
  const shown = capped(all, perSession);
  return {
    hits: shown.slice(offset, offset + limit).map((each, index) => hitOf(each, offset + index + 1, terms)),
    total: shown.length,
    phrases: literal.length,
    hasWords: words !== undefined && !isFull,
    held: all.length - shown.length,
    isTotalExact: phrased.lowest === 0 && worded.lowest === 0,
    lowest: phrased.lowest,
  };
}

/**
 * Yields the matches with the text as it stands that were not ranked, newest first, in pages, so that memory stays small.
 * Their ranks continue from `total`; their score is 0.
 */
export async function* olderHits(
  store: Store,
  query: SearchQuery,
  { lowest, total }: Pick<SearchResult, "lowest" | "total">,
): AsyncGenerator<SearchHit[]> {
  if (lowest === 0) return;
  const terms = readTerms(query);
  const { phrase = "" } = terms;
  const matcher = phraseMatcher(phrase);
  let rank = total;
  for await (const page of store.candidates({ ...filtersOf(query), terms: [phrase], before: lowest })) {
    query.signal?.throwIfAborted();
    const hits: SearchHit[] = [];
    for (const candidate of page) {
      const match = matcher(candidate.content);
      if (!match) continue;
      const found = { found: foundOf(candidate, match, false), score: 0, match: "phrase" } as const;
      hits.push(hitOf(found, (rank += 1), terms));
    }
    if (hits.length > 0) yield hits;
    await new Promise((resolve) => setImmediate(resolve));
  }
}

interface Ranked {
  /** Best first. */
  ordered: RankedFound[];
  /** Entries before this position were not searched; 0 if there are no more matches. */
  lowest: number;
}

const NOTHING: Ranked = { ordered: [], lowest: 0 };

/** Ranks the entries with the text as it stands. */
async function withPhrase(store: Store, phrase: string, query: SearchQuery, now: Date): Promise<Ranked> {
  const matcher = phraseMatcher(phrase);
  const candidates = { ...filtersOf(query), terms: [phrase] };
  const { found, lowest } = await collect(store, candidates, {
    matcher,
    atMost: rankedAtMost(query),
    signal: query.signal,
  });
  const titles = await collectTitles(store, candidates, matcher);
  return { ordered: ranked([...found, ...titles], "phrase", [1], query, now), lowest };
}

/** Ranks the entries with all words, or all but one, that do not have the text as it stands. */
async function withWords(
  store: Store,
  terms: Terms & { words: Words },
  query: SearchQuery,
  now: Date,
): Promise<Ranked> {
  const { phrase, words } = terms;
  const { texts, least } = countedTexts(terms);
  const matcher = without(phrase, wordsMatcher(words));
  const filters = { ...filtersOf(query), terms: texts };
  const atMost = rankedAtMost(query);
  // Entries with all words come first, because there may be too many others to look at all of them.
  const all = await collect(store, filters, { matcher, atMost, signal: query.signal });
  const met = new Set(all.found.map(({ event }) => event.event_id));
  const isPart = least < texts.length;
  const part = !isPart
    ? { found: [], lowest: 0 }
    : await collect(
        store,
        { ...filters, atLeast: least },
        { matcher, atMost: atMost + met.size, lookAtMost: (atMost + met.size) * LOOKED_AT, signal: query.signal },
      );
  const others = part.found.filter(({ event }) => !met.has(event.event_id));
  const titles = await collectTitles(store, { ...filters, atLeast: least }, matcher);
  const found = [...all.found, ...others, ...titles];
  const weights = weightsOf(
    found.map(({ match }) => match.counts),
    words.all.length,
  );
  return { ordered: ranked(found, "words", weights, query, now), lowest: Math.max(all.lowest, part.lowest) };
}

/** Leaves out what another stage has found. */
function without(phrase: string | undefined, matcher: Matcher): Matcher {
  if (phrase === undefined) return matcher;
  const isFound = phraseMatcher(phrase);
  return (content) => {
    const match = matcher(content);
    return match === undefined || isFound(content) !== undefined ? undefined : match;
  };
}

function rankedAtMost({ limit = USUAL_LIMIT, rankedAtMost: given }: SearchQuery): number {
  return given ?? (limit === Infinity ? Infinity : Math.max(RANKED_AT_MOST, limit));
}

function filtersOf({
  term,
  since,
  until,
  role,
  tool,
  errorsOnly,
  file,
  sessions,
}: SearchQuery): Omit<CandidateQuery, "terms"> {
  const filters = given({ since, until, role, tool, errorsOnly, sessions });
  if (file === undefined) return filters;
  // With a term, a file limits the sessions. Without one, its calls are found.
  return term === "" ? { ...filters, file } : { ...filters, sessions: { ...sessions, file } };
}

interface RankedFound extends Orderable {
  found: Found;
  match: SearchHit["match"];
}

/** `weights`: see `Ranking.score`. */
function ranked(
  found: readonly Found[],
  match: SearchHit["match"],
  weights: readonly number[],
  { term }: SearchQuery,
  now: Date,
): RankedFound[] {
  const ranking = new Ranking(term, now);
  return inOrder(
    found.map((each): RankedFound => {
      const { event_id, session_id, occurred_at } = each.event;
      const score = ranking.score(each.event, each.size, each.match, weights);
      return { event_id, session_id, occurred_at, likeness: each.likeness, score, found: each, match };
    }),
  );
}

/** Keeps only so many entries of each session. */
function capped(ordered: readonly RankedFound[], perSession: number): RankedFound[] {
  if (perSession === Infinity) return [...ordered];
  const counts = new Map<string, number>();
  return ordered.filter(({ session_id: id }) => {
    const count = (counts.get(id) ?? 0) + 1;
    counts.set(id, count);
    return count <= perSession;
  });
}

function hitOf(
  { found, score, match: stage }: Pick<RankedFound, "found" | "score" | "match">,
  rank: number,
  { words }: Terms,
): SearchHit {
  const { event, match } = found;
  const passage = found.passage();
  const { position: _position, is_own: _own, ...shown } = event;
  const lacks = stage === "phrase" ? [] : (words?.all.filter((_, at) => match.counts[at] === 0) ?? []);
  return {
    ...shown,
    rank,
    score,
    match: stage,
    passage: passage.text,
    matches: passage.matches,
    match_count: match.count,
    missing: lacks.map(({ typed }) => typed),
  };
}
