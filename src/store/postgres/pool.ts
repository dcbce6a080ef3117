/** Connections to PostgreSQL. The only file that loads `pg`. */
import type { CustomTypesConfig, PoolClient, types as PgTypes } from "pg";
import type { Row } from "../row.ts";

/** One connection, for as long as somebody has it. */
export interface PostgresSession {
  /** The rows of one statement with values for `$1` and so on. */
  rows(sql: string, values?: readonly unknown[]): Promise<Row[]>;
  /** The number of rows that one statement changed. */
  changes(sql: string, values: readonly unknown[]): Promise<number>;
  /** Runs any number of statements without values. */
  exec(sql: string): Promise<void>;
}

export interface PostgresPool extends PostgresSession {
  /**
   * Runs work on one connection, in a transaction: what it throws undoes all of it. `snapshot`: it only reads, and sees
   * one moment.
   */
  transaction<T>(work: (session: PostgresSession) => Promise<T>, kind?: "snapshot"): Promise<T>;
  close(): Promise<void>;
}

/** A program of ours does one thing at a time; a server for many people has many of ours. */
const MAX_CONNECTIONS = 4;
const CONNECT_MS = 10_000;
/** How long to wait for somebody else who writes the same rows, in milliseconds. */
const LOCK_MS = 10_000;

/** Connects when the first statement comes. Rejects and throws what `pg` does. */
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
    // Before anybody gets the connection; should it fail, so does the statement that wanted it. The pool waits for
    // the promise, which its types do not say.
    // oxlint-disable-next-line typescript/no-misused-promises
    onConnect: async (client) => void (await client.query(prepare)),
  });
  // A connection that broke while nobody used it: the next statement gets another one, or fails itself.
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
    // One that could not be rolled back is closed, not used again.
    client.release(broken);
  }
}

async function rolledBack(client: PoolClient): Promise<boolean> {
  try {
    await client.query("ROLLBACK");
    return true;
  } catch {
    // The connection is gone, and its transaction with it. The first error is the one to tell.
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

/** Rows as SQLite gives them: integers as numbers, times as ISO 8601, JSON as text. */
function rowTypes({ builtins, getTypeParser }: typeof PgTypes): CustomTypesConfig {
  const own = new Map<number, (text: string) => unknown>([
    [builtins.INT8, Number],
    [builtins.TIMESTAMPTZ, isoTime],
    [builtins.JSONB, (text) => text],
  ]);
  return { getTypeParser: (type, format): unknown => own.get(type) ?? getTypeParser(type, format) };
}

/** `2026-01-31 12:00:00.5+00` as PostgreSQL writes it. */
function isoTime(text: string): string {
  return new Date(text.replace(" ", "T").replace(/([+-]\d\d)$/, "$1:00")).toISOString();
}
