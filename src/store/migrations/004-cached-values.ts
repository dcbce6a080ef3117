/** Table for figures computed once per session. */
import { POSTGRES, SQLITE, type Migration, type Types } from "./migration.ts";

const tableOf = ({ key, bytes, end }: Types): string => `
CREATE TABLE cached_values (
  kind TEXT NOT NULL,
  session_id ${key} NOT NULL REFERENCES sessions (session_id) ON DELETE CASCADE,
  key TEXT NOT NULL,
  value ${bytes} NOT NULL,
  PRIMARY KEY (kind, session_id)
)${end};
CREATE INDEX idx_cached_values_session ON cached_values (session_id);
`;

const DOWN = "DROP TABLE cached_values;";

export const cachedValues: Migration = {
  version: 4,
  name: "cached values",
  sqlite: { up: tableOf(SQLITE), down: DOWN },
  postgres: { up: tableOf(POSTGRES), down: DOWN },
};
