/**
 * Stores the model's own rows: messages, and their blocks as events with all of the model's fields. Events of earlier
 * versions keep their ids and become blocks with only the searched text (`kept` is `text`), each in a message of its
 * own. The next `transcripts index` rereads sessions whose source still exists. Figures are computed from these rows
 * and no longer cached.
 */
import { cachedValues } from "./004-cached-values.ts";
import { SQLITE_EVENTS } from "./001-sessions-and-events.ts";
import { POSTGRES, SQLITE, type Migration, type Types } from "./migration.ts";

/** The last three count content that has no rows. */
const sessionColumns = ({ integer, boolean, no, time }: Types): string[] => [
  `agent TEXT NOT NULL DEFAULT ''`,
  `machine_id TEXT`,
  `given_title TEXT`,
  `title_is_message ${boolean} NOT NULL DEFAULT ${no}`,
  `title_line ${integer} NOT NULL DEFAULT 0`,
  `title_offset ${integer} NOT NULL DEFAULT 0`,
  `first_prompt TEXT`,
  `cwd TEXT`,
  `git_branch TEXT`,
  `agent_version TEXT`,
  `ended_at ${time}`,
  `damaged ${integer} NOT NULL DEFAULT 0`,
  `unknown_lines ${integer} NOT NULL DEFAULT 0`,
  `redactions TEXT NOT NULL DEFAULT '{}'`,
];

const messages = ({ key, integer, boolean, time, real }: Types): string => `
  message_id ${key} NOT NULL PRIMARY KEY,
  session_id ${key} NOT NULL REFERENCES sessions (session_id) ON DELETE CASCADE,
  ordinal ${integer} NOT NULL,
  line_number ${integer} NOT NULL,
  byte_offset ${integer} NOT NULL,
  message_type TEXT NOT NULL,
  role TEXT,
  user_kind TEXT,
  source_id ${key},
  uuid ${key},
  parent_uuid TEXT,
  request_id TEXT,
  model TEXT,
  provider TEXT,
  occurred_at ${time},
  cwd TEXT,
  tokens_in ${integer},
  tokens_out ${integer},
  cache_read ${integer},
  cache_write ${integer},
  recorded_cost_usd ${real},
  usage_calls TEXT,
  has_text ${boolean} NOT NULL,
  has_thinking ${boolean} NOT NULL,
  has_tool_use ${boolean} NOT NULL,
  has_tool_result ${boolean} NOT NULL,
  is_sidechain ${boolean} NOT NULL,
  agent_id TEXT,
  record_hash ${integer},
  metadata TEXT NOT NULL DEFAULT '{}',
  superseded ${boolean} NOT NULL
`;

const MESSAGE_INDEXES = `
CREATE INDEX idx_messages_session ON messages (session_id, ordinal);
CREATE INDEX idx_messages_source ON messages (session_id, source_id) WHERE source_id IS NOT NULL;
CREATE INDEX idx_messages_record ON messages (session_id, uuid) WHERE record_hash IS NOT NULL;
`;

/** Added after the columns of version 1. */
const eventColumns = ({ key, integer, boolean, no }: Types): string[] => [
  `message_id ${key} REFERENCES messages (message_id) ON DELETE CASCADE`,
  `block_order ${integer} NOT NULL DEFAULT 0`,
  `source_uuid ${key}`,
  `is_error ${boolean}`,
  `exit_code ${integer}`,
  `metadata TEXT NOT NULL DEFAULT '{}'`,
  `kept TEXT NOT NULL DEFAULT 'text'`,
  `answers_uuid ${key}`,
  `identity ${key}`,
  `record_hash ${integer}`,
  `signature ${key}`,
  `fix_id ${key}`,
  `superseded ${boolean} NOT NULL DEFAULT ${no}`,
];

const EVENT_INDEXES = `
CREATE INDEX idx_events_message ON events (message_id);
CREATE INDEX idx_events_session ON events (session_id, ordinal);
CREATE INDEX idx_events_call ON events (session_id, tool_use_id) WHERE tool_use_id IS NOT NULL;
CREATE INDEX idx_events_identity ON events (session_id, identity) WHERE identity IS NOT NULL;
CREATE INDEX idx_events_uuid ON events (session_id, source_uuid) WHERE source_uuid IS NOT NULL;
CREATE INDEX idx_events_answers ON events (session_id, answers_uuid) WHERE answers_uuid IS NOT NULL;
CREATE INDEX idx_events_signature ON events (signature) WHERE signature IS NOT NULL;
CREATE INDEX idx_events_figures ON events (session_id, block_type, tool_name, status, kept)
  WHERE block_type <> 'text' AND NOT superseded;
`;

/** Creates one message per event: which events belonged together is no longer known. */
const fillMessages = ({ no }: Types): string => `
INSERT INTO messages (message_id, session_id, ordinal, line_number, byte_offset, message_type, role, occurred_at,
    has_text, has_thinking, has_tool_use, has_tool_result, is_sidechain, superseded)
  SELECT 'message of ' || event_id, session_id, ordinal, line_number, byte_offset, message_type,
    CASE WHEN message_type IN ('user', 'assistant') THEN message_type END, occurred_at,
    block_type = 'text', block_type = 'thinking', block_type = 'tool_use', block_type = 'tool_result', is_sidechain, ${no}
  FROM events;
`;

const START = "substr(rtrim(title, '…'), 1, 30)";

/**
 * In earlier versions `title` may be the beginning of the first prompt, which is searchable as a message already, so it
 * does not become `given_title`.
 */
const FILL_SESSIONS = `
UPDATE sessions SET agent = CASE source WHEN 'claude-code' THEN source WHEN 'file' THEN '' ELSE 'opencode' END,
  ended_at = (SELECT max(occurred_at) FROM events WHERE events.session_id = sessions.session_id);
UPDATE sessions SET given_title = title WHERE title IS NOT NULL AND NOT EXISTS (
  SELECT 1 FROM events WHERE events.session_id = sessions.session_id AND role IN ('user', 'system')
    AND substr(ltrim(replace(content, '\n', ' ')), 1, length(${START})) = ${START}
);
`;

const V1_COLUMNS = `position, event_id, session_id, ordinal, line_number, byte_offset, occurred_at, message_type, role,
  block_type, tool_name, tool_use_id, status, is_sidechain, is_own, content`;

/** Rebuilds the table in both directions: version 1 declared ordinals unique within a session. */
const remade = (columns: string): string => `
DROP TRIGGER trg_events_search_delete;
CREATE TABLE events_remade (${columns}) STRICT;
INSERT INTO events_remade (${V1_COLUMNS}) SELECT ${V1_COLUMNS} FROM events;
DROP TABLE events;
ALTER TABLE events_remade RENAME TO events;
CREATE TRIGGER trg_events_search_delete AFTER DELETE ON events WHEN OLD.is_own = 0
BEGIN
  DELETE FROM event_search WHERE rowid = OLD.position;
END;
`;

const ALL_EVENTS = [SQLITE_EVENTS, ...eventColumns(SQLITE).map((column) => `  ${column}`)];

/** Returns the statements that add columns to a table, or remove them. */
const added = (table: string, columns: readonly string[]): string =>
  columns.map((column) => `ALTER TABLE ${table} ADD COLUMN ${column};`).join("\n");
const removed = (table: string, columns: readonly string[]): string =>
  columns
    .toReversed()
    .map((column) => `ALTER TABLE ${table} DROP COLUMN ${column.split(" ")[0]};`)
    .join("\n");

const SQLITE_UP = `
CREATE TABLE messages (${messages(SQLITE)}) STRICT;
${MESSAGE_INDEXES}
${remade(`${ALL_EVENTS.join(",\n")}\n`)}
${EVENT_INDEXES}
${fillMessages(SQLITE)}
UPDATE events SET message_id = 'message of ' || event_id;
${added("sessions", sessionColumns(SQLITE))}
ALTER TABLE sessions DROP COLUMN memory;
${FILL_SESSIONS}
DROP TABLE cached_values;
`;

const SQLITE_DOWN = `
${remade(`${SQLITE_EVENTS},\n  UNIQUE (session_id, ordinal)\n`).replace(
  `SELECT ${V1_COLUMNS} FROM events;`,
  `SELECT position, event_id, session_id, row_number() OVER (PARTITION BY session_id ORDER BY ordinal, position) - 1,
    line_number, byte_offset, occurred_at, message_type, role, block_type, tool_name, tool_use_id, status, is_sidechain,
    is_own, content FROM events;`,
)}
DROP TABLE messages;
${removed("sessions", sessionColumns(SQLITE))}
ALTER TABLE sessions ADD COLUMN memory BLOB;
UPDATE sessions SET rules = 0;
${cachedValues.sqlite.up}
`;

/**
 * Changing the column type rewrites the table and its search index once; an `UPDATE` would rewrite each index entry
 * separately.
 */
const POSTGRES_UP = `
CREATE TABLE messages (${messages(POSTGRES)});
${MESSAGE_INDEXES}
ALTER TABLE events DROP CONSTRAINT events_session_id_ordinal_key;
${added("events", eventColumns(POSTGRES))}
${fillMessages(POSTGRES)}
ALTER TABLE events DROP CONSTRAINT events_message_id_fkey;
ALTER TABLE events ALTER COLUMN message_id TYPE ${POSTGRES.key} USING 'message of ' || event_id;
ALTER TABLE events ADD CONSTRAINT events_message_id_fkey
  FOREIGN KEY (message_id) REFERENCES messages (message_id) ON DELETE CASCADE;
${EVENT_INDEXES}
${added("sessions", sessionColumns(POSTGRES))}
ALTER TABLE sessions DROP COLUMN memory;
${FILL_SESSIONS}
DROP TABLE cached_values;
`;

const POSTGRES_DOWN = `
UPDATE events SET ordinal = numbered.ordinal FROM (
  SELECT event_id, row_number() OVER (PARTITION BY session_id ORDER BY ordinal, position) - 1 AS ordinal FROM events
) AS numbered WHERE numbered.event_id = events.event_id;
${Array.from(EVENT_INDEXES.matchAll(/INDEX (\w+)/g), ([, name]) => `DROP INDEX ${name};`).join("\n")}
${removed("events", eventColumns(POSTGRES))}
ALTER TABLE events ADD CONSTRAINT events_session_id_ordinal_key UNIQUE (session_id, ordinal);
DROP TABLE messages;
${removed("sessions", sessionColumns(POSTGRES))}
ALTER TABLE sessions ADD COLUMN memory BYTEA;
UPDATE sessions SET rules = 0;
${cachedValues.postgres.up}
`;

export const modelRows: Migration = {
  version: 8,
  name: "model rows",
  sqlite: { up: SQLITE_UP, down: SQLITE_DOWN },
  postgres: { up: POSTGRES_UP, down: POSTGRES_DOWN },
};
