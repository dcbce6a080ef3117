/** Whether a database is whole. */
import { numberIn, textIn } from "../row.ts";
import type { SqliteDriver } from "./driver.ts";

/** See `Store.fault`. SQLite cannot be stopped at it, so that its size decides. Throws what the driver throws. */
export function faultOf(database: SqliteDriver, maxBytes: number): string | null | undefined {
  const pages = numberIn(database.prepare("PRAGMA page_count").get() ?? {}, "page_count");
  const bytes = numberIn(database.prepare("PRAGMA page_size").get() ?? {}, "page_size");
  if (pages * bytes > maxBytes) return null;
  // The first fault is enough.
  const told = textIn(database.prepare("PRAGMA quick_check(1)").get() ?? {}, "quick_check");
  return told === "ok" ? undefined : told;
}
