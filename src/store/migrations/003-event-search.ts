/**
 * Index that finds the events that may contain a term without reading them. It indexes `foldText` of the content.
 *
 * SQLite: FTS5 with trigrams, storing neither the text nor the positions of trigrams. Two separators at the end make
 * every letter the start of a trigram, so one- and two-letter terms are prefixes of trigrams. PostgreSQL: trigrams over
 * the lower-cased `content`, or over `folded` where folding changes more than case.
 */
import { foldedColumn, searchText } from "../index-texts.ts";
import { numberIn, textIn } from "../columns.ts";
import type { SqlSession } from "../sql-database.ts";
import { forRows, type Migration } from "./migration.ts";

const BY_POSITION = { key: "position", start: 0 };

const SQLITE_UP = `
CREATE VIRTUAL TABLE event_search USING fts5 (
  content, content = '', contentless_delete = 1, detail = none, tokenize = 'trigram case_sensitive 1'
);
CREATE VIRTUAL TABLE event_search_terms USING fts5vocab (event_search, instance);
CREATE TRIGGER trg_events_search_delete AFTER DELETE ON events WHEN OLD.is_own = 0
BEGIN
  DELETE FROM event_search WHERE rowid = OLD.position;
END;
`;

const SQLITE_DOWN = `
DROP TRIGGER trg_events_search_delete;
DROP TABLE event_search_terms;
DROP TABLE event_search;
`;

async function fillSqlite(session: SqlSession): Promise<void> {
  const events = "SELECT position, content FROM events WHERE is_own = 0 AND position > ? ORDER BY position";
  const insert = "INSERT INTO event_search (rowid, content) VALUES (?, ?)";
  await forRows(session, events, BY_POSITION, async (rows) => {
    for (const row of rows) await session.run(insert, [numberIn(row, "position"), searchText(textIn(row, "content"))]);
  });
}

const POSTGRES_UP = "ALTER TABLE events ADD COLUMN folded TEXT;";

/** Without the right to add the extension, a search reads everything. */
const POSTGRES_ATTEMPTS = [
  `CREATE EXTENSION IF NOT EXISTS pg_trgm;
   CREATE INDEX idx_events_search ON events
   USING gin ((coalesce(folded, lower(content COLLATE "C"))) gin_trgm_ops) WHERE NOT is_own;`,
];

const POSTGRES_DOWN = `
DROP INDEX IF EXISTS idx_events_search;
ALTER TABLE events DROP COLUMN folded;
`;

async function fillPostgres(session: SqlSession): Promise<void> {
  const events = `SELECT position, content FROM events
    WHERE position > ? AND octet_length(content) > char_length(content) ORDER BY position`;
  const update = `UPDATE events SET folded = new.folded FROM unnest(?::bigint[], ?::text[]) AS new (position, folded)
    WHERE events.position = new.position`;
  await forRows(session, events, BY_POSITION, async (rows) => {
    const folded = rows.map((row) => foldedColumn(textIn(row, "content")));
    await session.run(update, [rows.map((row) => numberIn(row, "position")), folded]);
  });
}

export const eventSearch: Migration = {
  version: 3,
  name: "event search",
  sqlite: { up: SQLITE_UP, fill: fillSqlite, down: SQLITE_DOWN },
  postgres: { up: POSTGRES_UP, fill: fillPostgres, attempts: POSTGRES_ATTEMPTS, down: POSTGRES_DOWN },
};
