/**
 * Finds events by the trigrams of their folded texts. The index keeps no text and no places in it: an event that has
 * all trigrams of a term may have the term, so whoever asks looks at the texts.
 *
 * Terms of one and two characters are beginnings of trigrams. Those that the index has are listed in the table
 * `event_search_terms`: CREATE VIRTUAL TABLE event_search_terms USING fts5vocab(event_search, 'instance').
 */
import { foldedPattern, foldText } from "../../matching/folding.ts";
import { spread, trigramsOf } from "../../matching/trigrams.ts";
import { batches, groupsOf, nextPageSize, type Place } from "../candidate-pages.ts";
import { EVENT_COLUMNS, eventIn } from "../model-rows.ts";
import { numberIn, textIn } from "../row.ts";
import { first as firstRow, type SqlSession, type SqlValue } from "../sql-database.ts";
import { storableText, storableTime } from "../storable.ts";
import type { Candidate, CandidateQuery } from "../store.ts";

/** More trigrams of a term hardly ever rule out more events, and each costs a look at the index. */
const MOST_TRIGRAMS = 24;
/** The fewest that tell words apart, where many groups of words are looked for. */
const LEAST_TRIGRAMS = 4;
/** A short term with more continuations is looked for in the texts themselves. FTS5 takes some 250 at most. */
const MOST_CONTINUATIONS = 200;
/** The newest events are looked at to tell whether a short term stands in most: one in so many is enough. */
const PROBED = 200;
const PROBED_BYTES = 400_000;
const COMMON_SHARE = 1 / 8;
/** Sessions with fewer events in all are read whole: that is quicker than the index, which knows nothing of sessions. */
const FEW_EVENTS = 2_000;

const LAST_POSITION = Number.MAX_SAFE_INTEGER;
const HIGHEST = "\u{10ffff}\u{10ffff}";
/** In no text that anybody writes. */
const NOWHERE = "\u{10ffff}\u{10ffff}\u{10ffff}";
const LISTED = "SELECT value FROM json_each(?)";

/** See `Store.candidates`. */
export async function* sqliteCandidates(
  database: SqlSession,
  query: CandidateQuery,
): AsyncGenerator<Candidate[], void, undefined> {
  const isFew = await isSmall(database, query);
  const source = sourceOf(isFew ? undefined : await expressionOf(database, query), filterOf(query), isFew);
  let pageSize = nextPageSize();
  for (let before = query.before ?? LAST_POSITION; ;) {
    const page = await placesOf(database, source, { before, limit: pageSize });
    for (const batch of batches(page)) yield await read(database, batch);
    const last = page.at(-1);
    if (last === undefined || page.length < pageSize) return;
    before = last.position;
    pageSize = nextPageSize(pageSize);
  }
}

interface Filter {
  sql: string;
  values: SqlValue[];
}

function filterOf({ since, role, tool, errorsOnly, sessionIds }: Omit<CandidateQuery, "terms">): Filter {
  const parts: [sql: string, ...values: SqlValue[]][] = [["e.is_own = 0"]];
  if (since !== undefined) parts.push(["e.occurred_at >= ?", storableTime(since)]);
  if (role !== undefined) parts.push(["e.role = ?", role]);
  if (tool !== undefined) parts.push(["e.role = 'tool' AND lower(e.tool_name) = lower(?)", storableText(tool)]);
  if (errorsOnly === true) parts.push(["e.block_type = 'tool_result' AND e.status = 'error'"]);
  if (sessionIds !== undefined) parts.push([`e.session_id IN (${LISTED})`, listOf(sessionIds)]);
  return { sql: parts.map(([sql]) => ` AND ${sql}`).join(""), values: parts.flatMap(([, ...values]) => values) };
}

function listOf(texts: readonly string[]): string[] {
  return texts.map(storableText);
}

/** Whether all events of the sessions that are asked for are few. */
async function isSmall(database: SqlSession, { sessionIds }: CandidateQuery): Promise<boolean> {
  if (sessionIds === undefined) return false;
  const few = `SELECT count(*) AS count FROM (SELECT 1 FROM events WHERE session_id IN (${LISTED}) LIMIT ${FEW_EVENTS})`;
  const count = await firstRow(database, few, [listOf(sessionIds)], (row) => numberIn(row, "count"));
  return (count ?? 0) < FEW_EVENTS;
}

interface Source {
  /** Takes the values in `first`, the position before which they are to be, those in `filters`, and how many. */
  sql: string;
  first: SqlValue[];
  filters: SqlValue[];
}

/** Where places come from, newest first. Without an expression all events that the filter leaves. */
function sourceOf(expression: string | undefined, { sql, values }: Filter, isFew: boolean): Source {
  const columns = "SELECT e.position AS position, octet_length(e.content) AS bytes";
  if (expression === undefined) {
    // Few are found by their session, many in the order in which the table has them.
    const position = isFew ? "+e.position" : "e.position";
    const all = `${columns} FROM events AS e WHERE ${position} < ?${sql} ORDER BY ${position} DESC LIMIT ?`;
    return { sql: all, first: [], filters: values };
  }
  // In this order: the index of all events, then the rows of those that it names.
  const found =
    `${columns} FROM event_search AS s CROSS JOIN events AS e ON e.position = s.rowid ` +
    `WHERE s.event_search MATCH ? AND s.rowid < ?${sql} ORDER BY s.rowid DESC LIMIT ?`;
  return { sql: found, first: [expression], filters: values };
}

function placesOf(
  database: SqlSession,
  { sql, first, filters }: Source,
  { before, limit }: { before: number; limit: number },
): Promise<Place[]> {
  const values = [...first, before, ...filters, limit];
  return database.all(sql, values, (row) => ({ position: numberIn(row, "position"), bytes: numberIn(row, "bytes") }));
}

/** The events at these places, but for those that somebody removed meanwhile. */
function read(database: SqlSession, places: readonly Place[]): Promise<Candidate[]> {
  return database.all(
    `SELECT position, ${EVENT_COLUMNS} FROM events WHERE position IN (${LISTED}) ORDER BY position DESC`,
    [places.map(({ position }) => position)],
    (row) => ({ ...eventIn(row), position: numberIn(row, "position") }),
  );
}

/** What FTS5 is asked; undefined if all events are to be looked at. */
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
    // A short term rules out little: it is looked up where nothing else is known.
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

/** The trigrams that begin with a term of one or two characters; undefined if they are many, or are in most events. */
async function shortExpression(database: SqlSession, term: string): Promise<string | undefined> {
  if (!(await listsTrigrams(database)) || (await isCommon(database, term))) return undefined;
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

/** Whether so many of the newest events have the term that going through all of them soon finds enough. */
async function isCommon(database: SqlSession, term: string): Promise<boolean> {
  const pattern = foldedPattern(storableText(term));
  const all = sourceOf(undefined, filterOf({}), false);
  let bytes = 0;
  const probed = (await placesOf(database, all, { before: LAST_POSITION, limit: PROBED })).filter(
    (place) => (bytes += place.bytes) <= PROBED_BYTES,
  );
  const found = (await read(database, probed)).filter(({ content }) => content.search(pattern) !== -1);
  return found.length > probed.length * COMMON_SHARE;
}

async function listsTrigrams(database: SqlSession): Promise<boolean> {
  const listed = "SELECT 1 FROM sqlite_schema WHERE name = 'event_search_terms'";
  return (await database.all(listed, [], () => true)).length > 0;
}

function quoted(trigram: string): string {
  return `"${trigram.replaceAll('"', '""')}"`;
}
