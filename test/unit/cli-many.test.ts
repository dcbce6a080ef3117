/** The commands that read many sessions: list, stats, find, doctor; and export. */
import assert from "node:assert/strict";
import { mkdirSync, readFileSync, readdirSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { assistant, at, sampleSession, says, SESSION, storeSession, user } from "../support/cli/claude-lines.ts";
import { withSessionsBar, type Progress } from "../../src/cli/terminal/progress.ts";
import { outputOf, type Outputs, rowsOf } from "../support/cli/json-output.ts";
import { runCli } from "../support/cli/run-cli.ts";
import { onWindows } from "../support/machine.ts";
import { afterAll, describe, test } from "../support/runner.ts";
import { makeTempDir, removeTempDirs } from "../support/temp-dir.ts";

afterAll(removeTempDirs);

const OTHER = "11111111-2222-4333-8444-555555555555";
const empty = makeTempDir();
const NO_SESSIONS = /^no sessions found; `transcripts doctor` shows which folders are searched$/m;
/** Two sessions in two projects, the second a day later. */
const home = makeTempDir();
touch(storeSession(home, sampleSession()), at(62));
touch(
  storeSession(
    home,
    [user("Paint it blue", 86_400), says("Blue it is.", 86_401)].join("").replaceAll("/work/shop", "/work/paint"),
    { id: OTHER, project: "-work-paint" },
  ),
  at(86_401),
);

function touch(path: string, time: string): void {
  utimesSync(path, new Date(time), new Date(time));
}

async function ids(...argv: string[]): Promise<unknown[]> {
  const { stdout } = await runCli(["list", "--json", ...argv], { home, now: new Date(at(90_000)) });
  return rowsOf("list", stdout).map(({ session_id }) => session_id);
}

describe("transcripts list", () => {
  test("lists newest first, with the details that people need", async () => {
    const { stdout, exitCode } = await runCli(["list"], { home });
    assert.equal(exitCode, 0);
    assert.match(
      stdout,
      /^TIME +SESSION +TURNS +ACTIVE +COST +OUT +AGENT +PROJECT +TITLE\n.*11111111 +1 +1 s .*claude-code +paint +Paint it blue\n.*0a1b2c3d +2 +1 min 2 s .*shop +Add up the prices\n$/,
    );
  });

  test("lists a session before its subagents, even if they are newer", async () => {
    const home = makeTempDir();
    storeSession(home, sampleSession());
    const child = assistant({ id: "msg_child", blocks: [{ type: "text", text: "y" }] }, 3_000);
    storeSession(home, child.replace('"cwd"', '"isSidechain":true,"agentId":"abc","cwd"'), {
      id: `${SESSION}/subagents/agent-abc`,
    });
    storeSession(home, user("Newest", 4_000), { id: OTHER });
    const { stdout } = await runCli(["list", "--json", "--subagents"], { home });
    assert.deepEqual(
      rowsOf("list", stdout).map(({ session_id: id }) => id),
      [OTHER, SESSION, "agent-abc"],
    );
  });

  test("narrowed down", async () => {
    assert.deepEqual(await ids(), [OTHER, SESSION]);
    assert.deepEqual(await ids("--recent", "1"), [OTHER]);
    assert.deepEqual(await ids("--since", at(1_000)), [OTHER]);
    assert.deepEqual(await ids("--since", "2d"), [OTHER, SESSION]);
    assert.deepEqual(await ids("--project", "/work/shop"), [SESSION]);
    assert.deepEqual(await ids("--project", "paint"), [OTHER]);
    assert.deepEqual(await ids("--agent", "opencode"), []);
  });

  test("--today leaves out a session whose file was only touched", async () => {
    const home = makeTempDir();
    storeSession(home, sampleSession());
    const { exitCode } = await runCli(["list", "--today"], { home });
    assert.equal(exitCode, 1);
  });

  test("says that an empty home has no sessions", async () => {
    const { exitCode, stdout, stderr } = await runCli(["list"], { home: empty });
    assert.deepEqual([exitCode, stdout], [1, ""]);
    assert.match(stderr, NO_SESSIONS);
    const filtered = await runCli(["list", "--until", "2001-01-01"], { home });
    assert.deepEqual([filtered.exitCode, filtered.stderr], [1, "no session matches; `transcripts list` lists all\n"]);
  });

  test("shows a screenful on a terminal, and all in a pipe", async () => {
    const many = makeTempDir();
    for (let at = 0; at < 300; at += 1) {
      storeSession(many, user(`Task ${at}`, at), { id: `${String(at).padStart(8, "0")}-0000-4000-8000-000000000000` });
    }
    const shown = await runCli(["list"], { home: many, terminal: 80 });
    assert.equal(shown.stdout.split("\n").length, 22);
    assert.match(shown.stderr, /the 20 newest sessions; --recent N lists more/);
    assert.equal(
      (await runCli(["list", "--recent", "400"], { home: many, terminal: 80 })).stdout.split("\n").length,
      302,
    );
    assert.equal((await runCli(["list", "--json"], { home: many })).stdout.split("\n").length, 301);
  });

  test.skipIf(onWindows)("unreadable sessions are reported with the reason, and the rest is read", async () => {
    const home = makeTempDir();
    const path = storeSession(home, sampleSession());
    const loop = path.replace(SESSION, OTHER);
    symlinkSync(loop, loop);
    for (const argv of [["list"], ["stats"], ["find", "price"]]) {
      const { exitCode, stdout, stderr } = await runCli(argv, { home });
      assert.equal(exitCode, 0, argv[0]);
      assert.notEqual(stdout, "");
      assert.ok(stderr.includes(`not read: ${loop}: its symbolic links form a loop\n`), stderr);
      if (argv[0] !== "list") assert.match(stderr, /1 session(?: \(1 updated\))?, 1 unreadable/);
    }
    assert.equal((await runCli(["doctor"], { home })).exitCode, 2);
  });
});

describe("transcripts stats", () => {
  const stats = async (setting: string, ...argv: string[]): Promise<Outputs["stats"]> =>
    outputOf("stats", (await runCli(["stats", "--json", ...argv], { home: setting })).stdout);

  test("one session", async () => {
    const { total, ...figures } = await stats(home, SESSION);
    assert.deepEqual(
      [figures.sessions, figures.prompts, figures.tool_calls, figures.tool_errors, figures.tool_pending],
      [1, 2, 3, 1, 1],
    );
    assert.deepEqual([figures.withheld_thinking_blocks, figures.duration_ms], [1, 62_000]);
    const { tokens_in, tokens_out, cache_read, cache_write } = total;
    assert.deepEqual([tokens_in, tokens_out, cache_read, cache_write], [60, 120, 30, 12]);
    assert.deepEqual(figures.tools, [
      { tool: "Read", calls: 2, errors: 1 },
      { tool: "Bash", calls: 1, errors: 0 },
    ]);
  });

  test("and index continue after a session that does not exist, and exit with 2", async () => {
    for (const argv of [["stats"], ["index"]]) {
      const { exitCode, stderr } = await runCli([...argv, "nosuch", SESSION], { home });
      assert.equal(exitCode, 2, argv[0]);
      assert.match(stderr, /^transcripts: No session has an id that begins with "nosuch"/);
      assert.match(stderr, /^(?:read 1 session, 1 unreadable|indexed 1 session: .*)$/m, argv[0]);
      assert.equal((await runCli([...argv, "nosuch", "nowhere"], { home })).exitCode, 2);
    }
  });

  test("counts an answer in several files once; a subagent alone and in the sum", async () => {
    const home = makeTempDir();
    const shared = assistant(
      { id: "msg_shared", blocks: [{ type: "text", text: "x" }], tokens: { in: 100, out: 50 } },
      1,
    );
    storeSession(home, user("a", 0) + shared);
    storeSession(
      home,
      user("a", 0) + shared + assistant({ id: "msg_fork", blocks: [], tokens: { in: 1, out: 2 } }, 2),
      { id: OTHER },
    );
    const child = assistant(
      { id: "msg_child", blocks: [{ type: "text", text: "y" }], tokens: { in: 1_000, out: 500 } },
      3,
    );
    storeSession(home, child.replace('"cwd"', '"isSidechain":true,"agentId":"abc","cwd"'), {
      id: `${SESSION}/subagents/agent-abc`,
    });
    const figures = await stats(home, "--by", "session");
    assert.deepEqual([figures.sessions, figures.subagents, figures.repeated_messages], [2, 1, 1]);
    assert.deepEqual(
      [figures.total, figures.alone, figures.subagents_alone].map(({ tokens_out }) => tokens_out),
      [552, 52, 500],
    );
    const parent = figures.rows.find(({ key }) => key === SESSION);
    assert.deepEqual([parent?.tokens_out, parent?.with_subagents?.tokens_out], [50, 550]);
  });

  test("a model without a price is named, and the cost is more than the sum", async () => {
    const text = user("a", 0) + assistant({ blocks: [], model: "homemade-7b" }, 1) + says("b", 2);
    const { stdout, stderr } = await runCli(["stats", "-"], { home, stdin: text });
    assert.match(stdout, /No price +homemade-7b\n/);
    assert.match(stdout, /Cost +>\$/);
    assert.match(stderr, /^> the true number is higher: some models have no known price\n/);
  });

  test("a cost that a subscription recorded as 0 is shown as an estimate", async () => {
    const tokens = { input: 1_000_000, output: 0, reasoning: 0, cache: { read: 0, write: 0 } };
    const time = { created: 1_767_000_000_000 };
    const info = {
      id: "msg_1",
      role: "assistant",
      providerID: "anthropic",
      modelID: "claude-opus-4-8",
      cost: 0,
      tokens,
    };
    const exported = {
      info: { id: "ses_1", title: "t", directory: "/x", version: "1.18.33", time },
      messages: [{ info: { ...info, time }, parts: [{ id: "prt_1", type: "text", text: "Hi." }] }],
    };
    const { stdout, stderr } = await runCli(["stats", "-"], { home, stdin: JSON.stringify(exported) });
    assert.match(stdout, /Cost +~\$5\n/);
    assert.match(stderr, /^~ estimated, as the agent recorded a cost of 0\n/);
  });

  test("active time leaves out a night in the middle", async () => {
    const night = [user("Good evening", 0), says("Done.", 200), user("Good morning", 40_000), says("Done.", 40_060)];
    const stdin = night.join("");
    const figures = JSON.parse((await runCli(["stats", "-", "--json"], { home, stdin })).stdout);
    assert.deepEqual([figures.active_ms, figures.duration_ms], [260_000, 40_060_000]);
    const { stdout } = await runCli(["stats", "-"], { home, stdin });
    assert.match(stdout, /Time +4 min 20 s active \(11 h 7 min with pauses\), /);
  });

  test("rows by day, week, month, project and model", async () => {
    const keys = async (by: string): Promise<unknown[]> => (await stats(home, "--by", by)).rows.map(({ key }) => key);
    assert.equal((await keys("day")).length, 2);
    // The fixed hour is on a Monday.
    assert.deepEqual(await keys("week"), ["2026-01-05"]);
    assert.deepEqual(await keys("month"), ["2026-01"]);
    assert.deepEqual(new Set(await keys("project")), new Set(["/work/paint", "/work/shop"]));
    assert.deepEqual(await keys("model"), ["claude-sonnet-4-5-20250929"]);
  });

  test("adds up all sessions if none is named", async () => {
    assert.equal((await stats(home)).sessions, 2);
    const none = await runCli(["stats"], { home: empty });
    assert.deepEqual([none.exitCode, NO_SESSIONS.test(none.stderr)], [1, true]);
  });
});

describe("transcripts find", () => {
  test("the passage, its place, and a command that opens it", async () => {
    const { stdout, stderr, exitCode } = await runCli(["find", "IT IS"], { home });
    assert.equal(exitCode, 0);
    assert.match(
      stdout,
      /^Session 11111111-.*\n\[2\] assistant, 20.*: Blue it is\.\n {4}transcripts show 11111111-2222-4333-8444-555555555555 --line 2\n\n$/,
    );
    assert.match(stderr, /^searched 2 sessions/);
    const [, command = ""] = /transcripts (show .*)\n/.exec(stdout) ?? [];
    assert.match((await runCli(command.split(" "), { home })).stdout, /Blue it is\./);
  });

  test("filters", async () => {
    const lines = async (...argv: string[]): Promise<unknown[]> =>
      rowsOf("find", (await runCli(["find", "--json", ...argv], { home })).stdout).map(
        ({ line_number }) => line_number,
      );
    assert.deepEqual(new Set(await lines("price")), new Set([1, 5, 6]));
    assert.deepEqual(await lines("price", "--role", "user"), [1]);
    assert.deepEqual(await lines("price", "--tool", "read", "--limit", "1"), [5]);
    assert.deepEqual(await lines("exist", "--errors"), [4]);
    assert.deepEqual(new Set(await lines("it", "--project", "/work/paint")), new Set([1, 2]));
    assert.deepEqual(await lines("blue", "--since", at(0), "--role", "assistant"), [2]);
  });

  test("exits with 1 if nothing is found, and still prints the scope", async () => {
    const { exitCode, stdout, stderr } = await runCli(["find", "nowhere to be found"], { home });
    assert.deepEqual([exitCode, stdout], [1, ""]);
    assert.match(stderr, /^searched 2 sessions\nNothing found\. /);
    assert.match((await runCli(["find", "x"], { home: empty })).stderr, /^no sessions found; /m);
    assert.match((await runCli(["find", "x", "--since", "1d"], { home: empty })).stderr, /^searched 0 sessions/);
    assert.equal((await runCli(["find", ""], { home })).exitCode, 2);
  });
});

describe("transcripts doctor", () => {
  test("places, content and damage", async () => {
    const home = makeTempDir();
    mkdirSync(join(home, ".git"));
    storeSession(home, `${sampleSession()}{"type":"hologram"}\n{"type":"progress"}\nbroken\n`);
    const { stdout, exitCode } = await runCli(["doctor", "--json"], { home });
    const found = outputOf("doctor", stdout);
    assert.equal(exitCode, 0);
    assert.deepEqual([found.ok, found.checked, found.of, found.lines, found.configs], [true, 1, 1, 13, []]);
    assert.deepEqual(
      found.damage.map(({ code, first_line }) => [code, first_line]),
      [["invalid_json", 13]],
    );
    const text = (await runCli(["doctor"], { home })).stdout;
    assert.match(text, /no plugin in .*; `transcripts init` adds it/);
  });

  test("invalid arguments fail", async () => {
    const home = makeTempDir();
    mkdirSync(join(home, ".local/share/opencode"), { recursive: true });
    writeFileSync(join(home, ".local/share/opencode/opencode.db"), "no database");
    writeFileSync(join(home, "opencode.json"), "{");
    const { stdout, exitCode } = await runCli(["doctor"], { home });
    assert.equal(exitCode, 2);
    assert.match(stdout, /x opencode .*opencode\.db: /);
    assert.match(stdout, /x .*opencode\.json:\n +line 1, column 2: close brace expected/);
  });

  test("reports where the store is, what it has, and whether it can be opened", async () => {
    const home = makeTempDir();
    storeSession(home, sampleSession());
    const place = join(home, ".local/share/opencode-transcripts/transcripts.db");
    const asked = async (): Promise<Outputs["doctor"]["index"]> =>
      outputOf("doctor", (await runCli(["doctor", "--json"], { home })).stdout).index;
    const none = { backend: "sqlite" as const, place, exists: false, sessions: null, problem: null };
    assert.deepEqual(await asked(), none);
    assert.match(
      (await runCli(["doctor"], { home })).stdout,
      /- SQLite .*transcripts\.db: none yet; `transcripts index`/,
    );
    await runCli(["index"], { home });
    assert.deepEqual(await asked(), { ...none, exists: true, sessions: 1 });
    const { stdout, exitCode } = await runCli(["doctor"], { home });
    assert.deepEqual([exitCode, /\+ SQLite .*transcripts\.db: 1 session\n/.test(stdout)], [0, true]);
    writeFileSync(place, "no database ".repeat(1_000));
    assert.match((await asked()).problem ?? "", /is damaged.* and run `transcripts index` .*snippets/);
    assert.equal((await runCli(["doctor"], { home })).exitCode, 2);
  });

  test("the plugin, once init has added it", async () => {
    const home = makeTempDir();
    mkdirSync(join(home, ".git"));
    await runCli(["init", "--yes"], { home });
    assert.match((await runCli(["doctor"], { home })).stdout, /\+ .*opencode\.json has the plugin\n/);
  });
});

describe("transcripts export", () => {
  test("writes a whole page or none", async () => {
    const folder = makeTempDir();
    const { exitCode, stdout, stderr } = await runCli(["export", SESSION, "--html", "-o", "page.html"], {
      home,
      cwd: folder,
    });
    assert.deepEqual(
      [exitCode, stdout, stderr],
      [0, "", `wrote ${join(folder, "page.html")}\nno secret was found in it\n`],
    );
    const page = readFileSync(join(folder, "page.html"), "utf8");
    assert.match(page, /^<!doctype html>[^]*Add up the prices[^]*<\/html>\s*$/);
    assert.deepEqual(readdirSync(folder), ["page.html"]);
    assert.equal((await runCli(["export", SESSION, "--html"], { home })).stdout, page);
  });

  test("prints no page on a terminal, and makes none from empty input", async () => {
    assert.match(
      (await runCli(["export", SESSION, "--html"], { home, terminal: 80 })).stderr,
      /not exported to a terminal\. Name a file/,
    );
    const nothing = await runCli(["export", "-", "-o", "x.html"], { home, stdin: "" });
    assert.equal(nothing.exitCode, 2);
  });

  test("a folder that is not there is named, without a stack trace", async () => {
    const { exitCode, stderr } = await runCli(["export", SESSION, "-o", "no/where.html"], { home });
    assert.equal(exitCode, 2);
    assert.match(
      stderr,
      /^transcripts: .*no\/where\.html cannot be written: its folder does not exist\. Create the folder,.*\n$/,
    );
  });
});

test("the bar of work in parts begins anew with each, and never goes back", async () => {
  const bars: number[][] = [];
  const progress = (total: number): Progress => {
    const bar = [total];
    bars.push(bar);
    return { advance: (by = 1) => void bar.push(by), end: () => undefined };
  };
  await withSessionsBar({ progress }, async (onProgress) => {
    for (const total of [2, 2, 4]) for (let done = 1; done <= total; done += 1) onProgress({ done, total });
  });
  assert.deepEqual(bars, [
    [2, 1, 1],
    [2, 1, 1],
    [4, 1, 1, 1, 1],
  ]);
});
