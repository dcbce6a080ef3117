/**
 * Lets a query count and sort snippets without reading their contents. SQLite: the index of the newest has all columns
 * that filters compare. PostgreSQL: the folded text is a column of its own, neither compressed nor moved out of the row
 * unless that is longer than a page, because a keyword is compared with the text of each candidate.
 */
import { POSTGRES_SNIPPET_TEXT } from "../index-texts.ts";
import type { Migration } from "./migration.ts";

const SQLITE_UP = `
DROP INDEX idx_snippets_session_created;
DROP INDEX idx_snippets_created;
CREATE INDEX idx_snippets_created
  ON conversation_snippets (created_at DESC, snippet_id, session_id, snippet_type, tags);
`;

const SQLITE_DOWN = `
DROP INDEX idx_snippets_created;
CREATE INDEX idx_snippets_created ON conversation_snippets (created_at DESC, snippet_id);
CREATE INDEX idx_snippets_session_created
  ON conversation_snippets (session_id, created_at DESC, snippet_id);
`;

const POSTGRES_UP = `
DROP INDEX IF EXISTS idx_snippets_text;
DO $$ BEGIN
  ALTER TABLE conversation_snippets SET (toast_tuple_target = 8160);
EXCEPTION WHEN invalid_parameter_value OR undefined_object OR feature_not_supported THEN NULL;
END $$;
ALTER TABLE conversation_snippets ADD COLUMN search_text TEXT GENERATED ALWAYS AS ${POSTGRES_SNIPPET_TEXT} STORED;
ALTER TABLE conversation_snippets ALTER COLUMN search_text SET STORAGE EXTERNAL;
`;

/** Without the right to add the extension, a keyword search reads everything. */
const POSTGRES_ATTEMPTS = [
  `CREATE EXTENSION IF NOT EXISTS pg_trgm;
   CREATE INDEX idx_snippets_text ON conversation_snippets USING gin (search_text gin_trgm_ops);`,
];

const POSTGRES_DOWN = `
ALTER TABLE conversation_snippets DROP COLUMN search_text;
ALTER TABLE conversation_snippets RESET (toast_tuple_target);
DO $$ BEGIN
  CREATE INDEX idx_snippets_text ON conversation_snippets USING gin (${POSTGRES_SNIPPET_TEXT} gin_trgm_ops);
EXCEPTION WHEN undefined_object THEN NULL;
END $$;
`;

export const snippetQueries: Migration = {
  version: 12,
  name: "snippet queries",
  sqlite: { up: SQLITE_UP, down: SQLITE_DOWN },
  postgres: { up: POSTGRES_UP, attempts: POSTGRES_ATTEMPTS, down: POSTGRES_DOWN },
};
