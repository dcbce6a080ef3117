import type { MigrationReport } from "./migration-report.ts";
import { LATEST_VERSION } from "./migrations/latest-version.ts";
import { StoreError } from "./store-error.ts";
import { databaseFile, databaseUrl, withoutPassword, type StoreWhere } from "./store-place.ts";
import { openMigratedSqlite } from "./sqlite/open-sqlite.ts";
import { SqliteDatabase } from "./sqlite/sqlite-database.ts";
import { SqlStore } from "./sql-store.ts";
import type { Store } from "./store.ts";

export type { MigrationReport } from "./migration-report.ts";
export { LATEST_VERSION } from "./migrations/latest-version.ts";
export { storePlace, type StoreWhere } from "./store-place.ts";

export interface OpenStoreOptions {
  /** Makes and changes nothing. Rejects with `unavailable` if there is no store, or one of an older version. */
  readOnly?: boolean;
}

/**
 * Opens the store that the environment names (`storePlace`), with its tables brought to this program's version. Close
 * it when done. Rejects with a `StoreError` that says what to do.
 */
export async function openStore(where: StoreWhere, { readOnly = false }: OpenStoreOptions = {}): Promise<Store> {
  const url = databaseUrl(where);
  if (url !== undefined) {
    const { openMigratedPostgres } = await import("./postgres/open-postgres.ts");
    const { PostgresDatabase } = await import("./postgres/postgres-database.ts");
    return new SqlStore(new PostgresDatabase(await openMigratedPostgres(url, { readOnly }), withoutPassword(url)));
  }
  const path = databaseFile(where);
  return new SqlStore(new SqliteDatabase(await openMigratedSqlite(path, { readOnly }), path));
}

/** The version of the store's tables, 0 if there are none. Makes nothing. Rejects with a `StoreError`. */
export async function storeVersion(where: StoreWhere): Promise<number> {
  const url = databaseUrl(where);
  if (url !== undefined) return await (await import("./postgres/versions.ts")).versionOfPostgres(url);
  return await (await import("./sqlite/versions.ts")).versionOfSqlite(databaseFile(where));
}

/**
 * Brings the tables of the store to a version, step by step, up or down; what was done stays done if a later step
 * fails. A step down drops the tables and columns of that step with all that is in them: snippets below version 2, and
 * everything below 1. Rejects with `invalid` for a version that this program does not know.
 */
export async function migrateStore(where: StoreWhere, version: number = LATEST_VERSION): Promise<MigrationReport> {
  if (!Number.isInteger(version) || version < 0 || version > LATEST_VERSION) {
    const next = `Give one from 0, which is nothing, to ${LATEST_VERSION}.`;
    throw new StoreError("invalid", `There is no version ${version} of the tables.`, next, { field: "version" });
  }
  const url = databaseUrl(where);
  if (url !== undefined) return await (await import("./postgres/versions.ts")).migratePostgresTo(url, version);
  return await (await import("./sqlite/versions.ts")).migrateSqliteTo(databaseFile(where), version);
}
