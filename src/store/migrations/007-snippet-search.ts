/**
 * Replaces our own inverted index with the databases' keyword indexes: FTS5 with trigrams in SQLite, `pg_trgm` in
 * PostgreSQL. Both search the folded text; the column `folded` is set where that differs from lower-casing ASCII
 * letters. The down migration leaves all snippets in `snippet_pending`, from where version 6 lists them.
 */
import { POSTGRES_SNIPPET_TEXT } from "../index-texts.ts";
import { SQLITE_LOOKUP_TABLES, SQLITE_NO_LOOKUP_TABLES } from "./005-snippet-lookup.ts";
import {
  POSTGRES_LIST_ATTEMPTS,
  POSTGRES_LIST_TABLES,
  POSTGRES_NO_LIST_TABLES,
  SQLITE_LIST_TABLES,
  SQLITE_NO_LIST_TABLES,
} from "./006-snippet-lists.ts";
import { foldSnippets, type Migration } from "./migration.ts";

const TEXT = "coalesce(NEW.folded, lower(NEW.title || char(64976) || NEW.content))";
const ADD_TEXT = `INSERT INTO snippet_search (rowid, text) VALUES (NEW.position, ${TEXT});`;

const SQLITE_UP = `${SQLITE_NO_LIST_TABLES}${SQLITE_NO_LOOKUP_TABLES}
ALTER TABLE conversation_snippets ADD COLUMN folded TEXT;
CREATE VIRTUAL TABLE snippet_search USING fts5 (text, tokenize = 'trigram case_sensitive 1');
CREATE TRIGGER trg_snippets_search_insert AFTER INSERT ON conversation_snippets BEGIN ${ADD_TEXT} END;
CREATE TRIGGER trg_snippets_search_update AFTER UPDATE OF title, content, folded ON conversation_snippets
BEGIN
  DELETE FROM snippet_search WHERE rowid = OLD.position;
  ${ADD_TEXT}
END;
CREATE TRIGGER trg_snippets_search_delete AFTER DELETE ON conversation_snippets
BEGIN
  DELETE FROM snippet_search WHERE rowid = OLD.position;
END;
INSERT INTO snippet_search (rowid, text)
  SELECT position, lower(title || char(64976) || content) FROM conversation_snippets;
`;

const SQLITE_DOWN = `
DROP TRIGGER trg_snippets_search_delete;
DROP TRIGGER trg_snippets_search_update;
DROP TRIGGER trg_snippets_search_insert;
DROP TABLE snippet_search;
${SQLITE_LOOKUP_TABLES}
INSERT INTO snippet_search (rowid, text)
  SELECT position, coalesce(folded, lower(title || char(64976) || content)) || char(64976) || char(64976)
  FROM conversation_snippets;
${SQLITE_LIST_TABLES}
ALTER TABLE conversation_snippets DROP COLUMN folded;
`;

const POSTGRES_UP = `${POSTGRES_NO_LIST_TABLES}
CREATE INDEX idx_snippets_tags ON conversation_snippets USING gin (tags jsonb_path_ops);
`;

/** Without the right to add the extension, a keyword search reads everything. */
const POSTGRES_ATTEMPTS = [
  `CREATE EXTENSION IF NOT EXISTS pg_trgm;
   CREATE INDEX idx_snippets_text ON conversation_snippets USING gin (${POSTGRES_SNIPPET_TEXT} gin_trgm_ops);`,
];

const POSTGRES_DOWN = `
DROP INDEX IF EXISTS idx_snippets_text;
DROP INDEX idx_snippets_tags;
${POSTGRES_LIST_TABLES}
DO $$ BEGIN
  ${POSTGRES_LIST_ATTEMPTS.join("")}
EXCEPTION WHEN insufficient_privilege OR undefined_object OR feature_not_supported OR undefined_file THEN NULL;
END $$;
`;

export const snippetSearch: Migration = {
  version: 7,
  name: "snippet search",
  sqlite: { up: SQLITE_UP, fill: foldSnippets, down: SQLITE_DOWN },
  postgres: { up: POSTGRES_UP, fill: foldSnippets, attempts: POSTGRES_ATTEMPTS, down: POSTGRES_DOWN },
};
