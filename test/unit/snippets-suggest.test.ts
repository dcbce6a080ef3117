import assert from "node:assert/strict";
import { appendFileSync } from "node:fs";
import { parseTranscript } from "../../src/parse/parse-transcript.ts";
import { fileRef } from "../../src/sessions/file-ref.ts";
import { autoExtract } from "../../src/snippets/auto-extract.ts";
import { detectSnippetType } from "../../src/snippets/snippet-type.ts";
import { suggestForSession, suggestSnippets, type SnippetSuggestion } from "../../src/snippets/suggest.ts";
import { calls, result, says, storeSession, user } from "../support/cli/claude-lines.ts";
import { afterAll, describe, test } from "../support/runner.ts";
import { makeTempDir, removeTempDirs } from "../support/temp-dir.ts";
import { madeSetting } from "../snippets/made-setting.ts";

afterAll(removeTempDirs);

const parsed = (text: string) => parseTranscript("session-1", text, { pricing: "flat" });
const suggested = async (...lines: string[]): Promise<SnippetSuggestion[]> =>
  suggestSnippets(await parsed(lines.join("")), { file: "/work/s.jsonl" });
const shell = (id: string, command: string, output: string, at: number, isError = false): string =>
  calls("Bash", id, { command }, at) + result(id, output, at, isError);
const edit = (id: string, at: number, path = "/work/pool.py"): string =>
  calls("Edit", id, { file_path: path, old_string: "a", new_string: "b" }, at) + result(id, "updated", at);
const refused = (id: string, at: number, words: string): string =>
  calls("Edit", id, { file_path: "/work/schema.sql", old_string: "a", new_string: "b" }, at) +
  result(id, `The user doesn't want to proceed with this tool use. ${words}`, at, true);
const SAID = "To tell you how to proceed, the user said:\n";

const FAILURE = "Exit code 1\nE  psycopg.OperationalError: `open_pool` got too many clients already";
/** Lines have ids of their own in each copy, and so have the calls. */
const mended = (copy = ""): string =>
  [
    user("Make the import faster", 0),
    shell(`b1${copy}`, "pytest tests", FAILURE, 1, true),
    says("It fails because every worker calls `open_pool` for itself, so the server runs out of connections.", 3),
    edit(`e1${copy}`, 4, `/work/pool${copy}.py`),
    shell(`b2${copy}`, "pytest tests", FAILURE, 5, true),
    says(
      `It still fails because what \`open_pool\` gives is never closed by the fixture${copy}. It closes it after each test.`,
      7,
    ),
    edit(`e2${copy}`, 8, `/work/pool${copy}.py`),
    shell(`b3${copy}`, "pytest tests", "120 passed", 9),
  ].join("");
const MENDED = mended();
const rule = (copy = ""): string =>
  user(`Always run the linter${copy} before you commit, the hook rejects it otherwise.`, 20) + says("I will.", 21);
const copies = (count: number, make: (copy: string) => string): string =>
  Array.from({ length: count }, (_, at) => make(`-${at}`)).join("");

describe("what is suggested", () => {
  test("an error, what was tried, and what fixed it", async () => {
    const [suggestion, ...others] = await suggested(MENDED);
    assert.deepEqual(others, []);
    assert.equal(suggestion?.snippet_type, "error_reasoning");
    assert.match(suggestion.title, /^It still fails because/, "what was thought at first did not fix it");
    assert.deepEqual([suggestion.line_start, suggestion.line_end], [2, 13]);
    assert.match(
      suggestion.content,
      /lines 2 to 13 of s\.jsonl[^]*failed \(line 3\)[^]*every worker[^]*never closed[^]*120 passed/,
    );
    assert.match(suggestion.reason, /then 1 more time/);
    assert.deepEqual(
      suggestion.evidence.map(({ role }) => role),
      "failed failed explained changed tried tried explained changed succeeded succeeded".split(" "),
    );
  });

  test("an error that another program fixed, though only files of the session changed meanwhile", async () => {
    const [suggestion] = await suggested(
      user("Run the tests", 0),
      edit("e0", 1),
      shell("a", "pnpm test", "ERR_PNPM_UNSUPPORTED_ENGINE Unsupported environment", 2, true),
      shell("b", "pnpm test", "ERR_PNPM_UNSUPPORTED_ENGINE Unsupported environment", 3, true),
      edit("e1", 4),
      says("`ERR_PNPM_UNSUPPORTED_ENGINE` is because the shell has Node 14, and the project needs 20 or later.", 5),
      shell("c", "nvm use 20 && pnpm test", "120 passed", 6),
    );
    assert.match(suggestion?.title ?? "", /because the shell has Node 14/);
  });

  test("the line that matters of a long output", async () => {
    const noise = "ok package/of/this/name 0.012s\n".repeat(120);
    const failure = `${noise}pool.go: panic: \`closePool\` called twice\n${noise}`;
    const long = "The fixture calls `closePool`, and the test calls it once more because it opens the pool by itself. ";
    const [suggestion] = await suggested(
      user("Run the tests", 0),
      shell("a", "go test ./...", failure, 1, true),
      shell("r", "cat pool_test.go", "package pool", 2),
      says(long.repeat(4), 2),
      edit("b", 3),
      shell("c", "go test ./...", "ok", 4),
    );
    assert.match(suggestion?.content ?? "", /characters left out …\]\n[^]*pool\.go: panic/);
  });

  for (const [host, words] of [
    ["Claude Code", `The user doesn't want to proceed with this tool use. ${SAID}`],
    ["opencode", "The user rejected permission to use this specific tool call with the following feedback: "],
  ] as const) {
    test(`a call that the user refused in ${host}, with what they said`, async () => {
      const [suggestion, ...others] = await suggested(
        user("Add a column", 0),
        calls("Edit", "a", { file_path: "/work/schema.sql", old_string: "a", new_string: "b" }, 1),
        result("a", `${words}\`schema.sql\` is generated, change \`models.py\` instead`, 1, true),
        says("Then I change the model.", 2),
      );
      assert.deepEqual(others, []);
      assert.deepEqual(
        [suggestion?.snippet_type, suggestion?.title, suggestion?.evidence.map(({ role }) => role)],
        [
          "decision_rationale",
          "`schema.sql` is generated, change `models.py` instead",
          ["tried", "corrected", "concluded"],
        ],
      );
    });
  }

  test("a call that was refused without a word, with the prompt after it", async () => {
    const [suggestion] = await suggested(
      user("Add a column", 0),
      refused("a", 1, "The tool use was rejected."),
      user("do not touch schema.sql, it is generated from the models", 2),
      says("Then I change the model.", 3),
    );
    assert.deepEqual([suggestion?.snippet_type, suggestion?.line_start], ["decision_rationale", 2]);
  });

  for (const [language, words] of [
    ["English", "From now on run the tests before you push"],
    ["English, a replacement", "Please use pnpm instead of npm here"],
    ["English, with a reason", "do not wrap lines in the changelog as it breaks the rendering"],
    ["English, without capitals", "push it. the schema file should never be edited by hand"],
    ["German", "Ab jetzt bitte vor jedem Push die Tests laufen lassen"],
    ["French", "Désormais, lance les tests avant chaque push"],
    ["Spanish", "De ahora en adelante ejecuta las pruebas antes de subir"],
    ["Japanese", "今後はプッシュする前に必ずテストを実行してください"],
    ["Chinese", "以后推送之前先运行测试，不要再跳过"],
    ["Korean", "앞으로는 푸시하기 전에 항상 테스트를 실행해 주세요"],
  ] as const) {
    test(`a rule that the user stated: ${language}`, async () => {
      const [suggestion, ...others] = await suggested(
        user("Hello", 0),
        says("I pushed the change to the branch.", 1),
        user(words, 2),
        says("I will.", 3),
      );
      const title = words.replace(/^push it\. /, "");
      assert.deepEqual([suggestion?.snippet_type, suggestion?.title, others], ["learning_pattern", title, []]);
      assert.deepEqual([suggestion?.line_start, suggestion?.line_end], [3, 4]);
      assert.match(suggestion?.content ?? "", /I pushed the change/, "what it answers is shown, not cited");
    });
  }
});

describe("what is not suggested", () => {
  const long = "It fails because `open_pool` is called by each worker, and so the server runs out of them. ".repeat(4);
  for (const [name, ...lines] of [
    [
      "an edit before the file was read",
      calls("Edit", "a", { file_path: "/a" }, 1),
      result("a", "<tool_use_error>File has not been read yet. Read it first.</tool_use_error>", 2, true),
      says("I have to read it first because an edit requires that.", 3),
      calls("Edit", "c", { file_path: "/a" }, 5) + result("c", "ok", 6),
    ],
    [
      "what a linter says",
      shell("a", "npm run lint", FAILURE, 1, true),
      says(long, 2),
      shell("b", "npm run lint", "ok", 3),
    ],
    [
      "what a compiler says",
      shell("a", "make", "pool.c:3:9: error: `open_pool` undeclared", 1, true),
      says(long, 2),
      shell("b", "make", "ok", 3),
    ],
    [
      "an error that was mended at once",
      shell("a", "pytest", FAILURE, 1, true),
      says("It fails because `open_pool` is called twice here.", 2),
      shell("b", "pytest", "ok", 3),
    ],
    [
      "an error that nobody explained",
      shell("a", "pytest", FAILURE, 1, true),
      edit("e", 2),
      shell("b", "pytest", "ok", 3),
    ],
    [
      "an error that is explained, and not mended",
      shell("a", "pytest", FAILURE, 1, true),
      says(long, 2),
      shell("b", "pytest", FAILURE, 3, true),
    ],
    [
      "an error in what the session wrote",
      edit("e0", 1),
      shell("a", "pytest", FAILURE, 2, true),
      shell("b", "pytest", FAILURE, 3, true),
      says(long, 4),
      edit("e1", 5),
      shell("c", "pytest", "120 passed", 6),
    ],
    [
      "a test of the session that does not pass yet",
      edit("e0", 1, "/work/test_pool.py"),
      shell("a", "pytest", `test_pool.py:3 ${FAILURE}`, 2, true),
      shell("r", "cat pool.py", "def open_pool", 3),
      says(long, 4),
      edit("e1", 5),
      shell("c", "pytest", "120 passed", 6),
    ],
    [
      "a test's expectation",
      shell("a", "pytest", FAILURE, 1, true),
      shell("r", "cat tests/test_pool.py", "def test_pool", 2),
      says(`${long} The test expects the old limit.`, 3),
      edit("e1", 4, "/work/tests/test_pool.py"),
      shell("c", "pytest", "120 passed", 5),
    ],
    [
      "an error of a script made for one question",
      shell("a", "for f in *.py; do grep open_pool $f; done | awk '{print $9' ", FAILURE, 1, true),
      shell("r", "cat pool.py", "def open_pool", 2),
      says(long, 3),
      shell("c", "for f in *.py; do grep open_pool $f; done | awk '{print $9}' ", "3", 4),
    ],
    [
      "a call that was refused with a question",
      refused("a", 1, `${SAID}why not use the pool that we have instead of a new one?`),
    ],
    [
      "a call that was refused with a detail of the task",
      refused("a", 1, `${SAID}also add a column for the last page`),
    ],
    [
      "a call that was refused for another order",
      refused("a", 1, `${SAID}don't edit it yet, pull the changes from main first`),
    ],
    ["what a person saw", user("Also I never saw a line with the word target in it", 1)],
    ["a call that was refused for now", refused("a", 1, `${SAID}wait, let me look at it first please`)],
    [
      "a question that was not answered",
      calls("AskUserQuestion", "q", { questions: [] }, 1),
      result("q", `The user doesn't want to proceed with this tool use. ${SAID}do not ask me such things`, 1, true),
    ],
    ["what always happens", user("The test always fails when I run it, it never ends", 1)],
    ["a question about a rule", user("Should we always run the linter first?", 1)],
    ["a replacement that is the task", user("Use a map instead of a list for the levels", 1)],
    ["a quotation", user('Where is this from?\n\n"Always state the unit of a measurement."', 1)],
    ["a rule in a document", user(`# House rules\n\nAlways write tests. ${"More text. ".repeat(100)}`, 1)],
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
    test(name, async () => assert.deepEqual(await suggested(...lines), []));
  }
});

describe("the suggestions of a session", () => {
  test("are the same each time, at most 8, within the size of a snippet", async () => {
    const many = copies(30, rule);
    const first = await suggested(many);
    assert.deepEqual(await suggested(many), first);
    assert.equal(first.length, 8);
    for (const { content } of first)
      assert.ok(Buffer.byteLength(content) >= 100 && Buffer.byteLength(content) <= 10_240);
  });

  test("are each made once, though it is said twice", async () => {
    assert.equal((await suggested(copies(3, () => rule()))).length, 1);
  });

  test("are the same if it is read in parts, in the order of their lines", async () => {
    const ref = await fileRef(
      storeSession(
        makeTempDir(),
        copies(3, (copy) => rule(copy) + mended(copy)),
      ),
    );
    const whole = await suggestForSession(ref, { limit: 50 });
    const places = (suggestions: readonly SnippetSuggestion[]) =>
      suggestions.map(({ title, line_start, line_end }) => [title, line_start, line_end]);
    assert.deepEqual(places(await suggestForSession(ref, { limit: 50, partChars: 8_000 })), places(whole));
    assert.ok(whole.length >= 4 && whole.every(({ line_start }, at) => line_start > (whole[at - 1]?.line_start ?? 0)));
    const best = await suggestForSession(ref, { limit: 1, partChars: 8_000 });
    assert.deepEqual(
      best.map(({ snippet_type }) => snippet_type),
      ["error_reasoning"],
    );
  });

  test("stop when they are told to", async () => {
    const ref = await fileRef(storeSession(makeTempDir(), MENDED));
    await assert.rejects(suggestForSession(ref, { signal: AbortSignal.abort(new Error("enough")) }), /enough/);
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
      appendFileSync(made.path, says("All is well now.", 15) + rule());
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
