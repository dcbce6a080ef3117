/**
 * SQLite: rows of messages and events refer to their session and message by number. The ids, in every row and in up to
 * three indexes, took a tenth of the store. The views `messages` and `events` have the columns that the tables had. The
 * text of an event is its last column, so the others can be read without it.
 *
 * PostgreSQL stays unchanged: many machines write rows at the same time there, and a server has the space.
 */
import type { Migration } from "./migration.ts";

const SESSION = `
  source TEXT NOT NULL, host TEXT NOT NULL, path TEXT NOT NULL, project TEXT, project_name TEXT, parent_id TEXT,
  agent_id TEXT, title TEXT, started_at TEXT, modified_at TEXT, revision INTEGER NOT NULL DEFAULT 0,
  rules INTEGER NOT NULL DEFAULT 0, source_bytes INTEGER NOT NULL DEFAULT 0,
  source_modified_ms REAL NOT NULL DEFAULT 0, done_bytes INTEGER NOT NULL DEFAULT 0,
  done_lines INTEGER NOT NULL DEFAULT 0, event_count INTEGER NOT NULL DEFAULT 0,
  source_check TEXT NOT NULL DEFAULT '', agent TEXT NOT NULL DEFAULT '', machine_id TEXT, given_title TEXT,
  title_is_message INTEGER NOT NULL DEFAULT 0, title_line INTEGER NOT NULL DEFAULT 0,
  title_offset INTEGER NOT NULL DEFAULT 0, first_prompt TEXT, cwd TEXT, git_branch TEXT, agent_version TEXT,
  ended_at TEXT, damaged INTEGER NOT NULL DEFAULT 0, unknown_lines INTEGER NOT NULL DEFAULT 0,
  redactions TEXT NOT NULL DEFAULT '{}', figures_mark TEXT NOT NULL DEFAULT ''`;

const MESSAGE = `
  ordinal INTEGER NOT NULL, line_number INTEGER NOT NULL, byte_offset INTEGER NOT NULL,
  message_type TEXT NOT NULL, role TEXT, user_kind TEXT, source_id TEXT, uuid TEXT, parent_uuid TEXT,
  request_id TEXT, model TEXT, provider TEXT, occurred_at TEXT, cwd TEXT, tokens_in INTEGER, tokens_out INTEGER,
  cache_read INTEGER, cache_write INTEGER, recorded_cost_usd REAL, usage_calls TEXT, has_text INTEGER NOT NULL,
  has_thinking INTEGER NOT NULL, has_tool_use INTEGER NOT NULL, has_tool_result INTEGER NOT NULL,
  is_sidechain INTEGER NOT NULL, agent_id TEXT, record_hash INTEGER, metadata TEXT NOT NULL DEFAULT '{}',
  superseded INTEGER NOT NULL, block_counts TEXT NOT NULL DEFAULT '[]'`;

/** Columns before and after `content` in version 10. */
const EVENT_START = `
  ordinal INTEGER NOT NULL, line_number INTEGER NOT NULL, byte_offset INTEGER NOT NULL, occurred_at TEXT,
  message_type TEXT NOT NULL, role TEXT NOT NULL, block_type TEXT NOT NULL, tool_name TEXT, tool_use_id TEXT,
  status TEXT, is_sidechain INTEGER NOT NULL, is_own INTEGER NOT NULL`;
const EVENT_END = `
  block_order INTEGER NOT NULL DEFAULT 0, source_uuid TEXT, is_error INTEGER, exit_code INTEGER,
  metadata TEXT NOT NULL DEFAULT '{}', kept TEXT NOT NULL DEFAULT 'text', answers_uuid TEXT, identity TEXT,
  record_hash INTEGER, signature TEXT`;
const CONTENT = "content TEXT NOT NULL";
const SUPERSEDED = "superseded INTEGER NOT NULL DEFAULT 0";
const EVENT = [EVENT_START, EVENT_END, SUPERSEDED, CONTENT].join(", ");

/** Returns the names in a list of columns, each prefixed with the table's name if given. */
const names = (columns: string, table?: string): string =>
  Array.from(columns.matchAll(/(?<=^|,)\s*(\w+)/g), ([, name]) =>
    table === undefined ? name : `${table}.${name}`,
  ).join(", ");

const SESSION_INDEXES = `
CREATE INDEX idx_sessions_path ON sessions (path);
CREATE INDEX idx_sessions_project ON sessions (project);
CREATE INDEX idx_sessions_project_name ON sessions (project_name);
`;

const searchTrigger = (table: string): string => `
CREATE TRIGGER trg_events_search_delete AFTER DELETE ON ${table} WHEN OLD.is_own = 0
BEGIN
  DELETE FROM event_search WHERE rowid = OLD.position;
END;
`;

const OF_SESSION = "session INTEGER NOT NULL REFERENCES sessions (number) ON DELETE CASCADE";

/** Returns the SQL of the view, with these columns of `event_rows AS e`. */
export function eventsView(columns: string): string {
  return `CREATE VIEW events AS SELECT position, event_id, session_id,
    (SELECT message_id FROM message_rows WHERE number = e.message) AS message_id, ${columns}
  FROM event_rows AS e JOIN sessions AS s ON s.number = e.session;
`;
}

/** Columns of the view in version 11. */
export const EVENT_COLUMNS = names(EVENT, "e");

/** Renames the new table of events twice, because snippets refer to it: references follow a table that is renamed. */
const SQLITE_UP = `
DROP TRIGGER trg_events_search_delete;
CREATE TABLE sessions_remade (
  number INTEGER PRIMARY KEY, session_id TEXT NOT NULL UNIQUE, ${SESSION}
) STRICT;
INSERT INTO sessions_remade (session_id, ${names(SESSION)}) SELECT session_id, ${names(SESSION)} FROM sessions;
CREATE TABLE message_rows (
  number INTEGER PRIMARY KEY, message_id TEXT NOT NULL UNIQUE, ${OF_SESSION}, ${MESSAGE}
) STRICT;
INSERT INTO message_rows (message_id, session, ${names(MESSAGE)})
  SELECT message_id, (SELECT number FROM sessions_remade AS s WHERE s.session_id = messages.session_id), ${names(MESSAGE)}
  FROM messages;
CREATE TABLE events_remade (
  position INTEGER PRIMARY KEY AUTOINCREMENT, event_id TEXT NOT NULL UNIQUE, ${OF_SESSION}, message INTEGER NOT NULL,
  ${EVENT}
) STRICT;
INSERT INTO events_remade (position, event_id, session, message, ${names(EVENT)})
  SELECT position, event_id, (SELECT number FROM sessions_remade AS s WHERE s.session_id = events.session_id),
    coalesce((SELECT number FROM message_rows AS m WHERE m.message_id = events.message_id), 0), ${names(EVENT)}
  FROM events;
DROP TABLE events;
DROP TABLE messages;
DROP TABLE sessions;
ALTER TABLE sessions_remade RENAME TO sessions;
ALTER TABLE events_remade RENAME TO events;
ALTER TABLE events RENAME TO event_rows;
${SESSION_INDEXES}
CREATE INDEX idx_messages_session ON message_rows (session, ordinal);
CREATE INDEX idx_events_session ON event_rows (session, ordinal);
CREATE INDEX idx_events_signature ON event_rows (signature) WHERE signature IS NOT NULL;
CREATE INDEX idx_events_figures ON event_rows (session, block_type, tool_name, status, kept)
  WHERE block_type <> 'text' AND NOT superseded;
${searchTrigger("event_rows")}
CREATE VIEW messages AS SELECT message_id, session_id, ${names(MESSAGE, "m")}
  FROM message_rows AS m JOIN sessions AS s ON s.number = m.session;
${eventsView(EVENT_COLUMNS)}`;

const SQLITE_DOWN = `
DROP TRIGGER trg_events_search_delete;
CREATE TABLE sessions_remade (
  session_id TEXT PRIMARY KEY NOT NULL, ${SESSION}
) STRICT;
INSERT INTO sessions_remade (session_id, ${names(SESSION)}) SELECT session_id, ${names(SESSION)} FROM sessions;
CREATE TABLE messages_remade (
  message_id TEXT NOT NULL PRIMARY KEY,
  session_id TEXT NOT NULL REFERENCES sessions (session_id) ON DELETE CASCADE,
  ${MESSAGE}
) STRICT;
INSERT INTO messages_remade (message_id, session_id, ${names(MESSAGE)})
  SELECT message_id, session_id, ${names(MESSAGE)} FROM messages;
CREATE TABLE events_remade (
  position INTEGER PRIMARY KEY AUTOINCREMENT, event_id TEXT NOT NULL UNIQUE,
  session_id TEXT NOT NULL REFERENCES sessions (session_id) ON DELETE CASCADE,
  ${EVENT_START}, ${CONTENT}, message_id TEXT REFERENCES messages (message_id) ON DELETE CASCADE,
  ${EVENT_END}, fix_id TEXT, ${SUPERSEDED}
) STRICT;
INSERT INTO events_remade (position, event_id, session_id, message_id, ${names(EVENT)})
  SELECT position, event_id, session_id, message_id, ${names(EVENT)} FROM events;
DROP VIEW events;
DROP VIEW messages;
ALTER TABLE event_rows RENAME TO events;
DROP TABLE events;
DROP TABLE message_rows;
DROP TABLE sessions;
ALTER TABLE sessions_remade RENAME TO sessions;
ALTER TABLE messages_remade RENAME TO messages;
ALTER TABLE events_remade RENAME TO events;
${SESSION_INDEXES}
CREATE INDEX idx_messages_session ON messages (session_id, ordinal);
CREATE INDEX idx_events_message ON events (message_id);
CREATE INDEX idx_events_session ON events (session_id, ordinal);
CREATE INDEX idx_events_signature ON events (signature) WHERE signature IS NOT NULL;
CREATE INDEX idx_events_figures ON events (session_id, block_type, tool_name, status, kept)
  WHERE block_type <> 'text' AND NOT superseded;
${searchTrigger("events")}
`;

export const integerKeys: Migration = {
  version: 11,
  name: "integer keys",
  sqlite: { up: SQLITE_UP, down: SQLITE_DOWN },
  postgres: { up: "", down: "" },
};
