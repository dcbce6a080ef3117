import type { MigrationReport } from "../migration-report.ts";
import { checkApplied, checksumOf } from "../migrations/checksum.ts";
import { MIGRATIONS } from "../migrations/index.ts";
import { checkVersion, LATEST_VERSION } from "../migrations/latest-version.ts";
import type { Migration } from "../migrations/migration.ts";
import { numberIn, textIn } from "../row.ts";
import type { SqliteDriver } from "./driver.ts";
import { APPLICATION_ID, sqliteVersion } from "./sqlite-version.ts";
import { inTransaction } from "./transaction.ts";

const VERSIONS_TABLE = `CREATE TABLE IF NOT EXISTS transcripts_migrations (
  version INTEGER PRIMARY KEY, name TEXT NOT NULL, checksum TEXT NOT NULL, applied_at TEXT NOT NULL
) STRICT`;

/**
 * Brings the tables to a version, up or down, one step and one transaction at a time. Each asks for the version again
 * once it may write, so that several processes can do this at once. Throws `newer_version` if it does not know the
 * steps back.
 */
export function migrateSqlite(database: SqliteDriver, place: string, target = LATEST_VERSION): MigrationReport {
  const from = sqliteVersion(database, place);
  for (let done = false; !done;) done = inTransaction(database, () => step(database, place, target));
  return { from, to: target };
}

/** One step nearer. True if the tables have that version. */
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
