import { chmodSync, closeSync, fchmodSync, mkdirSync, openSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { checkVersion, LATEST_VERSION } from "../migrations/latest-version.ts";
import { StoreError } from "../store-error.ts";
import { openDriver, type SqliteDriver, type SqliteOpening } from "./driver.ts";
import { sqliteVersion } from "./sqlite-version.ts";
import { asStoreError, BUSY, CANTOPEN, damaged, READONLY, sqliteCode, withFaults } from "./sqlite-faults.ts";

/** How long to wait for another program that writes, in milliseconds. */
const BUSY_MS = 10_000;
const BUSY_STEP_MS = 10;

/** SQLite takes a shorter file for an empty one, and writes over what is in it. */
const LEAST_BYTES = 512;

/**
 * The log is brought into the file when it has so many pages of 4 KiB. By default it is at 1,000, and so often that
 * writers of snippets would wait for it one time in twenty.
 */
const LOG_PAGES = 4_000;

const OWNER_FOLDER = 0o700;
const OWNER_FILE = 0o600;

export interface SqliteDatabaseOptions {
  readOnly: boolean;
  /** In milliseconds. */
  busyMs?: number;
}

/**
 * Opens the database of this program. Without `readOnly` it makes the file where there is none, for its owner alone,
 * and leaves the tables as they are. Throws a `StoreError`.
 */
export async function openSqliteDatabase(
  path: string,
  { readOnly, busyMs = BUSY_MS }: SqliteDatabaseOptions,
): Promise<SqliteDriver> {
  const facts = withFaults(path, () => statSync(path, { throwIfNoEntry: false }));
  if (facts !== undefined && !facts.isFile()) throw notRegular(path);
  const size = facts?.size;
  if (size !== undefined && size > 0 && size < LEAST_BYTES) throw damaged(path);
  if (size === undefined && readOnly) throw noDatabase(path);
  if (size === undefined) withFaults(path, () => makeFile(path));
  try {
    return await openedWithPatience(path, { readOnly }, busyMs);
  } catch (error) {
    if (readOnly && isWithoutWay(error) && isWhole(path)) {
      return await opened(path, { readOnly, immutable: true }, busyMs);
    }
    throw asStoreError(error, path);
  }
}

async function opened(path: string, opening: SqliteOpening, busyMs: number): Promise<SqliteDriver> {
  const database = await openDriver(path, opening);
  try {
    database.exec(settingsFor(opening.readOnly, busyMs));
    // Only now does SQLite look into the file.
    database.prepare("PRAGMA user_version").get();
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/**
 * SQLite waits for other writers by itself, but not when several programs give the same new file its log: all but one
 * are told at once that it is busy.
 */
async function openedWithPatience(path: string, opening: SqliteOpening, busyMs: number): Promise<SqliteDriver> {
  // Asked for only when it is busy: the first look at this clock takes Node a millisecond.
  for (let end: number | undefined; ; await sleep(BUSY_STEP_MS)) {
    try {
      return await opened(path, opening, busyMs);
    } catch (error) {
      if (!isBusy(error)) throw error;
      const now = performance.now();
      end ??= now + busyMs;
      if (now > end) throw error;
    }
  }
}

function isBusy(error: unknown): boolean {
  return error instanceof Error && sqliteCode(error) === BUSY;
}

/** Readers, too, make a file of shared memory, which they cannot where nothing may be written. */
function isWithoutWay(error: unknown): boolean {
  const code = error instanceof Error ? sqliteCode(error) : undefined;
  return code === CANTOPEN || code === READONLY;
}

/** Nobody writes it now, and all that was written stands in the file itself. */
function isWhole(path: string): boolean {
  return (statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0) === 0;
}

/** As `openSqliteDatabase`, with the tables of this program's version. A current one costs two looks at its header. */
export async function openMigratedSqlite(path: string, options: SqliteDatabaseOptions): Promise<SqliteDriver> {
  const database = await openSqliteDatabase(path, options);
  try {
    const version = sqliteVersion(database, path);
    checkVersion(version, path);
    if (version === LATEST_VERSION) return database;
    if (options.readOnly) throw version === 0 ? noDatabase(path) : olderVersion(path);
    const { migrateSqlite } = await import("./migrate-sqlite.ts");
    migrateSqlite(database, path);
    return database;
  } catch (error) {
    database.close();
    throw asStoreError(error, path);
  }
}

/** The file exists before SQLite sees it: its log and shared memory get the same rights as the file. */
function makeFile(path: string): void {
  const folder = dirname(path);
  const made = mkdirSync(folder, { recursive: true, mode: OWNER_FOLDER });
  if (made !== undefined) chmodSync(folder, OWNER_FOLDER);
  const file = openSync(path, "a", OWNER_FILE);
  try {
    fchmodSync(file, OWNER_FILE);
  } finally {
    closeSync(file);
  }
}

/**
 * WAL: readers and a writer do not wait for each other. `synchronous = NORMAL` then waits for the disk at checkpoints
 * only: a crash of the program loses nothing, a power cut may lose the last commits but never damages the file.
 * `secure_delete`: what a user has us forget must not stand in free space.
 */
function settingsFor(readOnly: boolean, busyMs: number): string {
  const waiting = `PRAGMA busy_timeout = ${busyMs};`;
  if (readOnly) return `${waiting} PRAGMA query_only = ON;`;
  const log = `PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA wal_autocheckpoint = ${LOG_PAGES};`;
  return `${waiting} ${log} PRAGMA foreign_keys = ON; PRAGMA secure_delete = ON;`;
}

/** SQLite would wait for ever for the other end of a pipe. */
function notRegular(path: string): StoreError {
  return new StoreError(
    "unavailable",
    `${path} is not a regular file, so it cannot be the index.`,
    "Remove it, or set TRANSCRIPTS_DATABASE to another path.",
  );
}

function noDatabase(path: string): StoreError {
  return new StoreError("unavailable", `There is no index yet (${path}).`, "Run `transcripts index`, which makes it.");
}

function olderVersion(path: string): StoreError {
  return new StoreError(
    "unavailable",
    `The index ${path} was made by an older version of this program.`,
    "Run `transcripts index`, which brings it up to date.",
  );
}
