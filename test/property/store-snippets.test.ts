/** Questions about snippets against a naive model, on both backends. */
import type { StoreWhere } from "../../src/store/open-store.ts";
import { openPool } from "../../src/store/postgres/pool.ts";
import { listAll as listAllInPostgres } from "../../src/store/postgres/postgres-snippet-lists.ts";
import { openSqliteDatabase } from "../../src/store/sqlite/open-sqlite.ts";
import { listAll as listAllInSqlite } from "../../src/store/sqlite/sqlite-snippet-lists.ts";
import { querySnippets, type QueryCosts } from "../../src/store/sqlite/sqlite-snippet-query.ts";
import { inTransaction } from "../../src/store/sqlite/transaction.ts";
import { afterAll } from "../support/runner.ts";
import { sqlite } from "../support/store/backends.ts";
import { postgresForThisFile } from "../support/store/postgres-suite.ts";
import { snippetLaws, type Asked } from "../support/store/snippet-laws.ts";
import { removeTempDirs } from "../support/temp-dir.ts";

afterAll(removeTempDirs);
snippetLaws(sqlite);
snippetLaws(sqlite, ", listed", (where) => sqliteWith(where));
// The ways that SQLite goes with many snippets, with few.
snippetLaws(sqlite, ", sorting", (where) => sqliteWith(where, { few: 0, fewTexts: 0, walking: 1e9 }));
snippetLaws(sqlite, ", walking", (where) => sqliteWith(where, { few: 0, fewTexts: 0, walking: 0 }));
snippetLaws(sqlite, ", mixed", (where) => sqliteWith(where, { few: 3, fewTexts: 2, walking: 1 }));
const postgres = postgresForThisFile();
snippetLaws(postgres);
snippetLaws(postgres, ", listed", async ({ env }) => {
  const pool = await openPool(env["TRANSCRIPTS_DATABASE_URL"] ?? "", { readOnly: false });
  return { list: () => pool.transaction(listAllInPostgres), close: () => pool.close() };
});

async function sqliteWith({ env }: StoreWhere, costs?: QueryCosts): Promise<Asked> {
  const database = await openSqliteDatabase(env["TRANSCRIPTS_DATABASE"] ?? "", { readOnly: false });
  return {
    ...(costs === undefined ? {} : { query: async (query) => querySnippets(database, query, costs) }),
    list: async () => inTransaction(database, () => listAllInSqlite(database)),
    close: () => database.close(),
  };
}
