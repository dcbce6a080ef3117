import assert from "node:assert/strict";
import { afterAll, describe, test } from "../support/runner.ts";
import { rowsOf } from "../support/cli/json-output.ts";
import { runCli } from "../support/cli/run-cli.ts";
import { calls, result, sampleSession, says, SESSION, storeSession, user } from "../support/cli/claude-lines.ts";
import { makeTempDir, removeTempDirs } from "../support/temp-dir.ts";

afterAll(removeTempDirs);

const home = makeTempDir();
const path = storeSession(home, sampleSession());
const show = (...argv: string[]): ReturnType<typeof runCli> => runCli(["show", ...argv], { home });

/** Without times and the heading. */
function body(stdout: string): string {
  return stdout.replace(/^(?:.+\n)+\n/, "").replace(/ {2}\d{4}-\d\d-\d\d \d\d:\d\d| {2}\d\d:\d\d:\d\d/g, "");
}

describe("transcripts show", () => {
  test("prints both sides, without tools and thinking", async () => {
    const { stdout, stderr, exitCode } = await show(SESSION);
    assert.equal(exitCode, 0);
    assert.equal(stderr, "");
    assert.match(
      stdout,
      /^Add up the prices\n.* to \d\d:\d\d · 10 messages · shop · 0a1b2c3d-.*\ncannot be resumed: its folder .* does not exist\n\n/,
    );
    assert.equal(
      body(stdout),
      [
        "User\nAdd up the prices\n",
        "Assistant  claude-sonnet-4-5-20250929\nI look at the file first.\n",
        "Assistant\nDone: the sum is 3.\n",
        "User\nAnd with tax?\n\n",
      ].join("\n"),
    );
  });

  test("--summary shows the person's words", async () => {
    assert.equal(body((await show(SESSION, "--summary")).stdout), "User\nAdd up the prices\n\nUser\nAnd with tax?\n\n");
  });

  test("--with-tools: inputs, results, failures, and calls without a result", async () => {
    const text = body((await show(SESSION, "--with-tools")).stdout);
    assert.ok(text.includes("> Read  /work/shop/prise.mjs\n  ! File does not exist.\n"), text);
    assert.ok(
      text.includes("> Read  /work/shop/price.mjs\n  < export const price = 1;\n    export const tax = 2;\n"),
      text,
    );
    assert.ok(text.includes("> Bash  node sum.mjs\n  ? (no result in the file)\n"), text);
  });

  test("--with-thinking says what was withheld", async () => {
    assert.match((await show(SESSION, "--with-thinking")).stdout, /\n\(thinking, withheld by the provider\)\n/);
  });

  test("--last chooses turns", async () => {
    assert.equal(body((await show(SESSION, "--last", "1")).stdout), "User\nAnd with tax?\n\n");
  });

  test("--line shows a marked window with line numbers, --turn the whole turn", async () => {
    const numbers = (text: string): string[] => [...text.matchAll(/^>?\[\d+\]/gm)].map(([number]) => number);
    const window = (await show(SESSION, "--line", "6")).stdout;
    assert.deepEqual(numbers(window), ["[3]", "[4]", "[5]", ">[6]", "[7]", "[8]", "[9]"]);
    assert.match(window, /^\[4\] {3}! File does not exist\.$/m, "tools are shown");
    assert.deepEqual(numbers((await show(SESSION, "--line", "1", "--turn")).stdout), [
      ">[1]",
      "[2]",
      "[3]",
      "[4]",
      "[5]",
      "[6]",
      "[7]",
    ]);
    const rows = rowsOf("show", (await show(SESSION, "--line", "6", "--json")).stdout);
    assert.deepEqual(
      rows.map(({ line_number: line }) => line),
      [3, 4, 5, 6, 7, 8, 9],
    );
  });

  test("--line refuses a line that is not there, and other choices of messages", async () => {
    const away = await show(SESSION, "--line", "99");
    assert.equal(away.exitCode, 2);
    assert.match(away.stderr, /Line 99 has no entry of the conversation\. Try line 10\./);
    const progress = `{"type":"progress"}\n${user("go", 0)}`;
    const skipped = await runCli(["show", "-", "--line", "1"], { home, stdin: progress });
    assert.match(skipped.stderr, /Line 1 has no entry of the conversation\. Try line 2\./);
    for (const other of [["--last", "1"], ["--summary"]])
      assert.equal((await show(SESSION, "--line", "7", ...other)).exitCode, 2);
    assert.match((await show(SESSION, "--turn")).stderr, /--turn needs --line/);
  });

  test("a command of one line is shown once", async () => {
    const command = `npm test -- ${"x".repeat(120)}`;
    const stdin = user("go", 0) + calls("Bash", "t1", { command, description: "Tests it" }, 1);
    const { stdout } = await runCli(["show", "-", "--with-tools"], { home, stdin });
    assert.equal(stdout.split(command).length, 2);
    assert.match(stdout, /\n {4}description: Tests it\n/);
  });

  test("an edit is a diff, and a list of tasks is a list", async () => {
    const edit = { file_path: "/work/shop/a.ts", old_string: "one\ntwo\n", new_string: "one\n2\n" };
    const todos = [
      { content: "Mend it", status: "completed", activeForm: "Mending it" },
      { content: "Test it", status: "in_progress", activeForm: "Testing it" },
    ];
    const stdin = [
      user("go", 0),
      calls("Edit", "t1", edit, 1),
      result("t1", "ok", 2),
      calls("TodoWrite", "t2", { todos }, 3),
      result("t2", "ok", 4),
    ].join("");
    const { stdout } = await runCli(["show", "-", "--with-tools"], { home, stdin });
    assert.match(stdout, /^> Edit {2}\/work\/shop\/a\.ts\n {5}one\n {4}-two\n {4}\+2\n {2}< ok$/m);
    assert.match(stdout, /^> TodoWrite\n {4}todos:\n {6}☑ Mend it\n {6}☐ Test it \(in progress\)\n/m);
  });

  test("says why it prints nothing", async () => {
    for (const [argv, stdin, says] of [
      [["--summary"], calls("Bash", "t1", { command: "ls" }, 1), /^nothing to show: the user wrote no message/],
      [[], calls("Bash", "t1", { command: "ls" }, 1), /^nothing to show: nothing was said; --with-tools and/],
    ] as const) {
      const { exitCode, stderr, stdout } = await runCli(["show", "-", ...argv], { home, stdin });
      assert.equal(exitCode, 1, stdout);
      assert.match(stderr, says);
    }
    assert.match((await runCli(["show", "-"], { home, stdin: user("go", 0) })).stdout, / · 1 message · /);
  });

  test("rejected and interrupted calls, in one session", async () => {
    const text = [
      user("go", 0),
      calls("Bash", "t1", { command: "rm -rf build" }, 1),
      result("t1", "The user doesn't want to proceed with this tool use. The tool use was rejected.", 2, true),
      calls("Bash", "t2", { command: "sleep 9" }, 3),
      result("t2", "[Request interrupted by user for tool use]", 4, true),
    ].join("");
    const { stdout } = await runCli(["show", "-", "--with-tools"], { home, stdin: text });
    assert.match(stdout, /rm -rf build\n {2}! \(rejected by the user\)\n/);
    assert.match(stdout, /sleep 9\n {2}! \(interrupted\)\n/);
  });

  test("JSON has the rows of the model, with the blocks that are asked for", async () => {
    const rows = rowsOf("show", (await show(path, "--json")).stdout);
    assert.deepEqual(
      rows.map(({ turn }) => turn),
      [1, 1, 1, 2],
    );
    const all = rowsOf("show", (await show(path, "--json", "--with-tools", "--with-thinking")).stdout);
    const types = all.flatMap(({ blocks }) => blocks.map(({ block_type }) => block_type));
    assert.deepEqual(types, [
      "text",
      "text",
      "tool_use",
      "tool_result",
      "tool_use",
      "tool_result",
      "text",
      "text",
      "thinking",
      "tool_use",
    ]);
  });

  test("JSON never shortens texts", async () => {
    const text = user("x".repeat(1_000_000), 0);
    const [row] = rowsOf("show", (await runCli(["show", "-", "--json"], { home, stdin: text })).stdout);
    assert.equal(row?.blocks[0]?.content_text?.length, 1_000_000);
  });

  test("control characters of a session are not printed, and stay in JSON", async () => {
    const text = user("\u001b]0;owned\u0007\u001b[31mred\u001b[2J\u009bx", 0);
    const { stdout } = await runCli(["show", "-"], { home, stdin: text, terminal: 80, env: { NO_COLOR: "1" } });
    assert.match(stdout, /\nred\n/);
    assert.doesNotMatch(stdout, /[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/);
    const json = await runCli(["show", "-", "--json"], { home, stdin: text, terminal: 80 });
    assert.doesNotMatch(json.stdout, /[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/);
    assert.equal(JSON.parse(json.stdout).blocks[0].content_text, "\u001b]0;owned\u0007\u001b[31mred\u001b[2J\u009bx");
  });

  for (const [name, argv, code, says] of [
    ["a prefix of an id", ["0a1b"], 0, /^$/],
    ["latest", ["latest"], 0, /^(?:created the store .*\n)?$/],
    ["a prefix that no id has", ["ffff"], 2, /^transcripts: No session has an id that begins with "ffff"/],
    ["a short prefix", ["0"], 2, /^transcripts: .*too short/],
    ["a path that is not there", ["./nothing.jsonl"], 2, /^transcripts: There is no file/],
    ["a folder", [home], 2, /^transcripts: /],
  ] as const) {
    test(`SESSION: ${name}`, async () => {
      const { exitCode, stderr } = await show(...argv);
      assert.equal(exitCode, code);
      assert.match(stderr, says);
      assert.doesNotMatch(stderr, /\n\s+at /);
    });
  }

  test("latest with --team says why the team's database cannot be asked", async () => {
    for (const [url, problem] of [
      ["", /^transcripts: TRANSCRIPTS_DATABASE_URL is not set/],
      [
        "postgres://u:secret@127.0.0.1:1/x",
        /^transcripts: The database postgres:\/\/u@127\.0\.0\.1:1\/x cannot be reached/,
      ],
    ] as const) {
      const env = { TRANSCRIPTS_DATABASE_URL: url };
      const { exitCode, stderr } = await runCli(["show", "latest", "--team"], { home, env });
      assert.deepEqual([exitCode, problem.test(stderr)], [2, true], stderr);
    }
  });

  test("an ambiguous prefix lists the ids", async () => {
    const home = makeTempDir();
    for (const last of ["1", "2"]) storeSession(home, sampleSession(), { id: `${SESSION.slice(0, -1)}${last}` });
    const { exitCode, stderr } = await runCli(["show", "0a1b2c"], { home });
    assert.equal(exitCode, 2);
    assert.match(stderr, /^transcripts: 2 sessions have ids that begin with/);
    for (const last of ["1", "2"]) assert.ok(stderr.includes(`  ${SESSION.slice(0, -1)}${last}  `));
  });

  test("an empty input is refused", async () => {
    const { exitCode, stdout, stderr } = await runCli(["show", "-"], { home, stdin: "" });
    assert.deepEqual([exitCode, stdout], [2, ""]);
    assert.match(stderr, /^transcripts: Standard input is empty\./);
  });

  test("damage is reported on standard error", async () => {
    const { exitCode, stderr } = await runCli(["show", "-"], { home, stdin: `${sampleSession()}{"type":"us` });
    assert.equal(exitCode, 0);
    assert.match(stderr, /1 damaged place; `transcripts entries - \| grep '"recovered":false'` shows/);
  });

  test("what an editor added to a prompt is not shown as the person's words", async () => {
    const selection = "<ide_selection>The user selected lines of notes.md:\nA plan\n</ide_selection>";
    const stdin = [user(`${selection}\nCarry it out`, 1), says("Done.", 2)].join("");
    const run = async (...argv: string[]): Promise<string> =>
      (await runCli(argv, { home: makeTempDir(), stdin })).stdout;
    for (const options of [[], ["--summary"]]) {
      const text = await run("show", "-", ...options);
      assert.match(text, /User.*\nCarry it out\n/);
      assert.doesNotMatch(text, /A plan/);
    }
    assert.match(
      await run("export", "-", "--markdown", "-o", "-"),
      /Carry it out\n\n### Added by the host\n[^]*A plan/,
    );
    assert.match(
      await run("export", "-", "--html", "-o", "-"),
      /Added by the agent&#39;s program|Added by the agent's program/,
    );
  });

  test("--subagents adds their conversations", async () => {
    const home = makeTempDir();
    storeSession(home, sampleSession());
    const child = [user("Look for it", 8), says("Found it.", 9)]
      .join("")
      .replaceAll('"cwd"', '"isSidechain":true,"agentId":"abc","cwd"');
    storeSession(home, child, { id: `${SESSION}/subagents/agent-abc` });
    const { stdout } = await runCli(["show", SESSION, "--subagents"], { home });
    assert.match(stdout, /And with tax\?[^]*agent-abc[^]*Subagent abc: Prompt[^]*Look for it[^]*Found it\./);
    assert.doesNotMatch((await runCli(["show", SESSION], { home })).stdout, /Found it/);
  });
});
