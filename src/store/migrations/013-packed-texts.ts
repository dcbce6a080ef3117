/**
 * SQLite: long texts of events are stored deflated, as PostgreSQL does by itself. They were two fifths of the store, and
 * take half the space. The view has a column for their size, which is not that of the stored bytes. Texts that are in the
 * store already are deflated when they are written again.
 */
import { numberIn, packedTextIn } from "../columns.ts";
import type { SqlSession } from "../sql-database.ts";
import { EVENT_COLUMNS, eventsView } from "./011-integer-keys.ts";
import { forRows, type Migration } from "./migration.ts";

const CONTENT = "CASE WHEN e.text_bytes > 0 THEN e.packed ELSE e.content END AS content";
const CONTENT_BYTES = "CASE WHEN e.text_bytes > 0 THEN e.text_bytes ELSE octet_length(e.content) END AS content_bytes";

const SQLITE_UP = `
DROP VIEW events;
ALTER TABLE event_rows ADD COLUMN packed BLOB NOT NULL DEFAULT x'';
ALTER TABLE event_rows ADD COLUMN text_bytes INTEGER NOT NULL DEFAULT 0;
${eventsView(`${EVENT_COLUMNS.replace("e.content", CONTENT)}, ${CONTENT_BYTES}`)}`;

const SQLITE_DOWN = `
DROP VIEW events;
ALTER TABLE event_rows DROP COLUMN text_bytes;
ALTER TABLE event_rows DROP COLUMN packed;
${eventsView(EVENT_COLUMNS)}`;

/** Writes the texts as they were before. */
async function unpack(session: SqlSession): Promise<void> {
  const query = "SELECT position, packed FROM event_rows WHERE position > ? AND text_bytes > 0 ORDER BY position";
  await forRows(session, query, { key: "position", start: 0 }, async (rows) => {
    for (const row of rows)
      await session.run("UPDATE event_rows SET content = ? WHERE position = ?", [
        packedTextIn(row, "packed"),
        numberIn(row, "position"),
      ]);
  });
}

export const packedTexts: Migration = {
  version: 13,
  name: "packed texts",
  sqlite: { up: SQLITE_UP, undo: unpack, down: SQLITE_DOWN },
  postgres: { up: "", down: "" },
};
