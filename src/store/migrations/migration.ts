import type { PostgresSession } from "../postgres/pool.ts";
import type { SqliteDriver } from "../sqlite/driver.ts";

/**
 * One step of the tables, and its way back. It runs in one transaction with the note that it ran. What was released is
 * never changed: its SQL has a checksum in every database. A change is another step.
 */
export interface Migration {
  /** From 1, without gaps. */
  version: number;
  name: string;
  sqlite: SqliteMigration;
  postgres: PostgresMigration;
}

export interface SqliteMigration {
  up: string;
  /** After `up`: what SQL alone cannot do with the rows that are there. */
  fill?: (database: SqliteDriver) => void;
  down: string;
}

export interface PostgresMigration {
  up: string;
  /** After `up`: what makes things faster and may fail, each in a savepoint of its own. */
  attempts?: readonly string[];
  fill?: (session: PostgresSession) => Promise<void>;
  down: string;
}
