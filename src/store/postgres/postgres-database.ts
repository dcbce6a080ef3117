/** A PostgreSQL database. The only file that loads `pg`. */
import type { CustomTypesConfig, PoolClient, types as PgTypes } from "pg";
import { foldText } from "../../matching/folding.ts";
import { candidatesAt, filterOf, groupsOf, placeColumns, placeIn } from "../candidate-pages.ts";
import { MESSAGES, numberIn, WRITTEN_BLOCKS, type Row, type RowNumbers, type TableColumns } from "../columns.ts";
import { foldedColumn, searchedContent } from "../index-texts.ts";
import type { SqlValue } from "../column-types.ts";
import {
  allOf,
  batches,
  SCHEMA_VERSION,
  upsert,
  type Condition,
  type Dialect,
  type SqlDatabase,
  type SqlSession,
  type BlocksOfSession,
} from "../sql-database.ts";
import { storableText } from "../storable.ts";
import type { Candidate, CandidateQuery } from "../store.ts";
import { isPostgresAddress, withoutPassword } from "../store-place.ts";
import type { StoredBlock, StoredMessage } from "../stored-model.ts";
import { TYPES } from "../column-types.ts";
import { asStoreError } from "./postgres-faults.ts";
import { TranscriptsError } from "../../transcripts-error.ts";

/** One of our programs does one thing at a time, and a shared server serves many of them. */
const MAX_CONNECTIONS = 4;
const CONNECT_MS = 10_000;
/** Maximum wait for another writer of the same rows, in milliseconds. */
const LOCK_MS = 10_000;

/**
 * Connects on the first statement, and does not touch the tables. Throws a `TranscriptsError` if the URL is not a
 * PostgreSQL address.
 */
export async function openPostgres(url: string, { readOnly }: { readOnly: boolean }): Promise<SqlDatabase> {
  checkAddress(url);
  const { default: pg } = await import("pg");
  const settings = settingsFor(readOnly);
  const pool = new pg.Pool({
    connectionString: url,
    max: MAX_CONNECTIONS,
    connectionTimeoutMillis: CONNECT_MS,
    allowExitOnIdle: true,
    application_name: "opencode-transcripts",
    types: rowTypes(pg.types),
    // Runs before the connection is handed out; if it fails, so does the statement that asked for it. The pool awaits
    // the promise, although its types do not say so.
    // oxlint-disable-next-line typescript/no-misused-promises
    onConnect: async (client) => void (await client.query(settings)),
  });
  // An idle connection broke: the next statement gets another one, or fails itself.
  pool.on("error", () => undefined);
  const place = withoutPassword(url);
  const between = <T>(begin: string, work: (session: SqlSession) => Promise<T>): Promise<T> =>
    guarded(place, async () => inTransaction(await pool.connect(), { begin, place }, work));
  return {
    ...sessionOn(pool, place),
    place,
    transaction: (work) => between("BEGIN", work),
    snapshot: (work) => between("BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY", work),
    // The server manages its own log.
    purge: async () => undefined,
    close: () => guarded(place, () => pool.end()),
  };
}

/** The driver's error for an invalid address contains the whole address, including the password. */
function checkAddress(url: string): void {
  if (isPostgresAddress(url)) return;
  throw new TranscriptsError(
    "unavailable",
    "TRANSCRIPTS_DATABASE_URL is not the address of a PostgreSQL database.",
    "Write it as postgres://user:password@host:5432/database, with special characters in the password URL-encoded (`@` as %40).",
  );
}

function settingsFor(readOnly: boolean): string {
  const common = `SET lock_timeout = ${LOCK_MS}; SET datestyle = 'ISO'; SET timezone = 'UTC'`;
  return readOnly ? `${common}; SET default_transaction_read_only = on` : common;
}

async function inTransaction<T>(
  client: PoolClient,
  { begin, place }: { begin: string; place: string },
  work: (session: SqlSession) => Promise<T>,
): Promise<T> {
  let broken = false;
  try {
    await client.query(begin);
    const result = await work(sessionOn(client, place));
    await client.query("COMMIT");
    return result;
  } catch (error) {
    broken = !(await rolledBack(client));
    throw error;
  } finally {
    // A connection whose rollback failed is closed, not reused.
    client.release(broken);
  }
}

async function rolledBack(client: PoolClient): Promise<boolean> {
  try {
    await client.query("ROLLBACK");
    return true;
  } catch {
    // The connection is gone, and its transaction with it. Report the original error.
    return false;
  }
}

function sessionOn(client: Pick<PoolClient, "query">, place: string): SqlSession {
  const query = (sql: string, values: readonly SqlValue[]) => client.query<Row>(numbered(sql), [...values]);
  return {
    dialect: POSTGRES,
    all: (sql, values, read) => guarded(place, async () => (await query(sql, values)).rows.map(read)),
    run: (sql, values) => guarded(place, async () => (await query(sql, values)).rowCount ?? 0),
    exec: (sql) => guarded(place, async () => void (await client.query(sql))),
  };
}

/** Returns the statement with `$1`, `$2` and so on in place of each `?`. */
function numbered(sql: string): string {
  let count = 0;
  return sql.replaceAll("?", () => `$${(count += 1)}`);
}

async function guarded<T>(place: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw asStoreError(error, place);
  }
}

/** Returns values in the same types as SQLite: integers as numbers, times as ISO 8601, JSON as text. */
function rowTypes({ builtins, getTypeParser }: typeof PgTypes): CustomTypesConfig {
  const own = new Map<number, (text: string) => unknown>([
    [builtins.INT8, Number],
    [builtins.TIMESTAMPTZ, isoTime],
    [builtins.JSONB, (text) => text],
  ]);
  return { getTypeParser: (type, format): unknown => own.get(type) ?? getTypeParser(type, format) };
}

/** Parses PostgreSQL's format, such as `2026-01-31 12:00:00.5+00`. */
function isoTime(text: string): string {
  return new Date(text.replace(" ", "T").replace(/([+-]\d\d)$/, "$1:00")).toISOString();
}

/** `foldText` of the content, as in the index `idx_events_search`. */
const FOLDED = `(coalesce(folded, lower(content COLLATE "C")))`;

const POSTGRES: Dialect = {
  name: "postgres",
  isOneOf: (column) => `${column} = ANY(?)`,
  lower: (column) => `lower(${column} COLLATE "C")`,
  rowsAtOnce: 200,
  lockRow: " FOR NO KEY UPDATE",
  hasTag: (tag) => ({ sql: "tags @> ?::jsonb", values: [JSON.stringify([tag])] }),
  putMessages,
  putBlocks,
  candidates: postgresCandidates,
  version: async (session) => {
    // `to_regclass` may give what the connection found before another program made the tables.
    const made = "SELECT 1 FROM pg_class WHERE relname = 'transcripts_schema' AND pg_table_is_visible(oid)";
    if ((await session.all(made, [], () => true)).length === 0) return 0;
    const [version = 0] = await session.all("SELECT version FROM transcripts_schema", [], (row) =>
      numberIn(row, "version"),
    );
    return version;
  },
  notCurrent: (version, place) =>
    version === 0
      ? new TranscriptsError(
          "unavailable",
          `The database ${place} has no sessions yet.`,
          "Run `transcripts push` to copy those of this machine there.",
        )
      : new TranscriptsError(
          "unavailable",
          `The tables in the database ${place} were created by another version of this program (${version}; this one uses ${SCHEMA_VERSION}).`,
          "Use the same version on all machines, or name another database in TRANSCRIPTS_DATABASE_URL.",
        ),
};

/** Size of one request: large enough that the round trip does not matter. */
const REQUEST = { items: 2_000, size: 4_000_000 };

/** Returns a statement that inserts or updates the rows in a JSON list. */
function put(rows: TableColumns, key: string, more: readonly string[] = []): string {
  const columns = [...rows.columns, ...more];
  const types = [...rows.types(TYPES.postgres), ...more.map(() => "TEXT")];
  const source = `SELECT ${columns.map((name) => `new.${name}`).join(", ")}
    FROM jsonb_to_recordset(?::jsonb) AS new (${columns.map((name, at) => `${name} ${types[at]}`).join(", ")})`;
  return upsert({ ...rows, columns }, key, source);
}

const PUT_MESSAGES = put(MESSAGES, "message_id");
const PUT_BLOCKS = put(WRITTEN_BLOCKS, "event_id", ["folded"]);

async function putMessages(
  session: SqlSession,
  messages: readonly StoredMessage[],
  numbers: RowNumbers,
): Promise<void> {
  for (const chunk of batches(messages, () => 0, REQUEST)) {
    const rows = chunk.map((message) => MESSAGES.write(message, numbers));
    await session.run(PUT_MESSAGES, [recordsOf(MESSAGES.columns, rows)]);
  }
}

async function putBlocks(session: SqlSession, parts: readonly BlocksOfSession[]): Promise<void> {
  for (const { blocks, numbers } of parts) {
    for (const chunk of batches(blocks, ({ content }) => content.length, REQUEST)) {
      const rows = chunk.map((block) => [...WRITTEN_BLOCKS.write(block, numbers), foldedIn(block)]);
      await session.run(PUT_BLOCKS, [recordsOf([...WRITTEN_BLOCKS.columns, "folded"], rows)]);
    }
  }
}

/** Returns null if a search needs only the lower-cased content, or if there is nothing to find. */
function foldedIn(block: StoredBlock): string | null {
  if (block.is_own) return null;
  const text = searchedContent(block);
  return text === block.content ? foldedColumn(text) : foldText(text);
}

/** Returns rows as JSON for `jsonb_to_recordset`. */
function recordsOf(columns: readonly string[], rows: readonly (readonly SqlValue[])[]): string {
  return JSON.stringify(rows.map((row) => Object.fromEntries(columns.map((column, at) => [column, row[at]]))));
}

/**
 * Finds events by comparing folded texts. If the extension `pg_trgm` is installed, an index on the same expression
 * limits how many are read; without it, and for one- and two-letter terms, all are.
 */
function postgresCandidates(session: SqlSession, query: CandidateQuery): AsyncIterable<Candidate[]> {
  const { sql, values } = allOf([termsOf(query), filterOf(query, session.dialect)]);
  const places = `SELECT ${placeColumns("octet_length(content)")} FROM events WHERE position < ? AND ${sql} ORDER BY position DESC LIMIT ?`;
  return candidatesAt(session, query, ({ before, limit }) => session.all(places, [before, ...values, limit], placeIn));
}

function termsOf(query: CandidateQuery): Condition {
  const groups = groupsOf(query);
  return {
    sql: groups.map((group) => `(${group.map(() => `${FOLDED} LIKE ?`).join(" AND ")})`).join(" OR "),
    values: groups.flat().map((term) => likePattern(foldText(storableText(term)))),
  };
}

/** Returns a LIKE pattern that matches the folded term anywhere, with its wildcards escaped. */
function likePattern(term: string): string {
  return `%${term.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`;
}
