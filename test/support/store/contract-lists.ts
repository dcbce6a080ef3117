/** What every store does with the lists by which it finds snippets, once there are many. */
import assert from "node:assert/strict";
import { openStore } from "../../../src/store/open-store.ts";
import { LISTED_AT_ONCE } from "../../../src/store/snippet-terms.ts";
import type { Store } from "../../../src/store/store.ts";
import { describe, test } from "../runner.ts";
import { withStore, type TestBackend } from "./backends.ts";
import { fillSession, madeSnippet } from "./made-rows.ts";

const TABLES = ["snippet_terms", "snippet_lists", "snippet_pending", "snippet_gone"] as const;

export function listContract(backend: TestBackend): void {
  describe(`${backend.name}: lists of snippets`, () => {
    test("snippets are listed once there are enough, and no word stays of those that are deleted", () =>
      withStore(backend, async (store, where) => {
        const rows = async (table: string): Promise<number> =>
          Number((await backend.sql(where, `SELECT count(*) AS rows FROM ${table}`))[0]?.["rows"]);
        const isKnown = async (term: string): Promise<boolean> =>
          (await backend.sql(where, `SELECT 1 FROM snippet_terms WHERE term = '${term}'`)).length > 0;
        for (const id of ["s1", "s2", "s3"]) await fillSession(store, 1, id);
        await insertMany(store, LISTED_AT_ONCE + 44);
        assert.ok((await rows("snippet_pending")) < LISTED_AT_ONCE);
        assert.deepEqual(await countsOf(store), { marmot: 100, glacier: 100, 漢字: 300, "every marmot": 100 });
        assert.ok(await isKnown("marmot"));
        await store.deleteSession("s1");
        assert.deepEqual([await isKnown("marmot"), await isKnown("glacier")], [false, true]);
        assert.deepEqual(await countsOf(store), { marmot: 0, glacier: 100, 漢字: 200, "every marmot": 0 });
        await store.deleteSnippetsBefore(new Date("9999-01-01"));
        for (const table of TABLES) assert.equal(await rows(table), 0, table);
        assert.deepEqual(await countsOf(store), { marmot: 0, glacier: 0, 漢字: 0, "every marmot": 0 });
      }));

    test("counts stay exact while several stores write, list and delete at once", () =>
      withStore(backend, async (store, where) => {
        for (const id of ["s1", "s2", "s3"]) await fillSession(store, 1, id);
        const others = await Promise.all([openStore(where), openStore(where)]);
        try {
          const writers = [store, ...others, store].map((each) => insertMany(each, LISTED_AT_ONCE));
          const deleting = (async () => {
            for (let day = 1; day <= 8; day++) await store.deleteSnippetsBefore(new Date(Date.UTC(2026, 0, day)));
          })();
          await Promise.all([...writers, deleting]);
        } finally {
          await Promise.all(others.map((other) => other.close()));
        }
        const left = await backend.sql(where, "SELECT title, content FROM conversation_snippets");
        const counts = await countsOf(store);
        for (const [keyword, count] of Object.entries(counts)) {
          const found = left.filter((row) => `${String(row["title"])}\n${String(row["content"])}`.includes(keyword));
          assert.equal(count, found.length, keyword);
        }
        const { total_count: all } = await store.querySnippets({ limit: 0, offset: 0 });
        assert.equal(all, left.length);
      }));
  });
}

/** Of three sessions, each with a word of its own, over thirty days. */
async function insertMany(store: Store, snippets: number): Promise<void> {
  const words = ["marmot", "glacier", "lichen"];
  for (let n = 0; n < snippets; n++) {
    await store.insertSnippet(
      madeSnippet({
        session_id: `s${(n % 3) + 1}`,
        title: `every ${words[n % 3]}`,
        content: `漢字 ${n} ${"z".repeat(100)}`,
        tags: [`tag-${n % 5}`],
        created_at: new Date(Date.UTC(2026, 0, 1 + (n % 30))).toISOString(),
      }),
    );
  }
}

async function countsOf(store: Store): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const keyword of ["marmot", "glacier", "漢字", "every marmot"]) {
    counts[keyword] = (await store.querySnippets({ keyword, limit: 0, offset: 0 })).total_count;
  }
  return counts;
}
