import { SNIPPET_TYPES, type SnippetType, type StoredSnippet } from "../model.ts";
import { SNIPPET_COLUMNS, snippetIn } from "../model-rows.ts";
import { foldedSnippet } from "../index-texts.ts";
import { numberIn, textIn, type Row } from "../row.ts";
import { checkedTime, snippetValues, unknownEvent, unknownSession, type SnippetValues } from "../snippet-values.ts";
import { storableText } from "../storable.ts";
import type { NewSnippet, SnippetGroup } from "../store.ts";
import type { PostgresPool, PostgresSession } from "./pool.ts";
import { stateOf } from "./postgres-faults.ts";
import { listSoon, unlist } from "./postgres-snippet-lists.ts";

const FOREIGN_KEY = "23503";
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

const FIELDS = [
  ...(["session_id", "event_id", "snippet_type", "title", "content", "source_file"] as const),
  ...(["source_line_start", "source_line_end", "tags", "metadata"] as const),
];
const PLACES = FIELDS.map((_, at) => `$${at + 1}`).join(", ");
const INSERT = `INSERT INTO conversation_snippets (${FIELDS.join(", ")}, created_at, folded)
  VALUES (${PLACES}, coalesce($${FIELDS.length + 1}, now()), $${FIELDS.length + 2}) RETURNING position, ${SNIPPET_COLUMNS}`;

export async function insertSnippet(pool: PostgresPool, snippet: NewSnippet): Promise<StoredSnippet> {
  const row = await addSnippet(pool, snippetValues(snippet));
  await listSoon(pool, numberIn(row, "position"));
  return snippetIn(row);
}

/** The new row. Who adds one sees to it that it is listed. */
export async function addSnippet(database: PostgresSession, values: SnippetValues): Promise<Row> {
  const folded = foldedSnippet(values.title, values.content);
  try {
    const [row = {}] = await database.rows(INSERT, [
      ...FIELDS.map((field) => values[field]),
      values.created_at,
      folded,
    ]);
    return row;
  } catch (error) {
    throw unknownReference(error, values) ?? error;
  }
}

/** What the snippet refers to that is not there, if that is what the error says. */
function unknownReference(error: unknown, values: SnippetValues): Error | undefined {
  if (stateOf(error) !== FOREIGN_KEY || !(error instanceof Error)) return undefined;
  const isEvent = String(Reflect.get(error, "constraint")).includes("event_id");
  return isEvent && values.event_id !== null ? unknownEvent(values.event_id) : unknownSession(values.session_id);
}

export async function snippetOf(database: PostgresSession, snippetId: string): Promise<StoredSnippet | undefined> {
  if (!UUID.test(snippetId)) return undefined;
  const sql = `SELECT ${SNIPPET_COLUMNS} FROM conversation_snippets WHERE snippet_id = $1`;
  const [row] = await database.rows(sql, [snippetId]);
  return row === undefined ? undefined : snippetIn(row);
}

export async function newestSnippets(
  database: PostgresSession,
  of: SnippetGroup,
  limit: number,
): Promise<StoredSnippet[]> {
  const [column, value] = "session_id" in of ? ["session_id", of.session_id] : ["snippet_type", of.snippet_type];
  const sql = `SELECT ${SNIPPET_COLUMNS} FROM conversation_snippets WHERE ${column} = $1
    ORDER BY created_at DESC, snippet_id LIMIT $2`;
  const rows = await database.rows(sql, [storableText(value), limit]);
  return rows.map((row) => snippetIn(row));
}

export async function countSnippets(
  database: PostgresSession,
  sessionId?: string,
): Promise<Record<SnippetType, number>> {
  const where = sessionId === undefined ? "" : "WHERE session_id = $1";
  const rows = await database.rows(
    `SELECT snippet_type, count(*) AS snippets FROM conversation_snippets ${where} GROUP BY snippet_type`,
    sessionId === undefined ? [] : [storableText(sessionId)],
  );
  const found = new Map(rows.map((row) => [textIn(row, "snippet_type"), numberIn(row, "snippets")]));
  const [first, second, third] = SNIPPET_TYPES;
  return { [first]: found.get(first) ?? 0, [second]: found.get(second) ?? 0, [third]: found.get(third) ?? 0 };
}

export async function deleteSnippetsBefore(pool: PostgresPool, time: Date): Promise<number> {
  const before = checkedTime(time, "time");
  return pool.transaction(async (session) => {
    await unlist(session, "created_at < $1", before);
    const [row = {}] = await session.rows(
      `WITH deleted AS (DELETE FROM conversation_snippets WHERE created_at < $1 RETURNING 1)
       SELECT count(*) AS snippets FROM deleted`,
      [before],
    );
    return numberIn(row, "snippets");
  });
}
