import type { MigrationReport } from "./migrations/migration.ts";
import { LATEST_VERSION } from "./migrations/latest-version.ts";
import {
  databaseFile,
  databaseUrl,
  type Machine,
  thisMachine,
  withoutPassword,
  type StoreWhere,
} from "./store-place.ts";
import { migrateSqliteTo, openMigratedSqlite, versionOfSqlite } from "./sqlite/open-sqlite.ts";
import { SqliteDatabase } from "./sqlite/sqlite-database.ts";
import { SqlStore } from "./sql-store.ts";
import type { Store } from "./store.ts";
import { isStoreError, TranscriptsError } from "../transcripts-error.ts";

export type { MigrationReport } from "./migrations/migration.ts";
export { LATEST_VERSION } from "./migrations/latest-version.ts";
export { storePlace, type StoreWhere } from "./store-place.ts";

export interface OpenStoreOptions {
  /**
   * Neither creates nor changes anything. Rejects with `unavailable` if there is no store, or one of an older version.
   */
  readOnly?: boolean;
}

/**
 * Opens the store that the environment names (`storePlace`) and migrates its tables to this program's version. The
 * caller closes it. Rejects with a `TranscriptsError` that says what to do.
 */
export async function openStore(where: StoreWhere, { readOnly = false }: OpenStoreOptions = {}): Promise<Store> {
  const machine = (): Machine => thisMachine(where, { create: !readOnly });
  const url = databaseUrl(where);
  if (url !== undefined) {
    const { openMigratedPostgres } = await import("./postgres/open-postgres.ts");
    const { PostgresDatabase } = await import("./postgres/postgres-database.ts");
    return new SqlStore(
      new PostgresDatabase(await openMigratedPostgres(url, { readOnly }), withoutPassword(url)),
      machine,
    );
  }
  const path = databaseFile(where);
  return new SqlStore(new SqliteDatabase(await openMigratedSqlite(path, { readOnly }), path), machine);
}

/** Opens the store as `openStore` does, runs the work and closes the store. */
export async function withStore<T>(
  where: StoreWhere,
  options: OpenStoreOptions,
  work: (store: Store) => Promise<T>,
): Promise<T> {
  const store = await openStore(where, options);
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}

/**
 * Opens the store for a question, which changes nothing in it. Only a SQLite file of an older version is migrated first.
 * Rejects with a `TranscriptsError`.
 */
export async function openStoreToRead(where: StoreWhere): Promise<Store> {
  try {
    return await openStore(where, { readOnly: true });
  } catch (error) {
    if (!isStoreError(error) || error.code !== "unavailable" || databaseUrl(where) !== undefined) throw error;
  }
  return openStore(where);
}

/** Returns the version of the store's tables, or 0. Creates nothing. Rejects with a `TranscriptsError`. */
export async function storeVersion(where: StoreWhere): Promise<number> {
  const url = databaseUrl(where);
  if (url !== undefined) return await (await import("./postgres/open-postgres.ts")).versionOfPostgres(url);
  return await versionOfSqlite(databaseFile(where));
}

/**
 * Migrates the store's tables up or down to a version, one migration at a time; completed ones remain if a later one
 * fails. Migrating down drops the tables and columns of each migration with their data: snippets below version 2,
 * everything below version 1. Rejects with `invalid` for a version that this program does not know.
 */
export async function migrateStore(where: StoreWhere, version: number = LATEST_VERSION): Promise<MigrationReport> {
  if (!Number.isInteger(version) || version < 0 || version > LATEST_VERSION) {
    const next = `Use 0 (no tables) to ${LATEST_VERSION}.`;
    throw new TranscriptsError("invalid", `There is no version ${version} of the tables.`, next, { field: "version" });
  }
  const url = databaseUrl(where);
  if (url !== undefined) return await (await import("./postgres/open-postgres.ts")).migratePostgresTo(url, version);
  return await migrateSqliteTo(databaseFile(where), version);
}
