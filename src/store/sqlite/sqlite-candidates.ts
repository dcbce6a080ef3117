/**
 * Finds events by the trigrams of their folded texts. The index stores neither texts nor positions: an event with all
 * trigrams of a term may contain the term, so the caller checks the texts. Terms of one and two characters have no
 * trigrams, so all texts are read for them.
 */
import { foldText } from "../../matching/folding.ts";
import { candidatesAt, filterOf, groupsOf, type Place, placeColumns, placeIn } from "../candidate-pages.ts";
import type { Condition, SqlSession } from "../sql-database.ts";
import { storableText } from "../storable.ts";
import type { Candidate, CandidateQuery } from "../store.ts";

/** More trigrams per term rarely rule out further events, and each costs an index lookup. */
const MOST_TRIGRAMS = 24;
/** Minimum number of trigrams that distinguishes words when many groups of words are searched. */
const LEAST_TRIGRAMS = 4;
/** A deflated text has about three times its bytes. */
const PLACE_COLUMNS = placeColumns("iif(typeof(events.content) = 'blob', 3, 1) * octet_length(events.content)");

/** Implements `Store.candidates`. */
export async function* sqliteCandidates(
  database: SqlSession,
  query: CandidateQuery,
): AsyncGenerator<Candidate[], void, undefined> {
  const filter = filterOf(query, database.dialect);
  yield* candidatesAt(database, query, placesIn(database, expressionOf(query), filter));
}

/** Returns a function that finds places, newest first. Without an expression it covers all events that pass the filter. */
function placesIn(
  database: SqlSession,
  expression: string | undefined,
  { sql, values }: Condition,
): (page: { before: number; limit: number }) => Promise<Place[]> {
  if (expression === undefined) {
    const all = `SELECT ${PLACE_COLUMNS} FROM events WHERE position < ? AND ${sql} ORDER BY position DESC LIMIT ?`;
    return ({ before, limit }) => database.all(all, [before, ...values, limit], placeIn);
  }
  // `CROSS JOIN` fixes the order: first the search index, then the rows of the events that it names.
  const found =
    `SELECT ${PLACE_COLUMNS} FROM event_search AS s CROSS JOIN events ON position = s.rowid ` +
    `WHERE s.event_search MATCH ? AND s.rowid < ? AND ${sql} ORDER BY s.rowid DESC LIMIT ?`;
  return ({ before, limit }) => database.all(found, [expression, before, ...values, limit], placeIn);
}

/** Returns the FTS5 query, or undefined if all events must be read. */
function expressionOf(query: CandidateQuery): string | undefined {
  const groups = groupsOf(query);
  const most = Math.max(LEAST_TRIGRAMS, Math.floor(MOST_TRIGRAMS / Math.sqrt(groups.length)));
  const expressions = groups.map((group) => {
    const terms = group.map(trigramsOf).filter((trigrams) => trigrams.length > 0);
    return terms.map((trigrams) => `(${spread(trigrams, most).map(quoted).join(" AND ")})`).join(" AND ");
  });
  return expressions.includes("") ? undefined : expressions.map((each) => `(${each})`).join(" OR ");
}

function quoted(trigram: string): string {
  return `"${trigram.replaceAll('"', '""')}"`;
}

const LENGTH = 3;

/**
 * Returns the trigrams of a term, each once, in order: every text that contains the term, in any case, has them. None for a
 * term of one or two characters. Characters are code points of the folded term.
 */
function trigramsOf(term: string): string[] {
  const characters = Array.from(foldText(storableText(term)));
  const starts = Array.from({ length: Math.max(0, characters.length - LENGTH + 1) }, (_, at) => at);
  return [...new Set(starts.map((at) => characters.slice(at, at + LENGTH).join("")))];
}

/** Picks at most this many items (at least two), evenly spread, including the first and the last. */
function spread<T>(values: readonly T[], most: number): T[] {
  if (values.length <= most) return [...values];
  const step = (values.length - 1) / (most - 1);
  const chosen = new Set(Array.from({ length: most }, (_, at) => Math.round(at * step)));
  return values.filter((_, at) => chosen.has(at));
}
