import type { PostgresSession } from "../postgres/pool.ts";
import type { SqliteDriver } from "../sqlite/driver.ts";

/**
 * A change to the tables, and its reversal. It runs in one transaction together with the record that it ran. A released
 * migration is never changed, since every database stores the checksum of its SQL: add a new one instead.
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
  /** Runs after `up`: changes to existing rows that SQL alone cannot do. */
  fill?: (database: SqliteDriver) => void;
  down: string;
}

export interface PostgresMigration {
  up: string;
  /** Statements that run after `up`, each in its own savepoint. They only improve speed and may fail. */
  attempts?: readonly string[];
  fill?: (session: PostgresSession) => Promise<void>;
  down: string;
}

/** Table versions before and after a migration; equal if there was nothing to do. */
export interface MigrationReport {
  from: number;
  to: number;
}
