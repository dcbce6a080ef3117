/**
 * Index that finds the events that may contain a term without reading them. It indexes `foldText` of the content.
 *
 * SQLite: FTS5 with trigrams, storing neither the text nor the positions of trigrams. Two separators at the end make
 * every letter the start of a trigram, so one- and two-letter terms are prefixes of trigrams. PostgreSQL: trigrams over
 * the lower-cased `content`, or over `folded` where folding changes more than case.
 */
import { foldedColumn, searchText } from "../index-texts.ts";
import type { PostgresSession } from "../postgres/pool.ts";
import { numberIn, textIn } from "../columns.ts";
import type { SqliteDriver } from "../sqlite/driver.ts";
import type { Migration } from "./migration.ts";

const BATCH = 500;

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

function fillSqlite(database: SqliteDriver): void {
  const page = database.prepare(
    `SELECT position, content FROM events WHERE is_own = 0 AND position > ? ORDER BY position LIMIT ${BATCH}`,
  );
  const insert = database.prepare("INSERT INTO event_search (rowid, content) VALUES (?, ?)");
  for (let rows = page.all(0); rows.length > 0; rows = page.all(positionOf(rows))) {
    for (const row of rows) insert.run(numberIn(row, "position"), searchText(textIn(row, "content")));
  }
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

async function fillPostgres(session: PostgresSession): Promise<void> {
  const page = (after: number): Promise<readonly Record<string, unknown>[]> =>
    session.rows(
      `SELECT position, content FROM events WHERE position > $1 AND octet_length(content) > char_length(content)
       ORDER BY position LIMIT ${BATCH}`,
      [after],
    );
  for (let rows = await page(0); rows.length > 0; rows = await page(positionOf(rows))) {
    const folded = rows.map((row) => foldedColumn(textIn(row, "content")));
    await session.rows(
      `UPDATE events SET folded = new.folded FROM unnest($1::bigint[], $2::text[]) AS new (position, folded)
       WHERE events.position = new.position`,
      [rows.map((row) => numberIn(row, "position")), folded],
    );
  }
}

function positionOf(rows: readonly Record<string, unknown>[]): number {
  const last = rows.at(-1);
  return last === undefined ? 0 : numberIn(last, "position");
}

export const eventSearch: Migration = {
  version: 3,
  name: "event search",
  sqlite: { up: SQLITE_UP, fill: fillSqlite, down: SQLITE_DOWN },
  postgres: { up: POSTGRES_UP, fill: fillPostgres, attempts: POSTGRES_ATTEMPTS, down: POSTGRES_DOWN },
};
