import { checkVersion, LATEST_VERSION } from "../migrations/latest-version.ts";
import { StoreError } from "../store-error.ts";
import { isPostgresAddress, withoutPassword } from "../store-place.ts";
import { postgresVersion } from "./postgres-version.ts";
import { openPool, type PostgresPool } from "./pool.ts";
import { asStoreError } from "./postgres-faults.ts";

/** Opens connections to the database at an address. Throws a `StoreError` if it is none of PostgreSQL's. */
export async function openPostgresDatabase(url: string, options: { readOnly: boolean }): Promise<PostgresPool> {
  checkAddress(url);
  return await openPool(url, options);
}

/** As `openPostgresDatabase`, with the tables of this program's version. A current one costs one question. */
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

/** What the driver says of a wrong address has the whole of it, password included. */
function checkAddress(url: string): void {
  if (isPostgresAddress(url)) return;
  throw new StoreError(
    "unavailable",
    "TRANSCRIPTS_DATABASE_URL is no address of a PostgreSQL database.",
    "Write it as postgres://user:password@host:5432/database, with special characters of the password as %40 and the like.",
  );
}

function notCurrent(place: string, version: number): StoreError {
  const problem =
    version === 0
      ? `There is no index yet in the database ${place}.`
      : `The index in the database ${place} was made by an older version of this program.`;
  return new StoreError("unavailable", problem, "Run `transcripts index`, which brings it up to date.");
}
