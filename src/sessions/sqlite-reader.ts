/** Reads SQLite databases of other programs, under Bun and Node. */
import { statSync } from "node:fs";
import { loadNodeSqlite } from "../sqlite/node-sqlite.ts";

export interface SqliteReader {
  /** Prepares a query; the function returns all rows for the given parameters. */
  query(sql: string): (...values: (string | number)[]) => unknown[];
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
  const reader = process.versions["bun"] === undefined ? openWithNode(path) : await openWithBun(path);
  try {
    reader.query(`PRAGMA busy_timeout = ${busyMs}`)();
  } catch (error) {
    reader.close();
    throw error;
  }
  return reader;
}

async function openWithBun(path: string): Promise<SqliteReader> {
  const { Database } = await import("bun:sqlite");
  const database = new Database(path, { readonly: true });
  return {
    query: (sql) => {
      const statement = database.prepare<unknown, (string | number)[]>(sql);
      return (...values) => statement.all(...values);
    },
    close: () => database.close(),
  };
}

function openWithNode(path: string): SqliteReader {
  const { DatabaseSync } = loadNodeSqlite();
  const database = new DatabaseSync(path, { readOnly: true });
  return {
    query: (sql) => {
      const statement = database.prepare(sql);
      return (...values) => statement.all(...values);
    },
    close: () => database.close(),
  };
}
