import { numberIn, textIn, type Row } from "../columns.ts";
import { foldedSnippet } from "../index-texts.ts";
import type { SqlSession, SqlValue } from "../sql-database.ts";

/**
 * A change to the tables, and its reversal. It runs in one transaction together with the record that it ran. A released
 * migration is never changed, since every database stores the checksum of its SQL: add a new one instead.
 */
export interface Migration {
  /** From 1, without gaps. */
  version: number;
  name: string;
  sqlite: BackendMigration;
  postgres: BackendMigration;
}

export interface BackendMigration {
  up: string;
  /** Runs after `up`: changes to existing rows that SQL alone cannot do. */
  fill?: (session: SqlSession) => Promise<void>;
  /** Statements that run after `fill`, each in its own savepoint. They only improve speed and may fail. */
  attempts?: readonly string[];
  /** Runs before `down`: changes to existing rows that SQL alone cannot do. */
  undo?: (session: SqlSession) => Promise<void>;
  down: string;
}

/** Column types, where the two databases differ. */
export interface Types {
  /** Text that is compared and sorted by its bytes. */
  key: string;
  integer: string;
  boolean: string;
  no: string;
  time: string;
  real: string;
  bytes: string;
  /** End of a table. */
  end: string;
}

export const SQLITE: Types = {
  key: "TEXT",
  integer: "INTEGER",
  boolean: "INTEGER",
  no: "0",
  time: "TEXT",
  real: "REAL",
  bytes: "BLOB",
  end: " STRICT",
};

export const POSTGRES: Types = {
  key: 'TEXT COLLATE "C"',
  integer: "BIGINT",
  boolean: "BOOLEAN",
  no: "false",
  time: "TIMESTAMPTZ(3)",
  real: "DOUBLE PRECISION",
  bytes: "BYTEA",
  end: "",
};

const BATCH = 500;

/**
 * Calls `work` with all rows of a query, some at a time. The query selects a unique column `key`, with a parameter for
 * the values before `start` in its condition, and ends in the order of that column.
 */
export async function forRows(
  session: SqlSession,
  query: string,
  { key, start }: { key: string; start: SqlValue },
  work: (rows: readonly Row[]) => Promise<void>,
): Promise<void> {
  for (let last: SqlValue | undefined = start; last !== undefined;) {
    const rows: Row[] = await session.all(`${query} LIMIT ${BATCH}`, [last], (row) => row);
    await work(rows);
    const end = rows.at(-1);
    last = end && (typeof start === "number" ? numberIn(end, key) : textIn(end, key));
  }
}

/** Sets `folded` of the snippets for which folding changes more than case. */
export async function foldSnippets(session: SqlSession): Promise<void> {
  const length = session.dialect.name === "sqlite" ? "length" : "char_length";
  const query = `SELECT snippet_id, title, content FROM conversation_snippets
    WHERE snippet_id > ? AND octet_length(title || content) > ${length}(title || content) ORDER BY snippet_id`;
  const first = { key: "snippet_id", start: "00000000-0000-0000-0000-000000000000" };
  await forRows(session, query, first, async (rows) => {
    for (const row of rows) {
      const folded = foldedSnippet(textIn(row, "title"), textIn(row, "content"));
      const update = "UPDATE conversation_snippets SET folded = ? WHERE snippet_id = ?";
      if (folded !== null) await session.run(update, [folded, textIn(row, "snippet_id")]);
    }
  });
}
