/**
 * Adds tombstones of forgotten sessions, which reference no row as they outlive their session, and the figures of sessions
 * whose content is not stored.
 */
import { POSTGRES, SQLITE, type Migration, type Types } from "./migration.ts";

/** `place` is a hash, so that a forgotten path leaves no trace; empty if only the id is known. */
const forgotten = ({ key, time, end }: Types): string => `
CREATE TABLE forgotten_sessions (
  session_id ${key} NOT NULL,
  place ${key} NOT NULL,
  forgotten_at ${time} NOT NULL,
  PRIMARY KEY (session_id, place)
)${end};
`;

/**
 * `figures_mark` is JSON, empty if only the content's own mark counts. `block_counts` is JSON too: blocks of a message by
 * kind, where the blocks themselves are not stored.
 */
const ADD_FIGURES = `
ALTER TABLE sessions ADD COLUMN figures_mark TEXT NOT NULL DEFAULT '';
ALTER TABLE messages ADD COLUMN block_counts TEXT NOT NULL DEFAULT '[]';
`;

const DOWN = `
ALTER TABLE messages DROP COLUMN block_counts;
ALTER TABLE sessions DROP COLUMN figures_mark;
DROP TABLE forgotten_sessions;
`;

export const forgottenAndFigures: Migration = {
  version: 9,
  name: "forgotten sessions and figures",
  sqlite: { up: forgotten(SQLITE) + ADD_FIGURES, down: DOWN },
  postgres: { up: forgotten(POSTGRES) + ADD_FIGURES, down: DOWN },
};
