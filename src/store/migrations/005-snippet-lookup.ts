/**
 * Indexes that find snippets by tag and by text among 100,000 and more.
 *
 * SQLite: one row per tag, and FTS5 with trigrams of `exactFold` of title and content. A trigram phrase matches exactly
 * where the text occurs, so counting does not read the texts. PostgreSQL: `jsonb_path_ops` for tags, and trigrams over
 * the lower-cased title and content, or over `folded` where folding changes more than case.
 */
import { numberIn, textIn } from "../columns.ts";
import { POSTGRES_SNIPPET_TEXT, snippetSearchText } from "../index-texts.ts";
import type { SqlSession } from "../sql-database.ts";
import { foldSnippets, forRows, type Migration } from "./migration.ts";

const TAG_COLUMNS = "tag, created_at, snippet_id, position";
const ADD_TAGS = `INSERT OR IGNORE INTO snippet_tags (${TAG_COLUMNS})
  SELECT value, NEW.created_at, NEW.snippet_id, NEW.position FROM json_each(NEW.tags) WHERE type = 'text';`;
const REMOVE_TAGS = `DELETE FROM snippet_tags WHERE created_at = OLD.created_at AND snippet_id = OLD.snippet_id
  AND tag IN (SELECT value FROM json_each(OLD.tags) WHERE type = 'text');`;

/**
 * Tags are stored in display order, so that reading a page of a common tag does not read its other rows. Each insert
 * adds a segment to the text index, and 32 of them are merged: merging sooner would make one insert in twenty slow.
 */
export const SQLITE_LOOKUP_TABLES = `
CREATE TABLE snippet_tags (
  tag TEXT NOT NULL,
  created_at TEXT NOT NULL,
  snippet_id TEXT NOT NULL,
  position INTEGER NOT NULL,
  PRIMARY KEY (tag, created_at DESC, snippet_id)
) STRICT, WITHOUT ROWID;
INSERT OR IGNORE INTO snippet_tags (${TAG_COLUMNS})
  SELECT value, created_at, snippet_id, position FROM conversation_snippets, json_each(tags) WHERE type = 'text';
CREATE TRIGGER trg_snippets_tags_insert AFTER INSERT ON conversation_snippets BEGIN ${ADD_TAGS} END;
CREATE TRIGGER trg_snippets_tags_update AFTER UPDATE OF tags, created_at, snippet_id ON conversation_snippets
BEGIN
  ${REMOVE_TAGS}
  ${ADD_TAGS}
END;

CREATE VIRTUAL TABLE snippet_search USING fts5 (
  text, content = '', contentless_delete = 1, tokenize = 'trigram case_sensitive 1'
);
INSERT INTO snippet_search (snippet_search, rank) VALUES ('automerge', 0), ('crisismerge', 32);
CREATE VIRTUAL TABLE snippet_search_terms USING fts5vocab (snippet_search, row);
CREATE TRIGGER trg_snippets_delete AFTER DELETE ON conversation_snippets
BEGIN
  ${REMOVE_TAGS}
  DELETE FROM snippet_search WHERE rowid = OLD.position;
END;
`;

export const SQLITE_NO_LOOKUP_TABLES = `
DROP TRIGGER trg_snippets_delete;
DROP TRIGGER trg_snippets_tags_update;
DROP TRIGGER trg_snippets_tags_insert;
DROP TABLE snippet_search_terms;
DROP TABLE snippet_search;
DROP TABLE snippet_tags;
`;

async function fillSqlite(session: SqlSession): Promise<void> {
  const snippets = "SELECT position, title, content FROM conversation_snippets WHERE position > ? ORDER BY position";
  const insert = "INSERT INTO snippet_search (rowid, text) VALUES (?, ?)";
  await forRows(session, snippets, { key: "position", start: 0 }, async (rows) => {
    for (const row of rows) {
      const text = snippetSearchText(textIn(row, "title"), textIn(row, "content"));
      await session.run(insert, [numberIn(row, "position"), text]);
    }
  });
}

const POSTGRES_UP = `
ALTER TABLE conversation_snippets ADD COLUMN folded TEXT;
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
ALTER TABLE conversation_snippets DROP COLUMN folded;
`;

export const snippetLookup: Migration = {
  version: 5,
  name: "snippet lookup",
  sqlite: { up: SQLITE_LOOKUP_TABLES, fill: fillSqlite, down: SQLITE_NO_LOOKUP_TABLES },
  postgres: { up: POSTGRES_UP, fill: foldSnippets, attempts: POSTGRES_ATTEMPTS, down: POSTGRES_DOWN },
};
