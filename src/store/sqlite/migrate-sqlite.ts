import type { MigrationReport } from "../migrations/migration.ts";
import { checkApplied, checksumOf, MIGRATIONS } from "../migrations/migrations.ts";
import { checkVersion, LATEST_VERSION } from "../migrations/latest-version.ts";
import type { Migration } from "../migrations/migration.ts";
import { numberIn, textIn } from "../columns.ts";
import type { SqliteDriver } from "./driver.ts";
import { APPLICATION_ID, sqliteVersion } from "./sqlite-version.ts";

const VERSIONS_TABLE = `CREATE TABLE IF NOT EXISTS transcripts_migrations (
  version INTEGER PRIMARY KEY, name TEXT NOT NULL, checksum TEXT NOT NULL, applied_at TEXT NOT NULL
) STRICT`;

/**
 * Migrates the tables up or down to a version, one migration and one transaction at a time. Each transaction reads the
 * version again once it may write, so several processes can do this at once. Throws `newer_version` if the tables are
 * newer than this program.
 */
export function migrateSqlite(database: SqliteDriver, place: string, target = LATEST_VERSION): MigrationReport {
  const from = sqliteVersion(database, place);
  // Rebuilding a table must not cascade to the rows that refer to it. The setting has no effect inside a transaction.
  database.exec("PRAGMA foreign_keys = OFF");
  try {
    for (let done = false; !done;) done = inTransaction(database, () => step(database, place, target));
  } finally {
    database.exec("PRAGMA foreign_keys = ON");
  }
  return { from, to: target };
}

/** Runs one migration. Returns true if the tables already have the target version. */
function step(database: SqliteDriver, place: string, target: number): boolean {
  const version = sqliteVersion(database, place);
  checkVersion(version, place);
  if (version === target) return true;
  checkApplied(version === 0 ? [] : appliedTo(database), "sqlite", place);
  const isUp = version < target;
  const migration = MIGRATIONS[isUp ? version : version - 1];
  if (migration !== undefined) (isUp ? goUp : goDown)(database, migration);
  return false;
}

function goUp(database: SqliteDriver, migration: Migration): void {
  const { version, name, sqlite } = migration;
  database.exec(VERSIONS_TABLE);
  database.exec(sqlite.up);
  sqlite.fill?.(database);
  database
    .prepare("INSERT INTO transcripts_migrations (version, name, checksum, applied_at) VALUES (?, ?, ?, ?)")
    .run(version, name, checksumOf(migration, "sqlite"), new Date().toISOString());
  database.exec(`PRAGMA user_version = ${version}; PRAGMA application_id = ${APPLICATION_ID};`);
}

function goDown(database: SqliteDriver, { version, sqlite }: Migration): void {
  database.exec(sqlite.down);
  if (version === 1) database.exec("DROP TABLE transcripts_migrations");
  else database.exec(`DELETE FROM transcripts_migrations WHERE version = ${version}`);
  database.exec(`PRAGMA user_version = ${version - 1}`);
}

function appliedTo(database: SqliteDriver): { version: number; checksum: string }[] {
  return database
    .prepare("SELECT version, checksum FROM transcripts_migrations ORDER BY version")
    .all()
    .map((row) => ({ version: numberIn(row, "version"), checksum: textIn(row, "checksum") }));
}

/**
 * Runs `work` in a transaction and rolls back if it throws. Takes the write lock at the start, so that nothing it reads
 * is stale when it writes.
 */
function inTransaction<T>(database: SqliteDriver, work: () => T): T {
  database.exec("BEGIN IMMEDIATE");
  let result: T;
  try {
    result = work();
    database.exec("COMMIT");
  } catch (error) {
    rollBack(database);
    throw error;
  }
  return result;
}

function rollBack(database: SqliteDriver): void {
  try {
    database.exec("ROLLBACK");
  } catch {
    // SQLite already ended the transaction itself, as it does when the disk is full. Report the original error.
  }
}
