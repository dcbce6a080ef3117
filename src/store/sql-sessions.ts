/** Sessions and their entries. */
import type { StoredEvent, StoredSession } from "./model.ts";
import { EVENT_COLUMNS, eventIn, SESSION_COLUMNS, SESSION_FIELDS, sessionIn } from "./model-rows.ts";
import { numberIn, textIn } from "./row.ts";
import { allOf, first, placesFor, type SqlSession, type SqlValue } from "./sql-database.ts";
import { storableText } from "./storable.ts";
import type { SessionChange, SessionFilter } from "./store.ts";
import { sessionValues } from "./stored-values.ts";

const COLUMNS = [...SESSION_FIELDS, "memory", "project_name"];
const UPDATES = COLUMNS.slice(1).map((column) => `${column} = excluded.${column}`);
const INSERT = `INSERT INTO sessions (${COLUMNS.join(", ")}) VALUES (${placesFor(COLUMNS)}) ON CONFLICT (session_id)`;

export function sessionsOf(session: SqlSession, { host, path }: SessionFilter = {}): Promise<StoredSession[]> {
  const conditions = Object.entries({ host, path }).flatMap(([column, value]) =>
    value === undefined ? [] : [{ sql: `${column} = ?`, values: [storableText(value)] }],
  );
  const { sql, values } = allOf(conditions);
  return session.all(`SELECT ${SESSION_COLUMNS} FROM sessions WHERE ${sql} ORDER BY session_id`, values, sessionIn);
}

export function sessionOf(session: SqlSession, sessionId: string): Promise<StoredSession | undefined> {
  const sql = `SELECT ${SESSION_COLUMNS}, memory FROM sessions WHERE session_id = ?`;
  return first(session, sql, [storableText(sessionId)], sessionIn);
}

/** The revision of a session, which nobody else writes until the transaction ends; undefined if it is not there. */
export function lockedRevision(session: SqlSession, sessionId: string): Promise<number | undefined> {
  const sql = `SELECT revision FROM sessions WHERE session_id = ?${session.dialect.lockRow}`;
  return first(session, sql, [storableText(sessionId)], (row) => numberIn(row, "revision"));
}

/** Enters a session. False if it is there. */
export async function addSession(session: SqlSession, value: StoredSession): Promise<boolean> {
  return (await session.run(`${INSERT} DO NOTHING`, columnsOf(value))) > 0;
}

/** Within a transaction: its events, snippets and cached values go with it. */
export async function removeSession(session: SqlSession, sessionId: string): Promise<boolean> {
  return (await session.run("DELETE FROM sessions WHERE session_id = ?", [storableText(sessionId)])) > 0;
}

export function eventOf(session: SqlSession, eventId: string): Promise<StoredEvent | undefined> {
  return first(session, `SELECT ${EVENT_COLUMNS} FROM events WHERE event_id = ?`, [storableText(eventId)], eventIn);
}

export function eventsOf(
  session: SqlSession,
  sessionId: string,
  { from, limit }: { from: number; limit: number },
): Promise<StoredEvent[]> {
  const sql = `SELECT ${EVENT_COLUMNS} FROM events WHERE session_id = ? AND ordinal >= ? ORDER BY ordinal LIMIT ?`;
  return session.all(sql, [storableText(sessionId), from, limit], eventIn);
}

/** Within a transaction. False, and nothing is done, if the session has another revision than expected. */
export async function writeChange(session: SqlSession, change: SessionChange): Promise<boolean> {
  const revision = await lockedRevision(session, change.session.session_id);
  if ((revision ?? 0) !== change.expected) return false;
  // Where there was none to lock, somebody may have entered one meanwhile.
  if (revision === undefined && !(await addSession(session, change.session))) return false;
  if (revision !== undefined) {
    await session.run(`${INSERT} DO UPDATE SET ${UPDATES.join(", ")}`, columnsOf(change.session));
  }
  const cited = change.removeFrom === undefined ? [] : await removeEvents(session, change);
  await session.dialect.addEvents(session, change.events);
  await session.dialect.nameTools(session, change.toolNames ?? []);
  for (const { snippet, event } of cited) {
    const sql = `UPDATE conversation_snippets SET event_id = ? WHERE snippet_id = ?
      AND EXISTS (SELECT 1 FROM events WHERE event_id = ?)`;
    await session.run(sql, [event, snippet, event]);
  }
  return true;
}

/** Returns the snippets that cite the removed events: they cite them again if they are written anew. */
async function removeEvents(
  session: SqlSession,
  { session: { session_id }, removeFrom = 0 }: SessionChange,
): Promise<{ snippet: string; event: string }[]> {
  const values = [storableText(session_id), removeFrom];
  const cited = await session.all(
    `SELECT snippet_id, event_id FROM conversation_snippets JOIN events USING (event_id)
     WHERE events.session_id = ? AND events.ordinal >= ?`,
    values,
    (row) => ({ snippet: textIn(row, "snippet_id"), event: textIn(row, "event_id") }),
  );
  await session.run("DELETE FROM events WHERE session_id = ? AND ordinal >= ?", values);
  return cited;
}

/** In the order of `COLUMNS`. */
function columnsOf(session: StoredSession): SqlValue[] {
  const values = sessionValues(session);
  return COLUMNS.map((column) => values[column] ?? null);
}
