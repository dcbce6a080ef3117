/** Reads SQLite databases of other programs, under Bun and Node. */
import { closeSync, constants, copyFileSync, mkdtempSync, openSync, readSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Fields, textOf } from "../parse/json-fields.ts";
import { loadDriver, type SqliteDriver } from "../sqlite/driver.ts";

export interface SqliteReader {
  /** Prepares a query; the function returns all rows for the given parameters. */
  query(sql: string): (...values: (string | number)[]) => Fields[];
  close(): void;
}

/** Maximum wait for a program that has locked the database, in milliseconds. */
const BUSY_MS = 2_000;

/**
 * Opens a database read-only. Does not disturb a program that writes to it: in WAL mode readers block nobody, and nothing
 * is checkpointed. Leaves no file beside it, and needs no permission to write there. Each query sees the database at that
 * time. Rejects if the file does not exist; a file that is not a database fails at the first query. `busyMs`: maximum wait
 * for a lock of another program, in milliseconds.
 */
export async function openSqlite(path: string, busyMs = BUSY_MS): Promise<SqliteReader> {
  // SQLite would wait for ever on a pipe.
  const facts = statSync(path, { throwIfNoEntry: false });
  if (facts !== undefined && !facts.isFile())
    throw Object.assign(new Error(`${path} is not a regular file`), { code: "ENOTREG" });
  const openDriver = await loadDriver();
  const opened = (place: string, immutable: boolean): SqliteDriver => {
    const driver = openDriver(place, { readOnly: true, immutable });
    try {
      driver.exec(`PRAGMA busy_timeout = ${busyMs}`);
      return driver;
    } catch (error) {
      driver.close();
      throw error;
    }
  };
  const copy = facts !== undefined && needsCopy(path) ? copyWithLog(path) : undefined;
  let isUnused = copy === undefined && facts !== undefined && isWithoutLog(path);
  let driver = opened(copy === undefined ? path : join(copy, COPY), isUnused);
  return {
    query:
      (sql) =>
      (...values) => {
        // A program has begun to use the database.
        if (isUnused && (sizeOf(`${path}-wal`) ?? 0) > 0) {
          driver.close();
          driver = opened(path, false);
          isUnused = false;
        }
        return driver.prepare(sql).all(...values);
      },
    close: () => driver.close(),
  };
}

const COPY = "copy.db";

/**
 * Returns true if no program uses a database in WAL mode, and all of it is in its file. SQLite would create its log and
 * the index of the log for reading it.
 */
function isWithoutLog(path: string): boolean {
  const log = sizeOf(`${path}-wal`);
  return (log === undefined || (log === 0 && sizeOf(`${path}-shm`) === undefined)) && isInWalMode(path);
}

/** Returns true if a database has a log without an index, as after a copy: SQLite would create the index beside it. */
function needsCopy(path: string): boolean {
  return (sizeOf(`${path}-wal`) ?? 0) > 0 && sizeOf(`${path}-shm`) === undefined && isInWalMode(path);
}

/** Copies of this process by the path of the database, removed at its end: a database is opened for each of its sessions. */
const copies = new Map<string, { stamp: string; folder: string }>();

/** Returns the folder with a copy of a database and its log, which only this user can read. */
function copyWithLog(path: string): string {
  const files = ["", "-wal"].map((suffix) => ({ from: path + suffix, name: COPY + suffix }));
  const stamp = files.map(({ from }) => `${statSync(from).size} ${statSync(from).mtimeMs}`).join();
  const known = copies.get(path);
  if (known?.stamp === stamp) return known.folder;
  if (copies.size === 0) process.once("exit", () => [...copies.values()].forEach(remove));
  if (known !== undefined) remove(known);
  const copy = { stamp, folder: mkdtempSync(join(tmpdir(), "opencode-transcripts-copy-")) };
  copies.set(path, copy);
  try {
    for (const { from, name } of files) copyFileSync(from, join(copy.folder, name), constants.COPYFILE_FICLONE);
    return copy.folder;
  } catch (error) {
    copies.delete(path);
    remove(copy);
    throw error;
  }
}

function remove({ folder }: { folder: string }): void {
  rmSync(folder, { recursive: true, force: true });
}

function sizeOf(path: string): number | undefined {
  return statSync(path, { throwIfNoEntry: false })?.size;
}

/** Reads the version of the file format that readers need, in the header: 2 for WAL. */
function isInWalMode(path: string): boolean {
  const file = openSync(path, "r");
  try {
    const header = Buffer.alloc(20);
    return readSync(file, header, 0, 20, 0) === 20 && header[19] === 2;
  } finally {
    closeSync(file);
  }
}

/** Returns the names of a table's columns; an empty list if the table does not exist. */
export function columnsOf(database: SqliteReader, table: string): string[] {
  const rows = database.query(`PRAGMA table_info("${table.replaceAll('"', '""')}")`)();
  return rows.flatMap((row) => textOf(row, "name") ?? []);
}
