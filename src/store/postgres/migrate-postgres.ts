import type { MigrationReport } from "../migration-report.ts";
import { checkApplied, checksumOf } from "../migrations/checksum.ts";
import { MIGRATIONS } from "../migrations/index.ts";
import { checkVersion, LATEST_VERSION } from "../migrations/latest-version.ts";
import type { Migration } from "../migrations/migration.ts";
import { numberIn, textIn } from "../row.ts";
import { StoreError } from "../store-error.ts";
import type { PostgresPool, PostgresSession } from "./pool.ts";
import { stateOf } from "./postgres-faults.ts";
import { postgresVersion } from "./postgres-version.ts";

/** Only one program at a time changes the tables of a database. The number is ours alone: `TRNS` twice. */
const LOCK = "6075994838437842515";
/** The others wait for it: a step that fills an index takes as long as there are rows. */
const LOCK_WAIT = "10min";

const VERSIONS_TABLE = `CREATE TABLE IF NOT EXISTS transcripts_migrations (
  version INTEGER PRIMARY KEY, name TEXT NOT NULL, checksum TEXT NOT NULL, applied_at TIMESTAMPTZ NOT NULL DEFAULT now()
)`;

/** No rights to add an extension, none to be had on this server, or not to be seen from our schema. */
const NOT_TO_BE_HAD = new Set(["42501", "58P01", "0A000", "42704", "3F000"]);

/**
 * Brings the tables to a version, up or down, one step and one transaction at a time. Each asks for the version again
 * once it has the lock, so that several programs can do this at once. Throws `newer_version` if it does not know the
 * steps back.
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

/** One step nearer. True if the tables have that version. */
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

/** What only makes things faster: without it everything is found just the same, by reading more. */
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
  throw new StoreError(
    "unavailable",
    `The database ${place} keeps text as ${encoding}, which has not all characters.`,
    "Create one with `createdb --encoding=UTF8 --template=template0`.",
  );
}
