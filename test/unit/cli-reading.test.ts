/** The commands that read one session: timeline, entries, errors. */
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { at, calls, result, sampleSession, says, SESSION, storeSession, user } from "../support/cli/claude-lines.ts";
import { type Outputs, rowsOf } from "../support/cli/json-output.ts";
import { runCli } from "../support/cli/run-cli.ts";
import { afterAll, describe, test } from "../support/runner.ts";
import { makeTempDir, removeTempDirs } from "../support/temp-dir.ts";
import { machineAt } from "../support/tools/tool-calls.ts";

afterAll(removeTempDirs);

const home = makeTempDir();
const path = storeSession(home, sampleSession());

async function out(...argv: string[]): Promise<string> {
  return (await runCli(argv, { home })).stdout;
}

async function timelineRows(...options: string[]): Promise<Outputs["timeline"][]> {
  return rowsOf("timeline", await out("timeline", SESSION, "--json", ...options));
}

async function entryRows(): Promise<Outputs["entries"][]> {
  return rowsOf("entries", await out("entries", path));
}

test("a prompt of 6 MB, as with two pasted screenshots, is read by every command", async () => {
  const large = makeTempDir();
  const image = { type: "image", source: { type: "base64", media_type: "image/png", data: "A".repeat(6_000_000) } };
  const content = [{ type: "text", text: "Why is the apricot blue?" }, image];
  const prompt = { type: "user", uuid: "u-1", sessionId: SESSION, cwd: "/w", timestamp: at(0), message: { content } };
  storeSession(large, `${JSON.stringify(prompt)}\n${says("Because.", 1)}`);
  const run = async (...argv: string[]): Promise<string> => (await runCli(argv, { home: large })).stdout;
  for (const argv of [["list"], ["show", SESSION], ["timeline", SESSION], ["find", "apricot"], ["entries", SESSION]])
    assert.match(await run(...argv), argv[0] === "entries" ? /"line_number":1,.*"outcome":"used"/ : /apricot/, argv[0]);
});

test("damage is reported beside the calls that failed", async () => {
  const torn = makeTempDir();
  storeSession(torn, `${sampleSession()}{"type":"assist`);
  const { stdout, stderr } = await runCli(["errors", SESSION], { home: torn });
  assert.match(stdout, /File does not exist/);
  assert.match(stderr, /1 damaged place/);
});

test("places that cannot be read are in the scope line of every command over many sessions", async () => {
  const machine = makeTempDir();
  const env = { XDG_DATA_HOME: join(machine, "data") };
  // Longer than the 64 MiB that are read.
  const long = user(`quince ${"A".repeat(64 * 1024 * 1024)}`, 0);
  storeSession(machine, [long, user("A quince, please", 1), says("Here.", 2)].join(""));
  const run = async (...argv: string[]): Promise<string> => (await runCli(argv, { home: machine, env })).stderr;
  assert.match(await run("list"), /^1 damaged place; `transcripts doctor` says where$/m);
  assert.match(await run("errors"), /^looked at 1 session, 1 damaged place: no call failed$/m);
  for (const _ of ["new", "unchanged"])
    assert.match(await run("index"), /^indexed 1 session: .*, 1 damaged place(?:;|$)/m);
  assert.match(await run("find", "quince"), /^searched 1 session, 1 damaged place$/m);
  assert.match(await run("fixes", "no such file"), /^no such error came up before; .*; 1 damaged place$/m);
  const agent = machineAt(machine);
  assert.match(
    (await agent.call("find_in_transcripts", { query: "quince" })).text,
    /^The sessions have 1 damaged place\.$/m,
  );
  assert.match((await agent.call("list_errors", {})).text, /looked at 1 session, 1 damaged place\./);
  await agent.close();
});

describe("transcripts timeline", () => {
  test("prints one row for each turn", async () => {
    const found = await timelineRows();
    assert.deepEqual(
      found.map(({ turn, line_number, prompt, duration_ms, tools, tool_errors, messages, tokens_out }) => [
        turn,
        line_number,
        prompt,
        duration_ms,
        tools,
        tool_errors,
        messages,
        tokens_out,
      ]),
      [
        [1, 1, "Add up the prices", 12_000, { Read: 2 }, 1, 7, 80],
        [2, 8, "And with tax?", 2_000, { Bash: 1 }, 0, 3, 40],
      ],
    );
  });

  test("fits a narrow terminal", async () => {
    const { stdout } = await runCli(["timeline", SESSION], { home, terminal: 40, env: { NO_COLOR: "1" } });
    assert.match(stdout, /TURN {2}TIME .*PROMPT\n {3}1 {2}.* {2}Add up/);
    const [, table = ""] = stdout.split("\n\n");
    for (const line of table.split("\n")) assert.ok(line.length <= 40, line);
  });

  test("a pipe gets all columns", async () => {
    const { stdout } = await runCli(["timeline", SESSION], { home });
    assert.match(
      stdout,
      /TURN {2}TIME +TOOK +IN +CACHE READ +CACHE WRITE +OUT {2}TOOLS +PROMPT\n.* 12 s +40 +20 +8 +80 {2}1 failed: Read 2 {2}Add up the prices\n/,
    );
  });

  test("counts the same tokens as stats, column by column", async () => {
    const cellsUnder = (table: string, line: RegExp): Record<string, string | undefined> => {
      const [head = "", ...rows] = table.slice(table.search(/^.*\bIN {2,}CACHE READ/m)).split("\n");
      const row = rows.find((each) => line.test(each)) ?? "";
      const ends = ["IN", "CACHE READ", "CACHE WRITE", "OUT"].map(
        (name) => [name, head.indexOf(` ${name}`) + name.length + 1] as const,
      );
      return Object.fromEntries(ends.map(([name, end]) => [name, row.slice(0, end).split(" ").at(-1)]));
    };
    const alone = makeTempDir();
    storeSession(alone, [user("One turn", 0), says("Done.", 1)].join(""));
    const [turn, all] = [
      await runCli(["timeline", SESSION], { home: alone }),
      await runCli(["stats", SESSION], { home: alone }),
    ];
    const cells = cellsUnder(turn.stdout, /One turn/);
    assert.deepEqual(cells, cellsUnder(all.stdout, /^claude-/));
    assert.deepEqual(cells, { IN: "10", "CACHE READ": "5", "CACHE WRITE": "2", OUT: "20" });
  });

  test("counts a failure whose call is not in the file, in the turn of its result", async () => {
    const cut = makeTempDir();
    storeSession(
      cut,
      [
        result("toolu_gone", "<tool_use_error>no such file</tool_use_error>", 0, true),
        user("Go on", 1),
        result("toolu_lost", "<tool_use_error>no such folder</tool_use_error>", 2, true),
        calls("Read", "toolu_here", { file_path: "/a" }, 3),
        result("toolu_here", "<tool_use_error>nor this</tool_use_error>", 4, true),
      ].join(""),
    );
    const { stdout } = await runCli(["timeline", SESSION, "--json"], { home: cut });
    assert.deepEqual(
      rowsOf("timeline", stdout).map(({ turn, tool_errors }) => [turn, tool_errors]),
      [
        [0, 1],
        [1, 2],
      ],
    );
    const listed = await runCli(["errors", SESSION], { home: cut });
    assert.equal(listed.stdout.trimEnd().split("\n").length, 3);
  });
});

describe("transcripts entries", () => {
  test("prints every line, with the line of the other half of a call", async () => {
    const found = await entryRows();
    assert.deepEqual(
      found.map(({ line_number }) => line_number),
      [1, 2, 3, 4, 5, 6, 7, 8, 9, 10],
    );
    const halves = found.flatMap(({ line_number, blocks }) =>
      blocks.flatMap(({ block_type, tool_use_id, other_line }) =>
        tool_use_id ? [[line_number, block_type, tool_use_id, other_line]] : [],
      ),
    );
    assert.deepEqual(halves, [
      [3, "tool_use", "toolu_read", 4],
      [4, "tool_result", "toolu_read", 3],
      [5, "tool_use", "toolu_again", 6],
      [6, "tool_result", "toolu_again", 5],
      [10, "tool_use", "toolu_bash", null],
    ]);
    const [first, second] = found;
    assert.deepEqual(
      [first?.byte_offset, first?.role, first?.user_kind, first?.cwd],
      [0, "user", "human", "/work/shop"],
    );
    assert.deepEqual([second?.request_id, second?.tokens_out], [`req_${String(second?.message_id)}`, 20]);
  });

  test("prints damaged, unknown, blank and skipped lines with the reason", async () => {
    const text = [
      user("go", 0),
      "\n",
      '{"type":"progress","uuid":"p1","timestamp":"2026-01-05T10:00:01.000Z"}\n',
      '{"type":"hologram","uuid":"h1"}\n',
      "no json\n",
      `${says("a", 3).trim()}${says("b", 4)}`,
      '{"type":"user","mess',
    ].join("");
    const { stdout, exitCode } = await runCli(["entries", "-"], { home, stdin: text });
    assert.equal(exitCode, 0);
    const found = rowsOf("entries", stdout);
    assert.deepEqual(
      found.map(({ line_number, outcome, type, lines }) => [line_number, outcome, type, lines]),
      [
        [1, "used", "user", 1],
        [2, "blank", null, 1],
        [3, "skipped", "progress", 1],
        [4, "unknown", "hologram", 1],
        [5, "failed", null, 1],
        [6, "used", "assistant", 1],
        [6, "used", "assistant", 0],
        [7, "failed", null, 1],
      ],
    );
    const codes = found.map(({ problems }) => problems.map(({ code }) => code));
    assert.deepEqual(codes, [[], [], [], ["unknown_type"], ["invalid_json"], ["glued_objects"], [], ["torn_line"]]);
    assert.deepEqual([found[2]?.uuid, found[3]?.uuid], ["p1", "h1"]);
  });

  test("covers all lines of the file", async () => {
    const found = await entryRows();
    assert.equal(
      found.reduce((sum, { lines }) => sum + lines, 0),
      sampleSession().split("\n").length - 1,
    );
  });
});

describe("transcripts errors", () => {
  test("JSON has exactly the three keys", async () => {
    const { stdout, exitCode } = await runCli(["errors", SESSION, "--json"], { home });
    assert.equal(exitCode, 0);
    assert.equal(stdout, '{"tool_name":"Read","tool_use_id":"toolu_read","error":"File does not exist."}\n');
  });

  test("TSV: a row stays a row", async () => {
    const text = [user("go", 0), calls("Bash", "t1", {}, 1), result("t1", "a\tb\nc\\d\r", 2, true)].join("");
    const { stdout } = await runCli(["errors", "-"], { home, stdin: text });
    assert.equal(stdout, "Bash\tt1\ta\\tb\\nc\\\\d\n");
  });

  test("a terminal gets no control characters, a pipe gets the text unchanged", async () => {
    const text = [
      user("go", 0),
      calls("Bash", "t1", {}, 1),
      result("t1", "\u001b[31mred\u001b[0m \u0007", 2, true),
    ].join("");
    const piped = await runCli(["errors", "-"], { home, stdin: text });
    assert.equal(piped.stdout, "Bash\tt1\tred ␇\n");
    const terminal = { home, stdin: text, terminal: 80, env: { NO_COLOR: "1" } };
    assert.equal((await runCli(["errors", "-", "--tsv"], terminal)).stdout, "Bash\tt1\tred ␇\n");
    const { stdout } = await runCli(["errors", "-"], terminal);
    assert.match(stdout, /^\[3\] Bash, t1, 2026-01-05 \d\d:\d\d, called on line 2\n {4}red ␇\n\n$/);
  });

  test("without a session, prints the newest of all: blocks on a terminal, lines in a pipe", async () => {
    const home = makeTempDir();
    storeSession(home, sampleSession());
    const later = [calls("Bash", "t1", { command: "npm test" }, 901), result("t1", "boom", 902, true)];
    const other = "11111111-1111-4111-8111-111111111111";
    storeSession(home, user("Test it", 900) + later.join(""), { id: other });
    const piped = await runCli(["errors"], { home });
    assert.equal(piped.stdout, "Bash\tt1\tboom\nRead\ttoolu_read\tFile does not exist.\n");
    assert.match(piped.stderr, /^looked at 2 sessions$/m);
    assert.equal((await runCli(["errors", "--until", at(900)], { home })).stdout.startsWith("Read"), true);
    assert.equal((await runCli(["find", "--errors"], { home })).stdout, piped.stdout);
    const ofSession = await runCli(["find", "--errors", "--per-session", "1"], { home });
    assert.match(ofSession.stderr, /--per-session needs words/);
    assert.equal((await runCli(["find", "--errors", "--tool", "read"], { home })).stdout.startsWith("Read"), true);
    const shown = await runCli(["errors", "--limit", "1"], { home, terminal: 100, env: { NO_COLOR: "1" } });
    assert.match(
      shown.stdout,
      /^Session 11111111-\S+, project shop\n\[3\] Bash, t1, .*\n {4}boom\n {4}transcripts show 11111111-\S+ --line 3/,
    );
    assert.match(shown.stderr, /^looked at 1 session; the newest 1 call, --limit shows more\n$/);
    assert.equal((await runCli(["errors"], { home: makeTempDir() })).exitCode, 1);
  });

  test("--fixes adds the call that fixed it", async () => {
    const stdin = [
      user("Test it", 0),
      calls("Bash", "toolu_test", { command: "node test.mjs" }, 1),
      result("toolu_test", "TypeError: price is not a function", 2, true),
      calls("Bash", "toolu_again", { command: "node test.mjs" }, 5),
      result("toolu_again", "ok", 6),
    ].join("");
    const [row] = rowsOf("errors", (await runCli(["errors", "-", "--json", "--fixes"], { home, stdin })).stdout);
    assert.equal(row?.fix?.tool_use_id, "toolu_again");
    const { stdout } = await runCli(["errors", "-", "--fixes"], { home, stdin });
    assert.match(
      stdout,
      /^\[3\] Bash, toolu_test, 2026-01-05 \d\d:\d\d, called on line 2\n {4}TypeError: .*\nFixed on line 4:\n {4}line 4, Bash node test\.mjs, passed when called again/,
    );
  });

  test("one line that --fixes leaves out is called a line", async () => {
    const error = Array.from({ length: 25 }, (_, at) => `line ${at}`).join("\n");
    const text = [user("go", 0), calls("Bash", "t1", { command: "x" }, 1), result("t1", error, 2, true)].join("");
    const { stdout } = await runCli(["errors", "-", "--fixes"], { home, stdin: text });
    assert.match(stdout, /\n {4}… 1 more line\n/);
  });

  test("says if nothing fixed an error", async () => {
    const text = [user("go", 0), calls("Bash", "t1", { command: "x" }, 1), result("t1", "no", 2, true)].join("");
    const { stdout } = await runCli(["errors", "-", "--fixes"], { home, stdin: text });
    assert.match(stdout, /\nNot fixed: \S/);
  });

  test("nothing found exits with 1; readable sessions are read despite others, and the status is 2", async () => {
    const quiet = await runCli(["errors", "-"], { home, stdin: user("hi", 0) });
    assert.deepEqual([quiet.exitCode, quiet.stdout], [1, ""]);
    writeFileSync(join(home, "other.jsonl"), sampleSession());
    const mixed = await runCli(["errors", "./gone.jsonl", "./other.jsonl", "--json"], { home });
    assert.equal(mixed.exitCode, 2);
    assert.match(mixed.stdout, /^\{"tool_name":"Read"/);
    assert.match(mixed.stderr, /^transcripts: There is no file .*gone\.jsonl/);
  });
});
