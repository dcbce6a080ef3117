/**
 * The tables. Their columns are declared beside their codecs (`columns.ts`), and are the same in SQLite and PostgreSQL:
 * rows refer to their session and message by number, and a long text may be stored deflated. Only the search index over
 * `events` differs. Each unique key begins with the session, so that a distributed database can divide the rows by it.
 */
import {
  HAS_TITLE,
  IS_FAILURE,
  LABELS,
  MESSAGES,
  SESSION_MARKS,
  SESSIONS,
  SNIPPETS,
  textIn,
  TOMBSTONES,
  TOUCHED_FILES,
  WRITTEN_BLOCKS,
  type TableColumns,
} from "./columns.ts";
import { TYPES, type Types } from "./column-types.ts";
import { sqlState } from "./postgres/postgres-faults.ts";
import { SCHEMA_VERSION, type SqlDatabase } from "./sql-database.ts";
import { APPLICATION_ID } from "./sqlite/sqlite-database.ts";
import { TranscriptsError } from "../transcripts-error.ts";

/**
 * Statements that bring the tables to a version from the one before, in both databases. Empty until a version has been
 * released.
 */
const STEPS: ReadonlyMap<number, Readonly<Record<Types["name"], string>>> = new Map();

function tables(types: Types): string {
  const table = (
    { table: name, definitions }: Pick<TableColumns, "table" | "definitions">,
    columns: readonly string[] = [],
    keys: readonly string[] = [],
  ): string =>
    `CREATE TABLE ${types.ifMissing} ${name} (\n  ${[...columns, ...definitions(types), ...keys].join(",\n  ")}\n)${
      types.name === "sqlite" ? " STRICT" : ""
    };`;
  const position = [`position ${types.rowNumber}`];
  return `
${table(SESSIONS, [`number ${types.number}`])}
CREATE INDEX ${types.ifMissing} idx_sessions_titles ON sessions (session_id) WHERE ${HAS_TITLE};

${table(MESSAGES, [`number ${types.rowNumber}`], [...types.rowKey("session", "number"), "UNIQUE (session, message_id)"])}
CREATE INDEX ${types.ifMissing} idx_messages_session ON messages (session, ordinal);

${table(WRITTEN_BLOCKS, position, [...types.rowKey("session", "position"), "UNIQUE (session, event_id)"])}
CREATE INDEX ${types.ifMissing} idx_events_session ON events (session, ordinal, line_number, superseded);
CREATE INDEX ${types.ifMissing} idx_events_signature ON events (signature, session, occurred_at) WHERE ${IS_FAILURE};

${table(TOUCHED_FILES, [], ["UNIQUE (session, event_id, path)"])}
CREATE INDEX ${types.ifMissing} idx_touched_files_name ON touched_files (name);

${table(
  SNIPPETS,
  // A foreign key of several columns sets all of them to null, so the event's session has a column of its own.
  [...position, `event_session ${types.integer} CHECK ((event_session IS NULL) = (event_id IS NULL))`],
  [
    ...types.rowKey("session_id", "position"),
    "UNIQUE (session_id, snippet_id)",
    "FOREIGN KEY (event_session, event_id) REFERENCES events (session, event_id) ON DELETE SET NULL",
  ],
)}
CREATE INDEX ${types.ifMissing} idx_snippets_id ON conversation_snippets (snippet_id);
CREATE INDEX ${types.ifMissing} idx_snippets_instance_type ON conversation_snippets (session_id, snippet_type);
CREATE INDEX ${types.ifMissing} idx_snippets_type_created ON conversation_snippets (snippet_type, created_at DESC, snippet_id);
CREATE INDEX ${types.ifMissing} idx_snippets_created ON conversation_snippets (created_at DESC, snippet_id);
CREATE INDEX ${types.ifMissing} idx_snippets_event ON conversation_snippets (event_session, event_id) WHERE event_id IS NOT NULL;

${table(LABELS)}

${table(TOMBSTONES, [`forgotten_at ${types.time} NOT NULL`])}
CREATE UNIQUE INDEX ${types.ifMissing} idx_forgotten_sessions ON forgotten_sessions (session_id, place);
`;
}

function versionOf(name: Types["name"]): string {
  return name === "sqlite"
    ? `PRAGMA user_version = ${SCHEMA_VERSION}; PRAGMA application_id = ${APPLICATION_ID};`
    : `DELETE FROM transcripts_schema; INSERT INTO transcripts_schema (version) VALUES (${SCHEMA_VERSION});`;
}

/** Leaves out `event_id`: a snippet is unchanged when the event that it cites is removed. */
const SNIPPET_CONTENT =
  "session_id, snippet_type, title, content, source_file, source_line_start, source_line_end, tags, metadata";

/**
 * The rows of `sessions` are large, so what each question reads of all of them is in indexes: what tells whether a session
 * changed, and the order and filters of a list. The search index stores neither texts nor positions of trigrams. It has `searchText` of
 * the events that a search may find.
 */
const SQLITE_ONLY = `
CREATE INDEX IF NOT EXISTS idx_sessions_marks ON sessions (${SESSION_MARKS.columns});
CREATE INDEX IF NOT EXISTS idx_sessions_ended ON sessions (ended_at DESC, session_id, started_at, project, agent,
  parent_id, agent_id, rules, is_conversation, failed_calls, damaged);
CREATE VIRTUAL TABLE IF NOT EXISTS event_search USING fts5 (
  content, content = '', contentless_delete = 1, detail = none, tokenize = 'trigram case_sensitive 1'
);
CREATE TRIGGER IF NOT EXISTS trg_events_search_delete AFTER DELETE ON events WHEN OLD.is_own = 0
BEGIN
  DELETE FROM event_search WHERE rowid = OLD.position;
END;
CREATE TRIGGER IF NOT EXISTS trg_snippets_updated AFTER UPDATE OF ${SNIPPET_CONTENT} ON conversation_snippets
BEGIN
  UPDATE conversation_snippets SET updated_at = ${TYPES.sqlite.now} WHERE position = NEW.position;
END;
${versionOf("sqlite")}`;

/** `folded` is the text that a search compares where it is more than the lower-cased content. */
const POSTGRES_ONLY = `
ALTER TABLE events ADD COLUMN folded TEXT;
CREATE INDEX idx_events_position ON events (position);
CREATE FUNCTION conversation_snippets_touch() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.updated_at = clock_timestamp();
  RETURN NEW;
END;
$$;
CREATE TRIGGER trg_snippets_updated BEFORE UPDATE OF ${SNIPPET_CONTENT} ON conversation_snippets
FOR EACH ROW EXECUTE FUNCTION conversation_snippets_touch();
CREATE TABLE transcripts_schema (version INTEGER PRIMARY KEY);
${versionOf("postgres")}`;

/** Without the right to add the extension, a search reads every text. */
const POSTGRES_INDEX = `
CREATE EXTENSION IF NOT EXISTS pg_trgm;
CREATE INDEX idx_events_search ON events
USING gin ((coalesce(folded, lower(content COLLATE "C"))) gin_trgm_ops) WHERE NOT is_own;
`;

/** SQLSTATEs for an extension that we may not add, that the server lacks, or that is not visible from our schema. */
const NOT_TO_BE_HAD = new Set(["42501", "58P01", "0A000", "42704", "3F000"]);

/** Creates the tables. Several programs may do this at once. */
export async function createTables(database: SqlDatabase): Promise<void> {
  if (database.dialect.name === "sqlite") {
    // One call: a transaction that waits in between would block another connection of this thread.
    await database.exec(`BEGIN IMMEDIATE; ${tables(TYPES.sqlite)} ${SQLITE_ONLY} COMMIT;`);
    return;
  }
  await checkEncoding(database);
  await database.transaction(async (session) => {
    // One program at a time. The number of the lock is specific to this one: `TRNS` twice.
    await session.exec("SELECT pg_advisory_xact_lock(6075994838437842515)");
    if ((await session.dialect.version(session, database.place)) !== 0) return;
    await session.exec(tables(TYPES.postgres) + POSTGRES_ONLY);
    await session.exec("SAVEPOINT search");
    try {
      await session.exec(POSTGRES_INDEX);
    } catch (error) {
      if (!NOT_TO_BE_HAD.has(sqlState(error) ?? "")) throw error;
      await session.exec("ROLLBACK TO SAVEPOINT search");
    }
  });
}

/** Brings tables of an earlier version forward. Returns false if there is no way from it. */
export async function bringForward(database: SqlDatabase, from: number): Promise<boolean> {
  const { name } = database.dialect;
  const statements: string[] = [];
  for (let version = from + 1; version <= SCHEMA_VERSION; version += 1) {
    const step = STEPS.get(version);
    if (step === undefined) return false;
    statements.push(step[name]);
  }
  if (statements.length === 0) return false;
  await database.exec(`BEGIN; ${statements.join("")} ${versionOf(name)} COMMIT;`);
  return true;
}

async function checkEncoding(database: SqlDatabase): Promise<void> {
  const [encoding = ""] = await database.all("SHOW server_encoding", [], (row) => textIn(row, "server_encoding"));
  if (encoding === "UTF8") return;
  throw new TranscriptsError(
    "unavailable",
    `The database ${database.place} has the encoding ${encoding}, which lacks many characters.`,
    "Create one with `createdb --encoding=UTF8 --template=template0`.",
  );
}
