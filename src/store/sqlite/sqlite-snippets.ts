import { SNIPPET_TYPES, type SnippetType, type StoredSnippet } from "../model.ts";
import { SNIPPET_COLUMNS, SNIPPET_FIELDS, snippetIn } from "../model-rows.ts";
import { snippetSearchText } from "../index-texts.ts";
import { numberIn, textIn } from "../row.ts";
import { snippetValues, unknownEvent, unknownSession, checkedTime, type SnippetValues } from "../snippet-values.ts";
import { storableText } from "../storable.ts";
import type { NewSnippet, SnippetGroup } from "../store.ts";
import type { SqliteDriver } from "./driver.ts";
import { listSoon, unlist } from "./sqlite-snippet-lists.ts";
import { inTransaction } from "./transaction.ts";

const INSERT = `INSERT INTO conversation_snippets (${SNIPPET_COLUMNS}) VALUES (${SNIPPET_FIELDS.map(() => "?").join(", ")})
  RETURNING position, ${SNIPPET_COLUMNS}`;

export function insertSnippet(database: SqliteDriver, snippet: NewSnippet): StoredSnippet {
  const values = snippetValues(snippet);
  return inTransaction(database, () => {
    checkReferences(database, values);
    return addSnippet(database, values);
  });
}

export function snippetOf(database: SqliteDriver, snippetId: string): StoredSnippet | undefined {
  const select = database.prepare(`SELECT ${SNIPPET_COLUMNS} FROM conversation_snippets WHERE snippet_id = ?`);
  const row = select.get(storableText(snippetId).toLowerCase());
  return row === undefined ? undefined : snippetIn(row);
}

export function newestSnippets(database: SqliteDriver, of: SnippetGroup, limit: number): StoredSnippet[] {
  const [column, value] = "session_id" in of ? ["session_id", of.session_id] : ["snippet_type", of.snippet_type];
  return database
    .prepare(
      `SELECT ${SNIPPET_COLUMNS} FROM conversation_snippets WHERE ${column} = ?
       ORDER BY created_at DESC, snippet_id LIMIT ?`,
    )
    .all(storableText(value), limit)
    .map((row) => snippetIn(row));
}

export function countSnippets(database: SqliteDriver, sessionId?: string): Record<SnippetType, number> {
  const where = sessionId === undefined ? "" : "WHERE session_id = ?";
  const rows = database
    .prepare(`SELECT snippet_type, count(*) AS snippets FROM conversation_snippets ${where} GROUP BY snippet_type`)
    .all(...(sessionId === undefined ? [] : [storableText(sessionId)]));
  const found = new Map(rows.map((row) => [textIn(row, "snippet_type"), numberIn(row, "snippets")]));
  const [first, second, third] = SNIPPET_TYPES;
  return { [first]: found.get(first) ?? 0, [second]: found.get(second) ?? 0, [third]: found.get(third) ?? 0 };
}

export function deleteSnippetsBefore(database: SqliteDriver, time: Date): number {
  const before = checkedTime(time, "time");
  const remove = database.prepare("DELETE FROM conversation_snippets WHERE created_at < ? RETURNING position");
  return inTransaction(database, () => {
    unlist(database, "created_at < ?", before);
    return remove.all(before).length;
  });
}

/** Within a transaction. Foreign keys are checked too, but SQLite does not say which one is broken. */
export function checkReferences(
  database: SqliteDriver,
  { session_id: sessionId, event_id: eventId }: SnippetValues,
): void {
  const session = database.prepare("SELECT 1 FROM sessions WHERE session_id = ?").get(sessionId);
  if (session === undefined) throw unknownSession(sessionId);
  if (eventId === null) return;
  const event = database.prepare("SELECT 1 FROM events WHERE event_id = ?").get(eventId);
  if (event === undefined) throw unknownEvent(eventId);
}

/** Within a transaction. */
export function addSnippet(database: SqliteDriver, values: SnippetValues): StoredSnippet {
  const now = new Date().toISOString();
  const all = { ...values, snippet_id: crypto.randomUUID(), created_at: values.created_at ?? now, updated_at: now };
  const [row = {}] = database.prepare(INSERT).all(...SNIPPET_FIELDS.map((column) => all[column]));
  const position = numberIn(row, "position");
  const search = database.prepare("INSERT INTO snippet_search (rowid, text) VALUES (?, ?)");
  search.run(position, snippetSearchText(values.title, values.content));
  listSoon(database, position);
  return snippetIn(row);
}
