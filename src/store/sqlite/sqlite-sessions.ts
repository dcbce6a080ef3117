import type { StoredSession } from "../model.ts";
import { SESSION_COLUMNS, SESSION_FIELDS, sessionIn } from "../model-rows.ts";
import { numberIn } from "../row.ts";
import { storableText } from "../storable.ts";
import type { SessionFilter } from "../store.ts";
import { sessionValues } from "../stored-values.ts";
import type { SqliteDriver, SqlValue } from "./driver.ts";
import { unlist } from "./sqlite-snippet-lists.ts";

const ALL_COLUMNS = [...SESSION_FIELDS, "memory", "project_name"];
const UPDATES = ALL_COLUMNS.slice(1).map((column) => `${column} = excluded.${column}`);
const PLACES = ALL_COLUMNS.map(() => "?");
const INSERT = `INSERT INTO sessions (${ALL_COLUMNS.join(", ")}) VALUES (${PLACES.join(", ")}) ON CONFLICT (session_id)`;

export function sessionsOf(database: SqliteDriver, { host, path }: SessionFilter = {}): StoredSession[] {
  const conditions = Object.entries({ host, path }).flatMap(([column, value]) =>
    value === undefined ? [] : [{ sql: `${column} = ?`, value: storableText(value) }],
  );
  const where = conditions.length === 0 ? "" : `WHERE ${conditions.map(({ sql }) => sql).join(" AND ")}`;
  const rows = database
    .prepare(`SELECT ${SESSION_COLUMNS} FROM sessions ${where} ORDER BY session_id`)
    .all(...conditions.map(({ value }) => value));
  return rows.map((row) => sessionIn(row));
}

export function sessionOf(database: SqliteDriver, sessionId: string): StoredSession | undefined {
  const select = database.prepare(`SELECT ${SESSION_COLUMNS}, memory FROM sessions WHERE session_id = ?`);
  const row = select.get(storableText(sessionId));
  return row === undefined ? undefined : sessionIn(row);
}

/** The revision that a session has, 0 if it is not there. */
export function revisionOf(database: SqliteDriver, sessionId: string): number {
  const row = database.prepare("SELECT revision FROM sessions WHERE session_id = ?").get(storableText(sessionId));
  return Number(row?.["revision"] ?? 0);
}

/** Enters a session, or makes it what it is now. */
export function putSession(database: SqliteDriver, session: StoredSession): void {
  database.prepare(`${INSERT} DO UPDATE SET ${UPDATES.join(", ")}`).run(...columnsOf(session));
}

/** Enters a session if it is not there. */
export function addSession(database: SqliteDriver, session: StoredSession): void {
  const changes = database.prepare(`${INSERT} DO NOTHING`).run(...columnsOf(session));
  if (changes > 0) skipPosition(database);
}

/** Its events, snippets and cached values go with it. */
export function removeSession(database: SqliteDriver, sessionId: string): boolean {
  unlist(database, "session_id = ?", storableText(sessionId));
  const remove = database.prepare("DELETE FROM sessions WHERE session_id = ? RETURNING session_id");
  const isRemoved = remove.all(storableText(sessionId)).length > 0;
  if (isRemoved) skipPosition(database);
  return isRemoved;
}

/** Leaves out a position, so that the stamp is another one. */
function skipPosition(database: SqliteDriver): void {
  const changes = database.prepare("UPDATE sqlite_sequence SET seq = seq + 1 WHERE name = 'events'").run();
  if (changes === 0) database.prepare("INSERT INTO sqlite_sequence (name, seq) VALUES ('events', 1)").run();
}

/** In the order of `ALL_COLUMNS`. */
function columnsOf(session: StoredSession): SqlValue[] {
  const values = sessionValues(session);
  return ALL_COLUMNS.map((column) => values[column] ?? null);
}

/** How many sessions there are, and the last position that an event was given: looked up, not counted. */
export function stampOf(database: SqliteDriver): string {
  const count = database.prepare("SELECT count(*) AS count FROM sessions").get() ?? {};
  const last = database.prepare("SELECT seq FROM sqlite_sequence WHERE name = 'events'").get();
  return `${numberIn(count, "count")} ${last === undefined ? 0 : numberIn(last, "seq")}`;
}
