import type { MigrationReport } from "../migrations/migration.ts";
import { checkApplied, checksumOf, MIGRATIONS } from "../migrations/migrations.ts";
import { checkVersion, LATEST_VERSION } from "../migrations/latest-version.ts";
import type { Migration } from "../migrations/migration.ts";
import { numberIn, textIn } from "../columns.ts";
import type { PostgresPool, PostgresSession } from "./pool.ts";
import { stateOf } from "./postgres-faults.ts";
import { postgresVersion } from "./postgres-version.ts";
import { TranscriptsError } from "../../transcripts-error.ts";

/**
 * Advisory lock: only one program at a time may change the tables of a database. The number is specific to this
 * program: `TRNS` twice.
 */
const LOCK = "6075994838437842515";
/** Time that other programs wait for the lock; a migration that fills an index takes longer the more rows there are. */
const LOCK_WAIT = "10min";

const VERSIONS_TABLE = `CREATE TABLE IF NOT EXISTS transcripts_migrations (
  version INTEGER PRIMARY KEY, name TEXT NOT NULL, checksum TEXT NOT NULL, applied_at TIMESTAMPTZ NOT NULL DEFAULT now()
)`;

/** SQLSTATEs for an extension that we may not add, that the server lacks, or that is not visible from our schema. */
const NOT_TO_BE_HAD = new Set(["42501", "58P01", "0A000", "42704", "3F000"]);

/**
 * Migrates the tables up or down to a version, one migration and one transaction at a time. Each transaction reads the
 * version again once it holds the lock, so several programs can do this at once. Throws `newer_version` if the tables
 * are newer than this program.
 */
export async function migratePostgres(
  pool: PostgresPool,
  place: string,
  target = LATEST_VERSION,
): Promise<MigrationReport> {
  await checkEncoding(pool, place);
  const from = await postgresVersion(pool);
  for (let done = false; !done;) done = await pool.transaction((session) => step(session, place, target));
  return { from, to: target };
}

/** Runs one migration. Returns true if the tables already have the target version. */
async function step(session: PostgresSession, place: string, target: number): Promise<boolean> {
  await session.exec(`SET LOCAL lock_timeout = '${LOCK_WAIT}'; SELECT pg_advisory_xact_lock(${LOCK})`);
  const [row] = await session.rows("SELECT to_regclass('transcripts_migrations') IS NOT NULL AS has_versions");
  const version = row?.["has_versions"] === true ? await postgresVersion(session) : 0;
  checkVersion(version, place);
  if (version === target) return true;
  checkApplied(version === 0 ? [] : await appliedTo(session), "postgres", place);
  const isUp = version < target;
  const migration = MIGRATIONS[isUp ? version : version - 1];
  if (migration !== undefined) await (isUp ? goUp : goDown)(session, migration);
  return false;
}

async function goUp(session: PostgresSession, migration: Migration): Promise<void> {
  const { version, name, postgres } = migration;
  await session.exec(VERSIONS_TABLE);
  await session.exec(postgres.up);
  await postgres.fill?.(session);
  for (const sql of postgres.attempts ?? []) await attempt(session, sql);
  await session.rows("INSERT INTO transcripts_migrations (version, name, checksum) VALUES ($1, $2, $3)", [
    version,
    name,
    checksumOf(migration, "postgres"),
  ]);
}

async function goDown(session: PostgresSession, { version, postgres }: Migration): Promise<void> {
  await session.exec(postgres.down);
  if (version === 1) await session.exec("DROP TABLE transcripts_migrations");
  else await session.rows("DELETE FROM transcripts_migrations WHERE version = $1", [version]);
}

/** Runs a statement that only improves speed: without it, searches return the same results by reading more. */
async function attempt(session: PostgresSession, sql: string): Promise<void> {
  await session.exec("SAVEPOINT attempt");
  try {
    await session.exec(sql);
  } catch (error) {
    if (!NOT_TO_BE_HAD.has(stateOf(error) ?? "")) throw error;
    await session.exec("ROLLBACK TO SAVEPOINT attempt");
  }
  await session.exec("RELEASE SAVEPOINT attempt");
}

async function appliedTo(session: PostgresSession): Promise<{ version: number; checksum: string }[]> {
  const rows = await session.rows("SELECT version, checksum FROM transcripts_migrations ORDER BY version");
  return rows.map((row) => ({ version: numberIn(row, "version"), checksum: textIn(row, "checksum") }));
}

async function checkEncoding(session: PostgresSession, place: string): Promise<void> {
  const [row = {}] = await session.rows("SHOW server_encoding");
  const encoding = textIn(row, "server_encoding");
  if (encoding === "UTF8") return;
  throw new TranscriptsError(
    "unavailable",
    `The database ${place} has the encoding ${encoding}, which lacks many characters.`,
    "Create one with `createdb --encoding=UTF8 --template=template0`.",
  );
}
