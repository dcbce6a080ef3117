import { checkVersion, LATEST_VERSION } from "./migrations/latest-version.ts";
import type { MigrationReport } from "./migrations/migrations.ts";
import type { SqlDatabase } from "./sql-database.ts";
import { databaseFile, databaseUrl, storePlace, thisMachine, type StoreWhere } from "./store-place.ts";
import { openSqliteDatabase } from "./sqlite/open-sqlite.ts";
import { SqliteDatabase } from "./sqlite/sqlite-database.ts";
import { SqlStore } from "./sql-store.ts";
import type { Store } from "./store.ts";
import { isStoreError, TranscriptsError } from "../transcripts-error.ts";

export type { MigrationReport } from "./migrations/migrations.ts";
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
  const database = await openDatabase(where, readOnly);
  try {
    const version = await database.dialect.version(database, database.place);
    checkVersion(version, database.place);
    if (version !== LATEST_VERSION) {
      if (readOnly) throw database.dialect.notCurrent(version, database.place);
      const { migrate } = await import("./migrations/migrations.ts");
      await migrate(database);
    }
  } catch (error) {
    await database.close();
    throw error;
  }
  return new SqlStore(database, () => thisMachine(where, { create: !readOnly }));
}

/** Opens the database without touching its tables. */
async function openDatabase(where: StoreWhere, readOnly: boolean): Promise<SqlDatabase> {
  const url = databaseUrl(where);
  if (url !== undefined) {
    const { openPostgres } = await import("./postgres/postgres-database.ts");
    return await openPostgres(url, { readOnly });
  }
  const path = databaseFile(where);
  return new SqliteDatabase(await openSqliteDatabase(path, { readOnly }), path);
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
  if (!storePlace(where).exists) return 0;
  return await withDatabase(where, true, (database) => database.dialect.version(database, database.place));
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
  const { migrate } = await import("./migrations/migrations.ts");
  return await withDatabase(where, false, (database) => migrate(database, version));
}

async function withDatabase<T>(
  where: StoreWhere,
  readOnly: boolean,
  work: (database: SqlDatabase) => Promise<T>,
): Promise<T> {
  const database = await openDatabase(where, readOnly);
  try {
    return await work(database);
  } finally {
    await database.close();
  }
}
