import { numberIn } from "../columns.ts";
import type { SqliteDriver } from "./driver.ts";
import { damaged } from "./sqlite-faults.ts";

/** `TRNS`, the application id in the header of our files. */
export const APPLICATION_ID = 0x54_52_4e_53;

/**
 * Returns the version of the tables, 0 for a new file. Throws `damaged` if the file belongs to another program. Another
 * process may create the first tables between two of these reads, so ownership is checked once more at the end.
 */
export function sqliteVersion(database: SqliteDriver, place: string): number {
  if (isOurs(database)) return pragma(database, "user_version");
  const isNew =
    pragma(database, "user_version") === 0 &&
    pragma(database, "application_id") === 0 &&
    database.prepare("SELECT 1 FROM sqlite_schema").get() === undefined;
  if (isNew) return 0;
  if (isOurs(database)) return pragma(database, "user_version");
  throw damaged(place);
}

function isOurs(database: SqliteDriver): boolean {
  return pragma(database, "application_id") === APPLICATION_ID;
}

function pragma(database: SqliteDriver, name: "user_version" | "application_id"): number {
  const row = database.prepare(`PRAGMA ${name}`).get();
  return row === undefined ? 0 : numberIn(row, name);
}
