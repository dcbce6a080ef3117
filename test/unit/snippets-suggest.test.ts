import assert from "node:assert/strict";
import { appendFileSync } from "node:fs";
import { fileRef } from "../../src/sessions/file-ref.ts";
import { autoExtract } from "../../src/snippets/auto-extract.ts";
import { detectSnippetType } from "../../src/snippets/snippet-type.ts";
import { suggestForSession, type SnippetSuggestion, type SuggestOptions } from "../../src/snippets/suggest.ts";
import { calls, result, says, storeSession, user } from "../support/cli/claude-lines.ts";
import { afterAll, describe, test } from "../support/runner.ts";
import { makeTempDir, removeTempDirs } from "../support/temp-dir.ts";
import { madeSetting } from "../snippets/made-setting.ts";

afterAll(removeTempDirs);

const suggested = async (text: string, options: SuggestOptions = {}): Promise<SnippetSuggestion[]> =>
  suggestForSession(await fileRef(storeSession(makeTempDir(), text)), options);
const shell = (id: string, command: string, output: string, at: number, isError = false): string =>
  calls("Bash", id, { command }, at) + result(id, output, at, isError);
const edit = (id: string, at: number, path = "/work/shop/pool.py"): string =>
  calls("Edit", id, { file_path: path, old_string: "a", new_string: "b" }, at) + result(id, "updated", at);

const FAILURE = "Exit code 1\nE  psycopg.OperationalError: `open_pool` got too many clients already";
/** Lines have ids of their own in each copy, and so have the calls. */
const mended = (copy = ""): string => {
  const failure = `${FAILURE} ${copy}`;
  return [
    user("Make the import faster", 0),
    shell(`b1${copy}`, `pytest tests${copy}`, failure, 1, true),
    edit(`e1${copy}`, 4, `/work/shop/pool${copy}.py`),
    shell(`b2${copy}`, `pytest tests${copy}`, failure, 5, true),
    says(`What \`open_pool\` gives is never closed by the fixture${copy}. It closes it after each test.`, 7),
    edit(`e2${copy}`, 8, `/work/shop/pool${copy}.py`),
    shell(`b3${copy}`, `pytest tests${copy}`, "120 passed", 9),
  ].join("");
};
const MENDED = mended();
const NAMES = "abcdefghijkl".split("").map((letter) => `_${letter.repeat(6)}`);
const copies = (count: number): string =>
  NAMES.slice(0, count)
    .map((name) => mended(name))
    .join("");

describe("what is suggested", () => {
  test("an error, what was tried, and what fixed it", async () => {
    const [suggestion, ...others] = await suggested(MENDED);
    assert.deepEqual(others, []);
    assert.equal(suggestion?.snippet_type, "error_reasoning");
    assert.match(suggestion.title, /^Bash: E {2}psycopg\.OperationalError: `open_pool` got too many clients already$/);
    assert.deepEqual([suggestion.line_start, suggestion.line_end], [2, 11]);
    assert.match(suggestion.content, /too many clients already[^]*never closed by the fixture/);
  });

  for (const [name, text] of [
    ["an error that was not fixed", user("Test it", 0) + shell("a", "pytest", FAILURE, 1, true)],
    [
      "an error that says nothing",
      user("Test it", 0) + shell("a", "pytest", "Exit code 1", 1, true) + shell("b", "pytest", "1 passed", 2),
    ],
    [
      "a call that the user refused, with the reason",
      calls("Edit", "a", { file_path: "/work/a.sql", old_string: "a", new_string: "b" }, 1) +
        result("a", "The user doesn't want to proceed with this tool use. It is generated.", 1, true),
    ],
    ["a rule that the user stated", user("Always run the linter before you commit.", 1)],
    ["a conversation without errors", user("Hello", 1)],
  ] as const) {
    test(`not ${name}`, async () => assert.deepEqual(await suggested(text), []));
  }

  test("the same each time, at most 8, in the order of their lines, within the size of a snippet", async () => {
    const many = copies(12);
    const first = await suggested(many);
    assert.deepEqual(await suggested(many), first);
    assert.equal(first.length, 8);
    assert.ok(first.every(({ line_start }, at) => line_start > (first[at - 1]?.line_start ?? 0)));
    for (const { content } of first)
      assert.ok(Buffer.byteLength(content) >= 100 && Buffer.byteLength(content) <= 10_240);
    assert.equal((await suggested(many, { limit: 2 })).length, 2);
  });

  test("stops when it is told to", async () => {
    await assert.rejects(suggested(MENDED, { signal: AbortSignal.abort(new Error("enough")) }), /enough/);
  });
});

describe("autoExtract", () => {
  test("stores suggestions once, and only new ones when more was said", async () => {
    const made = await madeSetting(MENDED);
    const where = made.where ?? { env: {}, home: made.home, cwd: made.home };
    const run = async () => autoExtract(made.store, where, await fileRef(made.path));
    try {
      const first = await run();
      assert.deepEqual(first, { stored: 1, known: 0 });
      assert.deepEqual(await run(), { stored: 0, known: 1 });
      appendFileSync(made.path, mended("_second"));
      const more = await run();
      assert.deepEqual(more, { stored: 1, known: 1 });
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
