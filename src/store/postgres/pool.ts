/** PostgreSQL connections. The only file that loads `pg`. */
import type { CustomTypesConfig, PoolClient, types as PgTypes } from "pg";
import type { Row } from "../columns.ts";

/** One connection, checked out by one caller. */
export interface PostgresSession {
  /** Returns the rows of one statement, with values for `$1` and so on. */
  rows(sql: string, values?: readonly unknown[]): Promise<Row[]>;
  /** Returns the number of rows that one statement changed. */
  changes(sql: string, values: readonly unknown[]): Promise<number>;
  /** Runs any number of statements without values. */
  exec(sql: string): Promise<void>;
}

export interface PostgresPool extends PostgresSession {
  /**
   * Runs `work` in a transaction on one connection and rolls back if it throws. A `snapshot` only reads, and sees the
   * database as of one moment.
   */
  transaction<T>(work: (session: PostgresSession) => Promise<T>, kind?: "snapshot"): Promise<T>;
  close(): Promise<void>;
}

/** One of our programs does one thing at a time, and a shared server serves many of them. */
const MAX_CONNECTIONS = 4;
const CONNECT_MS = 10_000;
/** Maximum wait for another writer of the same rows, in milliseconds. */
const LOCK_MS = 10_000;

/** Connects on the first statement. Rejects with the errors of `pg`. */
export async function openPool(url: string, { readOnly }: { readOnly: boolean }): Promise<PostgresPool> {
  const { default: pg } = await import("pg");
  const prepare = settingsFor(readOnly);
  const pool = new pg.Pool({
    connectionString: url,
    max: MAX_CONNECTIONS,
    connectionTimeoutMillis: CONNECT_MS,
    allowExitOnIdle: true,
    application_name: "opencode-transcripts",
    types: rowTypes(pg.types),
    // Runs before the connection is handed out; if it fails, so does the statement that asked for it. The pool awaits
    // the promise, although its types do not say so.
    // oxlint-disable-next-line typescript/no-misused-promises
    onConnect: async (client) => void (await client.query(prepare)),
  });
  // An idle connection broke: the next statement gets another one, or fails itself.
  pool.on("error", () => undefined);
  return {
    ...sessionOn(pool),
    transaction: async (work, kind) => inTransaction(await pool.connect(), BEGIN[kind ?? "change"], work),
    close: () => pool.end(),
  };
}

function settingsFor(readOnly: boolean): string {
  const common = `SET lock_timeout = ${LOCK_MS}; SET datestyle = 'ISO'; SET timezone = 'UTC'`;
  return readOnly ? `${common}; SET default_transaction_read_only = on` : common;
}

const BEGIN = { change: "BEGIN", snapshot: "BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY" };

async function inTransaction<T>(
  client: PoolClient,
  begin: string,
  work: (session: PostgresSession) => Promise<T>,
): Promise<T> {
  let broken = false;
  try {
    await client.query(begin);
    const result = await work(sessionOn(client));
    await client.query("COMMIT");
    return result;
  } catch (error) {
    broken = !(await rolledBack(client));
    throw error;
  } finally {
    // A connection whose rollback failed is closed, not reused.
    client.release(broken);
  }
}

async function rolledBack(client: PoolClient): Promise<boolean> {
  try {
    await client.query("ROLLBACK");
    return true;
  } catch {
    // The connection is gone, and its transaction with it. Report the original error.
    return false;
  }
}

function sessionOn(client: Pick<PoolClient, "query">): PostgresSession {
  return {
    rows: async (sql, values = []) => (await client.query<Row>(sql, [...values])).rows,
    changes: async (sql, values) => (await client.query(sql, [...values])).rowCount ?? 0,
    exec: async (sql) => {
      await client.query(sql);
    },
  };
}

/** Returns values in the same types as SQLite: integers as numbers, times as ISO 8601, JSON as text. */
function rowTypes({ builtins, getTypeParser }: typeof PgTypes): CustomTypesConfig {
  const own = new Map<number, (text: string) => unknown>([
    [builtins.INT8, Number],
    [builtins.TIMESTAMPTZ, isoTime],
    [builtins.JSONB, (text) => text],
  ]);
  return { getTypeParser: (type, format): unknown => own.get(type) ?? getTypeParser(type, format) };
}

/** Parses PostgreSQL's format, such as `2026-01-31 12:00:00.5+00`. */
function isoTime(text: string): string {
  return new Date(text.replace(" ", "T").replace(/([+-]\d\d)$/, "$1:00")).toISOString();
}
