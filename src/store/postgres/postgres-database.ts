import { foldText } from "../../matching/folding.ts";
import { foldedColumn, POSTGRES_SNIPPET_TEXT, searchedContent } from "../index-texts.ts";
import type { StoredBlock, StoredMessage } from "../stored-model.ts";
import { blockValues, messageValues, WRITTEN_BLOCK, WRITTEN_MESSAGE, type Row } from "../columns.ts";
import { takenId, upsert, type Dialect, type SqlDatabase, type SqlSession, type SqlValue } from "../sql-database.ts";
import { likePattern, postgresCandidates } from "./postgres-candidates.ts";
import type { PostgresPool, PostgresSession } from "./pool.ts";
import { asStoreError } from "./postgres-faults.ts";

/** Size of one request: large enough that the round trip does not matter. */
const MAX_ROWS = 2_000;
const MAX_CHARS = 4_000_000;

const rowsOf = (table: string, columns: readonly string[]): string =>
  `SELECT ${columns.join(", ")} FROM jsonb_populate_recordset(NULL::${table}, $1::jsonb)`;
const PUT_MESSAGES = upsert("messages", "message_id", WRITTEN_MESSAGE, rowsOf("messages", WRITTEN_MESSAGE));
const BLOCK_AND_FOLDED = [...WRITTEN_BLOCK, "folded"];
/** `folded` always belongs to the new content, even if it is null. */
const PUT_BLOCKS = upsert("events", "event_id", BLOCK_AND_FOLDED, rowsOf("events", BLOCK_AND_FOLDED)).replace(
  "coalesce(excluded.folded, events.folded)",
  "excluded.folded",
);

const DIALECT = {
  name: "postgres",
  isOneOf: (column) => `${column} = ANY(?)`,
  lower: (column) => `lower(${column} COLLATE "C")`,
  lockRow: " FOR NO KEY UPDATE",
  hasKeyword: (folded) => ({ sql: `${POSTGRES_SNIPPET_TEXT} LIKE ?`, values: [likePattern(folded)] }),
  hasTag: (tag) => ({ sql: "tags @> ?::jsonb", values: [JSON.stringify([tag])] }),
} as const satisfies Partial<Dialect>;

export class PostgresDatabase implements SqlDatabase {
  readonly place: string;
  readonly dialect: Dialect;
  readonly #pool: PostgresPool;
  readonly #any: SqlSession;

  /** Takes ownership of the pool. `place` is its address without the password. */
  constructor(pool: PostgresPool, place: string) {
    this.#pool = pool;
    this.place = place;
    this.#any = this.#sessionOn(pool);
    this.dialect = this.#any.dialect;
  }

  all<T>(sql: string, values: readonly SqlValue[], read: (row: Row) => T): Promise<T[]> {
    return this.#any.all(sql, values, read);
  }

  run(sql: string, values: readonly SqlValue[]): Promise<number> {
    return this.#any.run(sql, values);
  }

  transaction<T>(work: (session: SqlSession) => Promise<T>): Promise<T> {
    return this.#guarded(() => this.#pool.transaction((session) => work(this.#sessionOn(session))));
  }

  snapshot<T>(work: (session: SqlSession) => Promise<T>): Promise<T> {
    return this.#guarded(() => this.#pool.transaction((session) => work(this.#sessionOn(session)), "snapshot"));
  }

  /** Does nothing: the server manages its own log. */
  async purge(): Promise<void> {
    await Promise.resolve();
  }

  fault(): Promise<null> {
    return Promise.resolve(null);
  }

  close(): Promise<void> {
    return this.#guarded(() => this.#pool.close());
  }

  #sessionOn(connection: PostgresSession): SqlSession {
    return {
      dialect: {
        ...DIALECT,
        putMessages: (_, messages) => this.#guarded(() => putMessages(connection, messages)),
        putBlocks: (_, blocks) => this.#guarded(() => putBlocks(connection, blocks)),
        candidates: (session, query) => postgresCandidates(session, query),
      },
      all: (sql, values, read) => this.#guarded(async () => (await connection.rows(numbered(sql), values)).map(read)),
      run: (sql, values) => this.#guarded(() => connection.changes(numbered(sql), values)),
    };
  }

  async #guarded<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      throw asStoreError(error, this.place);
    }
  }
}

/** Returns the statement with `$1`, `$2` and so on in place of each `?`. */
function numbered(sql: string): string {
  let count = 0;
  return sql.replaceAll("?", () => `$${(count += 1)}`);
}

async function putMessages(connection: PostgresSession, messages: readonly StoredMessage[]): Promise<void> {
  for (const chunk of chunks(messages, () => 0)) {
    const records = recordsOf(WRITTEN_MESSAGE, chunk.map(messageValues));
    if ((await connection.changes(PUT_MESSAGES, [records])) < chunk.length) throw takenId("message_id");
  }
}

async function putBlocks(connection: PostgresSession, blocks: readonly StoredBlock[]): Promise<void> {
  for (const chunk of chunks(blocks, ({ content }) => content.length)) {
    const rows = chunk.map((block) => [...blockValues(block), foldedIn(block)]);
    const records = recordsOf(BLOCK_AND_FOLDED, rows);
    if ((await connection.changes(PUT_BLOCKS, [records])) < chunk.length) throw takenId("event_id");
  }
}

/** Returns null if a search needs only the lower-cased content, or if there is nothing to find. */
function foldedIn(block: StoredBlock): string | null {
  if (block.is_own) return null;
  const text = searchedContent(block);
  return text === block.content ? foldedColumn(text) : foldText(text);
}

/** Returns rows as JSON for `jsonb_populate_recordset`. */
function recordsOf(columns: readonly string[], rows: readonly (readonly SqlValue[])[]): string {
  return JSON.stringify(rows.map((row) => Object.fromEntries(columns.map((column, at) => [column, row[at]]))));
}

function* chunks<T>(items: readonly T[], charsOf: (item: T) => number): Generator<T[], void, undefined> {
  let chunk: T[] = [];
  let chars = 0;
  for (const item of items) {
    chunk.push(item);
    chars += charsOf(item);
    if (chunk.length < MAX_ROWS && chars < MAX_CHARS) continue;
    yield chunk;
    chunk = [];
    chars = 0;
  }
  if (chunk.length > 0) yield chunk;
}
