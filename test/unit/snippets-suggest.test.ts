import assert from "node:assert/strict";
import { appendFileSync } from "node:fs";
import { parseTranscript } from "../../src/parse/parse-transcript.ts";
import { fileRef } from "../../src/sessions/file-ref.ts";
import { autoExtract } from "../../src/snippets/auto-extract.ts";
import { detectSnippetType } from "../../src/snippets/snippet-type.ts";
import { suggestSnippets, type SnippetSuggestion } from "../../src/snippets/suggest/suggest-snippets.ts";
import { calls, result, says, user } from "../support/cli/claude-lines.ts";
import { afterAll, describe, test } from "../support/runner.ts";
import { removeTempDirs } from "../support/temp-dir.ts";
import { madeSetting } from "../snippets/made-setting.ts";

afterAll(removeTempDirs);

const suggested = async (text: string): Promise<SnippetSuggestion[]> =>
  suggestSnippets(await parseTranscript("session-1", text, { pricing: "flat" }), { file: "/work/s.jsonl" });
const edit = (id: string, at: number): string =>
  calls("Edit", id, { file_path: "/work/a.py", old_string: "a", new_string: "b" }, at) + result(id, "updated", at);

const MENDED = [
  user("Make the import faster", 0),
  calls("Bash", "b1", { command: "pytest tests" }, 1),
  result("b1", "Exit code 1\nE  psycopg.OperationalError: too many clients already", 2, true),
  says("The cause is that every worker opens a pool of its own, so the server runs out of connections.", 3),
  edit("e1", 4),
  calls("Bash", "b2", { command: "pytest tests" }, 5),
  result("b2", "Exit code 1\nE  psycopg.OperationalError: too many clients already", 6, true),
  says("It still fails because the pool of the fixture is never closed. The fix is to close it after each test.", 7),
  edit("e2", 8),
  calls("Bash", "b3", { command: "pytest tests" }, 9),
  result("b3", "120 passed", 10),
].join("");

const decided = (): string =>
  user("Where do we keep the sessions?", 20) +
  says(
    "I looked at two options. Redis would need another server, which is a cost for each customer. I decided on a table in the database instead of Redis, because one process is enough and a restart must not log people out. The downside is a write for each request.",
    21,
  );

describe("suggestSnippets", () => {
  test("an error, what was tried, and what fixed it", async () => {
    const [suggestion, ...others] = await suggested(MENDED);
    assert.deepEqual(others, []);
    assert.equal(suggestion?.snippet_type, "error_reasoning");
    assert.match(suggestion.title, /too many clients already/);
    assert.deepEqual([suggestion.line_start, suggestion.line_end], [2, 13]);
    assert.match(
      suggestion.content,
      /lines 2 to 13 of s\.jsonl[^]*failed \(line 3\)[^]*cause is[^]*never closed[^]*120 passed/,
    );
    assert.match(suggestion.reason, /after 1 more failure/);
  });

  test("a decision with its reasons, with the question before it", async () => {
    const [suggestion, ...others] = await suggested(decided());
    assert.deepEqual([others.length, suggestion?.snippet_type], [0, "decision_rationale"]);
    assert.match(suggestion?.title ?? "", /I decided on a table/);
    assert.match(suggestion?.content ?? "", /User \(line 1\):\nWhere do we keep[^]*instead of Redis/);
  });

  test("what the user wants from now on", async () => {
    const [suggestion] = await suggested(
      user("Always run the linter before you commit, because the hook rejects it otherwise.", 1) +
        says("Noted, I will.", 2),
    );
    assert.equal(suggestion?.snippet_type, "learning_pattern");
    assert.match(suggestion.title, /^Always run the linter/);
  });

  for (const [name, text] of [
    [
      "an edit before the file was read",
      calls("Edit", "a", { file_path: "/a" }, 1) +
        result(
          "a",
          "<tool_use_error>File has not been read yet. Read it first before writing to it.</tool_use_error>",
          2,
          true,
        ) +
        says("I need to read the file first because the fix needs it.", 3) +
        calls("Read", "b", { file_path: "/a" }, 3) +
        result("b", "x", 4) +
        calls("Edit", "c", { file_path: "/a" }, 5) +
        result("c", "ok", 6),
    ],
    [
      "a report",
      user("Add a page", 0) +
        edit("a", 1) +
        says(
          "Done. I added the page and its test, and all tests pass. The page is at /about and has a title and a text of its own.",
          2,
        ),
    ],
    [
      "talk about what comes next",
      user("Add a page", 0) +
        says(
          "Let me look at the existing pages first. Then I will add the new page and a test for it, and run everything.",
          2,
        ) +
        edit("a", 3),
    ],
    [
      "a rule in a document",
      user(`# House rules\n\nAlways write tests. Never push to main. ${"More text. ".repeat(100)}`, 0),
    ],
    [
      "what a subagent is asked",
      JSON.stringify({
        type: "user",
        isSidechain: true,
        sessionId: "s",
        uuid: "u",
        timestamp: "2026-01-01T00:00:00Z",
        message: { role: "user", content: "Always answer in one line. Never edit a file." },
      }),
    ],
    ["nothing", ""],
  ] as const) {
    test(`not suggested: ${name}`, async () => assert.deepEqual(await suggested(text), []));
  }

  test("the same for the same session, at most 8, within the size of a snippet", async () => {
    const long = Array.from({ length: 30 }, (_, at) => decided().replaceAll("Redis", `Redis ${at}`)).join("");
    const first = await suggested(long);
    assert.deepEqual(await suggested(long), first);
    assert.equal(first.length, 8);
    for (const { content } of first)
      assert.ok(Buffer.byteLength(content) >= 100 && Buffer.byteLength(content) <= 10_240);
  });
});

describe("autoExtract", () => {
  test("stores suggestions once, and only new ones when more was said", async () => {
    const made = await madeSetting(MENDED);
    const where = made.where ?? { env: {}, home: made.home, cwd: made.home };
    const run = async () => autoExtract(made.store, where, await fileRef(made.path));
    try {
      const first = await run();
      assert.deepEqual([first.stored.length, first.known, first.failed], [1, 0, []]);
      assert.deepEqual(await run(), { stored: [], known: 1, failed: [] });
      appendFileSync(made.path, says("All is well now.", 15) + decided());
      const more = await run();
      assert.deepEqual([more.stored.length, more.known], [1, 1]);
      const { snippets } = await made.store.querySnippets({ limit: 10, offset: 0 });
      assert.deepEqual(
        snippets.map(({ metadata }) => metadata["auto"]),
        [true, true],
      );
      assert.ok(snippets.every(({ source_file }) => source_file === made.path));
    } finally {
      await made.store.close();
    }
  });

  test("does not bring back what was deleted", async () => {
    const made = await madeSetting(MENDED);
    const where = made.where ?? { env: {}, home: made.home, cwd: made.home };
    try {
      assert.equal((await autoExtract(made.store, where, await fileRef(made.path))).stored.length, 1);
      assert.equal(await made.store.deleteSnippetsBefore(new Date("9999-01-01")), 1);
      const again = await autoExtract(made.store, where, await fileRef(made.path));
      assert.deepEqual(again, { stored: [], known: 1, failed: [] });
    } finally {
      await made.store.close();
    }
  });

  test("a session with nothing to keep is not even entered", async () => {
    const made = await madeSetting(user("Hello", 0));
    try {
      await autoExtract(made.store, made.where ?? { env: {}, home: "", cwd: "" }, await fileRef(made.path));
      assert.deepEqual(await made.store.sessions(), []);
    } finally {
      await made.store.close();
    }
  });
});

describe("detectSnippetType", () => {
  for (const [text, type] of [
    [
      "The build failed with a TypeError. It was caused by a missing import, and adding it fixed the problem.",
      "error_reasoning",
    ],
    [
      "We chose SQLite over PostgreSQL. The alternatives need a server; the trade-off is one writer at a time.",
      "decision_rationale",
    ],
    [
      "Lesson learned: always close the pool in fixtures. As a rule, whoever opens it closes it; remember that in general.",
      "learning_pattern",
    ],
    ["It ended with ENOENT, and then with EADDRINUSE: another one was listening.", "error_reasoning"],
    ["Every engineer explains examples. Each endpoint emits events; enough was extracted.", undefined],
    ["The weather is fine.", undefined],
    ["", undefined],
  ] as const) {
    test(`${type}: ${text.slice(0, 40)}`, () => assert.equal(detectSnippetType(text)?.snippet_type, type));
  }
});
