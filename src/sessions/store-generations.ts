/** Counts what opencode's database has of each version, for `doctor`. */
import { recordIn, textOf, type Fields } from "../parse/json-fields.ts";
import { unknownIn2 } from "../parse/sources/opencode-2-message.ts";
import { canReadSecond, generations, hasTable, numberIn, TABLES_2, withDatabase } from "./opencode-store.ts";
import { columnsOf, type SqliteReader } from "./sqlite-reader.ts";

/** Columns of `session_message`. */
const CONTENT_COLUMNS = new Set([...Object.values(TABLES_2).flat(), "time_updated"]);

/** Number of sessions of each version in a database, and the rows in it that are not read. */
export interface StoreGenerations {
  sessions1: number;
  sessions2: number;
  /** Sessions of 1.x that 2.x has taken over: read from the tables of 2.x. */
  takenOver: number;
  /** Number of messages and parts of 2.x whose form is unknown, by what is unknown. */
  unknownForms: ReadonlyMap<string, number>;
  /** Number of messages and parts of 1.x whose session or message is missing. */
  orphans1: number;
}

/** Counts what a database has. Rejects if it cannot be read. */
export async function storeGenerations(path: string): Promise<StoreGenerations> {
  return withDatabase(path, (database) => {
    const all = generations(database);
    const second = all.filter(({ isSecond }) => isSecond);
    const old = hasTable(database, "message")
      ? new Set(
          database
            .query("SELECT DISTINCT session_id AS id FROM message")()
            .map(({ id }) => id),
        )
      : new Set();
    return {
      sessions1: all.length - second.length,
      sessions2: second.length,
      takenOver: second.filter(({ id }) => old.has(id)).length,
      unknownForms: canReadSecond(database) ? unknownForms(database) : new Map<string, number>(),
      orphans1:
        orphans(database, "message", "session_id", "session") + orphans(database, "part", "message_id", "message"),
    };
  });
}

function orphans(database: SqliteReader, table: string, column: string, parent: string): number {
  if (!hasTable(database, table)) return 0;
  const sql = `SELECT COUNT(*) AS count FROM ${table} WHERE NOT EXISTS (SELECT 1 FROM ${parent} WHERE id = ${table}.${column})`;
  return numberIn(database.query(sql)(), "count");
}

/** Number of messages read at a time: an answer may have outputs of megabytes. */
const PAGE = 50;

function unknownForms(database: SqliteReader): Map<string, number> {
  const counts = new Map<string, number>();
  const pageAfter = database.query(
    `SELECT rowid, id, session_id, type, data FROM session_message WHERE rowid > ? ORDER BY rowid LIMIT ${PAGE}`,
  );
  for (let rows = pageAfter(-Number.MAX_SAFE_INTEGER); rows.length > 0;) {
    for (const form of rows.flatMap(unknownInRow)) counts.set(form, (counts.get(form) ?? 0) + 1);
    rows = pageAfter(numberIn(rows.slice(-1), "rowid"));
  }
  const sorted = [...counts].toSorted(([a], [b]) => (a < b ? -1 : 1));
  return new Map([...sorted, ...unknownColumns(database)]);
}

function unknownInRow(row: Fields): string[] {
  if (textOf(row, "id") === undefined) return ["message without an id"];
  if (textOf(row, "session_id") === undefined) return ["message of no session"];
  const data = recordIn(textOf(row, "data") ?? "");
  return data ? unknownIn2({ type: row["type"], ...data }) : [`damaged ${textOf(row, "type") ?? "message"}`];
}

/** Returns the number of rows of `session_message` that have something in a column of an unknown name. */
function unknownColumns(database: SqliteReader): [string, number][] {
  return columnsOf(database, "session_message").flatMap((column): [string, number][] => {
    if (CONTENT_COLUMNS.has(column)) return [];
    const quoted = `"${column.replaceAll('"', '""')}"`;
    const count = numberIn(database.query(`SELECT COUNT(${quoted}) AS count FROM session_message`)(), "count");
    return count === 0 ? [] : [[`column ${column}`, count]];
  });
}
