import type { StoredEvent } from "../model.ts";
import { EVENT_COLUMNS, EVENT_FIELDS } from "../model-rows.ts";
import { searchText } from "../index-texts.ts";
import { numberIn, textIn, type Row } from "../row.ts";
import type { Condition, Dialect, SqlDatabase, SqlSession, SqlValue } from "../sql-database.ts";
import { storableText, storableTextOrNull } from "../storable.ts";
import { storableEvent } from "../stored-values.ts";
import type { CandidateQuery, Candidate, ToolNaming } from "../store.ts";
import { sqliteCandidates } from "./candidates.ts";
import type { SqliteDriver, SqlValue as DriverValue } from "./driver.ts";
import { asStoreError } from "./sqlite-faults.ts";

const ADD_EVENT = `INSERT INTO events (${EVENT_COLUMNS}) VALUES (${EVENT_FIELDS.map(() => "?").join(", ")}) RETURNING position`;

/**
 * One connection to a SQLite file. SQLite answers at once, but work in a transaction may wait between two statements:
 * whoever else uses the connection then has to wait for its end.
 */
export class SqliteDatabase implements SqlDatabase {
  readonly place: string;
  readonly dialect: Dialect;
  readonly #database: SqliteDriver;
  readonly #inside: SqlSession;
  #last: Promise<unknown> = Promise.resolve();

  /** On an open file, which is closed with this. */
  constructor(database: SqliteDriver, path: string) {
    this.#database = database;
    this.place = path;
    this.dialect = dialectOf(database);
    this.#inside = {
      dialect: this.dialect,
      all: (sql, values, read) => this.#now(() => rowsOf(database, sql, values).map(read)),
      run: (sql, values) => this.#now(() => database.prepare(sql).run(...valuesOf(values))),
    };
  }

  all<T>(sql: string, values: readonly SqlValue[], read: (row: Row) => T): Promise<T[]> {
    return this.#alone(() => this.#inside.all(sql, values, read));
  }

  run(sql: string, values: readonly SqlValue[]): Promise<number> {
    return this.#alone(() => this.#inside.run(sql, values));
  }

  /** Holds the right to write from its start on, so that nothing that it has read is old when it writes. */
  transaction<T>(work: (session: SqlSession) => Promise<T>): Promise<T> {
    return this.#alone(() => this.#between("BEGIN IMMEDIATE", work));
  }

  snapshot<T>(work: (session: SqlSession) => Promise<T>): Promise<T> {
    return this.#alone(() => this.#between("BEGIN", work));
  }

  /** The log still has what was removed. While somebody reads it stays, until the last one closes the database. */
  purge(): Promise<void> {
    return this.#alone(() => this.#now(() => void this.#database.prepare("PRAGMA wal_checkpoint(TRUNCATE)").all()));
  }

  /** SQLite cannot be stopped at it, so that its size decides. */
  async fault(maxBytes: number): Promise<string | null | undefined> {
    const [pages = 0] = await this.all("PRAGMA page_count", [], (row) => numberIn(row, "page_count"));
    const [bytes = 0] = await this.all("PRAGMA page_size", [], (row) => numberIn(row, "page_size"));
    if (pages * bytes > maxBytes) return null;
    // The first fault is enough.
    const [report] = await this.all("PRAGMA quick_check(1)", [], (row) => textIn(row, "quick_check"));
    return report === "ok" ? undefined : report;
  }

  close(): Promise<void> {
    return this.#alone(() => this.#now(() => this.#database.close()));
  }

  /** Runs work once all that came before it has ended. */
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
      // SQLite ended the transaction itself if this fails, as it does when the disk is full.
      await this.#now(() => this.#database.exec("ROLLBACK")).catch(() => undefined);
      throw asStoreError(error, this.place);
    }
  }
}

function rowsOf(database: SqliteDriver, sql: string, values: readonly SqlValue[]): Row[] {
  return database.prepare(sql).all(...valuesOf(values));
}

function valuesOf(values: readonly SqlValue[]): DriverValue[] {
  return values.map((value) => {
    if (typeof value === "boolean") return Number(value);
    return typeof value !== "object" || value === null || value instanceof Uint8Array ? value : JSON.stringify(value);
  });
}

function dialectOf(database: SqliteDriver): Dialect {
  return {
    name: "sqlite",
    isOneOf: (column) => `${column} IN (SELECT value FROM json_each(?))`,
    least: "min",
    greatest: "max",
    lockRow: "",
    hasKeyword,
    hasTag: (tag) => ({
      sql: "EXISTS (SELECT 1 FROM json_each(tags) AS tag WHERE tag.type = 'text' AND tag.value = ?)",
      values: [tag],
    }),
    addEvents: async (_, events) => addEvents(database, events),
    nameTools: async (_, namings) => {
      for (const naming of namings) nameTool(database, naming);
    },
    candidates: async function* (session, query: CandidateQuery): AsyncGenerator<Candidate[]> {
      yield* sqliteCandidates(session, query);
    },
  };
}

/** FTS5 looks up patterns of three characters and more in its index, and compares shorter ones with each text. */
function hasKeyword(folded: string): Condition {
  const pattern = `*${folded.replaceAll(/[*?[]/g, "[$&]")}*`;
  return { sql: "position IN (SELECT rowid FROM snippet_search WHERE text GLOB ?)", values: [pattern] };
}

/**
 * First all events and then all of their texts: FTS5 writes what it has gathered whenever a statement on another table
 * sets a savepoint, as an insert with `RETURNING` does.
 */
function addEvents(database: SqliteDriver, events: readonly StoredEvent[]): void {
  const found: { position: number; content: string }[] = [];
  const insert = database.prepare(ADD_EVENT);
  for (const each of events) {
    const event = storableEvent(each);
    const [row = {}] = insert.all(...valuesOf(EVENT_FIELDS.map((column) => event[column])));
    if (!event.is_own) found.push({ position: numberIn(row, "position"), content: event.content });
  }
  for (const { position, content } of found) addToSearch(database, position, content);
}

function addToSearch(database: SqliteDriver, position: number, content: string): void {
  database.prepare("INSERT INTO event_search (rowid, content) VALUES (?, ?)").run(position, searchText(content));
}

function nameTool(database: SqliteDriver, { event_id, tool_name, is_own }: ToolNaming): void {
  const id = storableText(event_id);
  const event = database.prepare("SELECT position, is_own FROM events WHERE event_id = ?").get(id);
  if (event === undefined) return;
  const position = numberIn(event, "position");
  const wasOwn = event["is_own"] === 1;
  if (is_own && !wasOwn) database.prepare("DELETE FROM event_search WHERE rowid = ?").run(position);
  if (!is_own && wasOwn) {
    const row = database.prepare("SELECT content FROM events WHERE position = ?").get(position) ?? {};
    addToSearch(database, position, textIn(row, "content"));
  }
  const update = database.prepare("UPDATE events SET tool_name = ?, is_own = ? WHERE position = ?");
  update.run(storableTextOrNull(tool_name), Number(is_own), position);
}
