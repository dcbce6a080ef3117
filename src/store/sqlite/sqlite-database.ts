import type { StoredBlock, StoredMessage } from "../stored-model.ts";
import {
  MESSAGES,
  numberIn,
  packedText,
  SEARCHED,
  WRITTEN_BLOCKS,
  type Row,
  type RowNumbers,
  type TableColumns,
} from "../columns.ts";
import { type Searched, searchedContent, searchText } from "../index-texts.ts";
import type { SqlValue } from "../column-types.ts";
import {
  placesFor,
  upsert,
  type BlocksOfSession,
  type Dialect,
  type SqlDatabase,
  type SqlSession,
} from "../sql-database.ts";
import { storableText } from "../storable.ts";
import { sqliteCandidates } from "./sqlite-candidates.ts";
import type { SqliteDriver, SqlValue as DriverValue } from "../../sqlite/driver.ts";
import { noDatabase, otherVersion } from "./open-sqlite.ts";
import { asStoreError, damaged } from "./sqlite-faults.ts";

const PUT_MESSAGE = put(MESSAGES, "message_id");
const PUT_BLOCK = `${put(WRITTEN_BLOCKS, "event_id")} RETURNING position`;
const FIND_BLOCK = `SELECT ${SEARCHED.list} FROM events WHERE session = ? AND event_id = ?`;
const CONTENT_AT = WRITTEN_BLOCKS.columns.indexOf("content");

/** Returns a statement that inserts or updates a row. */
function put(rows: TableColumns, key: string): string {
  return upsert(rows, key, `VALUES (${placesFor(rows.columns)})`);
}

/**
 * One connection to a SQLite file. SQLite answers synchronously, but work in a transaction may await between two
 * statements: other users of the connection then wait until it ends.
 */
export class SqliteDatabase implements SqlDatabase {
  readonly place: string;
  readonly dialect: Dialect;
  readonly #database: SqliteDriver;
  readonly #inside: SqlSession;
  #last: Promise<unknown> = Promise.resolve();

  /** Takes ownership of an open database. */
  constructor(database: SqliteDriver, path: string) {
    this.#database = database;
    this.place = path;
    // Synchronous, so that another connection of this thread, which would block it, waits for no transaction.
    this.dialect = {
      ...SQLITE,
      putMessages: async (_, messages, numbers) => putMessages(database, messages, numbers),
      putBlocks: async (_, parts) => putBlocks(database, parts),
    };
    this.#inside = {
      dialect: this.dialect,
      all: (sql, values, read) =>
        this.#now(() =>
          database
            .prepare(sql)
            .all(...valuesOf(values))
            .map(read),
        ),
      run: (sql, values) => this.#now(() => database.prepare(sql).run(...valuesOf(values))),
      exec: (sql) => this.#now(() => database.exec(sql)),
    };
  }

  all<T>(sql: string, values: readonly SqlValue[], read: (row: Row) => T): Promise<T[]> {
    return this.#alone(() => this.#inside.all(sql, values, read));
  }

  run(sql: string, values: readonly SqlValue[]): Promise<number> {
    return this.#alone(() => this.#inside.run(sql, values));
  }

  exec(sql: string): Promise<void> {
    return this.#alone(() => this.#inside.exec(sql));
  }

  /** Takes the write lock at the start, so that nothing it reads is stale when it writes. */
  transaction<T>(work: (session: SqlSession) => Promise<T>): Promise<T> {
    return this.#alone(() => this.#between("BEGIN IMMEDIATE", work));
  }

  snapshot<T>(work: (session: SqlSession) => Promise<T>): Promise<T> {
    return this.#alone(() => this.#between("BEGIN", work));
  }

  /**
   * Truncates the log, which still contains deleted rows. While another program is reading, they remain until the last
   * one closes the database.
   */
  purge(): Promise<void> {
    return this.#alone(() => this.#now(() => void this.#database.prepare("PRAGMA wal_checkpoint(TRUNCATE)").all()));
  }

  close(): Promise<void> {
    return this.#alone(() =>
      this.#now(() => {
        emptyLog(this.#database);
        this.#database.close();
      }),
    );
  }

  /** Runs `work` once all earlier work has ended. */
  #alone<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#last.then(work);
    this.#last = result.catch(() => undefined);
    return result;
  }

  async #now<T>(work: () => T): Promise<T> {
    try {
      return work();
    } catch (error) {
      throw asStoreError(error, this.place);
    }
  }

  async #between<T>(begin: string, work: (session: SqlSession) => Promise<T>): Promise<T> {
    await this.#now(() => this.#database.exec(begin));
    try {
      const result = await work(this.#inside);
      await this.#now(() => this.#database.exec("COMMIT"));
      return result;
    } catch (error) {
      // If this fails, SQLite already ended the transaction itself, as it does when the disk is full.
      await this.#now(() => this.#database.exec("ROLLBACK")).catch(() => undefined);
      throw asStoreError(error, this.place);
    }
  }
}

/**
 * Writes the log to the file and empties it, without waiting for others. SQLite does so only when the last connection
 * closes, and not if that one is for reading only: users who may not write could then not read the file.
 */
function emptyLog(database: SqliteDriver): void {
  try {
    database.exec("PRAGMA busy_timeout = 0");
    database.prepare("PRAGMA wal_checkpoint(TRUNCATE)").all();
  } catch {
    // A connection for reading only may not do this, and a damaged file is reported where it is read.
  }
}

function valuesOf(values: readonly SqlValue[]): DriverValue[] {
  return values.map((value) => {
    if (typeof value === "boolean") return Number(value);
    return typeof value !== "object" || value === null || value instanceof Uint8Array ? value : JSON.stringify(value);
  });
}

/** `TRNS`, the application id in the header of our files. */
export const APPLICATION_ID = 0x54_52_4e_53;

const SQLITE: Omit<Dialect, "putMessages" | "putBlocks"> = {
  name: "sqlite",
  isOneOf: (column) => `${column} IN (SELECT value FROM json_each(?))`,
  lower: (column) => `lower(${column})`,
  rowsAtOnce: 1,
  lockRow: "",
  // With `EXISTS`, SQLite 3.51 makes a join of it, whose `OFFSET` counts a snippet once for each time that it has the tag.
  hasTag: (tag) => ({ sql: "? IN (SELECT value FROM json_each(tags) WHERE type = 'text')", values: [tag] }),
  candidates: sqliteCandidates,
  version: async (session, place) => {
    if (await isOurs(session)) return await pragma(session, "user_version");
    const isNew =
      (await pragma(session, "user_version")) === 0 &&
      (await pragma(session, "application_id")) === 0 &&
      (await session.all("SELECT 1 FROM sqlite_schema LIMIT 1", [], () => true)).length === 0;
    if (isNew) return 0;
    // Another process may have created the first tables between two of these reads.
    if (await isOurs(session)) return await pragma(session, "user_version");
    throw damaged(place);
  },
  notCurrent: (version, place) => (version === 0 ? noDatabase(place) : otherVersion(place)),
};

async function isOurs(session: SqlSession): Promise<boolean> {
  return (await pragma(session, "application_id")) === APPLICATION_ID;
}

async function pragma(session: SqlSession, name: string): Promise<number> {
  return (await session.all(`PRAGMA ${name}`, [], (row) => numberIn(row, name)))[0] ?? 0;
}

function putMessages(database: SqliteDriver, messages: readonly StoredMessage[], numbers: RowNumbers): void {
  const put = database.prepare(PUT_MESSAGE);
  for (const message of messages) put.run(...valuesOf(MESSAGES.write(message, numbers)));
}

/**
 * Writes all rows before all of their texts: FTS5 flushes what it has gathered whenever a statement on another table
 * opens a savepoint, as an insert with `RETURNING` does. One flush for many sessions is much less work than one for each.
 */
function putBlocks(database: SqliteDriver, parts: readonly BlocksOfSession[]): void {
  const texts: { position: number; text: string }[] = [];
  const [find, put] = [database.prepare(FIND_BLOCK), database.prepare(PUT_BLOCK)];
  const forget = database.prepare("DELETE FROM event_search WHERE rowid = ?");
  for (const { blocks, numbers, isNew } of parts) {
    for (const block of blocks) {
      const [known] = isNew ? [] : find.all(numbers.session, storableText(block.event_id));
      const [row] = put.all(...packedValues(block, numbers));
      if (row === undefined) throw new Error("SQLite returned no row for a block that it stored.");
      const position = numberIn(row, "position");
      const now = searchTextOf(block);
      const before = known === undefined ? null : searchTextOf(SEARCHED.read(known));
      if (now === before) continue;
      if (before !== null) forget.run(position);
      if (now !== null) texts.push({ position, text: now });
    }
  }
  const add = database.prepare("INSERT INTO event_search (rowid, content) VALUES (?, ?)");
  for (const { position, text } of texts) add.run(position, text);
}

/** Deflates a long text. */
function packedValues(block: StoredBlock, numbers: RowNumbers): DriverValue[] {
  const values = valuesOf(WRITTEN_BLOCKS.write(block, numbers));
  const text = String(values[CONTENT_AT]);
  return values.with(CONTENT_AT, packedText(text) ?? text);
}

/** Returns null for a block that a search never returns. */
function searchTextOf(block: Searched & { is_own: boolean }): string | null {
  return block.is_own ? null : searchText(searchedContent(block));
}
