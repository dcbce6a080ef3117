/**
 * Finds events by the trigrams of their folded texts. The index stores neither texts nor positions: an event with all
 * trigrams of a term may contain the term, so the caller checks the texts.
 *
 * Terms of one and two characters are prefixes of trigrams. The table `event_search_terms` lists the trigrams in the
 * index: CREATE VIRTUAL TABLE event_search_terms USING fts5vocab(event_search, 'instance').
 */
import { foldedPattern, foldText } from "../../matching/folding.ts";
import {
  candidatesAt,
  candidatesIn,
  filterOf,
  groupsOf,
  type Place,
  placeColumns,
  placeIn,
} from "../candidate-pages.ts";
import { numberIn, textIn } from "../columns.ts";
import { type Condition, first as firstRow, type SqlSession } from "../sql-database.ts";
import { storableText } from "../storable.ts";
import type { Candidate, CandidateQuery } from "../store.ts";

/** More trigrams per term rarely rule out further events, and each costs an index lookup. */
const MOST_TRIGRAMS = 24;
/** Minimum number of trigrams that distinguishes words when many groups of words are searched. */
const LEAST_TRIGRAMS = 4;
/**
 * A short term that starts more trigrams than this is searched for in the texts themselves. FTS5 accepts at most about
 * 250.
 */
const MOST_CONTINUATIONS = 200;
/**
 * Number of newest events sampled to estimate whether a short term is common: it is if more than `COMMON_SHARE` of them
 * contain it.
 */
const PROBED = 200;
const PROBED_BYTES = 400_000;
const COMMON_SHARE = 1 / 8;
/**
 * Sessions with fewer events in total are read completely: that is faster than the index, which does not know sessions.
 */
const FEW_EVENTS = 2_000;

const PLACE_COLUMNS = placeColumns("content_bytes");

const LAST_POSITION = Number.MAX_SAFE_INTEGER;
const HIGHEST = "\u{10ffff}\u{10ffff}";
/** Occurs in no real text. */
const NOWHERE = "\u{10ffff}\u{10ffff}\u{10ffff}";

/** Implements `Store.candidates`. */
export async function* sqliteCandidates(
  database: SqlSession,
  query: CandidateQuery,
): AsyncGenerator<Candidate[], void, undefined> {
  const isFew = await isSmall(database, query);
  const expression = isFew ? undefined : await expressionOf(database, query);
  yield* candidatesAt(database, query, placesIn(database, expression, filterOf(query, database.dialect), isFew));
}

/** Returns true if the sessions asked for have few events in total. */
async function isSmall(database: SqlSession, { sessionIds }: CandidateQuery): Promise<boolean> {
  if (sessionIds === undefined) return false;
  const isOne = database.dialect.isOneOf("session_id");
  const few = `SELECT count(*) AS count FROM (SELECT 1 FROM events WHERE ${isOne} LIMIT ${FEW_EVENTS})`;
  const count = await firstRow(database, few, [sessionIds.map(storableText)], (row) => numberIn(row, "count"));
  return (count ?? 0) < FEW_EVENTS;
}

/** Returns a function that finds places, newest first. Without an expression it covers all events that pass the filter. */
function placesIn(
  database: SqlSession,
  expression: string | undefined,
  { sql, values }: Condition,
  isFew = false,
): (page: { before: number; limit: number }) => Promise<Place[]> {
  if (expression === undefined) {
    // Few events are found by their session, many in table order. A leading `+` disables the index on the column.
    const position = isFew ? "+position" : "position";
    const all = `SELECT ${PLACE_COLUMNS} FROM events WHERE ${position} < ? AND ${sql} ORDER BY ${position} DESC LIMIT ?`;
    return ({ before, limit }) => database.all(all, [before, ...values, limit], placeIn);
  }
  // `CROSS JOIN` fixes the order: first the search index, then the rows of the events that it names.
  const found =
    `SELECT ${PLACE_COLUMNS} FROM event_search AS s CROSS JOIN events ON position = s.rowid ` +
    `WHERE s.event_search MATCH ? AND s.rowid < ? AND ${sql} ORDER BY s.rowid DESC LIMIT ?`;
  return ({ before, limit }) => database.all(found, [expression, before, ...values, limit], placeIn);
}

/** Returns the FTS5 query, or undefined if all events must be read. */
async function expressionOf(database: SqlSession, query: CandidateQuery): Promise<string | undefined> {
  const groups = groupsOf(query);
  const most = Math.max(LEAST_TRIGRAMS, Math.floor(MOST_TRIGRAMS / Math.sqrt(groups.length)));
  const known = new Map<string, string | undefined>();
  const short = async (term: string): Promise<string | undefined> => {
    if (!known.has(term)) known.set(term, await shortExpression(database, term));
    return known.get(term);
  };
  const expressions: string[] = [];
  for (const group of groups) {
    const long = group.map((term) => longExpression(term, most)).filter((each) => each !== undefined);
    // A short term rules out little, so it is looked up only in a group without longer terms.
    let expression = long.length > 0 ? long.join(" AND ") : undefined;
    for (let at = 0; long.length === 0 && expression === undefined && at < group.length; at += 1) {
      expression = await short(group[at] ?? "");
    }
    if (expression === undefined) return undefined;
    expressions.push(`(${expression})`);
  }
  return expressions.join(" OR ");
}

function longExpression(term: string, most: number): string | undefined {
  const trigrams = trigramsOf(storableText(term));
  return trigrams.length === 0 ? undefined : `(${spread(trigrams, most).map(quoted).join(" AND ")})`;
}

/**
 * Returns a query for the trigrams that begin with a one- or two-character term; undefined if there are too many, or if
 * the term is in most events.
 */
async function shortExpression(database: SqlSession, term: string): Promise<string | undefined> {
  if (await isCommon(database, term)) return undefined;
  const start = foldText(storableText(term));
  const select = "SELECT term FROM event_search_terms WHERE term > ? AND term <= ? LIMIT 1";
  const trigrams: string[] = [];
  const next = (after: string): Promise<string | undefined> =>
    firstRow(database, select, [after, start + HIGHEST], (row) => textIn(row, "term"));
  for (let last = await next(start); last !== undefined; last = await next(last)) {
    if (trigrams.length === MOST_CONTINUATIONS) return undefined;
    trigrams.push(last);
  }
  return `(${(trigrams.length === 0 ? [NOWHERE] : trigrams).map(quoted).join(" OR ")})`;
}

/** Returns true if the term is in so many of the newest events that reading events in order soon finds enough. */
async function isCommon(database: SqlSession, term: string): Promise<boolean> {
  const pattern = foldedPattern(storableText(term));
  const newest = placesIn(database, undefined, filterOf({}, database.dialect));
  let bytes = 0;
  const probed = (await newest({ before: LAST_POSITION, limit: PROBED })).filter(
    (place) => (bytes += place.bytes) <= PROBED_BYTES,
  );
  const found = (await candidatesIn(database, probed)).filter(({ content }) => content.search(pattern) !== -1);
  return found.length > probed.length * COMMON_SHARE;
}

function quoted(trigram: string): string {
  return `"${trigram.replaceAll('"', '""')}"`;
}

// Trigrams, for text indexes.

const LENGTH = 3;

/**
 * Returns the trigrams of a term, each once, in order: every text that contains the term, in any case, has them. None for a
 * term of one or two characters. Characters are code points of the folded term.
 */
function trigramsOf(term: string): string[] {
  const characters = Array.from(foldText(term));
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
