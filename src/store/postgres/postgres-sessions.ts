import type { StoredSession } from "../model.ts";
import { SESSION_COLUMNS, SESSION_FIELDS, sessionIn } from "../model-rows.ts";
import { numberIn } from "../row.ts";
import { storableText } from "../storable.ts";
import type { SessionFilter } from "../store.ts";
import { sessionValues } from "../stored-values.ts";
import type { PostgresSession } from "./pool.ts";
import { unlist } from "./postgres-snippet-lists.ts";

const ALL_COLUMNS = [...SESSION_FIELDS, "memory", "project_name"];
const UPDATES = ALL_COLUMNS.slice(1).map((column) => `${column} = excluded.${column}`);
const PLACES = ALL_COLUMNS.map((_, at) => `$${at + 1}`);
const INSERT = `INSERT INTO sessions (${ALL_COLUMNS.join(", ")}) VALUES (${PLACES.join(", ")}) ON CONFLICT (session_id)`;

export async function sessionsOf(session: PostgresSession, filter: SessionFilter = {}): Promise<StoredSession[]> {
  const { host, path } = filter;
  const values: string[] = [];
  const conditions = Object.entries({ host, path }).flatMap(([column, value]) =>
    value === undefined ? [] : [`${column} = $${values.push(storableText(value))}`],
  );
  const where = conditions.length === 0 ? "" : `WHERE ${conditions.join(" AND ")}`;
  const rows = await session.rows(`SELECT ${SESSION_COLUMNS} FROM sessions ${where} ORDER BY session_id`, values);
  return rows.map((row) => sessionIn(row));
}

export async function sessionOf(session: PostgresSession, sessionId: string): Promise<StoredSession | undefined> {
  const sql = `SELECT ${SESSION_COLUMNS}, memory FROM sessions WHERE session_id = $1`;
  const [row] = await session.rows(sql, [storableText(sessionId)]);
  return row === undefined ? undefined : sessionIn(row);
}

/** The revision of a session, which nobody else writes until the transaction ends; undefined if it is not there. */
export async function lockedRevision(session: PostgresSession, sessionId: string): Promise<number | undefined> {
  const sql = "SELECT revision FROM sessions WHERE session_id = $1 FOR NO KEY UPDATE";
  const [row] = await session.rows(sql, [storableText(sessionId)]);
  return row === undefined ? undefined : numberIn(row, "revision");
}

/** Makes a session what it is now. */
export async function putSession(session: PostgresSession, value: StoredSession): Promise<void> {
  await session.rows(`${INSERT} DO UPDATE SET ${UPDATES.join(", ")}`, columnsOf(value));
}

/** Enters a session. False if it is there. */
export async function addSession(session: PostgresSession, value: StoredSession): Promise<boolean> {
  return (await session.rows(`${INSERT} DO NOTHING RETURNING session_id`, columnsOf(value))).length > 0;
}

/** Within a transaction. Its events, snippets and cached values go with it. */
export async function removeSession(session: PostgresSession, sessionId: string): Promise<boolean> {
  await unlist(session, "session_id = $1", storableText(sessionId));
  const sql = "DELETE FROM sessions WHERE session_id = $1 RETURNING session_id";
  return (await session.rows(sql, [storableText(sessionId)])).length > 0;
}

/** In the order of `ALL_COLUMNS`. */
function columnsOf(session: StoredSession): unknown[] {
  const values = sessionValues(session);
  return ALL_COLUMNS.map((column) => values[column] ?? null);
}
