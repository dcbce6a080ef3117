import { givenTitle } from "../parse/titles.ts";
import { isFields, textOf } from "../parse/json-fields.ts";
import type { ScannedSessions } from "./claude-code.ts";
import { isAbsent, reasonOf } from "./reasons.ts";
import type { SessionFiles } from "./session-files.ts";
import { type SessionRef, sessionRef } from "./session-ref.ts";
import { openSqlite, type SqliteReader } from "./sqlite-reader.ts";

/** Without these a database is none of opencode's; it has many more columns. */
const NEEDED: Readonly<Record<string, readonly string[]>> = {
  session: ["id", "time_updated"],
  message: ["id", "session_id", "time_created", "data"],
  part: ["id", "message_id", "data"],
};

/** The sessions in opencode's database. Anything wrong with it makes it unreadable, with the reason. */
export async function scanOpencodeStore(path: string, files: Pick<SessionFiles, "stat">): Promise<ScannedSessions> {
  try {
    await files.stat(path);
  } catch (error) {
    return { sessions: [], unreadable: isAbsent(error) ? [] : [{ path, reason: reasonOf(error) }] };
  }
  try {
    return await withDatabase(path, (database) => sessionsIn(path, database));
  } catch (error) {
    return { sessions: [], unreadable: [{ path, reason: reasonOf(error) }] };
  }
}

async function withDatabase<T>(path: string, use: (database: SqliteReader) => T): Promise<T> {
  const database = await openSqlite(path);
  try {
    return use(database);
  } finally {
    database.close();
  }
}

/** Opens the database, which the caller closes. Rejects if it is not opencode's. */
export async function openStore(path: string): Promise<SqliteReader> {
  const database = await openSqlite(path);
  try {
    checkTables(database);
  } catch (error) {
    database.close();
    throw error;
  }
  return database;
}

/** Those of opencode 1.x. What 2.x wrote into the same database makes it unreadable besides. */
function sessionsIn(path: string, database: SqliteReader): ScannedSessions {
  const newer = secondGeneration(database);
  if (newer.sessions === 0) {
    checkTables(database);
    return { sessions: sessionRows(database).flatMap((row) => storeRef(path, row) ?? []), unreadable: [] };
  }
  const old = hasTables(database) ? sessionRows(database) : [];
  const sessions = old.flatMap((row) => storeRef(path, row) ?? []).filter(({ id }) => !newer.only.has(id));
  const what =
    newer.sessions === 1 ? "1 session of opencode 2.x, which" : `${newer.sessions} sessions of opencode 2.x, which`;
  const rest = sessions.length === 0 ? "" : "; those of opencode 1.x are read, as they were when 2.x took over";
  return { sessions, unreadable: [{ path, reason: `it has ${what} cannot be read yet${rest}` }] };
}

/** How many sessions the tables of opencode 2.x have, and the ids of those that 1.x has nothing of. */
function secondGeneration(database: SqliteReader): { sessions: number; only: Set<string> } {
  // opencode 1.18 has the second table too, and leaves it empty.
  const places = [
    ["session_v2", "id"],
    ["session_message", "session_id"],
  ] as const;
  const queries = places
    .filter(([table, column]) => columnsOf(database, table).includes(column))
    .map(([table, column]) => `SELECT ${column} AS id FROM ${table}`);
  if (queries.length === 0) return { sessions: 0, only: new Set() };
  const all = idsOf(database, queries.join(" UNION "));
  const isBoth = all.size > 0 && hasTables(database);
  const old = isBoth ? idsOf(database, "SELECT DISTINCT session_id AS id FROM message") : new Set<string>();
  return { sessions: all.size, only: new Set([...all].filter((id) => !old.has(id))) };
}

function idsOf(database: SqliteReader, sql: string): Set<string> {
  return new Set(
    database
      .query(sql)()
      .flatMap((row) => (isFields(row) ? (textOf(row, "id") ?? []) : [])),
  );
}

function hasTables(database: SqliteReader): boolean {
  return Object.keys(NEEDED).every((table) => columnsOf(database, table).length > 0);
}

function checkTables(database: SqliteReader): void {
  for (const [table, columns] of Object.entries(NEEDED)) checkTable(database, table, columns);
}

/** Only what a list needs: other columns hold whole diffs. */
function sessionRows(database: SqliteReader): unknown[] {
  const present = columnsOf(database, "session");
  const wanted = ["id", "parent_id", "directory", "title", "time_created", "time_updated"];
  const columns = wanted.filter((column) => present.includes(column));
  // The session's own row is also written when it is renamed or archived.
  const time = columnsOf(database, "message").includes("time_updated") ? "time_updated" : "time_created";
  columns.push(`(SELECT MAX(${time}) FROM message WHERE session_id = session.id) AS time_said`);
  return database.query(`SELECT ${columns.join(", ")} FROM session`)();
}

function columnsOf(database: SqliteReader, table: string): unknown[] {
  return database
    .query(`PRAGMA table_info(${table})`)()
    .map((row) => isFields(row) && row["name"]);
}

function checkTable(database: SqliteReader, table: string, columns: readonly string[]): void {
  const present = columnsOf(database, table);
  const missing = columns.filter((column) => !present.includes(column));
  if (missing.length === 0) return;
  const what = present.length === 0 ? `it has no table ${table}` : `its table ${table} lacks ${missing.join(", ")}`;
  throw new Error(`${what}, so it is not opencode's, or of a version that is not known here`);
}

function storeRef(database: string, row: unknown): SessionRef | undefined {
  if (!isFields(row)) return undefined;
  const id = textOf(row, "id");
  if (id === undefined) return undefined;
  const { time_updated: updated, time_created: created, time_said: said } = row;
  return sessionRef({
    id,
    source: "opencode-store",
    database,
    project: textOf(row, "directory") ?? null,
    parentId: textOf(row, "parent_id") ?? null,
    title: givenTitle(textOf(row, "title")),
    startedMs: typeof created === "number" ? created : null,
    lastMs: typeof said === "number" && said > 0 ? said : null,
    modifiedMs: typeof updated === "number" ? updated : 0,
  });
}
