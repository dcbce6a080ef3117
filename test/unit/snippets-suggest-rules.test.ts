import assert from "node:assert/strict";
import { parseTranscript } from "../../src/parse/parse-transcript.ts";
import { suggestSnippets, type SnippetSuggestion } from "../../src/snippets/suggest/suggest-snippets.ts";
import { calls, result, says, user } from "../support/cli/claude-lines.ts";
import { describe, test } from "../support/runner.ts";

const suggested = async (...lines: string[]): Promise<SnippetSuggestion[]> =>
  suggestSnippets(await parseTranscript("session-1", lines.join(""), { pricing: "flat" }), { file: "/work/s.jsonl" });
const shell = (id: string, command: string, output: string, at: number, isError = false): string =>
  calls("Bash", id, { command }, at) + result(id, output, at, isError);
const edit = (id: string, path: string, from: string, to: string, at: number): string =>
  calls("Edit", id, { file_path: path, old_string: from, new_string: to }, at) + result(id, "updated", at);

describe("what is suggested", () => {
  test("a failure that a pipe hides, called a failure", async () => {
    const [suggestion] = await suggested(
      user("Run the tests", 0),
      shell("a", "npm test 2>&1 | tail -20", "TypeError: `openPool` is not a function\n1 failed", 1),
      says("`openPool` was renamed to `createPool` in the last release, so the old name is undefined here.", 2),
      edit("b", "/w/pool.ts", "openPool();", "createPool();", 3),
      shell("c", "npm test 2>&1 | tail -20", "12 passed", 4),
    );
    assert.equal(suggestion?.snippet_type, "error_reasoning");
    assert.match(suggestion.content, /! Bash failed \(line 3\): TypeError[^]*12 passed/);
    assert.deepEqual(suggestion.evidence[0], { line: 2, role: "failed" });
  });

  test("the line that matters of a long output", async () => {
    const noise = "ok package/of/this/name 0.012s\n".repeat(120);
    const [suggestion] = await suggested(
      user("Run the tests", 0),
      shell("a", "go test ./...", `${noise}pool.go:12: panic: \`closePool\` called twice\n${noise}`, 1, true),
      says("`closePool` is called by the fixture and by the test itself. The fixture has to leave it to the test.", 2),
      edit("b", "/w/pool_test.go", "defer closePool()", "", 3),
      shell("c", "go test ./...", "ok", 4),
    );
    assert.match(suggestion?.content ?? "", /characters left out …\]\n[^]*pool\.go:12: panic/);
    assert.match(suggestion?.title ?? "", /closePool/);
  });

  test("a command that was made in another way", async () => {
    const [suggestion] = await suggested(
      user("Resolve the thread", 0),
      shell(
        "a",
        "echo '[1]' | forge resolve-threads --json",
        '{"success": false, "message": "Failed to parse JSON at 1"}',
        1,
      ),
      says("The single command instead:", 2),
      shell("b", "forge resolve-thread --json --id 1", '{"success": true}', 3),
    );
    assert.deepEqual([suggestion?.snippet_type, suggestion?.title], ["error_reasoning", "Failed to parse JSON at 1"]);
    assert.match(suggestion?.reason ?? "", /in 2 ways/);
  });

  test("a commit whose message gives reasons", async () => {
    const message = `git commit -m "$(cat <<'EOF'\nStop the pool on exit\n\nThe pool kept the process alive, because its timer was never cleared. Clearing it in close() is enough; unref() would hide leaks in tests, so it is not used here at all.\n\nCo-Authored-By: X\nEOF\n)"`;
    const [suggestion] = await suggested(
      user("commit", 0),
      edit("a", "/w/pool.ts", "a", "b", 1),
      shell("b", message, "[main 1234567] Stop the pool on exit", 2),
    );
    assert.equal(suggestion?.title, "Stop the pool on exit");
  });

  test("what can be learned, from its box", async () => {
    const box = `\`★ Insight ─────\`\n- \`fs.watch\` reports a rename twice on this platform, so events have to be joined by inode.\n- A timer of 50 ms is enough, and shorter ones lose the second event.\n\`─────────────\``;
    const [suggestion] = await suggested(user("Why twice?", 0), says(`Done.\n\n${box}\n\nAnything else?`, 1));
    assert.equal(suggestion?.snippet_type, "learning_pattern");
    assert.match(suggestion.title, /^`fs\.watch` reports a rename twice/);
  });

  test("a rule that is written into the file of rules", async () => {
    const rule = "- Never run the migrations by hand: `make migrate` takes the lock that the workers wait for.";
    const [suggestion] = await suggested(
      user("Add that to CLAUDE.md please", 0),
      edit("a", "/w/CLAUDE.md", "# Rules", `# Rules\n${rule}`, 1),
      says("Added.", 2),
    );
    assert.equal(suggestion?.snippet_type, "learning_pattern");
    assert.match(suggestion.title, /^Never run the migrations by hand/);
  });

  test("a document about the design, written by a command", async () => {
    const body = `# Queue\n\n## States\n${"`JobQueue` hands a `JobLease` to one worker. ".repeat(8)}\n## Leases\n\`renewLease\` and \`dropLease\` belong to the worker.\n## Limits\n${"`maxLeases` bounds all of them. ".repeat(8)}`;
    const [suggestion] = await suggested(
      user("Write down the queue", 0),
      shell("a", `mkdir -p docs/architecture && cat << 'EOF' > docs/architecture/queue.md\n${body}\nEOF`, "", 1),
    );
    assert.deepEqual([suggestion?.snippet_type, suggestion?.line_start], ["decision_rationale", 2]);
  });

  test("the same prompt again, since the first answer did not do", async () => {
    const [suggestion] = await suggested(
      user("activate the environment py311", 0),
      shell("a", "activate py311", "", 1),
      says("Activated.", 2),
      user("activate the environment py311", 3),
      shell("b", "echo $ENV", "base", 4),
      says(
        "Each command has a shell of its own here, and the environment ends with it. Prefix the command instead.",
        5,
      ),
    );
    assert.equal(suggestion?.snippet_type, "learning_pattern");
    assert.match(suggestion.title, /^Each command has a shell of its own/);
  });

  test("words with which a call was refused, and what was done instead", async () => {
    const refusal =
      "The user doesn't want to proceed with this tool use. To tell you how to proceed, the user said:\n`schema.sql` is generated from `models.py`, change the model and run the generator";
    const [suggestion] = await suggested(
      user("Add a column", 0),
      calls("Edit", "a", { file_path: "/w/schema.sql", old_string: "a", new_string: "b" }, 1),
      result("a", refusal, 2, true),
      edit("b", "/w/models.py", "x", "y", 3),
    );
    assert.match(suggestion?.title ?? "", /^`schema\.sql` is generated/);
    assert.deepEqual(
      suggestion?.evidence.map(({ role }) => role),
      ["tried", "corrected", "changed"],
    );
  });
});

describe("what is not suggested", () => {
  for (const [name, lines] of [
    [
      "steps of one task with the same program",
      [1, 2, 3].map((at) => shell(`s${at}`, `git add src/part-${at}.ts`, "", at) + says("Next.", at)),
    ],
    [
      "errors in a file that is shown",
      [
        shell("a", "cat build.log", "Error: `openPool` is not a function\n3 failed", 1),
        shell("b", "cat build.log", "x", 2),
      ],
    ],
    [
      "a failure that the same call does not have hours later",
      [
        shell("a", "git push", "fatal: unable to access the remote: timed out", 1, true),
        ...Array.from({ length: 90 }, (_, at) => user("next", at + 2) + says("Yes.", at + 2)),
        shell("b", "git push", "pushed", 95),
      ],
    ],
    [
      "a request, although it names what is there",
      [
        user("Add a title to `PageHead` in `src/head.tsx` and to `PageFoot`.", 0),
        edit("a", "/w/src/head.tsx", "PageHead PageFoot", "PageHead title PageFoot title", 1),
        says("`PageHead` and `PageFoot` have a title now.", 2),
      ],
    ],
    [
      "a whole file of rules, written at once",
      [
        calls("Write", "a", { file_path: "/w/CLAUDE.md", content: "Always test. ".repeat(20) }, 1),
        result("a", "created", 1),
      ],
    ],
    [
      "a commit that lists what was changed",
      [shell("a", 'git commit -m "Add a page\n\n- page\n- test\n- link"', "ok", 1)],
    ],
  ] as const) {
    test(name, async () => assert.deepEqual(await suggested(user("Go on", 0), ...lines), []));
  }
});
