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
    const rows = await withStore(path, sessionRows);
    return { sessions: rows.flatMap((row) => storeRef(path, row) ?? []), unreadable: [] };
  } catch (error) {
    return { sessions: [], unreadable: [{ path, reason: reasonOf(error) }] };
  }
}

/** Opens the database, looks whether it is opencode's, and closes it again after use. Rejects if it is not. */
async function withStore<T>(path: string, use: (database: SqliteReader) => T | Promise<T>): Promise<T> {
  const database = await openStore(path);
  try {
    return await use(database);
  } finally {
    database.close();
  }
}

/** Like `withStore`; the caller closes it. */
export async function openStore(path: string): Promise<SqliteReader> {
  const database = await openSqlite(path);
  try {
    for (const [table, columns] of Object.entries(NEEDED)) checkTable(database, table, columns);
  } catch (error) {
    database.close();
    throw error;
  }
  return database;
}

/** Only what a list needs: other columns hold whole diffs. */
function sessionRows(database: SqliteReader): unknown[] {
  const present = columnsOf(database, "session");
  const wanted = ["id", "parent_id", "directory", "title", "time_created", "time_updated"];
  return database.query(`SELECT ${wanted.filter((column) => present.includes(column)).join(", ")} FROM session`)();
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
  const { time_updated: updated, time_created: created } = row;
  return sessionRef({
    id,
    source: "opencode-store",
    database,
    project: textOf(row, "directory") ?? null,
    parentId: textOf(row, "parent_id") ?? null,
    title: givenTitle(textOf(row, "title")),
    startedMs: typeof created === "number" ? created : null,
    modifiedMs: typeof updated === "number" ? updated : 0,
  });
}
