/**
 * Last write times of sessions in opencode's store. opencode updates a session's own time only when a turn begins;
 * later changes in the turn update only messages and parts.
 */
import type { Fields } from "../../parse/json-fields.ts";
import type { SessionRef } from "../../places/session-ref.ts";
import { columnsOf, type SqliteReader } from "../../places/sqlite-reader.ts";

/** Number of newest sessions of a database that are checked: a running turn is in one of them. */
const NEWEST = 10;

const TABLES = ["message", "part", "session_message"];

/** Returns the sessions of a database with later times where messages or parts have them. */
export function withPartTimes(database: SqliteReader, refs: readonly SessionRef[]): SessionRef[] {
  const queries = TABLES.filter((table) => hasTimes(database, table)).map((table) =>
    database.query(`SELECT max(time_updated) AS time FROM ${table} WHERE session_id = ?`),
  );
  const newest = refs.toSorted((a, b) => b.modifiedMs - a.modifiedMs).slice(0, NEWEST);
  const times = new Map(newest.map((ref) => [ref, Math.max(...queries.map((query) => timeIn(query(ref.id))))]));
  return refs.map((ref) => ({ ...ref, modifiedMs: Math.max(ref.modifiedMs, times.get(ref) ?? 0) }));
}

function hasTimes(database: SqliteReader, table: string): boolean {
  const columns = columnsOf(database, table);
  return ["time_updated", "session_id"].every((name) => columns.includes(name));
}

function timeIn([row]: readonly Fields[]): number {
  const time = row?.["time"];
  return typeof time === "number" ? time : 0;
}
