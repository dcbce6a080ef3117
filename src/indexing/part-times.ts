/**
 * When sessions of opencode's store were written last. opencode notes it with the session when a turn begins; what comes
 * later in the turn has its times with messages and parts alone.
 */
import { isFields } from "../parse/json-fields.ts";
import type { SessionRef } from "../sessions/session-ref.ts";
import { openSqlite, type SqliteReader } from "../sessions/sqlite-reader.ts";

/** Sessions of a database that are looked into: a turn that goes on is in one of the newest. */
const NEWEST = 10;

const TIMES = ["message", "part"].map((table) => `SELECT max(time_updated) AS time FROM ${table} WHERE session_id = ?`);

/** The refs, with later times where parts have them. */
export async function withPartTimes(refs: readonly SessionRef[]): Promise<SessionRef[]> {
  const newest = newestStored(refs);
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
  const stored = refs.filter(({ source }) => source === "opencode-store");
  const byDatabase = Map.groupBy(stored, ({ database }) => database ?? "");
  const newestFirst = (a: SessionRef, b: SessionRef): number => b.modifiedMs - a.modifiedMs;
  return new Map([...byDatabase].map(([path, all]) => [path, all.toSorted(newestFirst).slice(0, NEWEST)]));
}

/** None if the database has no such columns, or cannot be read now: then the sessions' own times have to do. */
async function timesIn(path: string, refs: readonly SessionRef[]): Promise<[SessionRef, number][]> {
  let database: SqliteReader | undefined;
  try {
    database = await openSqlite(path);
    const queries = TIMES.map((sql) => database?.query(sql));
    return refs.map((ref) => [ref, Math.max(...queries.map((query) => timeIn(query?.(ref.id))))]);
  } catch {
    return [];
  } finally {
    database?.close();
  }
}

function timeIn(rows: unknown[] = []): number {
  const [row] = rows;
  return isFields(row) && typeof row["time"] === "number" ? row["time"] : 0;
}
