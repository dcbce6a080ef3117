/** Statements for snippets. */
import { SNIPPET_TYPES, type SnippetType, type StoredSnippet } from "./stored-model.ts";
import { exactFold } from "./exact-fold.ts";
import { foldedSnippet } from "./index-texts.ts";
import { SNIPPET_COLUMNS, SNIPPET_FIELDS, snippetIn } from "./model-rows.ts";
import { numberIn, textIn } from "./row.ts";
import {
  checkedTime,
  isTooLong,
  passageOf,
  snippetConditions,
  snippetValues,
  unknownEvent,
  unknownSession,
  type Passage,
  type SnippetConditions,
  type SnippetValues,
} from "./snippet-values.ts";
import { allOf, first, placesFor, type Condition, type SqlDatabase, type SqlSession } from "./sql-database.ts";
import { lockedRevision } from "./sql-sessions.ts";
import { storableText } from "./storable.ts";
import type { NewSnippet, SnippetGroup, SnippetQuery } from "./store.ts";

const COLUMNS = [...SNIPPET_FIELDS, "folded"];
const INSERT = `INSERT INTO conversation_snippets (${COLUMNS.join(", ")}) VALUES (${placesFor(COLUMNS)})
  RETURNING ${SNIPPET_COLUMNS}`;
const SELECT = `SELECT ${SNIPPET_COLUMNS} FROM conversation_snippets`;
const NEWEST_FIRST = "ORDER BY created_at DESC, snippet_id";
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

export function insertSnippet(database: SqlDatabase, snippet: NewSnippet): Promise<StoredSnippet> {
  const values = snippetValues(snippet);
  return database.transaction(async (session) => {
    await checkReferences(session, values);
    return addSnippet(session, values);
  });
}

export function insertSuggestion(database: SqlDatabase, snippet: NewSnippet): Promise<StoredSnippet | undefined> {
  const values = snippetValues(snippet);
  const passage = passageOf(values);
  return database.transaction(async (session) => {
    // Makes other suggestions for this session wait until this one is decided.
    await lockedRevision(session, values.session_id);
    await checkReferences(session, values);
    if (await overlaps(session, "suggested_passages", "line_start", "line_end", passage)) return undefined;
    const kept = ["conversation_snippets", "source_line_start", "source_line_end"] as const;
    const isKept = await overlaps(session, ...kept, passage);
    // Recorded even if a user kept the passage: they may delete it later.
    await session.run(
      "INSERT INTO suggested_passages (session_id, snippet_type, line_start, line_end) VALUES (?, ?, ?, ?)",
      [passage.session_id, passage.snippet_type, passage.line_start, passage.line_end],
    );
    return isKept ? undefined : addSnippet(session, values);
  });
}

/**
 * Returns true if more than half of the shorter passage's lines are in the other: a suggested passage grows as the
 * conversation goes on.
 */
async function overlaps(
  session: SqlSession,
  table: string,
  start: string,
  end: string,
  { session_id, snippet_type, line_start, line_end }: Passage,
): Promise<boolean> {
  const { least, greatest } = session.dialect;
  const from = Math.trunc(line_start);
  const to = Math.trunc(line_end);
  const sql = `SELECT 1 FROM ${table} WHERE session_id = ? AND snippet_type = ?
    AND (${least}(${end}, ${to}) - ${greatest}(${start}, ${from}) + 1) * 2.0 > ${least}(${end} - ${start}, ${to - from}) + 1
    LIMIT 1`;
  return (await session.all(sql, [session_id, snippet_type], () => true)).length > 0;
}

export async function snippetOf(session: SqlSession, snippetId: string): Promise<StoredSnippet | undefined> {
  const id = snippetId.toLowerCase();
  return UUID.test(id) ? first(session, `${SELECT} WHERE snippet_id = ?`, [id], snippetIn) : undefined;
}

/** Returns a page and the total count, both as of the same moment. */
export async function querySnippets(
  database: SqlDatabase,
  query: SnippetQuery,
): Promise<{ snippets: StoredSnippet[]; total_count: number }> {
  const asked = snippetConditions(query);
  if (asked.keyword !== undefined && isTooLong(asked.keyword)) return { snippets: [], total_count: 0 };
  return database.snapshot(async (session) => {
    const { sql, values } = allOf(conditionsOf(session, asked));
    const count = `SELECT count(*) AS snippets FROM conversation_snippets WHERE ${sql}`;
    const total = (await first(session, count, values, (row) => numberIn(row, "snippets"))) ?? 0;
    const page = [...values, asked.limit, asked.offset];
    const isEmpty = asked.limit === 0 || asked.offset >= total;
    const found = `${SELECT} WHERE ${sql} ${NEWEST_FIRST} LIMIT ? OFFSET ?`;
    return { snippets: isEmpty ? [] : await session.all(found, page, snippetIn), total_count: total };
  });
}

function conditionsOf({ dialect }: SqlSession, asked: SnippetConditions): Condition[] {
  const { session_id, snippet_type, project, tags, keyword, start, end } = asked;
  const conditions: Condition[] = [];
  const add = (sql: string, ...values: string[]): void => void conditions.push({ sql, values });
  if (session_id !== undefined) add("session_id = ?", session_id);
  if (snippet_type !== undefined) add("snippet_type = ?", snippet_type);
  if (project !== undefined) {
    const named = "SELECT session_id FROM sessions WHERE project = ? OR project_name = ?";
    add(`session_id IN (${named})`, project, project.toLowerCase());
  }
  if (start !== undefined) add("created_at >= ?", start);
  if (end !== undefined) add("created_at <= ?", end);
  conditions.push(...tags.map((tag) => dialect.hasTag(tag)));
  if (keyword !== undefined) conditions.push(dialect.hasKeyword(exactFold(keyword)));
  return conditions;
}

export function newestSnippets(session: SqlSession, of: SnippetGroup, limit: number): Promise<StoredSnippet[]> {
  const [column, value] = "session_id" in of ? ["session_id", of.session_id] : ["snippet_type", of.snippet_type];
  return session.all(`${SELECT} WHERE ${column} = ? ${NEWEST_FIRST} LIMIT ?`, [storableText(value), limit], snippetIn);
}

export async function countSnippets(session: SqlSession, sessionId?: string): Promise<Record<SnippetType, number>> {
  const { sql, values } = allOf(
    sessionId === undefined ? [] : [{ sql: "session_id = ?", values: [storableText(sessionId)] }],
  );
  const counts = await session.all(
    `SELECT snippet_type, count(*) AS snippets FROM conversation_snippets WHERE ${sql} GROUP BY snippet_type`,
    values,
    (row) => [textIn(row, "snippet_type"), numberIn(row, "snippets")] as const,
  );
  const found = new Map<string, number>(counts);
  const [one, two, three] = SNIPPET_TYPES;
  return { [one]: found.get(one) ?? 0, [two]: found.get(two) ?? 0, [three]: found.get(three) ?? 0 };
}

export function deleteSnippetsBefore(session: SqlSession, time: Date): Promise<number> {
  return session.run("DELETE FROM conversation_snippets WHERE created_at < ?", [checkedTime(time, "time")]);
}

/**
 * Throws if the session or the event does not exist. Foreign keys are enforced too, but SQLite does not say which one
 * failed. Requires a transaction.
 */
async function checkReferences(
  session: SqlSession,
  { session_id: sessionId, event_id: eventId }: SnippetValues,
): Promise<void> {
  const has = async (table: string, column: string, id: string): Promise<boolean> =>
    (await session.all(`SELECT 1 FROM ${table} WHERE ${column} = ?`, [id], () => true)).length > 0;
  if (!(await has("sessions", "session_id", sessionId))) throw unknownSession(sessionId);
  if (eventId !== null && !(await has("events", "event_id", eventId))) throw unknownEvent(eventId);
}

/** Requires a transaction. */
async function addSnippet(session: SqlSession, values: SnippetValues): Promise<StoredSnippet> {
  const now = new Date().toISOString();
  const all = { ...values, snippet_id: crypto.randomUUID(), created_at: values.created_at ?? now, updated_at: now };
  const folded = foldedSnippet(values.title, values.content);
  const row = await first(session, INSERT, [...SNIPPET_FIELDS.map((column) => all[column]), folded], snippetIn);
  if (row === undefined) throw new Error("The database returned no row for a snippet that it stored.");
  return row;
}
