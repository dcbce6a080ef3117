import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { findInSession, type FindQuery, type Hit } from "../../src/queries/find-in-session.ts";
import type { TranscriptInput } from "../../src/transcript/format/formats.ts";
import { overSessions } from "../../src/queries/over-sessions.ts";
import { isReadFault, reasonOf } from "../../src/places/reasons.ts";
import { sessionRef, type SessionRef } from "../../src/places/session-ref.ts";
import { randomSecret } from "../support/parse/secret.ts";
import { afterAll, describe, test } from "../support/runner.ts";
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

async function hitsOf(input: TranscriptInput, query: FindQuery): Promise<Hit[]> {
  const hits: Hit[] = [];
  for await (const hit of findInSession(input, query)) hits.push(hit);
  return hits;
}

/** As a whole and as a stream, which takes the other way through; both must agree. */
async function both(text: string, query: FindQuery): Promise<Hit[]> {
  async function* stream(): AsyncGenerator<string> {
    yield text;
  }
  const hits = await hitsOf(text, query);
  assert.deepEqual(await hitsOf(stream(), query), hits);
  return hits;
}

describe("what of a call is searched", () => {
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
      assert.equal((await both(text, { term })).length, found);
    });
  }
});

describe("a hit", () => {
  test("reports where the term is, and in which kind of block", async () => {
    const first = call("toolu_1", "Bash", { command: "ls" });
    const text = first + result("toolu_1", "a Needle\nand a needle");
    assert.deepEqual(await both(text, { term: "needle" }), [
      {
        line_number: 2,
        byte_offset: Buffer.byteLength(first),
        timestamp: "2025-01-01T10:00:00.000Z",
        message_type: "user",
        role: "tool",
        block_type: "tool_result",
        tool_name: "Bash",
        tool_use_id: "toolu_1",
        passage: "a Needle and a needle",
        matches: [
          [2, 8],
          [15, 21],
        ],
        match_count: 2,
      },
    ]);
  });

  test("is not what JSON, metadata or progress has", async () => {
    const text =
      line("user", "hello", { cwd: "/needle" }) +
      line("progress", "needle", { data: "needle" }) +
      line("assistant", [{ type: "thinking", thinking: "", signature: "needle" }]);
    assert.deepEqual(await both(text, { term: "needle" }), []);
    assert.deepEqual(await both(text, { term: "content" }), []);
  });

  test("of one block that the session repeats is one", async () => {
    const repeated = line("user", "needle");
    assert.equal((await both(repeated + repeated, { term: "needle" })).length, 1);
  });

  test("of a result before its call has the tool's name too, and the nearest one of an id used twice", async () => {
    const text =
      result("toolu_1", "needle 1") +
      call("toolu_1", "Read", {}) +
      call("toolu_1", "Edit", {}) +
      result("toolu_1", "needle 2");
    assert.deepEqual(
      (await both(text, { term: "needle" })).map(({ tool_name }) => tool_name),
      ["Read", "Edit"],
    );
  });

  test("has a tool only if the call is its own: of two results before one call the later one", async () => {
    const text = result("toolu_1", "needle 1") + result("toolu_1", "needle 2") + call("toolu_1", "Read", {});
    assert.deepEqual(
      (await both(text, { term: "needle" })).map(({ tool_name }) => tool_name),
      [null, "Read"],
    );
  });

  test("is found beyond the part of a long text that a parse keeps", async () => {
    const text = call("toolu_1", "Bash", {}) + result("toolu_1", `${"x ".repeat(200_000)}needle`);
    assert.equal((await both(text, { term: "needle" })).length, 1);
  });

  test("is found in one of our own transcripts", async () => {
    const text =
      '{"format":"opencode-transcripts","version":1,"sessionID":"ses_1"}\n{"type":"user","timestamp":"2025-01-01T10:00:00.000Z","content":"a needle","parts":[]}\n';
    assert.deepEqual(
      (await both(text, { term: "needle" })).map(({ role, passage }) => [role, passage]),
      [["user", "a needle"]],
    );
  });

  test("needs a term", async () => {
    await assert.rejects(hitsOf("", { term: "" }), RangeError);
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
  const lines = async (filters: Omit<FindQuery, "term">): Promise<number[]> =>
    (await both(text, { term: "needle", ...filters })).map(({ line_number }) => line_number);

  test("leave all without one", async () => assert.deepEqual(await lines({}), [1, 2, 3, 4, 5, 7, 8]));
  test("by role: user", async () => assert.deepEqual(await lines({ role: "user" }), [1]));
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

describe("what this program printed before", () => {
  test("is not found, neither the call nor its result", async () => {
    const text =
      call("toolu_1", "mcp__transcripts__find_in_transcripts", { term: "needle" }) +
      result("toolu_1", "a needle") +
      call("toolu_2", "Bash", { command: "transcripts find needle" }) +
      result("toolu_2", [{ type: "text", text: "a needle" }]) +
      call("toolu_3", "Bash", { command: "cat needle" }) +
      result("toolu_3", "a needle");
    assert.deepEqual(
      (await both(text, { term: "needle" })).map(({ line_number }) => line_number),
      [5, 6],
    );
  });
});

describe("a search through many sessions", () => {
  const folder = makeTempDir();
  const fileRef = (name: string, bytes: number): SessionRef =>
    sessionRef({ id: name, place: "claude-code", agent: "claude-code", path: join(folder, `${name}.jsonl`), bytes });
  const refs = Array.from({ length: 150 }, (_, index) => {
    const ref = fileRef(String(index), 100);
    writeFileSync(ref.path ?? "", index % 3 === 0 ? line("user", `needle ${index}`) : line("user", "nothing"));
    return ref;
  });
  const job = { kind: "find", query: { terms: ["needle"] } } as const;

  for (const threads of [0, 1, 3]) {
    test(`gives all of them in order, on ${threads} threads`, async () => {
      const asked = [...refs, fileRef("gone", 1)];
      const found = await Array.fromAsync(overSessions(job, asked, { threads }));
      assert.deepEqual(
        found.map(({ ref }) => ref.id),
        asked.map(({ id }) => id),
      );
      const passages = found.map(({ result }) => (result?.hits ?? []).map(({ passage }) => passage).join());
      assert.deepEqual(passages.slice(0, 4), ["needle 0", "", "", "needle 3"]);
      assert.equal(passages.filter((passage) => passage !== "").length, 50);
      const failures = found.filter(({ failure }) => failure !== undefined);
      assert.deepEqual(
        failures.map(({ ref, failure }) => [ref.id, isReadFault(failure) && reasonOf(failure)]),
        [["gone", "it is not there"]],
      );
    });
  }

  test("can be left early", async () => {
    for await (const { ref } of overSessions(job, refs, { threads: 2 })) if (ref.id === "5") break;
  });

  test("passes over no file with words of a marker that its bytes do not have", async () => {
    const path = join(makeTempDir(), "secret.jsonl");
    writeFileSync(path, line("user", `use ${randomSecret()} here`));
    const ref = sessionRef({ id: "secret", place: "claude-code", agent: "claude-code", path, bytes: 100 });
    const query = { terms: ["redacted", "github", "absent"] };
    const [found] = await Array.fromAsync(overSessions({ ...job, query }, [ref], { threads: 0 }));
    assert.deepEqual(
      found?.result?.hits.map(({ passage }) => passage),
      ["use [REDACTED:github-token] here"],
    );
  });

  test("ends at a signal, though its threads are at work", async () => {
    const stop = new AbortController();
    const reading = async (): Promise<void> => {
      for await (const { ref } of overSessions(job, refs, { threads: 2, signal: stop.signal })) {
        if (ref.id === "5") stop.abort();
      }
    };
    await assert.rejects(reading(), { name: "AbortError" });
  });
});
