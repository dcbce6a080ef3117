import { checkVersion, LATEST_VERSION } from "../migrations/latest-version.ts";
import type { MigrationReport } from "../migrations/migration.ts";
import { isPostgresAddress, withoutPassword } from "../store-place.ts";
import { postgresVersion } from "./postgres-version.ts";
import { openPool, type PostgresPool } from "./pool.ts";
import { asStoreError } from "./postgres-faults.ts";
import { TranscriptsError } from "../../transcripts-error.ts";

/** Opens connections to a database. Throws a `TranscriptsError` if the URL is not a PostgreSQL address. */
export async function openPostgresDatabase(url: string, options: { readOnly: boolean }): Promise<PostgresPool> {
  checkAddress(url);
  return await openPool(url, options);
}

/**
 * Like `openPostgresDatabase`, but also migrates the tables to this program's version. Costs one query if they are
 * current.
 */
export async function openMigratedPostgres(url: string, options: { readOnly: boolean }): Promise<PostgresPool> {
  const pool = await openPostgresDatabase(url, options);
  const place = withoutPassword(url);
  try {
    const version = await postgresVersion(pool);
    checkVersion(version, place);
    if (version === LATEST_VERSION) return pool;
    if (options.readOnly) throw notCurrent(place, version);
    const { migratePostgres } = await import("./migrate-postgres.ts");
    await migratePostgres(pool, place);
    return pool;
  } catch (error) {
    await pool.close();
    throw asStoreError(error, place);
  }
}

/** The driver's error for an invalid address contains the whole address, including the password. */
function checkAddress(url: string): void {
  if (isPostgresAddress(url)) return;
  throw new TranscriptsError(
    "unavailable",
    "TRANSCRIPTS_DATABASE_URL is not the address of a PostgreSQL database.",
    "Write it as postgres://user:password@host:5432/database, with special characters in the password URL-encoded (`@` as %40).",
  );
}

function notCurrent(place: string, version: number): TranscriptsError {
  const problem =
    version === 0
      ? `The database ${place} has no index yet.`
      : `The index in the database ${place} was created by an older version of this program.`;
  return new TranscriptsError("unavailable", problem, "Run `transcripts index` to create or update it.");
}

export function versionOfPostgres(url: string): Promise<number> {
  return onDatabase(url, true, postgresVersion);
}

/** Migrates the tables of a database without opening a store. */
export async function migratePostgresTo(url: string, version: number): Promise<MigrationReport> {
  const { migratePostgres } = await import("./migrate-postgres.ts");
  return onDatabase(url, false, (pool) => migratePostgres(pool, withoutPassword(url), version));
}

async function onDatabase<T>(url: string, readOnly: boolean, work: (pool: PostgresPool) => Promise<T>): Promise<T> {
  const pool = await openPostgresDatabase(url, { readOnly });
  try {
    return await work(pool);
  } catch (error) {
    throw asStoreError(error, withoutPassword(url));
  } finally {
    await pool.close();
  }
}
