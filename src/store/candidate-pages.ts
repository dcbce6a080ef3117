/** Filters, pages and groups of terms of a search for candidates, the same for both backends. */
import { BLOCKS, CANDIDATE_COLUMNS, candidateIn, numberIn, type Row } from "./columns.ts";
import { fileName, isAbsolute } from "../calls/file-paths.ts";
import { allOf, batches, type Condition, type Dialect, type SqlSession } from "./sql-database.ts";
import { asciiFolded, storableText, storableTime } from "./storable.ts";
import type { Candidate, CandidateQuery, SessionFilter } from "./store.ts";

/** Places in the first page: as many as a search ranks, plus a few that turn out not to match. */
const FIRST_PAGE = 320;
const LARGEST_PAGE = 4_096;
/** Maximum bytes of text, and events, in memory at once. */
const LIMITS = { size: 1_000_000, items: 320 };
/** Only this many terms are combined: the longest ones, which are the most selective. */
const MOST_COMBINED = 7;
/** The same where two may be missing, which makes more groups. */
const FEW_COMBINED = 5;

/** An event without its text. */
export interface Place {
  position: number;
  bytes: number;
}

/** Returns the columns of `events` that `placeIn` reads. `bytes`: size of the text. */
export function placeColumns(bytes: string): string {
  return `position, ${bytes} AS bytes`;
}

export function placeIn(row: Row): Place {
  return { position: numberIn(row, "position"), bytes: numberIn(row, "bytes") };
}

/** Returns the condition of a query on columns of `events`, besides the terms. */
export function filterOf(
  { since, until, role, tool, errorsOnly, file, sessions }: Omit<CandidateQuery, "terms">,
  dialect: Dialect,
): Condition {
  const filters: Condition[] = [{ sql: "NOT is_own", values: [] }];
  const add = (sql: string, ...values: Condition["values"]): void => void filters.push({ sql, values });
  if (since !== undefined) add("occurred_at >= ?", storableTime(since));
  if (until !== undefined) add("occurred_at < ?", storableTime(until));
  if (role !== undefined) add("role = ?", role);
  if (tool !== undefined) add(`role = 'tool' AND ${dialect.lower("tool_name")} = ?`, asciiFolded(storableText(tool)));
  if (errorsOnly === true) add(`${file === undefined ? "block_type = 'tool_result' AND " : ""}status = 'error'`);
  if (file !== undefined) {
    const { sql, values } = callWith(file);
    add(sql, ...values);
  }
  if (sessions !== undefined) filters.push(ofSessions(sessions, dialect));
  return allOf(filters);
}

/** Returns the condition on events of some sessions. */
function ofSessions(filter: SessionFilter, dialect: Dialect): Condition {
  const { sql, values } = sessionCondition(filter, dialect);
  return { sql: `session IN (SELECT number FROM sessions WHERE ${sql})`, values };
}

/** Returns the condition on columns of `sessions`. */
export function sessionCondition(filter: SessionFilter, dialect: Dialect): Condition {
  const { ids, except, projects, agent, tool, model, file, tags = [], parent } = filter;
  const conditions: Condition[] = [];
  const addList = (column: string, list: readonly string[] | undefined): void => {
    if (list !== undefined) conditions.push({ sql: dialect.isOneOf(column), values: [list.map(storableText)] });
  };
  addList("session_id", ids);
  addList("project", projects);
  if (except !== undefined) {
    conditions.push({ sql: `NOT (${dialect.isOneOf("session_id")})`, values: [except.map(storableText)] });
  }
  if (agent !== undefined) conditions.push({ sql: "agent = ?", values: [storableText(agent)] });
  const addRow = (table: string, column: string, value: string | undefined): void => {
    const found = `SELECT 1 FROM ${table} WHERE ${table}.session = sessions.number AND ${column} = ? AND NOT superseded`;
    if (value !== undefined) conditions.push({ sql: `EXISTS (${found})`, values: [storableText(value)] });
  };
  addRow("events", "tool_name", tool);
  addRow("messages", "model", model);
  for (const tag of new Set(tags)) {
    const { sql, values } = dialect.hasTag(storableText(tag));
    conditions.push({ sql: `session_id IN (SELECT session_id FROM session_labels WHERE ${sql})`, values });
  }
  if (file !== undefined) {
    const { sql, values } = ofFile(file);
    conditions.push({ sql: `number IN (SELECT t.session FROM touched_files AS t WHERE ${sql})`, values });
  }
  if (parent !== undefined) conditions.push({ sql: "parent_id = ?", values: [storableText(parent)] });
  return allOf(conditions);
}

/** Returns the condition on events of calls that read or changed a file. */
function callWith(file: string, more = ""): Condition {
  const { sql, values } = ofFile(file);
  const found = `SELECT t.event_id FROM touched_files AS t WHERE t.session = events.session AND (${sql})${more}`;
  return { sql: `events.event_id IN (${found})`, values };
}

/** Returns the condition on `touched_files AS t` of a file: see `isWantedFile`, which says the same. */
function ofFile(wanted: string): Condition {
  const [path, end] = [storableText(wanted), storableText(`/${wanted}`)];
  const text = "CAST(? AS TEXT)";
  // A relative path is of a call whose folder is unknown.
  const other = isAbsolute(wanted)
    ? { sql: `substr(${text}, length(${text}) - length(t.path)) = '/' || t.path`, values: [path, path] }
    : { sql: `substr(t.path, length(t.path) - length(${text}) + 1) = ${text}`, values: [end, end] };
  const sql = `t.name = ? AND (t.path = ? OR ${other.sql})`;
  return { sql, values: [storableText(fileName(wanted)), path, ...other.values] };
}

/** Yields the events at the places of a query, page by page. `placesOf` returns the next page, newest first. */
export async function* candidatesAt(
  session: SqlSession,
  { before = Number.MAX_SAFE_INTEGER, file }: CandidateQuery,
  placesOf: (page: { before: number; limit: number }) => Promise<Place[]>,
): AsyncGenerator<Candidate[], void, undefined> {
  let end = before;
  for (let limit = FIRST_PAGE; ; limit = Math.min(limit * 4, LARGEST_PAGE)) {
    const page = await placesOf({ before: end, limit });
    for (const batch of batches(page, ({ bytes }) => bytes, LIMITS)) yield await candidatesIn(session, batch, file);
    const last = page.at(-1);
    if (last === undefined || page.length < limit) return;
    end = last.position;
  }
}

/** Returns the events at these places, except any deleted in the meantime. */
function candidatesIn(session: SqlSession, places: readonly Place[], file: string | undefined): Promise<Candidate[]> {
  const isOne = session.dialect.isOneOf("position");
  const changes = file === undefined ? undefined : callWith(file, " AND t.is_written");
  const columns =
    CANDIDATE_COLUMNS + (changes === undefined ? "" : `, (status = 'completed' AND ${changes.sql}) AS changes_file`);
  return session.all(
    `SELECT ${columns} FROM ${BLOCKS.from} WHERE ${isOne} ORDER BY position DESC`,
    [...(changes?.values ?? []), places.map(({ position }) => position)],
    candidateIn,
  );
}

/**
 * Returns groups of terms such that every event with enough of the terms has all terms of at least one group. Of many
 * terms only some are combined, so the groups may match more events than the query does, but never fewer.
 */
export function groupsOf({ terms, atLeast = terms.length }: Pick<CandidateQuery, "terms" | "atLeast">): string[][] {
  const distinct = [...new Set(terms)];
  if (atLeast >= terms.length) return [distinct];
  const missing = terms.length - atLeast;
  if (missing > 2 || distinct.length !== terms.length) return distinct.map((term) => [term]);
  const combined = distinct
    .toSorted((a, b) => b.length - a.length)
    .slice(0, missing === 1 ? MOST_COMBINED : FEW_COMBINED);
  const groups = combined.map((_, left) => combined.toSpliced(left, 1));
  if (missing === 1) return groups;
  return groups.flatMap((group, left) => group.flatMap((_, at) => (at < left ? [] : [group.toSpliced(at, 1)])));
}
