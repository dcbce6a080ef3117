import { existsSync, renameSync, statSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import type { SqliteDriver } from "../../sqlite/driver.ts";
import { isStoreError } from "../../transcripts-error.ts";
import { SCHEMA_VERSION } from "../sql-database.ts";
import { openSqliteDatabase } from "./open-sqlite.ts";
import { withFaults } from "./sqlite-faults.ts";

/** Maximum wait for other programs that have the file open, in milliseconds. */
const WAIT_MS = 10_000;
const WAIT_STEP_MS = 20;

/**
 * Renames a store of another version, so that a new one can be created in its place. Does nothing if another program did
 * so in the meantime. Rejects with `busy` while another program uses it.
 */
export async function setAside(
  path: string,
  { note, waitMs = WAIT_MS }: { note?: ((text: string) => void) | undefined; waitMs?: number } = {},
): Promise<void> {
  for (const end = performance.now() + waitMs; ;) {
    try {
      const aside = await renamed(path);
      if (aside === undefined) return;
      const sentence = "The store was created by another version of this program.";
      return note?.(`${sentence} It is kept as ${aside}, and a new one is created.`);
    } catch (error) {
      if (!isStoreError(error) || error.code !== "busy" || performance.now() > end) throw error;
    }
    // Two programs that wait for each other must not try again at the same time.
    await sleep(WAIT_STEP_MS * (1 + Math.random()));
  }
}

async function renamed(path: string): Promise<string | undefined> {
  const before = inodeOf(path);
  if (before === undefined) return undefined;
  const database = await openSqliteDatabase(path, { readOnly: false, busyMs: 0 });
  let isOpen = true;
  const close = (): void => {
    if (isOpen) database.close();
    isOpen = false;
  };
  try {
    return withFaults(path, () => {
      const version = versionOf(database);
      if (version === SCHEMA_VERSION) return undefined;
      // Without a log beside it, which would otherwise become that of the new file.
      database.exec("PRAGMA journal_mode = DELETE; BEGIN EXCLUSIVE");
      if (inodeOf(path) !== before) return undefined;
      const name = freeName(`${path}.version-${version}`);
      // Windows renames no open file.
      if (process.platform === "win32") close();
      renameSync(path, name);
      return name;
    });
  } finally {
    close();
  }
}

function versionOf(database: SqliteDriver): number {
  return Number(database.prepare("PRAGMA user_version").all()[0]?.["user_version"]);
}

function inodeOf(path: string): number | undefined {
  return statSync(path, { throwIfNoEntry: false })?.ino;
}

function freeName(wanted: string): string {
  for (let count = 1; ; count += 1) {
    const name = count === 1 ? wanted : `${wanted}-${count}`;
    if (!existsSync(name)) return name;
  }
}
