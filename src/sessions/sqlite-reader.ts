/** Reads SQLite databases of other programs, under Bun and Node. */
import { statSync } from "node:fs";
import { type Fields, textOf } from "../parse/json-fields.ts";
import { openDriver } from "../sqlite/driver.ts";

export interface SqliteReader {
  /** Prepares a query; the function returns all rows for the given parameters. */
  query(sql: string): (...values: (string | number)[]) => Fields[];
  close(): void;
}

/** Maximum wait for a program that has locked the database, in milliseconds. */
const BUSY_MS = 2_000;

/**
 * Opens a database read-only. Does not disturb a program that writes to it: in WAL mode readers block nobody, and nothing
 * is checkpointed. Each query sees the database at that time. Rejects if the file does not exist; a file that is not a
 * database fails at the first query. `busyMs`: maximum wait for a lock of another program, in milliseconds.
 */
export async function openSqlite(path: string, busyMs = BUSY_MS): Promise<SqliteReader> {
  // SQLite would wait for ever on a pipe.
  const facts = statSync(path, { throwIfNoEntry: false });
  if (facts !== undefined && !facts.isFile())
    throw Object.assign(new Error(`${path} is not a regular file`), { code: "ENOTREG" });
  const driver = await openDriver(path, { readOnly: true });
  try {
    driver.exec(`PRAGMA busy_timeout = ${busyMs}`);
  } catch (error) {
    driver.close();
    throw error;
  }
  return {
    query: (sql) => {
      const statement = driver.prepare(sql);
      return (...values) => statement.all(...values);
    },
    close: () => driver.close(),
  };
}

/** Returns the names of a table's columns; an empty list if the table does not exist. */
export function columnsOf(database: SqliteReader, table: string): string[] {
  const rows = database.query(`PRAGMA table_info("${table.replaceAll('"', '""')}")`)();
  return rows.flatMap((row) => textOf(row, "name") ?? []);
}
