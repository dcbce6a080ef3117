/** Contract of every store for queries of snippets. */
import assert from "node:assert/strict";
import type { SnippetQuery, Store } from "../../../src/store/store.ts";
import { describe, test } from "../runner.ts";
import { withStore, type TestBackend } from "./backends.ts";
import { madeSession, madeSnippet } from "./made-rows.ts";
import { refused } from "./rejection.ts";

const FILLER = ` ${"z".repeat(110)}`;

export function queryContract(backend: TestBackend): void {
  describe(`${backend.name}: questions about snippets`, () => {
    const it = (name: string, work: (store: Store) => Promise<void>): void =>
      test(name, () => withStore(backend, work));

    it("keywords are taken literally, in any case", async (store) => {
      const texts = [
        ["100% sure", "100 sure", "snake_case", "snakeXcase", String.raw`a\b`, String.raw`a\\b`, 'say "hi"'],
        ["it's", "SELECT * FROM x; --", "Straße", "STRASSE", "ΣΊΣΥΦΟΣ", "σίσυφος", "\u212a", "k", "ﬀ", "ff"],
        ["İstanbul", "istanbul", "漢字かな", "🎈🎉", "a b", "{x:*}", "NEAR(a b)", "é", "e\u0301"],
      ].flat();
      await register(store);
      for (const text of texts) await store.insertSnippet(madeSnippet({ title: "", content: text + FILLER }));
      const found = async (keyword: string): Promise<string[]> => {
        const { snippets, total_count } = await store.querySnippets({ keyword, limit: 50, offset: 0 });
        assert.equal(total_count, snippets.length);
        return texts.filter((text) => snippets.some(({ content }) => content === text + FILLER));
      };
      assert.deepEqual(await found("100%"), ["100% sure"]);
      assert.deepEqual(await found("snake_case"), ["snake_case"]);
      assert.deepEqual(await found(String.raw`a\b`), [String.raw`a\b`]);
      assert.deepEqual(await found('"HI"'), ['say "hi"']);
      assert.deepEqual(await found("'"), ["it's"]);
      assert.deepEqual(await found("select *"), ["SELECT * FROM x; --"]);
      assert.deepEqual(await found("strasse"), ["STRASSE"]);
      assert.deepEqual(await found("STRAẞE"), ["Straße"]);
      assert.deepEqual(await found("σίσυφοσ"), ["ΣΊΣΥΦΟΣ", "σίσυφος"]);
      assert.deepEqual(await found("K z"), ["\u212a", "k"]);
      assert.deepEqual(await found("FF"), ["ff"]);
      assert.deepEqual(await found("istan"), ["istanbul"]);
      assert.deepEqual(await found("字か"), ["漢字かな"]);
      assert.deepEqual(await found("🎉"), ["🎈🎉"]);
      assert.deepEqual(await found("NEAR("), ["NEAR(a b)"]);
      assert.deepEqual(await found("É"), ["é"]);
      assert.deepEqual(await found("*"), ["SELECT * FROM x; --", "{x:*}"]);
      assert.deepEqual(await found("%_"), []);
      assert.deepEqual(await found("\ud83c"), []);
    });

    it("content is compared as a whole", async (store) => {
      await register(store);
      const contents = [`Alpha${FILLER}`, `alpha${FILLER}`, `Alpha${FILLER}z`, `\0${FILLER}`];
      for (const content of contents) await store.insertSnippet(madeSnippet({ content }));
      for (const content of contents) {
        const { snippets, total_count } = await store.querySnippets({ content, limit: 9, offset: 0 });
        assert.deepEqual([total_count, snippets[0]?.content], [1, content.replace("\0", "\ufffd")]);
      }
    });

    it("a keyword must be in the title or in the content, not across both", async (store) => {
      await register(store);
      const inTitle = await store.insertSnippet(madeSnippet({ title: "alpha", content: `beta${FILLER}` }));
      const count = async (keyword: string): Promise<number> =>
        (await store.querySnippets({ keyword, limit: 1, offset: 0 })).total_count;
      assert.equal(inTitle.title, "alpha");
      const keywords = ["alpha", "beta", "ALPHA", "alphabeta", "a", "ab", "alpha\u001ebeta"];
      const counts: number[] = [];
      for (const keyword of keywords) counts.push(await count(keyword));
      assert.deepEqual(counts, [1, 1, 1, 0, 1, 0, 0]);
      assert.equal(await count(""), 1);
      assert.equal(await count("x".repeat(10_000_000)), 0);
      assert.equal(await count("z".repeat(110)), 1);
      assert.equal(await count("z".repeat(111)), 0);
    });

    it("all tags must be there, wildcards taken literally", async (store) => {
      await register(store);
      for (const tags of [["a", "b"], ["a"], ["A"], ["%"], ["a%"], ["*"], ['"'], ["a", "a"], ["[]"], ["null"], []]) {
        await store.insertSnippet(madeSnippet({ tags }));
      }
      const count = async (...tags: string[]): Promise<number> =>
        (await store.querySnippets({ tags, limit: 1, offset: 0 })).total_count;
      assert.equal(await count("a"), 3);
      assert.equal(await count("a", "b"), 1);
      assert.equal(await count("b", "a", "b"), 1);
      for (const tag of ["%", "*", '"', "[]", "null", "a%", "A"]) assert.equal(await count(tag), 1, tag);
      for (const tag of ["_", "", "$.a", "aa"]) assert.equal(await count(tag), 0, tag);
      assert.equal(await count(), 11);
    });

    it("a project is its folder or the last name of it", async (store) => {
      const projects = ["/work/app", "/other/App", "/work/app/sub", "/work/app2", null, "C:\\code\\app", "/"];
      for (const [at, project] of projects.entries()) {
        await store.writeSession({ session: madeSession(`${at}`, { project }), expected: 0, messages: [], blocks: [] });
        await store.insertSnippet(madeSnippet({ session_id: `${at}` }));
      }
      const sessions = async (project: string): Promise<string> => {
        const { snippets } = await store.querySnippets({ project, limit: 9, offset: 0 });
        const ids = snippets.map(({ session_id: id }) => id);
        return ids.toSorted().join();
      };
      assert.equal(await sessions("/work/app"), "0");
      assert.equal(await sessions("app"), "0,1,5");
      assert.equal(await sessions("APP"), "0,1,5");
      assert.equal(await sessions("sub"), "2");
      assert.equal(await sessions("work"), "");
      assert.equal(await sessions("/work/a%"), "");
      assert.equal(await sessions("/"), "6");
    });

    it("date limits are inclusive, and invalid dates are refused", async (store) => {
      await register(store);
      for (const ms of [0, 1, 2])
        await store.insertSnippet(madeSnippet({ created_at: `2026-01-01T00:00:00.00${ms}Z` }));
      const between = async (start?: string, end?: string): Promise<number> => {
        const dates = { ...(start ? { start: new Date(start) } : {}), ...(end ? { end: new Date(end) } : {}) };
        return (await store.querySnippets({ ...dates, limit: 0, offset: 0 })).total_count;
      };
      assert.equal(await between("2026-01-01T00:00:00.001Z"), 2);
      assert.equal(await between(undefined, "2026-01-01T00:00:00.001Z"), 2);
      assert.equal(await between("2026-01-01T00:00:00.001Z", "2026-01-01T00:00:00.001Z"), 1);
      assert.equal(await between("2026-01-02", "2026-01-01"), 0);
      const bad = new Date(Number.NaN);
      await refused(store.querySnippets({ start: bad, limit: 1, offset: 0 }), "invalid", "start");
      await refused(store.querySnippets({ end: bad, limit: 1, offset: 0 }), "invalid", "end");
    });

    it("pages are complete, newest first and then by id, with any filter", async (store) => {
      await register(store);
      for (let n = 0; n < 25; n++) {
        const second = String(Math.floor(n / 10)).padStart(2, "0");
        await store.insertSnippet(madeSnippet({ created_at: `2026-01-01T00:00:${second}Z`, tags: ["t"] }));
      }
      const queries: Partial<SnippetQuery>[] = [
        {},
        { keyword: "queue" },
        { keyword: "q" },
        { tags: ["t"] },
        { session_id: "s1" },
      ];
      for (const query of queries) {
        const whole = await store.querySnippets({ ...query, limit: 100, offset: 0 });
        const order = whole.snippets.map(({ created_at: time, snippet_id: id }) => ({ time, id }));
        const sorted = order.toSorted((a, b) =>
          a.time === b.time ? (a.id < b.id ? -1 : 1) : a.time < b.time ? 1 : -1,
        );
        assert.deepEqual(order, sorted);
        const paged: string[] = [];
        for (let offset = 0; offset < 30; offset += 7) {
          const page = await store.querySnippets({ ...query, limit: 7, offset });
          assert.equal(page.total_count, 25);
          paged.push(...page.snippets.map(({ snippet_id: id }) => id));
        }
        assert.deepEqual(
          paged,
          order.map(({ id }) => id),
        );
      }
    });
  });
}

async function register(store: Store): Promise<void> {
  await store.writeSession({ session: madeSession(), expected: 0, messages: [], blocks: [] });
}
