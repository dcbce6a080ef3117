/** The versions of the tables, for who manages them. */
import type { MigrationReport } from "../migration-report.ts";
import { withoutPassword } from "../store-place.ts";
import { migratePostgres } from "./migrate-postgres.ts";
import { postgresVersion } from "./postgres-version.ts";
import { openPostgresDatabase } from "./open-postgres.ts";
import type { PostgresPool } from "./pool.ts";
import { asStoreError } from "./postgres-faults.ts";

export function versionOfPostgres(url: string): Promise<number> {
  return onDatabase(url, true, postgresVersion);
}

export function migratePostgresTo(url: string, version: number): Promise<MigrationReport> {
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
