/** Questions about snippets against a naive model, on both backends. */
import { openSqliteDatabase } from "../../src/store/sqlite/open-sqlite.ts";
import { querySnippets, type QueryCosts } from "../../src/store/sqlite/sqlite-snippet-query.ts";
import { afterAll } from "../support/runner.ts";
import { sqlite } from "../support/store/backends.ts";
import { postgresForThisFile } from "../support/store/postgres-suite.ts";
import { snippetLaws, type Asked } from "../support/store/snippet-laws.ts";
import { removeTempDirs } from "../support/temp-dir.ts";

afterAll(removeTempDirs);
snippetLaws(sqlite);
// The ways that SQLite goes with many snippets, with few.
snippetLaws(sqlite, ", sorting", ({ env }) =>
  asking(env["TRANSCRIPTS_DATABASE"], { few: 0, fewTexts: 0, walking: 1e9 }),
);
snippetLaws(sqlite, ", walking", ({ env }) => asking(env["TRANSCRIPTS_DATABASE"], { few: 0, fewTexts: 0, walking: 0 }));
snippetLaws(sqlite, ", mixed", ({ env }) => asking(env["TRANSCRIPTS_DATABASE"], { few: 3, fewTexts: 2, walking: 1 }));
snippetLaws(postgresForThisFile());

async function asking(path: string | undefined, costs: QueryCosts): Promise<Asked> {
  const database = await openSqliteDatabase(path ?? "", { readOnly: true });
  return { query: async (query) => querySnippets(database, query, costs), close: () => database.close() };
}
