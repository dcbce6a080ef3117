/** Contract of every store for snippets that are written, counted and deleted. */
import assert from "node:assert/strict";
import { SNIPPET_TYPES, type StoredSnippet } from "../../../src/store/stored-model.ts";
import type { NewSnippet, SnippetQuery, Store } from "../../../src/store/store.ts";
import { describe, test } from "../runner.ts";
import { withStore, type TestBackend } from "./backends.ts";
import { fillSession, madeSnippet } from "./made-rows.ts";
import { refused } from "./rejection.ts";

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

export function snippetContract(backend: TestBackend): void {
  describe(`${backend.name}: snippets`, () => {
    const it = (name: string, work: (store: Store) => Promise<void>): void =>
      test(name, () =>
        withStore(backend, async (store) => {
          await fillSession(store);
          await work(store);
        }),
      );

    it("a snippet with all fields comes back as it was given", async (store) => {
      const given = madeSnippet({
        event_id: "s1-2",
        snippet_type: "error_reasoning",
        title: "'; DROP TABLE sessions; -- 🎈",
        source_file: "/work/app/src/queue.ts",
        source_line_start: 1,
        source_line_end: 2_147_483_647,
        tags: ["deployment", "100%", "a_b", 'say "hi"', "back\\slash", "漢字", ""],
        metadata: { word_count: 20, nested: { list: [1, 2.5, -0.25, 1e21, null, true, "x"] }, __proto__x: {} },
        created_at: "2026-01-31T10:00:00+01:00",
      });
      const stored = await store.insertSnippet(given);
      assert.match(stored.snippet_id, UUID);
      assert.match(stored.updated_at, ISO);
      const { snippet_id, updated_at, ...rest } = stored;
      assert.deepEqual(rest, { ...given, created_at: "2026-01-31T09:00:00.000Z" });
      assert.deepEqual(await store.snippet(snippet_id), stored);
      assert.ok(updated_at >= rest.created_at);
    });

    it("a snippet without optional fields gets the current time", async (store) => {
      const before = Date.now();
      const stored = await store.insertSnippet(madeSnippet());
      assert.match(stored.created_at, ISO);
      assert.ok(Math.abs(Date.parse(stored.created_at) - before) < 60_000);
      assert.equal(await store.snippet("00000000-0000-4000-8000-000000000000"), undefined);
      assert.equal(await store.snippet("no id"), undefined);
    });

    it("content is measured in bytes, a title in characters", async (store) => {
      const taken: NewSnippet[] = [
        madeSnippet({ content: "x".repeat(100) }),
        madeSnippet({ content: "x".repeat(10_240) }),
        madeSnippet({ content: "é".repeat(50) }),
        madeSnippet({ content: "🎈".repeat(2_560) }),
        madeSnippet({ title: "" }),
        madeSnippet({ title: "🎈".repeat(256) }),
      ];
      for (const snippet of taken) {
        const { content, title } = await store.insertSnippet(snippet);
        assert.deepEqual([content, title], [snippet.content, snippet.title]);
      }
      const contents = ["", "x".repeat(99), `${"é".repeat(49)}x`, "x".repeat(10_241), `${"漢".repeat(3_413)}xx`];
      for (const content of contents)
        await refused(store.insertSnippet(madeSnippet({ content })), "invalid", "content");
      for (const title of ["x".repeat(257), "🎈".repeat(257)]) {
        await refused(store.insertSnippet(madeSnippet({ title })), "invalid", "title");
      }
      assert.equal((await store.querySnippets({ limit: 0, offset: 0 })).total_count, taken.length);
    });

    it("invalid values are refused with the name of the field", async (store) => {
      const refuse = (field: string, changed: object): Promise<unknown> =>
        refused(store.insertSnippet({ ...madeSnippet(), ...changed }), "invalid", field);
      const circular: Record<string, unknown> = {};
      circular["self"] = circular;
      await refuse("content", { content: "x".repeat(10_000_000) });
      await refuse("tags", { tags: ["x".repeat(70_000)] });
      await refuse("metadata", { metadata: ["list"] });
      await refuse("metadata", { metadata: circular });
      await refuse("metadata", { metadata: { a: 1n } });
      await refuse("metadata", { metadata: { deep: JSON.parse("[".repeat(200) + "]".repeat(200)) } });
      await refuse("created_at", { created_at: "yesterday" });
      await refuse("created_at", { created_at: "2026-02-30T25:00:00Z" });
      assert.equal((await store.querySnippets({ limit: 5, offset: 0 })).total_count, 0);
    });

    it("session and event must exist", async (store) => {
      const session = await refused(
        store.insertSnippet(madeSnippet({ session_id: "s'1", event_id: "s1-0" })),
        "unknown_session",
        "session_id",
      );
      assert.ok(session.message.includes("s'1"));
      await refused(store.insertSnippet(madeSnippet({ event_id: "" })), "unknown_event", "event_id");
      const long = madeSnippet({ event_id: "e".repeat(10_000_000) });
      assert.ok((await refused(store.insertSnippet(long), "unknown_event", "event_id")).message.length < 1_000);
    });

    it("characters that databases refuse are stored as U+FFFD, and found by the original", async (store) => {
      const content = `${"x".repeat(100)}\0 and \ud800 and \uffff`;
      const { snippet_id: id } = await store.insertSnippet(
        madeSnippet({ content, title: "\0", tags: ["a\0b"], metadata: { "k\0": ["\ud800", { "\0": 1 }] } }),
      );
      const read = await store.snippet(id);
      assert.equal(read?.content, `${"x".repeat(100)}\ufffd and \ufffd and \ufffd`);
      assert.deepEqual([read?.title, read?.tags], ["\ufffd", ["a\ufffdb"]]);
      assert.deepEqual(read?.metadata, { "k\ufffd": ["\ufffd", { "\ufffd": 1 }] });
      for (const query of [{ keyword: "x\0 and \ud800" }, { tags: ["a\0b"] }, { keyword: "\uffff" }]) {
        assert.equal((await store.querySnippets({ ...query, limit: 5, offset: 0 })).total_count, 1);
      }
    });

    it("snippets are counted by their type", async (store) => {
      await fillSession(store, 1, "s2");
      const nothing = { error_reasoning: 0, decision_rationale: 0, learning_pattern: 0 };
      assert.deepEqual(await store.countSnippets(), nothing);
      for (const [at, snippet_type] of SNIPPET_TYPES.entries()) {
        for (let n = 0; n < at; n++) await store.insertSnippet(madeSnippet({ snippet_type }));
      }
      await store.insertSnippet(madeSnippet({ session_id: "s2", snippet_type: "error_reasoning" }));
      assert.deepEqual(await store.countSnippets(), { error_reasoning: 1, decision_rationale: 1, learning_pattern: 2 });
      assert.deepEqual(await store.countSnippets("s2"), { ...nothing, error_reasoning: 1 });
      assert.deepEqual(await store.countSnippets("nobody"), nothing);
    });

    it("returns the newest of a session or of a type, in order", async (store) => {
      await fillSession(store, 1, "s2");
      const made: StoredSnippet[] = [];
      for (const [at, day] of ["03", "01", "04", "02"].entries()) {
        const snippet_type = SNIPPET_TYPES[at % 2];
        const of = { session_id: at < 3 ? "s1" : "s2", ...(snippet_type === undefined ? {} : { snippet_type }) };
        made.push(await store.insertSnippet(madeSnippet({ ...of, created_at: `2026-01-${day}T00:00:00Z` })));
      }
      const [a, b, c, d] = made;
      const page = (query: Partial<SnippetQuery>): Promise<unknown> =>
        store.querySnippets({ limit: 5, offset: 0, ...query });
      assert.deepEqual(await page({ session_id: "s1" }), { snippets: [c, a, b], total_count: 3 });
      assert.deepEqual(await page({ session_id: "s1", limit: 2 }), { snippets: [c, a], total_count: 3 });
      assert.deepEqual(await page({ session_id: "s1", offset: 3 }), { snippets: [], total_count: 3 });
      assert.deepEqual(await page({ snippet_type: "decision_rationale" }), { snippets: [d, b], total_count: 2 });
      assert.deepEqual(await page({ session_id: "nobody" }), { snippets: [], total_count: 0 });
    });

    it("snippets from before a time are deleted and no longer found", async (store) => {
      for (const day of ["01", "02", "03"]) {
        await store.insertSnippet(madeSnippet({ created_at: `2026-01-${day}T00:00:00Z`, tags: ["old"] }));
      }
      await refused(store.deleteSnippetsBefore(new Date(Number.NaN)), "invalid", "time");
      assert.equal(await store.deleteSnippetsBefore(new Date("2026-01-01T00:00:00Z")), 0);
      assert.equal(await store.deleteSnippetsBefore(new Date("2026-01-02T00:00:00.001Z")), 2);
      for (const query of [{}, { tags: ["old"] }, { keyword: "queue" }, { keyword: "q" }]) {
        const { snippets, total_count } = await store.querySnippets({ ...query, limit: 5, offset: 0 });
        assert.deepEqual([snippets.map(({ created_at: at }) => at), total_count], [["2026-01-03T00:00:00.000Z"], 1]);
      }
    });
  });
}
