/** Reads SQLite databases of other programs, in either runtime. */
import { statSync } from "node:fs";
import { loadNodeSqlite } from "../sqlite/node-sqlite.ts";

export interface SqliteReader {
  /** Makes a query ready; its function gives all rows for the values of its parameters. */
  query(sql: string): (...values: (string | number)[]) => unknown[];
  close(): void;
}

/** How long to wait for a program that holds the database, in milliseconds. */
const BUSY_MS = 2_000;

/**
 * Opens a database for reading only. A program that writes it goes on undisturbed: in WAL mode readers hold nobody up,
 * and nothing is checkpointed. Each query sees the database as it is then. Rejects if there is no such file; a file
 * that is no database fails at the first query.
 */
export async function openSqlite(path: string): Promise<SqliteReader> {
  // SQLite would wait for ever for the other end of a pipe.
  const facts = statSync(path, { throwIfNoEntry: false });
  if (facts !== undefined && !facts.isFile())
    throw Object.assign(new Error(`${path} is not a regular file`), { code: "ENOTREG" });
  const reader = process.versions["bun"] === undefined ? openWithNode(path) : await openWithBun(path);
  try {
    reader.query(`PRAGMA busy_timeout = ${BUSY_MS}`)();
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
