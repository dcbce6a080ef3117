/** The command line where not all is as it should be: nothing may be written, or the window is narrow. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, openSync } from "node:fs";
import { join } from "node:path";
import { sampleSession, SESSION, storeSession, TOLD_SESSION } from "../support/cli/claude-lines.ts";
import { runCli } from "../support/cli/run-cli.ts";
import { createContext } from "../../src/cli/context.ts";
import { widthOf } from "../../src/cli/terminal/width.ts";
import { asStoreError } from "../../src/store/sqlite/sqlite-faults.ts";
import { StoreError } from "../../src/store/store-error.ts";
import { REPOSITORY } from "../support/repository.ts";
import { afterAll, describe, test } from "../support/runner.ts";
import { makeTempDir, removeTempDirs } from "../support/temp-dir.ts";

afterAll(removeTempDirs);

const NOBODY = 65_534;
const MAIN = join(REPOSITORY, "src/cli/main.ts");
const EXTRACT = ["snippets", "extract", SESSION, "--lines", "2-6", "--type", "learning_pattern", "--title", "A path"];

function machine(text = sampleSession()): string {
  const home = makeTempDir();
  storeSession(home, text);
  return home;
}

/** As a user who may write nothing in `home`: root may everywhere. */
function asReader(home: string, argv: readonly string[], stdout: "pipe" | number = "pipe") {
  const isRoot = process.getuid?.() === 0;
  const { PATH = "" } = process.env;
  return spawnSync(process.execPath, [MAIN, ...argv], {
    ...(isRoot ? { uid: NOBODY, gid: NOBODY } : {}),
    cwd: home,
    env: { PATH, HOME: home, NODE_DISABLE_COMPILE_CACHE: "1" },
    encoding: "utf8",
    stdio: ["ignore", stdout, "pipe"],
  });
}

describe("where nothing may be written", () => {
  if (process.platform === "win32") return;

  test("snippets are counted and found", async () => {
    const home = machine();
    const made = await runCli(EXTRACT, { home });
    assert.equal(made.exitCode, 0, made.stderr);
    const folder = join(home, ".local/share/opencode-transcripts");
    for (const path of [home, join(home, ".local"), join(home, ".local/share")]) chmodSync(path, 0o755);
    chmodSync(join(folder, "transcripts.db"), 0o444);
    chmodSync(folder, 0o555);
    const counted = asReader(home, ["snippets", "count", "--json"]);
    assert.match(counted.stdout, /"learning_pattern": 1/, counted.stderr);
    const found = asReader(home, ["snippets", "query", "--type", "learning_pattern"]);
    assert.match(found.stdout, /A path/, found.stderr);
    assert.deepEqual([counted.status, found.status], [0, 0]);
    const refused = asReader(home, EXTRACT);
    assert.deepEqual([refused.status, /may not be written by this user/.test(refused.stderr)], [2, true]);
    chmodSync(folder, 0o755);
  });

  test("a store that is not there has no snippets", () => {
    const home = makeTempDir();
    mkdirSync(join(home, ".local"));
    chmodSync(join(home, ".local"), 0o555);
    chmodSync(home, 0o555);
    const counted = asReader(home, ["snippets", "count", "--json"]);
    assert.match(counted.stdout, /"total": 0/, counted.stderr);
    const found = asReader(home, ["snippets", "query"]);
    assert.match(found.stderr, /^0 of 0 snippets$/m);
    assert.deepEqual([counted.status, found.status], [1, 1]);
    chmodSync(home, 0o755);
  });

  test("a folder that cannot be made is told as what the database lacks", () => {
    const cause = Object.assign(new Error("ENOENT: no such file or directory, mkdir '/ro/x'"), { code: "ENOENT" });
    const error = asStoreError(cause, "/ro/x/transcripts.db");
    assert(error instanceof StoreError && error.code === "unavailable");
    assert.match(
      error.message,
      /^The database \/ro\/x\/transcripts\.db cannot be opened .*TRANSCRIPTS_DATABASE to another file\.$/,
    );
  });

  test("a full disk under standard output ends the program with a sentence", () => {
    if (process.platform !== "linux") return;
    const home = machine();
    chmodSync(home, 0o755);
    const { status, stderr } = asReader(home, ["list", "--help"], openSync("/dev/full", "w"));
    assert.deepEqual([status, stderr.startsWith("transcripts: There is no room left for what is printed")], [2, true]);
  });
});

describe("a window of 40 columns", () => {
  for (const argv of [
    ["snippets", "query", "--full"],
    ["snippets", "query"],
    ["snippets", "suggest", SESSION],
    ["doctor"],
  ]) {
    test(`holds ${argv.slice(0, 3).join(" ")}`, async () => {
      const home = machine(TOLD_SESSION);
      await runCli(EXTRACT, { home });
      const { stdout } = await runCli(argv, { home, terminal: 40 });
      assert(stdout.split("\n").length > 4, stdout);
      assert.deepEqual(
        stdout.split("\n").filter((line) => widthOf(line) > 40),
        [],
      );
    });
  }

  test("is nothing to a pipe, which gets lines and tabs as they are", async () => {
    const home = machine();
    const content = `all:\n\techo ${"word ".repeat(40)}end`;
    await runCli([...EXTRACT.slice(0, 3), ...EXTRACT.slice(5), "--content-file", "-"], { home, stdin: content });
    const { stdout } = await runCli(["snippets", "query", "--full"], { home });
    assert(stdout.includes(`  \techo ${"word ".repeat(40)}end\n`), stdout);
  });
});

test("forget --keep-files says that the session comes back", async () => {
  const home = machine();
  await runCli(["index"], { home });
  for (const argv of [["--dry-run"], ["--yes"]]) {
    const { stderr } = await runCli(["forget", SESSION, "--keep-files", ...argv], { home });
    assert.match(stderr, /its files stay, so the next `index` or `find` takes the session in again/);
  }
  const { stdout } = await runCli(["forget", "--help"], { home });
  assert.match(stdout.replaceAll(/\s+/g, " "), /next index or find takes the session in again/);
});

test("a program that something hangs in is killed once all is told, and only then", async () => {
  const told: string[] = [];
  const output = { isTerminal: false, write: async (text: string) => void told.push(text) };
  const io = { stdout: output, stderr: output, stdin: nothing(), env: {}, cwd: "/", home: "/", now: () => new Date() };
  const { signal } = new AbortController();
  const first = createContext({ ...io, signal, kill: () => void told.push("killed") });
  await first.close();
  assert.equal(told.length, 0);
  const { context, close } = createContext({ ...io, signal, kill: () => void told.push("killed") });
  context.note("it hangs");
  context.abandon();
  await close();
  assert.deepEqual(told, ["it hangs\n", "killed"]);
});

async function* nothing(): AsyncGenerator<Uint8Array> {}
