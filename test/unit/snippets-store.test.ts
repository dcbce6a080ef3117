import assert from "node:assert/strict";
import { SnippetStore } from "../../src/snippets/snippet-store.ts";
import type { ExtractSnippetInput, QuerySnippetsInput } from "../../src/snippets/snippet-input.ts";
import { sampleSession, SESSION, storeSession } from "../support/cli/claude-lines.ts";
import { afterAll, describe, test } from "../support/runner.ts";
import { removeTempDirs } from "../support/temp-dir.ts";
import { contentOf, madeSetting } from "../snippets/made-setting.ts";
import { TranscriptsError } from "../../src/transcripts-error.ts";

afterAll(removeTempDirs);

const OTHER = "9a1b2c3d-4e5f-4061-8071-2a3b4c5d6e7f";
const minimal = (rest: Partial<ExtractSnippetInput> = {}): ExtractSnippetInput => ({
  session_id: SESSION,
  snippet_type: "error_reasoning",
  title: "A taken port",
  content: contentOf(200),
  ...rest,
});

/** An error that names the field and ends in a sentence. */
const names = (field: string, says: RegExp) => (error: unknown) => {
  assert.ok(error instanceof TranscriptsError, String(error));
  assert.equal(error.field, field);
  assert.match(error.message, says);
  assert.match(error.message, /^[A-Z"\d[-].*[.`)]$/s);
  return true;
};

async function withStore(body: (store: SnippetStore, made: Awaited<ReturnType<typeof madeSetting>>) => Promise<void>) {
  const made = await madeSetting();
  storeSession(made.home, sampleSession(), { id: OTHER, project: "-work-bakery" });
  try {
    await body(new SnippetStore(made), made);
  } finally {
    await made.store.close();
  }
}

describe("SnippetStore", () => {
  test("insert snippet with all fields", () =>
    withStore(async (snippets, { store, path }) => {
      await snippets.insertSnippet(minimal({ content: contentOf(150) }));
      const [first] = await store.sessions();
      assert.equal(first?.path, path, "the session was entered on the fly");
      const snippet = await snippets.insertSnippet(
        minimal({
          snippet_type: "decision_rationale",
          title: "  Why a pool  ",
          source_line_start: 2,
          source_line_end: 4,
          tags: ["database", "pool", "database"],
          metadata: { epic_id: "009-B", deep: { list: [1, null, "x"] } },
        }),
      );
      assert.match(snippet.snippet_id, /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/);
      const { title, tags, metadata, source_file, source_line_start, source_line_end } = snippet;
      assert.deepEqual(
        { title, tags, source_file, source_line_start, source_line_end },
        {
          title: "Why a pool",
          tags: ["database", "pool"],
          source_file: path,
          source_line_start: 2,
          source_line_end: 4,
        },
      );
      const { citation, ...notes } = metadata;
      assert.match(JSON.stringify(citation), /"line_start":2,"line_end":4,.*"entries":\["/);
      assert.deepEqual(notes, {
        epic_id: "009-B",
        deep: { list: [1, null, "x"] },
        word_count: 40,
        read_time_seconds: 12,
      });
    }));

  test("insert snippet with minimal fields", () =>
    withStore(async (snippets) => {
      const snippet = await snippets.insertSnippet(minimal());
      assert.deepEqual(
        [snippet.event_id, snippet.tags, snippet.source_file, snippet.source_line_start],
        [null, [], null, null],
      );
      assert.equal(snippet.session_id, SESSION);
      assert.equal(snippet.created_at, snippet.updated_at);
    }));

  test("latest and the beginning of an id are stored as the full id", () =>
    withStore(async (snippets, { path }) => {
      const contents = [110, 120, 130, 140].map((bytes) => contentOf(bytes));
      const given = ["latest", SESSION.slice(0, 8), path, SESSION];
      for (const [at, session_id] of given.entries()) {
        const expected = session_id === "latest" ? OTHER : SESSION;
        const content = contents[at] ?? "";
        const stored = await snippets.insertSnippet(minimal({ session_id, content }));
        // Both files are as old: which is the latest is not told here.
        if (session_id !== "latest") assert.equal(stored.session_id, expected, session_id);
        else assert.ok([SESSION, OTHER].includes(stored.session_id));
      }
    }));

  for (const [name, bytes, says] of [
    ["reject snippet with content too short (<100 bytes)", 99, /content has 99 bytes.*100 to 10240 are allowed/],
    ["reject snippet with content too long (>10KB)", 10_241, /content has 10241 bytes.*100 to 10240 are allowed/],
    ["reject a content of 10 MB", 10_000_000, /far too long; a content has at most 10240 bytes/],
  ] as const) {
    test(name, () =>
      withStore(async (snippets) => {
        const content = bytes > 20_000 ? "a b ".repeat(bytes / 4) : contentOf(bytes);
        await assert.rejects(snippets.insertSnippet(minimal({ content })), names("content", says));
        assert.equal((await snippets.querySnippets()).total_count, 0);
      }),
    );
  }

  test("content is measured in bytes, a title in characters, at the limits", () =>
    withStore(async (snippets) => {
      const emoji = (count: number, rest = ""): string => "🦜".repeat(count) + rest;
      assert.equal(Buffer.byteLength(emoji(25)), 100);
      await snippets.insertSnippet(minimal({ content: emoji(25) }));
      await snippets.insertSnippet(minimal({ content: emoji(2_560) }));
      await assert.rejects(
        snippets.insertSnippet(minimal({ content: emoji(24, "abc") })),
        names("content", /99 bytes/),
      );
      await assert.rejects(snippets.insertSnippet(minimal({ content: emoji(2_560, "a") })), names("content", /10241/));
      const stored = await snippets.insertSnippet(minimal({ title: emoji(256), content: contentOf(101) }));
      assert.equal(stored.title, emoji(256));
      await assert.rejects(
        snippets.insertSnippet(minimal({ title: emoji(257), content: contentOf(102) })),
        names("title", /257 characters; at most 256 are allowed/),
      );
    }));

  test("query by session, by type, by tags, by keyword, by date, by project", () =>
    withStore(async (snippets) => {
      const add = (rest: Partial<ExtractSnippetInput>) => snippets.insertSnippet(minimal(rest));
      await add({ content: contentOf(200, "100% of _all_ 'quotes' "), tags: ["a", "b"] });
      await add({ content: contentOf(201), title: "ÜBER all", tags: ["a"], snippet_type: "learning_pattern" });
      await add({ session_id: OTHER, content: contentOf(202), tags: ["a%"] });
      const count = async (filter: object) => (await snippets.querySnippets(filter)).total_count;
      assert.equal(await count({ session_id: SESSION }), 2);
      assert.equal(await count({ session_id: OTHER.slice(0, 6) }), 1);
      assert.equal(await count({ snippet_type: "learning_pattern" }), 1);
      assert.equal(await count({ tags: ["a"] }), 2);
      assert.equal(await count({ tags: ["b", "a"] }), 1);
      assert.equal(await count({ tags: ["a%"] }), 1);
      assert.equal(await count({ keyword: "100% OF _ALL_ 'Q" }), 1);
      assert.equal(await count({ keyword: "100x" }), 0);
      assert.equal(await count({ keyword: "über" }), 1);
      assert.equal(await count({ start_date: "2000-01-01", end_date: "2999-12-31" }), 3);
      assert.equal(await count({ end_date: "2001-01-01" }), 0);
      assert.equal(await count({ session_id: SESSION, tags: ["a"], snippet_type: "error_reasoning" }), 1);
    }));

  test("pagination (limit + offset), newest first", () =>
    withStore(async (snippets) => {
      for (let at = 0; at < 5; at++)
        await snippets.insertSnippet(minimal({ title: `n${at}`, content: contentOf(200 + at) }));
      const page = async (limit: number, offset: number) => {
        const { snippets: found, total_count, has_more } = await snippets.querySnippets({ limit, offset });
        return [found.map(({ snippet_id }) => snippet_id), total_count, has_more] as const;
      };
      const [all] = await page(500, 0);
      assert.equal(all.length, 5);
      assert.deepEqual(await page(2, 0), [all.slice(0, 2), 5, true]);
      assert.deepEqual(await page(2, 3), [all.slice(3), 5, false]);
      assert.deepEqual(await page(2, 9), [[], 5, false]);
    }));

  test("count by type, zeros too", () =>
    withStore(async (snippets) => {
      await snippets.insertSnippet(minimal());
      assert.deepEqual(await snippets.countByType(SESSION), {
        error_reasoning: 1,
        decision_rationale: 0,
        learning_pattern: 0,
      });
      assert.deepEqual(await snippets.countByType(OTHER), {
        error_reasoning: 0,
        decision_rationale: 0,
        learning_pattern: 0,
      });
    }));

  test("cleanup old snippets", () =>
    withStore(async (snippets) => {
      await snippets.insertSnippet(minimal());
      const inDays = (days: number) => new Date(Date.now() + days * 86_400_000);
      assert.deepEqual(await snippets.cleanupOldSnippets(30, inDays(29)), { deleted: 0 });
      assert.deepEqual(await snippets.cleanupOldSnippets(30, inDays(31)), { deleted: 1 });
      for (const days of [0, -1, 1.5, Number.NaN, 1e9])
        await assert.rejects(snippets.cleanupOldSnippets(days), names("retentionDays", /whole number of days from 1/));
    }));

  test("the same content of the same session is stored once", () =>
    withStore(async (snippets) => {
      const first = await snippets.insertSnippet(minimal());
      const again = await snippets.insertSnippet(minimal({ title: "Another title" }));
      assert.deepEqual(again, first);
      const other = await snippets.insertSnippet(minimal({ session_id: OTHER }));
      assert.notEqual(other.snippet_id, first.snippet_id);
      assert.equal((await snippets.querySnippets()).total_count, 2);
    }));
});

describe("what is refused", () => {
  const SQL = "'; DROP TABLE conversation_snippets; --";
  let deep: Record<string, unknown> = {};
  for (let depth = 0; depth < 30; depth++) deep = { deep };
  const cycle: Record<string, unknown> = {};
  cycle["self"] = cycle;
  for (const [rest, field, says] of [
    [
      { session_id: "00000000-no-such-session" },
      "session_id",
      /No session has an id that begins with "00000000-no-such/,
    ],
    [{ session_id: SQL }, "session_id", /No session has an id/],
    [{ session_id: "" }, "session_id", /1 to 4096 characters/],
    [{ session_id: "ab" }, "session_id", /too short/],
    [{ session_id: "-" }, "session_id", /Standard input/],
    [{ session_id: "/no/such/file.jsonl" }, "session_id", /There is no file/],
    [
      { snippet_type: "insight" },
      "snippet_type",
      /"insight" is not allowed.*error_reasoning, decision_rationale, learning_pattern/,
    ],
    [{ snippet_type: undefined }, "snippet_type", /missing/],
    [{ title: "" }, "title", /1 to 10000 characters/],
    [{ title: "   " }, "title", /1 to 10000 characters/],
    [{ title: "x".repeat(257) }, "title", /257 characters; at most 256/],
    [{ title: "a\0b" }, "title", /NUL/],
    [{ title: 7 }, "title", /7 is not allowed/],
    [{ content: undefined }, "content", /needs content, lines or turns/],
    [{ content: " ".repeat(300) }, "content", /is blank/],
    [{ content: `${contentOf(200)}\0` }, "content", /NUL/],
    [{ event_id: "no-such-event" }, "event_id", /no entry "no-such-event"/],
    [{ event_id: SQL }, "event_id", /no entry/],
    [{ source_line_start: 0 }, "source_line_start", /whole number from 1/],
    [{ source_line_start: 1.5 }, "source_line_start", /whole number from 1/],
    [{ source_line_start: 9, source_line_end: 3 }, "source_line_end", /ends at 3, before it starts at 9/],
    [{ source_turn_start: 9, source_turn_end: 3 }, "source_turn_end", /ends at 3, before it starts at 9/],
    [{ source_line_start: 1, source_turn_start: 1 }, "source_turn_start", /Lines and turns/],
    [{ tags: "a" }, "tags", /list of at most 50/],
    [{ tags: ["a", ""] }, "tags.1", /1 to 100 characters/],
    [{ tags: ["a", " "] }, "tags.1", /1 to 100 characters/],
    [{ tags: Array.from({ length: 51 }, (_, at) => `t${at}`) }, "tags", /at most 50/],
    [{ metadata: [] }, "metadata", /must be an object/],
    [{ metadata: { big: "x".repeat(20_000) } }, "metadata", /16384 are allowed/],
    [{ metadata: deep }, "metadata", /nested more than 20/],
    [{ metadata: cycle }, "metadata", /cannot be written as JSON/],
    [{ metadata: { a: "b\0" } }, "metadata", /NUL/],
    [{ instance_id: "x" }, "instance_id", /"instance_id" is not known\. Use one of these: session_id/],
  ] as const) {
    test(`extract: ${JSON.stringify(rest, (key, value: unknown) => (key === "self" ? "…" : value))?.slice(0, 70)}`, () =>
      withStore(async (snippets) => {
        const call = snippets.insertSnippet(Object.assign(minimal(), rest));
        await assert.rejects(call, names(field, says));
        assert.equal((await snippets.querySnippets()).total_count, 0);
      }));
  }

  for (const [filter, field, says] of [
    [{ start_date: "2026-02-30" }, "start_date", /"2026-02-30" is not allowed.*must be a date/i],
    [{ start_date: "yesterday-ish" }, "start_date", /must be a date/i],
    [{ end_date: "2026-13-01T10:00:00Z" }, "end_date", /must be a date/i],
    [{ end_date: "2026-01-01T25:00:00Z" }, "end_date", /must be a date/i],
    [{ start_date: "2026-02-02", end_date: "2026-02-01" }, "end_date", /end is before the start/],
    [{ session_id: "no-such-session" }, "session_id", /No session/],
    [{ snippet_type: SQL }, "snippet_type", /must be one of/],
    [{ limit: 0 }, "limit", /from 1 to 500/],
    [{ limit: 501 }, "limit", /from 1 to 500/],
    [{ offset: -1 }, "offset", /from 0/],
    [{ keyword: "" }, "keyword", /1 to 10000/],
    [{ keyword: "x".repeat(10_000_000) }, "keyword", /1 to 10000/],
    [{ keyword: "a\0" }, "keyword", /NUL/],
    [{ tag: "a" }, "tag", /"tag" is not known/],
  ] as const) {
    test(`query: ${JSON.stringify(filter).slice(0, 70)}`, () =>
      withStore(async (snippets) => {
        const input: QuerySnippetsInput = {};
        Object.assign(input, filter);
        await assert.rejects(async () => snippets.querySnippets(input), names(field, says));
      }));
  }

  test("SQL in every text is text", () =>
    withStore(async (snippets) => {
      const stored = await snippets.insertSnippet(
        minimal({ title: SQL, content: SQL.repeat(4), tags: [SQL], metadata: { [SQL]: SQL } }),
      );
      const found = await snippets.querySnippets({ keyword: SQL, tags: [SQL], project: SQL });
      assert.equal(found.total_count, 0);
      assert.deepEqual((await snippets.querySnippets({ keyword: SQL, tags: [SQL] })).snippets, [stored]);
    }));
});
