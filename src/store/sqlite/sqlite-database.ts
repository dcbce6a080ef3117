import type { StoredBlock, StoredMessage } from "../stored-model.ts";
import { blockValues, MESSAGES, numberIn, packedText, SEARCHED, textIn, WRITTEN_BLOCK, type Row } from "../columns.ts";
import { searchedContent, searchText } from "../index-texts.ts";
import {
  takenId,
  upsert,
  type Condition,
  type Dialect,
  type SqlDatabase,
  type SqlSession,
  type SqlValue,
} from "../sql-database.ts";
import { storableText } from "../storable.ts";
import { sqliteCandidates } from "./sqlite-candidates.ts";
import type { SqliteDriver, SqlValue as DriverValue } from "../../sqlite/driver.ts";
import { noDatabase, olderVersion } from "./open-sqlite.ts";
import { asStoreError, damaged } from "./sqlite-faults.ts";

const SESSION_NUMBER = "(SELECT number FROM sessions WHERE session_id = ?)";
/** 0 for an event without a message, as an earlier version may have left it. */
const MESSAGE_NUMBER = "coalesce((SELECT number FROM message_rows WHERE message_id = ?), 0)";
const PUT_MESSAGE = put("message_rows", "message_id", MESSAGES.names, { session_id: ["session", SESSION_NUMBER] });
/** As the view `events` has it. */
const SEARCHED_COLUMNS = SEARCHED.list.replace(
  "content",
  "CASE WHEN text_bytes > 0 THEN packed ELSE content END AS content",
);
const PUT_BLOCK = `${put("event_rows", "event_id", [...WRITTEN_BLOCK, "packed", "text_bytes"], {
  session_id: ["session", SESSION_NUMBER],
  message_id: ["message", MESSAGE_NUMBER],
})} RETURNING ${SEARCHED_COLUMNS}`;
const FIND_BLOCK = `SELECT ${SEARCHED_COLUMNS} FROM event_rows WHERE event_id = ?`;
const CONTENT_AT = WRITTEN_BLOCK.indexOf("content");
const NOTHING_PACKED = new Uint8Array();

/** Returns a statement that inserts or updates a row. `numbers`: columns of the numbers of ids, and how to find them. */
function put(
  table: string,
  key: string,
  names: readonly string[],
  numbers: Readonly<Record<string, readonly [column: string, number: string]>>,
): string {
  const columns = names.map((name) => numbers[name]?.[0] ?? name);
  const values = names.map((name) => numbers[name]?.[1] ?? "?");
  return upsert({ table, key, session: "session" }, columns, `VALUES (${values.join(", ")})`);
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
      putMessages: async (_, messages) => putMessages(database, messages),
      putBlocks: async (_, blocks) => putBlocks(database, blocks),
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

  /** Checks only databases up to `maxBytes`, because SQLite's check cannot be interrupted. */
  async fault(maxBytes: number): Promise<string | null | undefined> {
    const [pages = 0] = await this.all("PRAGMA page_count", [], (row) => numberIn(row, "page_count"));
    const [bytes = 0] = await this.all("PRAGMA page_size", [], (row) => numberIn(row, "page_size"));
    if (pages * bytes > maxBytes) return null;
    const [report] = await this.all("PRAGMA quick_check(1)", [], (row) => textIn(row, "quick_check"));
    return report === "ok" ? undefined : report;
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
    return typeof value !== "object" || value === null ? value : JSON.stringify(value);
  });
}

/** `TRNS`, the application id in the header of our files. */
export const APPLICATION_ID = 0x54_52_4e_53;

const SQLITE: Omit<Dialect, "putMessages" | "putBlocks"> = {
  name: "sqlite",
  isOneOf: (column) => `${column} IN (SELECT value FROM json_each(?))`,
  tables: { messages: "message_rows", events: "event_rows", ofSession: `session = ${SESSION_NUMBER}` },
  lower: (column) => `lower(${column})`,
  lockRow: "",
  hasKeyword,
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
  notCurrent: (version, place) => (version === 0 ? noDatabase(place) : olderVersion(place)),
};

async function isOurs(session: SqlSession): Promise<boolean> {
  return (await pragma(session, "application_id")) === APPLICATION_ID;
}

async function pragma(session: SqlSession, name: string): Promise<number> {
  return (await session.all(`PRAGMA ${name}`, [], (row) => numberIn(row, name)))[0] ?? 0;
}

/**
 * FTS5 finds three or more characters by its index alone, and compares fewer with each text. A leading `+` disables the
 * lookup of each match in the table: the other columns are read from an index, which has no contents.
 */
function hasKeyword(folded: string): Condition {
  const isIndexed = Array.from(folded).length >= 3;
  const pattern = isIndexed ? `"${folded.replaceAll('"', '""')}"` : `*${folded.replaceAll(/[*?[]/g, "[$&]")}*`;
  const test = isIndexed ? "snippet_search MATCH ?" : "text GLOB ?";
  return { sql: `+position IN (SELECT rowid FROM snippet_search WHERE ${test})`, values: [pattern] };
}

function putMessages(database: SqliteDriver, messages: readonly StoredMessage[]): void {
  const put = database.prepare(PUT_MESSAGE);
  for (const message of messages) {
    if (put.run(...valuesOf(MESSAGES.write(message))) === 0) throw takenId("message_id");
  }
}

/**
 * Writes all rows before all of their texts: FTS5 flushes what it has gathered whenever a statement on another table
 * opens a savepoint, as an insert with `RETURNING` does.
 */
function putBlocks(database: SqliteDriver, blocks: readonly StoredBlock[]): void {
  const texts: { position: number; text: string }[] = [];
  const [find, put] = [database.prepare(FIND_BLOCK), database.prepare(PUT_BLOCK)];
  const forget = database.prepare("DELETE FROM event_search WHERE rowid = ?");
  for (const block of blocks) {
    const [known] = find.all(storableText(block.event_id));
    const [row] = put.all(...packedValues(block));
    if (row === undefined) throw takenId("event_id");
    const position = numberIn(row, "position");
    const now = searchTextIn(row);
    const before = known === undefined ? null : searchTextIn(known);
    if (now === before) continue;
    if (before !== null) forget.run(position);
    if (now !== null) texts.push({ position, text: now });
  }
  const add = database.prepare("INSERT INTO event_search (rowid, content) VALUES (?, ?)");
  for (const { position, text } of texts) add.run(position, text);
}

function packedValues(block: StoredBlock): DriverValue[] {
  const values = valuesOf(blockValues(block));
  const text = String(values[CONTENT_AT]);
  const packed = packedText(text);
  if (packed === undefined) return [...values, NOTHING_PACKED, 0];
  return [...values.with(CONTENT_AT, ""), packed, Buffer.byteLength(text)];
}

/** Returns null for a block that a search never returns. */
function searchTextIn(row: Row): string | null {
  const block = SEARCHED.read(row);
  return block.is_own ? null : searchText(searchedContent(block));
}
