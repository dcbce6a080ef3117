/** Runs SQL that both SQLite and PostgreSQL accept, in transactions. `?` marks a parameter. */
import type { StoredBlock, StoredMessage } from "./stored-model.ts";
import type { SqlValue } from "./column-types.ts";
import type { Row, RowNumbers, TableColumns } from "./columns.ts";
import type { Candidate, CandidateQuery } from "./store.ts";
import type { TranscriptsError } from "../transcripts-error.ts";

/** Version of the tables. */
export const SCHEMA_VERSION = 2;

/** A SQL condition with its parameters. */
export interface Condition {
  sql: string;
  values: readonly SqlValue[];
}

/** One connection, used by one caller at a time. Rejects with a `TranscriptsError`. */
export interface SqlSession {
  readonly dialect: Dialect;
  /** Returns the rows of one statement, each converted by `read`. */
  all<T>(sql: string, values: readonly SqlValue[], read: (row: Row) => T): Promise<T[]>;
  /** Returns the number of rows that a statement changed, not counting changes by triggers and foreign keys. */
  run(sql: string, values: readonly SqlValue[]): Promise<number>;
  /** Runs any number of statements without values. */
  exec(sql: string): Promise<void>;
}

export interface SqlDatabase extends SqlSession {
  /** A path, or an address without its password. */
  readonly place: string;
  /** Runs `work` in one transaction on one connection and rolls back if it rejects. */
  transaction<T>(work: (session: SqlSession) => Promise<T>): Promise<T>;
  /** Runs `work` that only reads, and sees the database as of one moment. */
  snapshot<T>(work: (session: SqlSession) => Promise<T>): Promise<T>;
  /** Removes traces of deleted rows from the database's own log. */
  purge(): Promise<void>;
  close(): Promise<void>;
}

export interface BlocksOfSession {
  blocks: readonly StoredBlock[];
  numbers: RowNumbers;
  /** The store has no blocks of the session yet. */
  isNew: boolean;
}

/** Differences between the two databases. */
export interface Dialect {
  readonly name: "sqlite" | "postgres";
  /** Returns a condition that is true if the column's value is in a list. */
  isOneOf(column: string): string;
  /** Returns the column with lower-case ASCII letters. */
  lower(column: string): string;
  /**
   * Maximum rows of one `INSERT`. One where a statement costs nothing but is prepared for each number of rows; many where each
   * is a round trip.
   */
  readonly rowsAtOnce: number;
  /** Appended to the `SELECT` of a row to be changed: others wait until the transaction ends. */
  readonly lockRow: string;
  hasTag(tag: string): Condition;
  /** Inserts rows of one session, or updates those with the same id. */
  putMessages(session: SqlSession, messages: readonly StoredMessage[], numbers: RowNumbers): Promise<void>;
  /** The same for blocks of several sessions, and updates the search index. */
  putBlocks(session: SqlSession, parts: readonly BlocksOfSession[]): Promise<void>;
  candidates(session: SqlSession, query: CandidateQuery): AsyncIterable<Candidate[]>;
  /** Returns the version of the tables, 0 if there are none. Throws `damaged` if they belong to another program. */
  version(session: SqlSession, place: string): Promise<number>;
  /** Returns the error for a database that has no tables, or those of another version. */
  notCurrent(version: number, place: string): TranscriptsError;
}

/** Returns the first row, if any. */
export async function first<T>(
  session: SqlSession,
  sql: string,
  values: readonly SqlValue[],
  read: (row: Row) => T,
): Promise<T | undefined> {
  return (await session.all(sql, values, read))[0];
}

/** Joins conditions with AND; `true` if there are none. */
export function allOf(conditions: readonly Condition[]): Condition {
  return {
    sql: conditions.length === 0 ? "true" : conditions.map(({ sql }) => `(${sql})`).join(" AND "),
    values: conditions.flatMap(({ values }) => values),
  };
}

/** Returns a `?` for each column. */
export function placesFor(columns: readonly string[]): string {
  return columns.map(() => "?").join(", ");
}

/** Returns a statement that inserts rows of a session, or updates those with the same id. */
export function upsert(
  { table, columns }: Pick<TableColumns, "table" | "columns">,
  id: string,
  source: string,
): string {
  const updates = columns
    .filter((column) => column !== id && column !== "session")
    .map((column) => `${column} = excluded.${column}`);
  return `INSERT INTO ${table} (${columns.join(", ")}) ${source} ON CONFLICT (session, ${id})
    DO UPDATE SET ${updates.join(", ")}`;
}

/** Splits items into batches of limited number and size; a single larger item gets a batch to itself. */
export function* batches<T>(
  items: readonly T[],
  sizeOf: (item: T) => number,
  most: { items: number; size: number },
): Generator<T[], void, undefined> {
  let batch: T[] = [];
  let size = 0;
  for (const item of items) {
    const added = sizeOf(item);
    if (batch.length > 0 && (batch.length === most.items || size + added > most.size)) {
      yield batch;
      batch = [];
      size = 0;
    }
    batch.push(item);
    size += added;
  }
  if (batch.length > 0) yield batch;
}
