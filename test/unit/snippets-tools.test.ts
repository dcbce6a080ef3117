import assert from "node:assert/strict";
import { execute as extract } from "../../src/tools/run-extract-snippet.ts";
import { EXTRACT_SNIPPET, QUERY_SNIPPETS } from "../../src/tools/tool-definitions.ts";
import { execute as query } from "../../src/tools/run-query-snippets.ts";
import type { ToolContext } from "../../src/tools/tool.ts";
import { SESSION } from "../support/cli/claude-lines.ts";
import { afterAll, describe, test } from "../support/runner.ts";
import { removeTempDirs } from "../support/temp-dir.ts";
import { tokensOf } from "../support/tools/tool-calls.ts";
import { contentOf, madeSetting } from "../snippets/made-setting.ts";

afterAll(removeTempDirs);

async function withTools(body: (context: ToolContext) => Promise<void>, sessionId?: string): Promise<void> {
  const { store, home } = await madeSetting();
  const where = { env: {}, home, cwd: home };
  const { signal } = new AbortController();
  try {
    await body({ where, sessionId, signal, openStore: async () => store, now: () => new Date(), showsData: true });
  } finally {
    await store.close();
  }
}

const valid = { session_id: SESSION, snippet_type: "error_reasoning", title: "A taken port", content: contentOf(200) };

describe("extract_snippet", () => {
  for (const field of ["snippet_type", "title"] as const) {
    test(`validates required fields: ${field}`, () =>
      withTools(async (context) => {
        const { [field]: _left, ...rest } = valid;
        const { isError, text } = await extract(rest, context);
        assert.equal(isError, true);
        assert.match(text, new RegExp(`${field}: it is missing.*For example: \\{`));
      }));
  }

  test("session and content are needed, from somewhere", () =>
    withTools(async (context) => {
      const { session_id: _s, ...noSession } = valid;
      assert.match((await extract(noSession, context)).text, /session_id: it is missing.*list_sessions/);
      const { content: _c, ...noContent } = valid;
      assert.match((await extract(noContent, context)).text, /content: it is missing, and neither lines nor turns/);
    }));

  test("rejects invalid snippet_type", () =>
    withTools(async (context) => {
      const { isError, text, data } = await extract({ ...valid, snippet_type: "insight" }, context);
      assert.equal(isError, true);
      assert.match(text, /snippet_type: "insight" is not allowed.*"decision_rationale", "learning_pattern"/);
      assert.equal(data["success"], false);
    }));

  test("stores and returns snippet_id", () =>
    withTools(async (context) => {
      const { isError, data, text } = await extract(valid, context);
      assert.equal(isError, undefined, text);
      const { version, snippet_id, created_at, ...rest } = data;
      assert.deepEqual(rest, {
        success: true,
        session_id: SESSION,
        snippet_type: "error_reasoning",
        title: "A taken port",
      });
      assert.equal(version, 1);
      assert.match(String(snippet_id), /^[0-9a-f-]{36}$/);
      assert.ok(Math.abs(Date.parse(String(created_at)) - Date.now()) < 60_000);
      assert.ok(text.includes(String(snippet_id)));
    }));

  test("takes the session that the caller is in, and arguments as models write them", () =>
    withTools(async (context) => {
      const { session_id: _s, content: _c, ...rest } = valid;
      const given = { ...rest, source_line_start: "2", source_line_end: "6", tags: null, event_id: null };
      const { data, text } = await extract(given, context);
      assert.equal(data["session_id"], SESSION, text);
    }, SESSION));

  for (const [rest, says] of [
    [{ source_line_start: 6, source_line_end: 2, content: null }, /source_line_end: 2 is before source_line_start/],
    [{ source_line_start: 60, content: null }, /source_line_start: 60 is beyond the end: the session has 10 lines/],
    [{ content: "too short" }, /content: it has 9 bytes.*100 to 10240/],
    [{ content: "x".repeat(300_000) }, /content: .*200000 characters/],
    [{ session_id: "0000nothing" }, /session_id: there is no session "0000nothing".*list_sessions/],
    [{ event_id: "x" }, /event_id: there is no event/],
    [{ tag: "x" }, /"tag": extract_snippet has no such argument/],
    [{ title: "a\0b" }, /title: .*NUL/],
  ] as const) {
    test(`an error that a model can act on: ${JSON.stringify(rest).slice(0, 60)}`, () =>
      withTools(async (context) => {
        const { isError, text } = await extract({ ...valid, ...rest }, context);
        assert.equal(isError, true);
        assert.match(text, says);
      }));
  }

  test("the examples work", () =>
    withTools(async (context) => {
      const example = { ...EXTRACT_SNIPPET.example, source_line_start: 2, source_line_end: 6 };
      assert.equal((await extract(example, context)).isError, undefined);
      assert.equal((await query(QUERY_SNIPPETS.example, context)).isError, undefined);
    }));
});

describe("query_snippets", () => {
  test("returns filtered results", () =>
    withTools(async (context) => {
      await extract({ ...valid, tags: ["a"] }, context);
      await extract({ ...valid, snippet_type: "learning_pattern", content: contentOf(300) }, context);
      const { data, text } = await query({ tags: ["a"], keyword: "PORT", limit: "10" }, context);
      assert.deepEqual([data["success"], data["total_count"], data["has_more"]], [true, 1, false]);
      assert.match(text, /Snippets 1 to 1 of 1\.[^]*## A taken port[^]*tags a/);
      assert.ok(Array.isArray(data["snippets"]) && !JSON.stringify(data["snippets"]).includes("signature"));
      const paged = await query({ limit: 1 }, context);
      assert.equal(paged.data["has_more"], true);
      assert.match(paged.text, /For more: offset 1\./);
    }));

  test("handles empty results", () =>
    withTools(async (context) => {
      const { isError, data, text } = await query({}, context);
      assert.deepEqual(
        [isError, data],
        [undefined, { version: 1, success: true, snippets: [], total_count: 0, has_more: false }],
      );
      assert.match(text, /No snippet matches/);
    }));

  test("many snippets fit into an answer", () =>
    withTools(async (context) => {
      for (let at = 0; at < 30; at++) await extract({ ...valid, content: contentOf(5_000 + at) }, context);
      const { text, data } = await query({}, { ...context, showsData: false });
      assert.ok(text.length < 45_000, String(text.length));
      assert.deepEqual([data["total_count"], data["has_more"]], [30, false]);
    }));

  test("where a model sees the data too, what does not fit is on the next page", () =>
    withTools(async (context) => {
      for (let at = 0; at < 30; at++) await extract({ ...valid, content: contentOf(5_000 + at) }, context);
      const sizes: number[] = [];
      for (let hasMore = true; hasMore;) {
        const answer = await query({ offset: sizes.length, limit: 30 }, context);
        assert.ok(tokensOf(answer) < 15_000, String(tokensOf(answer)));
        const { data, text } = answer;
        assert.ok(Array.isArray(data["snippets"]) && data["snippets"].length > 0);
        sizes.push(...data["snippets"].map(({ content }) => String(content).length));
        hasMore = data["has_more"] === true;
        if (hasMore) assert.match(text, new RegExp(`For more: offset ${sizes.length}\\.`));
      }
      assert.deepEqual(
        sizes.toSorted((a, b) => a - b),
        Array.from({ length: 30 }, (_, at) => 5_000 + at),
      );
    }));

  for (const [filter, says] of [
    [{ start_date: "2026-02-30" }, /start_date: "2026-02-30" is not allowed\. It must be an ISO 8601 date/],
    [{ end_date: "yesterday-ish" }, /end_date: "yesterday-ish" is not allowed/],
    [{ limit: 501 }, /limit: 501 is not allowed.*1 to 500/],
    [{ snippet_type: "x" }, /snippet_type: "x" is not allowed/],
    [{ session_id: "0000nothing" }, /session_id: there is no session/],
  ] as const) {
    test(`an error that a model can act on: ${JSON.stringify(filter)}`, () =>
      withTools(async (context) => {
        const { isError, text } = await query(filter, context);
        assert.equal(isError, true);
        assert.match(text, says);
      }));
  }
});
