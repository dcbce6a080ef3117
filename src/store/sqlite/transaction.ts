import type { SqliteDriver } from "./driver.ts";

/**
 * Runs work that no other connection can come between: it holds the right to write from its start on, so that nothing
 * it has read is old when it writes. What it throws undoes all of it.
 */
export function inTransaction<T>(database: SqliteDriver, work: () => T): T {
  database.exec("BEGIN IMMEDIATE");
  let result: T;
  try {
    result = work();
    database.exec("COMMIT");
  } catch (error) {
    rollBack(database);
    throw error;
  }
  return result;
}

function rollBack(database: SqliteDriver): void {
  try {
    database.exec("ROLLBACK");
  } catch {
    // SQLite ended the transaction itself, as it does when the disk is full. The first error is the one to tell.
  }
}
