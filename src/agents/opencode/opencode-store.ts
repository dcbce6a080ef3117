import { basename, dirname, join } from "node:path";
import { textOf, type Fields } from "../../parse/json-fields.ts";
import type { ScannedSessions } from "../agent.ts";
import { isAbsent, reasonOf } from "../../places/reasons.ts";
import type { SessionFiles } from "../../places/session-files.ts";
import { type Place, type SessionRef, sessionRef, type Unreadable } from "../../places/session-ref.ts";
import { columnsOf, openSqlite, type SqliteReader } from "../../places/sqlite-reader.ts";
import { sessionTitle } from "./opencode-units.ts";

/** Required columns of the tables of opencode 1.x, which have many more. */
const TABLES_1: Readonly<Record<string, readonly string[]>> = {
  session: ["id", "time_updated"],
  message: ["id", "session_id", "time_created", "data"],
  part: ["id", "message_id", "data"],
};

/** The same of opencode 2.x. The sessions themselves are in `session_v2`, or in the preview in `session`. */
const TABLES_2: Readonly<Record<string, readonly string[]>> = {
  session_message: ["id", "session_id", "type", "seq", "time_created", "data"],
};

/** Tables with content of sessions: those that are read, and prompts that were not sent yet. */
const CONTENT_TABLES = new Set(["message", "part", "session_message", "session_pending", "session_inbox"]);

/** Finds the sessions in the database of opencode, or of an agent that has one in the same form. Any problem makes it unreadable, with the reason. */
export async function scanOpencodeStore(
  path: string,
  files: Pick<SessionFiles, "list" | "stat">,
  agent: string,
): Promise<ScannedSessions> {
  const found = await inDatabase(path, files, agent);
  // Beside the usual one; those of other channels are copies of it.
  const older = basename(path) === `${agent}.db` ? olderStorage(path, found.sessions, files) : [];
  return { ...found, unreadable: [...found.unreadable, ...older] };
}

async function inDatabase(path: string, files: Pick<SessionFiles, "stat">, agent: string): Promise<ScannedSessions> {
  try {
    files.stat(path);
    return await withDatabase(path, (database) => sessionsIn(path, database, agent));
  } catch (error) {
    return { sessions: [], unreadable: isAbsent(error) ? [] : [{ path, reason: reasonOf(error) }] };
  }
}

/**
 * Returns the folder with sessions of opencode before 1.2, which had a JSON file for each, if it has any that the database
 * does not have. opencode copies them to its database, and leaves the files; it may have left out some.
 */
function olderStorage(
  database: string,
  sessions: readonly SessionRef[],
  files: Pick<SessionFiles, "list">,
): Unreadable[] {
  const path = join(dirname(database), "storage", "session");
  const known = new Set(sessions.map(({ id }) => id));
  const ids = new Set<string>();
  try {
    for (const folder of files.list(path)) {
      if (!folder.isDirectory()) continue;
      for (const { name } of files.list(join(path, folder.name))) {
        const id = /^(ses_\w+)\.json$/.exec(name)?.[1];
        if (id !== undefined && !known.has(id)) ids.add(id);
      }
    }
  } catch (error) {
    return isAbsent(error) ? [] : [{ path, reason: reasonOf(error) }];
  }
  if (ids.size === 0) return [];
  const count = ids.size === 1 ? "a session" : `${ids.size} sessions`;
  return [{ path, reason: `it has ${count} of opencode before 1.2, as JSON files, which are not read` }];
}

async function withDatabase<T>(path: string, use: (database: SqliteReader) => T): Promise<T> {
  const database = await openSqlite(path);
  try {
    return use(database);
  } finally {
    database.close();
  }
}

/**
 * Returns the sessions of both versions, each once: from the tables of 2.x if they have its messages, else from those of
 * 1.x, which 2.x leaves as they were.
 */
function sessionsIn(path: string, database: SqliteReader, agent: string): ScannedSessions {
  checkTables(database);
  const place = { agent, path };
  const first = sessionRows(database, "session", "message");
  const hasSecond = canReadSecond(database);
  const preview = hasSecond ? sessionRows(database, "session", "session_message") : new Map<string, Fields>();
  const second = hasSecond ? sessionRows(database, "session_v2", "session_message") : preview;
  const sessions = generations(database).flatMap(({ id, isSecond }) => {
    if (!isSecond) return storeRef(place, first.get(id)) ?? [];
    return storeRef(place, second.get(id) ?? preview.get(id) ?? { id }) ?? [];
  });
  return {
    sessions: withPartTimes(database, sessions),
    unreadable: unknownRows(database).map((reason) => ({ path, reason })),
  };
}

/** Returns each session's id, and whether its messages are in the tables of 2.x. */
function generations(database: SqliteReader): { id: string; isSecond: boolean }[] {
  const sources = [["session", "id"] as const, ...(canReadSecond(database) ? SECOND : [])]
    .filter(([table]) => hasTable(database, table))
    .map(([table, column]) => `SELECT ${column} AS id FROM ${table}`);
  if (sources.length === 0) return [];
  const isRead = canReadSecond(database) ? "1" : `NOT ${isOnlySecondSql(database)}`;
  const sql = `SELECT id, ${isSecondSql(database)} AS is_second FROM (${sources.join(" UNION ")}) AS asked WHERE ${isRead}`;
  return database
    .query(sql)()
    .flatMap(({ id, is_second }) => (typeof id === "string" ? [{ id, isSecond: is_second === 1 }] : []));
}

/** Returns whether a session's messages are in the tables of 2.x. */
export function isSecondGeneration(database: SqliteReader, sessionID: string): boolean {
  const [row] = database.query(`SELECT ${isSecondSql(database)} AS is_second FROM (SELECT ? AS id) AS asked`)(
    sessionID,
  );
  return row?.["is_second"] === 1;
}

/** Tables and columns that name sessions of 2.x. */
const SECOND = [
  ["session_v2", "id"],
  ["session_message", "session_id"],
] as const;

/** Returns the SQL condition for the session `asked.id`. One that 2.x lists and has not taken over yet is still of 1.x. */
function isSecondSql(database: SqliteReader): string {
  if (!canReadSecond(database)) return "0";
  return `(${isInSql(database, "session_message", "session_id")} OR ${isOnlySecondSql(database)})`;
}

function isOnlySecondSql(database: SqliteReader): string {
  const isSecond = SECOND.map(([table, column]) => isInSql(database, table, column)).join(" OR ");
  return `((${isSecond}) AND NOT ${isInSql(database, "message", "session_id")})`;
}

function isInSql(database: SqliteReader, table: string, column: string): string {
  const isThere = columnsOf(database, table).includes(column);
  return isThere ? `EXISTS (SELECT 1 FROM ${table} WHERE ${column} = asked.id)` : "0";
}

function canReadSecond(database: SqliteReader): boolean {
  return missingIn(database, TABLES_2) === undefined;
}

/** Returns clauses that say which sessions cannot be read because their tables are of an unknown form. */
function unknownRows(database: SqliteReader): string[] {
  const later = database
    .query("SELECT name FROM sqlite_master WHERE type = 'table'")()
    .flatMap((row) => textOf(row, "name") ?? [])
    .filter((name) => isOfSessions(database, name))
    .flatMap((name) => rowsIn(database, name));
  const missing = missingIn(database, TABLES_2);
  if (missing === undefined) return later;
  // opencode 1.18 has the tables of 2.x too, but leaves them empty.
  const sql = SECOND.filter(([table, column]) => columnsOf(database, table).includes(column))
    .map(([table, column]) => `SELECT ${column} AS id FROM ${table}`)
    .join(" UNION ");
  const count = sql === "" ? 0 : database.query(sql)().length;
  const sessions = count === 1 ? "1 session" : `${count} sessions`;
  return count === 0 ? later : [...later, `it has ${sessions} of opencode 2.x that cannot be read: ${missing}`];
}

/** Returns whether an unknown table has sessions, or content of sessions. */
function isOfSessions(database: SqliteReader, table: string): boolean {
  if (/^(?:session|message|part|session_message)_v\d+$/.test(table)) return table !== "session_v2";
  if (CONTENT_TABLES.has(table)) return false;
  const columns = columnsOf(database, table);
  return columns.includes("data") && (columns.includes("session_id") || columns.includes("message_id"));
}

function rowsIn(database: SqliteReader, table: string): string[] {
  const count = numberIn(database.query(`SELECT COUNT(*) AS count FROM "${table}"`)(), "count");
  return count === 0
    ? []
    : [`its table ${table} is not known to this version; it has ${count} ${count === 1 ? "row" : "rows"}`];
}

function numberIn([row]: readonly Fields[], name: string): number {
  const value = row?.[name];
  return typeof value === "number" ? value : 0;
}

function hasTable(database: SqliteReader, table: string): boolean {
  return columnsOf(database, table).length > 0;
}

/** Throws unless the tables of one version are there as they should be. */
function checkTables(database: SqliteReader): void {
  const isWithoutFirst = !hasTable(database, "message") && SECOND.some(([table]) => hasTable(database, table));
  const missing = isWithoutFirst ? undefined : missingIn(database, TABLES_1);
  if (missing !== undefined) throw new Error(`${missing}, so it is not opencode's, or of an unknown version`);
}

/** Returns the sessions by id. Reads only the columns for a list; others contain whole diffs. */
function sessionRows(database: SqliteReader, table: string, messages: string): Map<string, Fields> {
  const present = columnsOf(database, table);
  if (!present.includes("id") || !hasTable(database, messages)) return new Map();
  const wanted = ["id", "parent_id", "directory", "title", "time_created", "time_updated"];
  const columns = wanted.filter((column) => present.includes(column));
  // The session's own row also changes when it is renamed or archived.
  const time = columnsOf(database, messages).includes("time_updated") ? "time_updated" : "time_created";
  columns.push(`(SELECT MAX(${time}) FROM ${messages} WHERE session_id = ${table}.id) AS time_said`);
  const rows = database.query(`SELECT ${columns.join(", ")} FROM ${table}`)();
  return new Map(rows.map((row) => [textOf(row, "id") ?? "", row]));
}

/** Returns a clause that says which table or column is missing; undefined if none is. */
function missingIn(database: SqliteReader, tables: Readonly<Record<string, readonly string[]>>): string | undefined {
  for (const [table, columns] of Object.entries(tables)) {
    const present = columnsOf(database, table);
    const missing = columns.filter((column) => !present.includes(column));
    if (missing.length === 0) continue;
    return present.length === 0 ? `it has no table ${table}` : `its table ${table} lacks ${missing.join(", ")}`;
  }
  return undefined;
}

/** Number of newest sessions whose parts are looked at for their times: a running turn is in one of them. */
const NEWEST = 10;

/** Returns the sessions with the times of their latest parts: while an answer is being written, only parts change. */
function withPartTimes(database: SqliteReader, refs: readonly SessionRef[]): SessionRef[] {
  const columns = columnsOf(database, "part");
  if (!columns.includes("time_updated") || !columns.includes("session_id")) return [...refs];
  const timeOf = database.query("SELECT max(time_updated) AS time FROM part WHERE session_id = ?");
  const newest = new Set(refs.toSorted((a, b) => b.modifiedMs - a.modifiedMs).slice(0, NEWEST));
  return refs.map((ref) =>
    newest.has(ref) ? { ...ref, modifiedMs: Math.max(ref.modifiedMs, numberIn(timeOf(ref.id), "time")) } : ref,
  );
}

function storeRef({ agent, path: database }: Place, row: Fields | undefined): SessionRef | undefined {
  const id = textOf(row, "id");
  if (row === undefined || id === undefined) return undefined;
  const { time_created: created } = row;
  const [updated, said] = [numberIn([row], "time_updated"), numberIn([row], "time_said")];
  return sessionRef({
    id,
    place: agent,
    agent,
    database,
    project: textOf(row, "directory") ?? null,
    parentId: textOf(row, "parent_id") ?? null,
    title: sessionTitle(textOf(row, "title")) ?? null,
    startedMs: typeof created === "number" ? created : null,
    lastMs: said > 0 ? said : null,
    // opencode updates the session's own time only when a turn begins.
    modifiedMs: Math.max(updated, said),
  });
}
