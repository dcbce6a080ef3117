import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { sampleSession, SESSION, storeSession, user, TOLD_SESSION } from "../support/cli/claude-lines.ts";
import { outputOf, rowsOf } from "../support/cli/json-output.ts";
import { type CliRun, type CliSetting, runCli } from "../support/cli/run-cli.ts";
import { afterAll, describe, test } from "../support/runner.ts";
import { makeTempDir, removeTempDirs } from "../support/temp-dir.ts";

afterAll(removeTempDirs);

interface Machine {
  home: string;
  path: string;
  run: (...argv: string[]) => Promise<CliRun>;
  runWith: (setting: Partial<CliSetting>, ...argv: string[]) => Promise<CliRun>;
}

function machine(text = sampleSession()): Machine {
  const home = makeTempDir();
  const path = storeSession(home, text);
  const runWith: Machine["runWith"] = (setting, ...argv) => runCli(argv, { home, ...setting });
  return { home, path, runWith, run: (...argv) => runWith({}, ...argv) };
}

const found = (run: CliRun) => outputOf("snippets query", run.stdout);

describe("transcripts snippets", () => {
  test("extract by lines, query", async () => {
    const { run, path } = machine();
    const made = await run(
      "snippets",
      "extract",
      "latest",
      "--lines",
      "2-6",
      "--type",
      "error_reasoning",
      "--title",
      "A path",
      "--tag",
      "paths",
      "--tag",
      "read",
      "--json",
    );
    assert.equal(made.exitCode, 0, made.stderr);
    const { snippet_id, session_id } = outputOf("snippets extract", made.stdout);
    assert.equal(session_id, SESSION);
    const { snippets, total_count } = found(await run("snippets", "query", "prise.mjs", "--tag", "read", "--json"));
    assert.deepEqual([total_count, snippets[0]?.snippet_id, snippets[0]?.source_file], [1, snippet_id, path]);
    assert.deepEqual(snippets[0]?.tags, ["paths", "read"]);
    const shown = await run("snippets", "query", "--full");
    assert.match(shown.stdout, /error_reasoning {2}A path[^]*\[4\] {3}! File does not exist/);
    const about = ["#paths", "#read", `${SESSION}:2-6`, snippet_id].filter((each) => !shown.stdout.includes(each));
    assert.deepEqual(about, [], "its session, tags and id are shown in full");
    assert.match(shown.stderr, /1 of 1 snippet/);
    assert.equal((await run("snippets", "query", "nothing of that")).exitCode, 1);
  });

  test("extract by turns, from a file and from standard input", async () => {
    const { run, runWith, home } = machine();
    const text =
      "We decided to keep the session in memory instead of Redis, because one process is enough. The alternative was rejected.";
    writeFileSync(join(home, "note.txt"), text);
    const args = ["snippets", "extract", SESSION, "--title", "Memory"];
    const fromTurn = await run(...args, "--turns", "1", "--type", "learning_pattern");
    assert.match(fromTurn.stdout, /^[0-9a-f-]{36}\n$/);
    const fromFile = await run(...args, "--content-file", "note.txt");
    assert.equal(fromFile.exitCode, 0, fromFile.stderr);
    assert.match(fromFile.stderr, /decision_rationale of session/, "the type is what the content looks like");
    const again = await runWith({ stdin: text }, ...args, "--content-file", "-", "--lines", "3-4");
    assert.equal(again.stdout, fromFile.stdout);
    assert.match(again.stderr, /already stored/);
  });

  for (const [argv, says] of [
    [
      ["extract", SESSION, "--lines", "6-2", "--title", "x", "--type", "learning_pattern"],
      /--lines 6-2 ends before it begins\. Give it as --lines 2-6\./,
    ],
    [
      ["extract", SESSION, "--lines", "6-99", "--title", "x", "--type", "learning_pattern"],
      /^transcripts: 99 is beyond the end: the session has 10 lines/m,
    ],
    [["extract", SESSION, "--lines", "x", "--title", "x", "--type", "learning_pattern"], /--lines "x" is not a range/],
    [
      ["extract", SESSION, "--turns", "9", "--title", "x", "--type", "learning_pattern"],
      /^transcripts: 9 is beyond the end: the session has 2 turns/m,
    ],
    [["extract", SESSION, "--lines", "2-6", "--title", "x"], /--type is missing/],
    [["extract", SESSION, "--lines", "2-6", "--type", "insight"], /Allowed choices are error_reasoning/],
    [["extract", SESSION, "--lines", "2-6"], /required option '--title <text>' not specified/],
    [["extract", SESSION, "--title", "x", "--type", "learning_pattern"], /transcripts: A snippet needs content/],
    [["extract", SESSION, "--content-file", "none.txt", "--title", "x"], /none\.txt cannot be used: it is not there\./],
    [
      ["extract", "0000nothing", "--lines", "2", "--title", "x", "--type", "learning_pattern"],
      /^transcripts: No session has an id that begins with "0000nothing"/m,
    ],
    [["query", "--since", "2026-02-30"], /transcripts: .* is not a date/],
    [["query", "--since", "yesterday-ish"], /transcripts: .* is not a date/],
    [["query", "--limit", "501"], /501 is not allowed as limit/],
    [["query", "--session", "0000nothing"], /^transcripts: No session has an id/m],
    [["cleanup"], /required option '--older-than <days>' not specified/],
    [["cleanup", "--older-than", "0"], /whole number above 0/],
    [["exract"], /unknown command 'exract'/],
    [[], /Usage: transcripts snippets/],
  ] as const) {
    test(`refused: ${argv.join(" ")}`, async () => {
      const { exitCode, stdout, stderr } = await machine().run("snippets", ...argv);
      assert.deepEqual([exitCode, stdout], [2, ""]);
      assert.match(stderr, says);
      assert.doesNotMatch(stderr, /should not happen/);
    });
  }

  test("suggest, and --store once", async () => {
    const { run } = machine(TOLD_SESSION);
    const [suggestion] = rowsOf("snippets suggest", (await run("snippets", "suggest", SESSION, "--json")).stdout);
    assert.equal(suggestion?.snippet_type, "error_reasoning");
    assert.match(suggestion.content, /EADDRINUSE[^]*root cause/);
    assert.match((await run("snippets", "suggest", SESSION, "--store")).stderr, /stored 1$/m);
    assert.match((await run("snippets", "suggest", SESSION, "--store")).stderr, /stored 0, 1 already stored/);
    const { snippets } = found(await run("snippets", "query", "--json"));
    assert.deepEqual([snippets.length, snippets[0]?.metadata["auto"]], [1, true]);
    const none = await machine().run("snippets", "suggest", SESSION);
    assert.deepEqual([none.exitCode, none.stdout], [1, ""]);
  });

  test("cleanup asks, and scripts say --yes", async () => {
    const { run, runWith } = machine();
    await run("snippets", "extract", SESSION, "--lines", "2-6", "--type", "error_reasoning", "--title", "A path");
    const later = { now: new Date(Date.now() + 40 * 86_400_000) };
    const args = ["snippets", "cleanup", "--older-than", "30"];
    assert.equal((await run(...args)).exitCode, 1, "none is so old");
    const nobody = await runWith(later, ...args);
    assert.deepEqual([nobody.exitCode, nobody.stdout], [2, ""]);
    assert.match(nobody.stderr, /1 snippet made more than 30 days ago will be deleted\. .*--yes/);
    assert.equal((await runWith({ ...later, terminal: 80, stdin: "no\n" }, ...args)).exitCode, 1);
    assert.equal(found(await run("snippets", "query", "--json")).total_count, 1);
    const done = await runWith({ ...later, terminal: 80, stdin: "yes\n" }, ...args);
    assert.deepEqual([done.exitCode, /deleted 1/.test(done.stderr)], [0, true]);
    assert.equal((await run("snippets", "query")).exitCode, 1);
    const cleaned = await runWith(later, ...args, "--yes", "--json");
    assert.deepEqual(outputOf("snippets cleanup", cleaned.stdout).deleted, 0);
  });

  test("the content of a snippet cannot harm a terminal", async () => {
    const { run, runWith } = machine(
      user("Look at \u001b[31mthis\u001b]0;title\u0007 and say why it is red. ".repeat(5), 1),
    );
    const made = await run(
      "snippets",
      "extract",
      SESSION,
      "--lines",
      "1",
      "--type",
      "learning_pattern",
      "--title",
      "\u001b[2Jred",
    );
    assert.equal(made.exitCode, 0, made.stderr);
    const { stdout } = await runWith({ terminal: 80, env: { NO_COLOR: "1" } }, "snippets", "query", "--full");
    assert.ok(!stdout.includes("\u001b") && !stdout.includes("\u0007"), JSON.stringify(stdout.slice(0, 300)));
  });
});
