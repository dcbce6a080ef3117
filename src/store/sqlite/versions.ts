/** The versions of the tables, for who manages them. */
import type { MigrationReport } from "../migration-report.ts";
import { existsSync } from "node:fs";
import { migrateSqlite } from "./migrate-sqlite.ts";
import { sqliteVersion } from "./sqlite-version.ts";
import { openSqliteDatabase } from "./open-sqlite.ts";
import type { SqliteDriver } from "./driver.ts";
import { asStoreError } from "./sqlite-faults.ts";

/** 0 if there is no file. */
export async function versionOfSqlite(path: string): Promise<number> {
  if (!existsSync(path)) return 0;
  return await onDatabase(path, true, (database) => sqliteVersion(database, path));
}

export function migrateSqliteTo(path: string, version: number): Promise<MigrationReport> {
  return onDatabase(path, false, (database) => migrateSqlite(database, path, version));
}

async function onDatabase<T>(path: string, readOnly: boolean, work: (database: SqliteDriver) => T): Promise<T> {
  const database = await openSqliteDatabase(path, { readOnly });
  try {
    return work(database);
  } catch (error) {
    throw asStoreError(error, path);
  } finally {
    database.close();
  }
}
