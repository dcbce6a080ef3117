/** What the store asks of a database, in SQL that SQLite and PostgreSQL both take. Values stand for `?`. */
import type { StoredEvent } from "./model.ts";
import type { Row } from "./row.ts";
import type { Candidate, CandidateQuery, ToolNaming } from "./store.ts";

/** A list stands for the right side of `isOneOf`. */
export type SqlValue = string | number | boolean | null | Uint8Array | readonly string[] | readonly number[];

/** A condition with the values of its parameters. */
export interface Condition {
  sql: string;
  values: readonly SqlValue[];
}

/** One connection, for as long as somebody has it. Rejects with a `StoreError`. */
export interface SqlSession {
  readonly dialect: Dialect;
  /** The rows of one statement, each as `read` returns it. */
  all<T>(sql: string, values: readonly SqlValue[], read: (row: Row) => T): Promise<T[]>;
  /** The number of rows that a statement changed, without those changed by triggers and foreign keys. */
  run(sql: string, values: readonly SqlValue[]): Promise<number>;
}

export interface SqlDatabase extends SqlSession {
  /** A path, or an address without its password. */
  readonly place: string;
  /** Runs work in one transaction on one connection; what it rejects with undoes all of it. */
  transaction<T>(work: (session: SqlSession) => Promise<T>): Promise<T>;
  /** Runs work that only reads, and sees one moment. */
  snapshot<T>(work: (session: SqlSession) => Promise<T>): Promise<T>;
  /** Removes what deleted rows left behind in the database's own log. */
  purge(): Promise<void>;
  /** See `Store.fault`. */
  fault(maxBytes: number): Promise<string | null | undefined>;
  close(): Promise<void>;
}

/** What the two databases write differently. */
export interface Dialect {
  readonly name: "sqlite" | "postgres";
  /** Whether a column has one of the values of a list. */
  isOneOf(column: string): string;
  /** The smaller and the larger of two values. */
  readonly least: string;
  readonly greatest: string;
  /** Put behind a `SELECT` of a row that is to be changed: others wait until the transaction ends. */
  readonly lockRow: string;
  /** A snippet with this text in its title or content. `folded` is the keyword's `exactFold`. */
  hasKeyword(folded: string): Condition;
  hasTag(tag: string): Condition;
  /** Adds events, and makes them known to the search. */
  addEvents(session: SqlSession, events: readonly StoredEvent[]): Promise<void>;
  nameTools(session: SqlSession, namings: readonly ToolNaming[]): Promise<void>;
  candidates(session: SqlSession, query: CandidateQuery): AsyncIterable<Candidate[]>;
}

/** The first row, if there is one. */
export async function first<T>(
  session: SqlSession,
  sql: string,
  values: readonly SqlValue[],
  read: (row: Row) => T,
): Promise<T | undefined> {
  return (await session.all(sql, values, read))[0];
}

/** All of the conditions: `true` if there are none. */
export function allOf(conditions: readonly Condition[]): Condition {
  return {
    sql: conditions.length === 0 ? "true" : conditions.map(({ sql }) => `(${sql})`).join(" AND "),
    values: conditions.flatMap(({ values }) => values),
  };
}

/** `?` for each of the columns. */
export function placesFor(columns: readonly string[]): string {
  return columns.map(() => "?").join(", ");
}
