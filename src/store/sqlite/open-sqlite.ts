import { accessSync, chmodSync, closeSync, constants, fchmodSync, openSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { createFolder } from "../../user-folders.ts";
import { openDriver, type SqliteDriver, type SqliteOpening } from "../../sqlite/driver.ts";
import {
  asStoreError,
  BUSY,
  CANTOPEN,
  damaged,
  notWritable,
  READONLY,
  sqliteCode,
  withFaults,
} from "./sqlite-faults.ts";
import { TranscriptsError } from "../../transcripts-error.ts";

/** Maximum wait for another program that writes, in milliseconds. */
const BUSY_MS = 10_000;
const BUSY_STEP_MS = 10;

/** SQLite treats a shorter file as empty and overwrites its contents. */
const LEAST_BYTES = 512;

/**
 * Number of 4 KiB pages in the log at which it is checkpointed. The default of 1,000 would make one in twenty snippet
 * writes wait for a checkpoint.
 */
const LOG_PAGES = 4_000;

const OWNER_FOLDER = 0o700;
const OWNER_FILE = 0o600;

export interface SqliteDatabaseOptions {
  readOnly: boolean;
  /** Maximum wait for another writer, in milliseconds. Default: 10,000. */
  busyMs?: number;
}

/**
 * Opens this program's database. Unless `readOnly`, creates a missing file, accessible to its owner only. Does not
 * touch the tables. Throws a `TranscriptsError`.
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
    // The log of another user cannot be opened either, which SQLite reports first.
    if (!readOnly && isWithoutWay(error) && !isWritable(path)) throw notWritable(path, error);
    throw asStoreError(error, path);
  }
}

function isWritable(path: string): boolean {
  try {
    accessSync(path, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

async function opened(path: string, opening: SqliteOpening, busyMs: number): Promise<SqliteDriver> {
  const database = await openDriver(path, opening);
  try {
    database.exec(settingsFor(opening.readOnly, busyMs));
    // SQLite does not read the file until this first query.
    database.prepare("PRAGMA user_version").all();
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/**
 * Retries while busy. SQLite itself waits for other writers, but not when several programs create the log of the same
 * new file: all but one get `SQLITE_BUSY` at once.
 */
async function openedWithPatience(path: string, opening: SqliteOpening, busyMs: number): Promise<SqliteDriver> {
  // Read only when busy: the first use of this clock costs Node a millisecond.
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

/** Returns true if SQLite could not create its shared-memory file, which even readers need: the folder is read-only. */
function isWithoutWay(error: unknown): boolean {
  const code = error instanceof Error ? sqliteCode(error) : undefined;
  return code === CANTOPEN || code === READONLY;
}

/** Returns true if the log is empty, so that the file itself is complete. */
function isWhole(path: string): boolean {
  return (statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0) === 0;
}

/** Creates the file before SQLite opens it, so that its log and shared memory get the same permissions. */
function makeFile(path: string): void {
  const folder = dirname(path);
  // The mode of a new folder depends on the umask.
  if (createFolder(folder)) chmodSync(folder, OWNER_FOLDER);
  const file = openSync(path, "a", OWNER_FILE);
  try {
    fchmodSync(file, OWNER_FILE);
  } finally {
    closeSync(file);
  }
}

/**
 * WAL: readers and a writer do not block each other. With `synchronous = NORMAL` SQLite waits for the disk at
 * checkpoints only: a crash of the program loses nothing; a power cut may lose the last commits but never damages the
 * file. `secure_delete`: text that a user asked us to forget must not remain in free pages.
 */
function settingsFor(readOnly: boolean, busyMs: number): string {
  const waiting = `PRAGMA busy_timeout = ${busyMs};`;
  if (readOnly) return `${waiting} PRAGMA query_only = ON;`;
  const log = `PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA wal_autocheckpoint = ${LOG_PAGES};`;
  return `${waiting} ${log} PRAGMA foreign_keys = ON; PRAGMA secure_delete = ON;`;
}

/** SQLite would wait forever for the other end of a pipe. */
function notRegular(path: string): TranscriptsError {
  return new TranscriptsError(
    "unavailable",
    `${path} is not a regular file, so it cannot be the store.`,
    "Remove it, or set TRANSCRIPTS_DATABASE to another path.",
  );
}

export function noDatabase(path: string): TranscriptsError {
  return new TranscriptsError(
    "unavailable",
    `There is no store yet (${path}).`,
    "Run `transcripts index` to create it.",
  );
}

export function otherVersion(path: string): TranscriptsError {
  return new TranscriptsError(
    "unavailable",
    `The store ${path} was created by another version of this program.`,
    "Run `transcripts index` to set it aside and create a new one.",
  );
}
