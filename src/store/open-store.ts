import { SCHEMA_VERSION, type SqlDatabase } from "./sql-database.ts";
import { databaseFile, teamUrl, thisMachine, type StoreWhere } from "./store-place.ts";
import { openSqliteDatabase } from "./sqlite/open-sqlite.ts";
import { SqliteDatabase } from "./sqlite/sqlite-database.ts";
import { SqlStore } from "./sql-store.ts";
import type { Store } from "./store.ts";
import { openDriver } from "../sqlite/driver.ts";
import { isStoreError, type TranscriptsError } from "../transcripts-error.ts";

export { storePlace, type StoreWhere } from "./store-place.ts";

export interface OpenStoreOptions {
  /**
   * Neither creates nor changes anything. Rejects with `unavailable` if there is no store, or one of another version.
   */
  readOnly?: boolean;
}

/**
 * Opens the store at its place (`storePlace`), creating it if there is none. A SQLite file of another version is renamed
 * and a new one created. The caller closes the store. Rejects with a `TranscriptsError` that says what
 * to do.
 */
export async function openStore(where: StoreWhere, { readOnly = false }: OpenStoreOptions = {}): Promise<Store> {
  for (;;) {
    const database = await openDatabase(where, readOnly);
    let isUsable = false;
    try {
      isUsable = await isCurrent(database, where, readOnly);
    } finally {
      if (!isUsable) await database.close();
    }
    if (isUsable) return new SqlStore(database, () => thisMachine(where, { create: !readOnly }));
    const { setAside } = await import("./sqlite/set-aside.ts");
    await setAside(database.place, { note: where.note });
  }
}

/** Creates the tables if there are none. Returns false for those of another version, which must be set aside. */
async function isCurrent(database: SqlDatabase, where: StoreWhere, readOnly: boolean): Promise<boolean> {
  const version = await database.dialect.version(database, database.place);
  if (version === SCHEMA_VERSION) return true;
  if (readOnly) throw database.dialect.notCurrent(version, database.place);
  const { bringForward, createTables } = await import("./schema.ts");
  if (version === 0) {
    await createTables(database);
    where.note?.(`created the store ${database.place}, which keeps what sessions say`);
    return true;
  }
  if (await bringForward(database, version)) return true;
  // Other programs of a team may still use those tables.
  if (database.dialect.name === "postgres") throw database.dialect.notCurrent(version, database.place);
  return false;
}

/** Opens the database without touching its tables. */
async function openDatabase(where: StoreWhere, readOnly: boolean): Promise<SqlDatabase> {
  if (where.team === true) {
    const { openPostgres } = await import("./postgres/postgres-database.ts");
    return await openPostgres(teamUrl(where), { readOnly });
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
 * Opens the store for a question that first adds what is new. If it cannot be written, it is opened for reading; if that
 * is not possible either, the question gets an empty one in memory, and a note says why. A team's store is only read.
 */
export async function openStoreToAsk(where: StoreWhere): Promise<Store> {
  if (where.team === true) return openStore(where, { readOnly: true });
  let fault: TranscriptsError | undefined;
  for (const readOnly of [false, true]) {
    try {
      return await openStore(where, { readOnly });
    } catch (error) {
      if (!isStoreError(error)) throw error;
      fault ??= error;
    }
  }
  where.note?.(`the store is kept in memory for this question: ${fault?.message ?? ""}`);
  return openStoreInMemory(where);
}

/** Place of a store in memory. */
export const IN_MEMORY = "memory";

/** Returns a new store in memory, which is gone when it is closed. */
export async function openStoreInMemory(where: StoreWhere): Promise<Store> {
  const driver = await openDriver(":memory:", { readOnly: false });
  driver.exec("PRAGMA foreign_keys = ON");
  const database = new SqliteDatabase(driver, IN_MEMORY);
  const { createTables } = await import("./schema.ts");
  await createTables(database);
  return new SqlStore(database, () => thisMachine(where, { create: false }));
}
