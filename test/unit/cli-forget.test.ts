import assert from "node:assert/strict";
import { execSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { sampleSession, SESSION, storeSession } from "../support/cli/claude-lines.ts";
import { outputOf } from "../support/cli/json-output.ts";
import { type CliRun, type CliSetting, runCli } from "../support/cli/run-cli.ts";
import { openStore } from "../../src/store/open-store.ts";
import { afterAll, describe, test } from "../support/runner.ts";
import { makeTempDir, removeTempDirs } from "../support/temp-dir.ts";

afterAll(removeTempDirs);

const OTHER = "9a1b2c3d-4e5f-4061-8071-2a3b4c5d6e7f";

function put(path: string, text: string): string {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  return path;
}

/** Two sessions of Claude Code, one with a subagent and outputs; two of ours. */
async function machine() {
  const home = makeTempDir();
  const main = storeSession(home, sampleSession());
  const other = storeSession(home, sampleSession().replaceAll(SESSION, OTHER), { id: OTHER });
  const folder = main.replace(".jsonl", "");
  put(join(folder, "subagents/agent-a1.jsonl"), sampleSession());
  put(join(folder, "tool-results/t.txt"), "output");
  const data = join(home, ".openfleet");
  const header = (id: string) =>
    `${JSON.stringify({ type: "header", version: 1, sessionID: id, created: "2026-01-05T10:00:00.000Z" })}\n${JSON.stringify({ type: "user", timestamp: "2026-01-05T10:00:01.000Z", content: "Hello there", parts: [] })}\n`;
  put(join(data, "transcripts/ses_one.jsonl"), header("ses_one"));
  put(join(data, "transcripts/ses_one.md"), "");
  put(join(data, "transcripts/ses_one/outputs/c.txt"), "output");
  put(join(data, "transcripts/ses_two.jsonl"), header("ses_two"));
  const runWith = (setting: Partial<CliSetting>, ...argv: string[]): Promise<CliRun> =>
    runCli(argv, { home, ...setting });
  const run = (...argv: string[]): Promise<CliRun> => runWith({}, ...argv);
  const snippet = await run(
    "snippets",
    "extract",
    SESSION,
    "--lines",
    "2-6",
    "--type",
    "error_reasoning",
    "--title",
    "x",
  );
  assert.equal(snippet.exitCode, 0, snippet.stderr);
  return { home, main, other, folder, run, runWith };
}

const json = (run: CliRun) => outputOf("forget", run.stdout);

describe("transcripts forget", () => {
  test("removes a session with its subagents and snippets from the store, and prints the command that deletes its files", async () => {
    const { run, main, other, folder } = await machine();
    await run("index");
    const done = await run("forget", SESSION.slice(0, 8), "--yes");
    assert.equal(done.exitCode, 0, done.stderr);
    assert.match(done.stderr, /^removed 2 sessions in the store with \d+ entries and 1 snippet\n$/);
    assert.ok(existsSync(main) && existsSync(folder), "no file is touched");
    assert.equal((await run("snippets", "query")).exitCode, 1);
    assert.ok(done.stdout.includes(`rm -r ${main} ${folder}\n`), done.stdout);
    const [, deletion = ""] = /To delete them:\n  (.*)\n$/.exec(done.stdout) ?? [];
    execSync(deletion);
    assert.deepEqual([existsSync(main), existsSync(folder), existsSync(other)], [false, false, true]);
    assert.equal((await run("forget", SESSION, "--yes")).exitCode, 2, "it is not there any more");
  });

  test("a transcript of ours in both formats, with its outputs", async () => {
    const { run, home } = await machine();
    const { delete_files: commands } = json(await run("forget", "ses_one", "--yes", "--json"));
    for (const command of commands) execSync(command);
    assert.deepEqual(readdirSync(join(home, ".openfleet/transcripts")), ["ses_two.jsonl"]);
  });

  test("asks on a terminal, and refuses where nobody can answer", async () => {
    const { run, runWith } = await machine();
    await run("index");
    const nobody = await run("forget", SESSION);
    assert.equal(nobody.exitCode, 2);
    const what =
      /Session 0a1b2c3d-.*: 2 sessions in the store with \d+ entries and 1 snippet will be removed\. Standard/;
    assert.match(nobody.stderr, what);
    assert.match(nobody.stderr, /Standard input is not a terminal, so you cannot be asked: add --yes/);
    for (const stdin of ["no\n", "", "yesterday\n"]) {
      const declined = await runWith({ terminal: 100, stdin }, "forget", SESSION);
      assert.deepEqual([declined.exitCode, /nothing was removed/.test(declined.stderr)], [1, true]);
      assert.doesNotMatch(declined.stdout, /To delete them/);
    }
    assert.equal((await runWith({ terminal: 100, stdin: "yes\n" }, "forget", SESSION)).exitCode, 0);
    assert.equal((await run("snippets", "query")).exitCode, 1);
  });

  test("a session whose file is gone can be forgotten", async () => {
    const { run, main, folder } = await machine();
    rmSync(main);
    rmSync(folder, { recursive: true });
    const done = await run("forget", SESSION.slice(0, 8), "--yes", "--json");
    assert.equal(done.exitCode, 0, done.stderr);
    const { in_index: ids, snippets } = json(done);
    assert.deepEqual([ids, snippets], [[SESSION], 1]);
  });

  test("a file that is not a session is refused, and nothing is remembered of it", async () => {
    const { home, run } = await machine();
    await run("index");
    const notes = put(join(home, "notes.txt"), "milk, eggs\n");
    const done = await run("forget", notes, "--yes");
    assert.deepEqual([done.exitCode, done.stdout], [2, ""]);
    assert.match(done.stderr, /notes\.txt is not a session of any known agent\. Pass /);
    assert.doesNotMatch((await run("index", notes)).stderr, /removed with/);
  });

  test("creates no store where there is none", async () => {
    const home = makeTempDir();
    storeSession(home, sampleSession());
    const done = await runCli(["forget", SESSION, "--yes"], { home });
    assert.deepEqual([done.exitCode, done.stderr], [1, "the store does not have this session\n"]);
    assert.ok(!existsSync(join(home, ".local/share/opencode-transcripts")));
  });

  test("a forgotten session is not indexed again, not even by name", async () => {
    const { run, home, main, folder } = await machine();
    await run("index");
    assert.equal((await run("forget", SESSION, "--yes")).exitCode, 0);
    const mine = async (): Promise<string[]> => {
      const store = await openStore({ env: {}, home }, { readOnly: true });
      const ids = (await store.sessions()).map(({ session_id: id }) => id);
      await store.close();
      return ids.filter((id) => id.startsWith(SESSION) || id.startsWith("agent-a1"));
    };
    for (const command of [["index"], ["find", "prices"], ["stats"], ["list"]]) {
      await run(...command);
      assert.deepEqual(await mine(), [], command.join(" "));
    }
    assert.equal((await run("find", "prices", "--json")).stdout.includes(SESSION), false, "found by a search");
    const kept = ["--lines", "2-6", "--type", "error_reasoning", "--title", "x"];
    const saved = await run("snippets", "extract", SESSION, ...kept);
    assert.deepEqual([saved.exitCode, /removed with `transcripts forget`/.test(saved.stderr)], [2, true], saved.stderr);
    // A subagent that starts later, and a copy of the session elsewhere.
    put(join(folder, "subagents/agent-a1b.jsonl"), sampleSession());
    put(main.replace(/[^/]+(?=\/[^/]+$)/, "-another-project"), readFileSync(main, "utf8"));
    await run("index");
    assert.deepEqual(await mine(), []);
    const named = await run("index", main);
    assert.deepEqual([named.exitCode, /removed with `transcripts forget`/.test(named.stderr)], [1, true]);
    assert.deepEqual(await mine(), []);
    assert.match((await run("index", main, "--hook")).stderr, /cannot be combined/);
  });

  test("a forgotten session whose file comes back, as from a backup, stays out of the index", async () => {
    const { run, main } = await machine();
    await run("index");
    const content = readFileSync(main, "utf8");
    assert.equal((await run("forget", SESSION, "--yes")).exitCode, 0);
    rmSync(main);
    put(main, content);
    const done = await run("index", "--json");
    assert.equal(done.exitCode, 0, done.stderr);
    assert.equal((await run("find", "prices", "--json")).stdout.includes(SESSION), false);
  });

  test("standard input and unknown sessions are refused", async () => {
    const { run } = await machine();
    assert.match((await run("forget", "-", "--yes")).stderr, /A session from standard input is not in the store/);
    const unknown = await run("forget", "0000nothing", "--yes");
    assert.deepEqual([unknown.exitCode, /No session has an id/.test(unknown.stderr)], [2, true]);
  });
});
