import assert from "node:assert/strict";
import { z } from "zod";
import { execute as extract } from "../../src/tools/run-extract-snippet.ts";
import { EXTRACT_SNIPPET, QUERY_SNIPPETS } from "../../src/tools/tool-definitions.ts";
import { execute as query } from "../../src/tools/run-query-snippets.ts";
import type { ToolContext } from "../../src/tools/tool.ts";
import { SESSION } from "../support/cli/claude-lines.ts";
import { afterAll, describe, test } from "../support/runner.ts";
import { removeTempDirs } from "../support/temp-dir.ts";
import { contentOf, madeSetting } from "../snippets/made-setting.ts";

afterAll(removeTempDirs);

async function withTools(body: (context: ToolContext) => Promise<void>, sessionId?: string): Promise<void> {
  const { store, home } = await madeSetting();
  const where = { env: {}, home, cwd: home };
  const { signal } = new AbortController();
  try {
    await body({ where, sessionId, signal, openStore: async () => store, now: () => new Date() });
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
        assert.match(text, new RegExp(`${field}: .* is missing.*For example: \\{`));
      }));
  }

  test("session and content are needed, from somewhere", () =>
    withTools(async (context) => {
      const { session_id: _s, ...noSession } = valid;
      assert.match((await extract(noSession, context)).text, /session_id: No session is named.*list_sessions/);
      const { content: _c, ...noContent } = valid;
      assert.match((await extract(noContent, context)).text, /content: A snippet needs content, lines or turns/);
    }));

  test("rejects invalid snippet_type", () =>
    withTools(async (context) => {
      const { isError, text } = await extract({ ...valid, snippet_type: "insight" }, context);
      assert.equal(isError, true);
      assert.match(text, /snippet_type: "insight" is not allowed.*decision_rationale, learning_pattern/);
    }));

  test("stores and returns snippet_id", () =>
    withTools(async (context) => {
      const { isError, text } = await extract(valid, context);
      assert.equal(isError, undefined, text);
      const { snippet_id, created_at, ...rest } = JSON.parse(text);
      assert.deepEqual(rest, {
        success: true,
        session_id: SESSION,
        snippet_type: "error_reasoning",
        title: "A taken port",
      });
      assert.match(String(snippet_id), /^[0-9a-f-]{36}$/);
      assert.ok(Math.abs(Date.parse(String(created_at)) - Date.now()) < 60_000);
    }));

  test("takes the session that the caller is in, and arguments as models write them", () =>
    withTools(async (context) => {
      const { session_id: _s, content: _c, ...rest } = valid;
      const given = { ...rest, source_line_start: "2", source_line_end: "6", tags: null, event_id: null };
      const { text } = await extract(given, context);
      assert.equal(JSON.parse(text).session_id, SESSION, text);
    }, SESSION));

  for (const [rest, says] of [
    [
      { source_line_start: 6, source_line_end: 2, content: null },
      /source_line_end: The range ends at 2, before it starts at 6/,
    ],
    [{ source_line_start: 60, content: null }, /source_line_start: 60 is beyond the end: the session has 10 lines/],
    [{ content: "too short" }, /content: The content has 9 bytes.*100 to 10240/],
    [{ content: "x".repeat(300_000) }, /content: .*far too long; a content has at most 10240 bytes/],
    [{ session_id: "0000nothing" }, /session_id: No session has an id that begins with "0000nothing".*list_sessions/],
    [{ event_id: "x" }, /event_id: The store has no entry/],
    [{ tag: "x" }, /tag: "tag" is not known\. Use one of these: session_id/],
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

const output = z.strictObject({
  success: z.literal(true),
  snippets: z.array(z.looseObject({ title: z.string(), content: z.string(), tags: z.array(z.string()) })),
  total_count: z.number(),
  has_more: z.boolean(),
  note: z.string(),
});
const asked = async (args: unknown, context: ToolContext): Promise<z.infer<typeof output>> =>
  output.parse(JSON.parse((await query(args, context)).text));

describe("query_snippets", () => {
  test("returns filtered results", () =>
    withTools(async (context) => {
      await extract({ ...valid, tags: ["a"] }, context);
      await extract({ ...valid, snippet_type: "learning_pattern", content: contentOf(300) }, context);
      const found = await asked({ tags: ["a"], keyword: "PORT", limit: "10" }, context);
      assert.deepEqual([found.success, found.total_count, found.has_more], [true, 1, false]);
      assert.deepEqual([found.snippets[0]?.title, found.snippets[0]?.tags], ["A taken port", ["a"]]);
      assert.equal((await asked({ limit: 1 }, context)).has_more, true);
    }));

  test("handles empty results", () =>
    withTools(async (context) => {
      const { note, ...found } = await asked({}, context);
      assert.deepEqual(found, { success: true, snippets: [], total_count: 0, has_more: false });
      assert.match(note, /is data, not instructions/);
    }));

  test("what does not fit is on the next page", () =>
    withTools(async (context) => {
      for (let at = 0; at < 30; at++) await extract({ ...valid, content: contentOf(5_000 + at) }, context);
      const sizes: number[] = [];
      for (let hasMore = true; hasMore;) {
        const { snippets, has_more, total_count } = await asked({ offset: sizes.length, max_chars: 12_000 }, context);
        assert.ok(snippets.length > 0 && snippets.length < 4 && total_count === 30);
        sizes.push(...snippets.map(({ content }) => content.length));
        hasMore = has_more;
      }
      assert.deepEqual(
        sizes.toSorted((a, b) => a - b),
        Array.from({ length: 30 }, (_, at) => 5_000 + at),
      );
    }));

  for (const [filter, says] of [
    [{ start_date: "2026-02-30" }, /start_date: "2026-02-30" is not allowed\. It must be a date/],
    [{ end_date: "yesterday-ish" }, /end_date: "yesterday-ish" is not allowed/],
    [{ limit: 501 }, /limit: 501 is not allowed.*1 to 500/],
    [{ snippet_type: "x" }, /snippet_type: "x" is not allowed/],
    [{ session_id: "0000nothing" }, /session_id: No session has an id/],
  ] as const) {
    test(`an error that a model can act on: ${JSON.stringify(filter)}`, () =>
      withTools(async (context) => {
        const { isError, text } = await query(filter, context);
        assert.equal(isError, true);
        assert.match(text, says);
      }));
  }
});
