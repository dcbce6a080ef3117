/** Table for snippets: passages of conversations worth keeping. */
import type { Migration } from "./migration.ts";

const TYPES = "'error_reasoning', 'decision_rationale', 'learning_pattern'";
/** Leaves out `event_id`: a snippet is unchanged when the event that it cites is removed or indexed again. */
const CONTENT_COLUMNS =
  "session_id, snippet_type, title, content, source_file, source_line_start, source_line_end, tags, metadata";

const INDEXES = `
CREATE INDEX idx_snippets_instance_type ON conversation_snippets (session_id, snippet_type);
CREATE INDEX idx_snippets_type_created ON conversation_snippets (snippet_type, created_at DESC, snippet_id);
CREATE INDEX idx_snippets_created ON conversation_snippets (created_at DESC, snippet_id);
CREATE INDEX idx_snippets_event ON conversation_snippets (event_id) WHERE event_id IS NOT NULL;
`;

const SQLITE_NOW = "strftime('%Y-%m-%dT%H:%M:%fZ', 'now')";
const SQLITE_UUID = `lower(hex(randomblob(4)) || '-' || hex(randomblob(2)) || '-4' || substr(hex(randomblob(2)), 2) || '-'
    || substr('89ab', 1 + (random() & 3), 1) || substr(hex(randomblob(2)), 2) || '-' || hex(randomblob(6)))`;

/** `position` replaces the implicit row id, which VACUUM may change although indexes refer to it. */
const SQLITE_UP = `
CREATE TABLE conversation_snippets (
  position INTEGER PRIMARY KEY AUTOINCREMENT,
  snippet_id TEXT NOT NULL UNIQUE DEFAULT (${SQLITE_UUID}) CHECK (length(snippet_id) = 36),
  session_id TEXT NOT NULL REFERENCES sessions (session_id) ON DELETE CASCADE,
  event_id TEXT REFERENCES events (event_id) ON DELETE SET NULL,
  snippet_type TEXT NOT NULL CHECK (snippet_type IN (${TYPES})),
  title TEXT NOT NULL CHECK (length(title) <= 256),
  content TEXT NOT NULL CHECK (length(CAST(content AS BLOB)) BETWEEN 100 AND 10240),
  source_file TEXT,
  source_line_start INTEGER,
  source_line_end INTEGER,
  tags TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(tags) AND json_type(tags) = 'array'),
  metadata TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(metadata) AND json_type(metadata) = 'object'),
  created_at TEXT NOT NULL DEFAULT (${SQLITE_NOW}),
  updated_at TEXT NOT NULL DEFAULT (${SQLITE_NOW})
) STRICT;
${INDEXES}
CREATE TRIGGER trg_snippets_updated AFTER UPDATE OF ${CONTENT_COLUMNS} ON conversation_snippets
BEGIN
  UPDATE conversation_snippets SET updated_at = ${SQLITE_NOW} WHERE position = NEW.position;
END;
`;

const POSTGRES_UP = `
CREATE TABLE conversation_snippets (
  snippet_id UUID PRIMARY KEY DEFAULT gen_random_uuid(),
  session_id TEXT COLLATE "C" NOT NULL REFERENCES sessions (session_id) ON DELETE CASCADE,
  event_id TEXT COLLATE "C" REFERENCES events (event_id) ON DELETE SET NULL,
  snippet_type VARCHAR(32) NOT NULL CHECK (snippet_type IN (${TYPES})),
  title VARCHAR(256) NOT NULL,
  content TEXT NOT NULL CHECK (octet_length(content) BETWEEN 100 AND 10240),
  source_file TEXT,
  source_line_start INTEGER,
  source_line_end INTEGER,
  tags JSONB NOT NULL DEFAULT '[]' CHECK (jsonb_typeof(tags) = 'array'),
  metadata JSONB NOT NULL DEFAULT '{}' CHECK (jsonb_typeof(metadata) = 'object'),
  created_at TIMESTAMPTZ(3) NOT NULL DEFAULT now(),
  updated_at TIMESTAMPTZ(3) NOT NULL DEFAULT now()
);
${INDEXES}
CREATE FUNCTION conversation_snippets_touch() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.updated_at = clock_timestamp();
  RETURN NEW;
END;
$$;
CREATE TRIGGER trg_snippets_updated BEFORE UPDATE OF ${CONTENT_COLUMNS} ON conversation_snippets
FOR EACH ROW EXECUTE FUNCTION conversation_snippets_touch();
`;

const SQLITE_DOWN = "DROP TABLE conversation_snippets;";
const POSTGRES_DOWN = `
DROP TABLE conversation_snippets;
DROP FUNCTION conversation_snippets_touch();
`;

export const conversationSnippets: Migration = {
  version: 2,
  name: "conversation snippets",
  sqlite: { up: SQLITE_UP, down: SQLITE_DOWN },
  postgres: { up: POSTGRES_UP, down: POSTGRES_DOWN },
};
