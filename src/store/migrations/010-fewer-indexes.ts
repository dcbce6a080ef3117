/**
 * Drops the indexes of ids within a session, a tenth of the store: an incremental run finds the rows that it continues
 * by one pass over those of the session.
 */
import type { Migration } from "./migration.ts";

const DROPPED = {
  idx_messages_source: "messages (session_id, source_id) WHERE source_id IS NOT NULL",
  idx_messages_record: "messages (session_id, uuid) WHERE record_hash IS NOT NULL",
  idx_events_call: "events (session_id, tool_use_id) WHERE tool_use_id IS NOT NULL",
  idx_events_identity: "events (session_id, identity) WHERE identity IS NOT NULL",
  idx_events_uuid: "events (session_id, source_uuid) WHERE source_uuid IS NOT NULL",
  idx_events_answers: "events (session_id, answers_uuid) WHERE answers_uuid IS NOT NULL",
};

const UP = Object.keys(DROPPED)
  .map((name) => `DROP INDEX ${name};`)
  .join("\n");
const DOWN = Object.entries(DROPPED)
  .map(([name, columns]) => `CREATE INDEX ${name} ON ${columns};`)
  .join("\n");

export const fewerIndexes: Migration = {
  version: 10,
  name: "fewer indexes",
  sqlite: { up: UP, down: DOWN },
  postgres: { up: UP, down: DOWN },
};
