import { foldedColumn, POSTGRES_SNIPPET_TEXT } from "../index-texts.ts";
import type { StoredEvent } from "../model.ts";
import { EVENT_COLUMNS, EVENT_FIELDS } from "../model-rows.ts";
import { textIn, type Row } from "../row.ts";
import type { Dialect, SqlDatabase, SqlSession, SqlValue } from "../sql-database.ts";
import { storableText, storableTextOrNull } from "../storable.ts";
import { storableEvent } from "../stored-values.ts";
import type { ToolNaming } from "../store.ts";
import { likePattern, postgresCandidates } from "./candidates.ts";
import type { PostgresPool, PostgresSession } from "./pool.ts";
import { asStoreError } from "./postgres-faults.ts";

/** What goes to the server at once: enough that the way there and back does not count. */
const MAX_ROWS = 2_000;
const MAX_CHARS = 4_000_000;

const TYPES: Readonly<Record<(typeof EVENT_FIELDS)[number], string>> = {
  ...({ event_id: "text", session_id: "text", ordinal: "bigint", line_number: "bigint" } as const),
  ...({ byte_offset: "bigint", occurred_at: "timestamptz", message_type: "text", role: "text" } as const),
  ...({ block_type: "text", tool_name: "text", tool_use_id: "text", status: "text" } as const),
  ...({ is_sidechain: "boolean", is_own: "boolean", content: "text" } as const),
};
const ARRAYS = [...EVENT_FIELDS.map((field) => TYPES[field]), "text"].map((type, at) => `$${at + 1}::${type}[]`);
const INSERT = `INSERT INTO events (${EVENT_COLUMNS}, folded) SELECT * FROM unnest(${ARRAYS.join(", ")})`;

const DIALECT = {
  name: "postgres",
  isOneOf: (column) => `${column} = ANY(?)`,
  least: "least",
  greatest: "greatest",
  lockRow: " FOR NO KEY UPDATE",
  hasKeyword: (folded) => ({ sql: `${POSTGRES_SNIPPET_TEXT} LIKE ?`, values: [likePattern(folded)] }),
  hasTag: (tag) => ({ sql: "tags @> ?::jsonb", values: [JSON.stringify([tag])] }),
} as const satisfies Partial<Dialect>;

export class PostgresDatabase implements SqlDatabase {
  readonly place: string;
  readonly dialect: Dialect;
  readonly #pool: PostgresPool;
  readonly #any: SqlSession;

  /** The pool is closed with this. `place`: its address without the password. */
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

  /** The server looks after its own log. */
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
        addEvents: (_, events) => this.#guarded(() => addEvents(connection, events)),
        nameTools: (_, namings) => this.#guarded(() => nameTools(connection, namings)),
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

/** The statement with `$1`, `$2` and so on in place of each `?`. */
function numbered(sql: string): string {
  let count = 0;
  return sql.replaceAll("?", () => `$${(count += 1)}`);
}

async function addEvents(connection: PostgresSession, events: readonly StoredEvent[]): Promise<void> {
  for (const chunk of chunks(events)) {
    const columns = EVENT_FIELDS.map((field) => chunk.map((event) => event[field]));
    const folded = chunk.map((event) => (event.is_own ? null : foldedColumn(event.content)));
    await connection.rows(INSERT, [...columns, folded]);
  }
}

function* chunks(events: readonly StoredEvent[]): Generator<StoredEvent[], void, undefined> {
  let chunk: StoredEvent[] = [];
  let chars = 0;
  for (const event of events) {
    chunk.push(storableEvent(event));
    chars += event.content.length;
    if (chunk.length < MAX_ROWS && chars < MAX_CHARS) continue;
    yield chunk;
    chunk = [];
    chars = 0;
  }
  if (chunk.length > 0) yield chunk;
}

async function nameTools(connection: PostgresSession, namings: readonly ToolNaming[]): Promise<void> {
  if (namings.length === 0) return;
  const ids = namings.map((naming) => storableText(naming.event_id));
  const names = namings.map((naming) => storableTextOrNull(naming.tool_name));
  const own = namings.map((naming) => naming.is_own);
  await refold(connection, ids, own);
  await connection.rows(
    `UPDATE events SET tool_name = new.tool_name, is_own = new.is_own
     FROM unnest($1::text[], $2::text[], $3::boolean[]) AS new (event_id, tool_name, is_own)
     WHERE events.event_id = new.event_id`,
    [ids, names, own],
  );
}

/** Own events are not folded, as nobody looks for them: those that turn out not to be own are folded now. */
async function refold(connection: PostgresSession, ids: readonly string[], own: readonly boolean[]): Promise<void> {
  const notOwn = ids.filter((_, at) => own[at] === false);
  if (notOwn.length === 0) return;
  const rows = await connection.rows(
    "SELECT event_id, content FROM events WHERE event_id = ANY ($1::text[]) AND is_own",
    [notOwn],
  );
  for (const row of rows) {
    const folded = foldedColumn(textIn(row, "content"));
    await connection.rows("UPDATE events SET folded = $2 WHERE event_id = $1", [textIn(row, "event_id"), folded]);
  }
}
