/**
 * Last write times of sessions in opencode's store. opencode updates a session's own time only when a turn begins;
 * later changes in the turn update only messages and parts.
 */
import type { Fields } from "../../parse/json-fields.ts";
import type { SessionRef } from "../../places/session-ref.ts";
import { columnsOf, openSqlite, type SqliteReader } from "../../places/sqlite-reader.ts";

/** Number of newest sessions to check per database: a running turn is in one of them. */
const NEWEST = 10;

const TABLES = ["message", "part", "session_message"];

/** Returns the refs with later times where messages or parts have them. */
export async function withPartTimes(refs: readonly SessionRef[]): Promise<SessionRef[]> {
  const newest = newestStored(refs);
  if (newest.size === 0) return [...refs];
  const times = new Map<SessionRef, number>();
  for (const [path, sessions] of newest) {
    for (const [ref, time] of await timesIn(path, sessions)) times.set(ref, time);
  }
  return refs.map((ref) => {
    const time = times.get(ref) ?? 0;
    return time > ref.modifiedMs ? { ...ref, modifiedMs: time } : ref;
  });
}

function newestStored(refs: readonly SessionRef[]): Map<string, SessionRef[]> {
  const stored = refs.filter(({ database }) => database !== null);
  const byDatabase = Map.groupBy(stored, ({ database }) => database ?? "");
  const newestFirst = (a: SessionRef, b: SessionRef): number => b.modifiedMs - a.modifiedMs;
  return new Map([...byDatabase].map(([path, all]) => [path, all.toSorted(newestFirst).slice(0, NEWEST)]));
}

/** Returns nothing if the database lacks these columns or cannot be read now; then the sessions' own times are used. */
async function timesIn(path: string, refs: readonly SessionRef[]): Promise<[SessionRef, number][]> {
  let database: SqliteReader | undefined;
  try {
    database = await openSqlite(path);
    const reader = database;
    const queries = TABLES.filter((table) => hasTimes(reader, table)).map((table) =>
      reader.query(`SELECT max(time_updated) AS time FROM ${table} WHERE session_id = ?`),
    );
    return refs.map((ref) => [ref, Math.max(0, ...queries.map((query) => timeIn(query(ref.id))))]);
  } catch {
    return [];
  } finally {
    database?.close();
  }
}

function hasTimes(database: SqliteReader, table: string): boolean {
  const columns = columnsOf(database, table);
  return ["time_updated", "session_id"].every((name) => columns.includes(name));
}

function timeIn([row]: readonly Fields[]): number {
  const time = row?.["time"];
  return typeof time === "number" ? time : 0;
}
