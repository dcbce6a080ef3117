/** Which passages a search of the store finds, and what is said of each. */
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { sessionRef } from "../../src/places/session-ref.ts";
import { mayHaveTerms } from "../../src/queries/byte-filter.ts";
import { search, type SearchHit, type SearchQuery } from "../../src/search/search.ts";
import { randomSecret } from "../support/parse/secret.ts";
import { afterAll, describe, test } from "../support/runner.ts";
import { enter } from "../support/search/filled-store.ts";
import { sqlite, withStore } from "../support/store/backends.ts";
import { makeTempDir, removeTempDirs } from "../support/temp-dir.ts";

afterAll(removeTempDirs);

let count = 0;
const line = (type: string, content: unknown, more: Record<string, unknown> = {}): string => {
  const base = { type, sessionId: "s", uuid: `u${(count += 1)}`, timestamp: "2025-01-01T10:00:00.000Z" };
  return `${JSON.stringify({ ...base, message: { role: type, content }, ...more })}\n`;
};
const call = (id: string, name: string, input: unknown): string =>
  line("assistant", [{ type: "tool_use", id, name, input }]);
const result = (id: string, content: unknown, isError = false): string =>
  line("user", [{ type: "tool_result", tool_use_id: id, content, is_error: isError }]);

/** Hits in the order of the session. */
async function hitsOf(text: string, query: SearchQuery): Promise<SearchHit[]> {
  let hits: SearchHit[] = [];
  await withStore(sqlite, async (store) => {
    await enter(store, "s", text);
    ({ hits } = await search(store, { exact: true, limit: Infinity, ...query }));
  });
  return hits.toSorted((a, b) => a.ordinal - b.ordinal);
}

describe("parts of a call that are searched", () => {
  const input = { command: "x", port: 5432, env: { DATABASE_HOST: "db", retries: [7, { MAX_WAIT: true }] } };
  const text = call("toolu_1", "Bash", input);
  for (const [term, found] of [
    ["5432", 1],
    ["database_host", 1],
    ["max_wait", 1],
    ["retries", 1],
    ["Bash", 1],
    // The tool's own names, and what JSON writes.
    ["command", 0],
    ["port", 0],
    ["true", 0],
    ["{", 0],
  ] as const) {
    test(`${term}: ${found === 1 ? "found" : "not found"}`, async () => {
      assert.equal((await hitsOf(text, { term })).length, found);
    });
  }
});

describe("a hit", () => {
  test("reports where the term is, and in which kind of block", async () => {
    const first = call("toolu_1", "Bash", { command: "ls" });
    const text = first + result("toolu_1", "a Needle\nand a needle");
    const [hit, ...others] = await hitsOf(text, { term: "needle" });
    assert.deepEqual(others, []);
    const { event_id: _, score: _score, ...shown } = hit ?? {};
    assert.deepEqual(shown, {
      session_id: "s",
      ordinal: 1,
      line_number: 2,
      byte_offset: Buffer.byteLength(first),
      occurred_at: "2025-01-01T10:00:00.000Z",
      message_type: "user",
      role: "tool",
      block_type: "tool_result",
      tool_name: "Bash",
      tool_use_id: "toolu_1",
      status: "completed",
      is_sidechain: false,
      superseded: false,
      rank: 1,
      match: "phrase",
      passage: "a Needle and a needle",
      matches: [
        [2, 8],
        [15, 21],
      ],
      match_count: 2,
      missing: [],
    });
  });

  test("is never in JSON syntax, metadata or progress", async () => {
    const text =
      line("user", "hello", { cwd: "/needle" }) +
      line("progress", "needle", { data: "needle" }) +
      line("assistant", [{ type: "thinking", thinking: "", signature: "needle" }]);
    assert.deepEqual(await hitsOf(text, { term: "needle" }), []);
    assert.deepEqual(await hitsOf(text, { term: "content" }), []);
  });

  test("in a block that the session repeats counts once", async () => {
    const repeated = line("user", "needle");
    assert.equal((await hitsOf(repeated + repeated, { term: "needle" })).length, 1);
  });

  test("in a result before its call has the tool's name, of the nearest call if an id is used twice", async () => {
    const text =
      result("toolu_1", "needle 1") +
      call("toolu_1", "Read", {}) +
      call("toolu_1", "Edit", {}) +
      result("toolu_1", "needle 2");
    assert.deepEqual(
      (await hitsOf(text, { term: "needle" })).map(({ tool_name }) => tool_name),
      ["Read", "Edit"],
    );
  });

  test("has a tool only if the call is its own: of two results before one call, the later one", async () => {
    const text = result("toolu_1", "needle 1") + result("toolu_1", "needle 2") + call("toolu_1", "Read", {});
    assert.deepEqual(
      (await hitsOf(text, { term: "needle" })).map(({ tool_name }) => tool_name),
      [null, "Read"],
    );
  });

  test("is found in the part of a long text that a parse drops", async () => {
    const text = call("toolu_1", "Bash", {}) + result("toolu_1", `${"x ".repeat(200_000)}needle`);
    assert.equal((await hitsOf(text, { term: "needle" })).length, 1);
  });

  test("is found in one of our own transcripts", async () => {
    const text =
      '{"format":"opencode-transcripts","version":1,"sessionID":"ses_1"}\n{"type":"user","timestamp":"2025-01-01T10:00:00.000Z","content":"a needle","parts":[]}\n';
    assert.deepEqual(
      (await hitsOf(text, { term: "needle" })).map(({ role, passage }) => [role, passage]),
      [["user", "a needle"]],
    );
  });
});

describe("the filters of a search", () => {
  const text = [
    line("user", "needle asked"),
    line("user", "needle injected", { isMeta: true }),
    line("assistant", [{ type: "text", text: "needle said" }], { timestamp: "2025-01-02T00:00:00.000Z" }),
    call("toolu_1", "Bash", { command: "grep needle" }),
    result("toolu_1", "no needle", true),
    call("toolu_2", "Read", {}),
    result("toolu_2", "a needle", false),
    `${JSON.stringify({ type: "summary", summary: "needle summed up", leafUuid: "x" })}\n`,
  ].join("");
  const lines = async (filters: Omit<SearchQuery, "term">): Promise<number[]> =>
    (await hitsOf(text, { term: "needle", ...filters })).map(({ line_number }) => line_number);

  test("keep everything if none is given", async () => assert.deepEqual(await lines({}), [1, 2, 3, 4, 5, 7, 8]));
  test("by role: user", async () => assert.deepEqual(await lines({ role: "user" }), [1]));
  test("by role: user, not what the assistant asks of a subagent", async () => {
    const text = line("user", "needle typed") + line("user", "needle asked of a subagent", { isSidechain: true });
    const found = async (role: "user" | "assistant"): Promise<string[]> =>
      (await hitsOf(text, { term: "needle", role })).map(({ passage }) => passage);
    assert.deepEqual(await found("user"), ["needle typed"]);
    assert.deepEqual(await found("assistant"), ["needle asked of a subagent"]);
  });
  test("by role: assistant", async () => assert.deepEqual(await lines({ role: "assistant" }), [3]));
  test("by role: tool", async () => assert.deepEqual(await lines({ role: "tool" }), [4, 5, 7]));
  test("by role: system", async () => assert.deepEqual(await lines({ role: "system" }), [2, 8]));
  test("by tool, its results too", async () => {
    assert.deepEqual(await lines({ tool: "bash" }), [4, 5]);
    assert.deepEqual(await lines({ tool: "Read" }), [7]);
    assert.deepEqual(await lines({ tool: "Rea" }), []);
  });
  test("by failure", async () => assert.deepEqual(await lines({ errorsOnly: true }), [5]));
  test("by time", async () => assert.deepEqual(await lines({ since: new Date("2025-01-01T12:00:00Z") }), [3]));
});

describe("output of this program in a session", () => {
  test("is not found, neither the call nor its result", async () => {
    const text =
      call("toolu_1", "mcp__transcripts__find_in_transcripts", { term: "needle" }) +
      result("toolu_1", "a needle") +
      call("toolu_2", "Bash", { command: "transcripts find needle" }) +
      result("toolu_2", [{ type: "text", text: "a needle" }]) +
      call("toolu_3", "Bash", { command: "cat needle" }) +
      result("toolu_3", "a needle");
    assert.deepEqual(
      (await hitsOf(text, { term: "needle" })).map(({ line_number }) => line_number),
      [5, 6],
    );
  });
});

describe("the bytes of a file", () => {
  const refOf = (text: string) => {
    const path = join(makeTempDir(), "session.jsonl");
    writeFileSync(path, text);
    return sessionRef({ id: "s", place: "claude-code", agent: "claude-code", path, bytes: text.length });
  };

  test("show that it lacks a word, or too many of several words", () => {
    const ref = refOf(line("user", "a Needle in hay"));
    assert.equal(mayHaveTerms(ref, ["needle"], 1), true);
    assert.equal(mayHaveTerms(ref, ["walrus"], 1), false);
    assert.equal(mayHaveTerms(ref, ["needle", "hay", "walrus"], 2), true);
    assert.equal(mayHaveTerms(ref, ["needle", "otter", "walrus"], 2), false);
    assert.equal(mayHaveTerms({ ...ref, path: `${ref.path}.gone` }, ["walrus"], 1), true, "indexing says why");
  });

  test("show nothing about words of a marker, which redaction adds", () => {
    const ref = refOf(line("user", `use ${randomSecret()} here`));
    assert.equal(mayHaveTerms(ref, ["redacted", "github", "absent"], 2), true);
  });

  test("show nothing in a format whose texts may be in other files", () => {
    assert.equal(mayHaveTerms(refOf("# Transcript\n\nno word of it"), ["walrus"], 1), true);
  });
});
