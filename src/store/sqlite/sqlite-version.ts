import { numberIn } from "../row.ts";
import type { SqliteDriver } from "./driver.ts";
import { damaged } from "./sqlite-faults.ts";

/** In the header of our files: `TRNS`. */
export const APPLICATION_ID = 0x54_52_4e_53;

/** The version of the tables, 0 of a new file. Throws `damaged` if the file belongs to another program. */
export function sqliteVersion(database: SqliteDriver, place: string): number {
  const version = pragma(database, "user_version");
  const application = pragma(database, "application_id");
  if (application === APPLICATION_ID) return version;
  const isNew =
    application === 0 && version === 0 && database.prepare("SELECT 1 FROM sqlite_schema").get() === undefined;
  if (!isNew) throw damaged(place);
  return 0;
}

function pragma(database: SqliteDriver, name: "user_version" | "application_id"): number {
  const row = database.prepare(`PRAGMA ${name}`).get();
  return row === undefined ? 0 : numberIn(row, name);
}
