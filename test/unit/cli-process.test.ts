/** The program as a process of its own: exit codes, signals, closed pipes, and what the environment changes. */
import assert from "node:assert/strict";
import { spawn, type SpawnOptions } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { VERSION } from "../../src/version.ts";
import { sampleSession, SESSION, storeSession, user } from "../support/cli/claude-lines.ts";
import { runCli } from "../support/cli/run-cli.ts";
import { REPOSITORY } from "../support/repository.ts";
import { onWindows } from "../support/machine.ts";
import { afterAll, describe, test } from "../support/runner.ts";
import { makeTempDir, removeTempDirs } from "../support/temp-dir.ts";

afterAll(removeTempDirs);

/** Under Node as it is published, which starts ten times as fast there as the sources do. */
const MAIN = join(REPOSITORY, process.versions["bun"] ? "src/cli/main.ts" : "dist/cli/main.js");
assert(existsSync(MAIN), "build the package first: npm run build");
const home = makeTempDir();
storeSession(home, sampleSession());
const long = storeSession(
  home,
  Array.from({ length: 4_000 }, (_, at) => user(`Line ${at} ${"x".repeat(400)}`, at)).join(""),
  {
    id: "99999999-4e5f-4061-8071-2a3b4c5d6e7f",
  },
);

interface Ended {
  code: number | null;
  stdout: string;
  stderr: string;
}

interface Setting {
  env?: Readonly<Record<string, string>>;
  stdin?: string;
  /** Closes the pipe after so many bytes, as `head` does. */
  readBytes?: number;
  /** Sends SIGINT when this was printed. */
  interruptAt?: string;
}

function run(argv: readonly string[], { env = {}, stdin, readBytes, interruptAt }: Setting = {}): Promise<Ended> {
  const { PATH = "", SystemRoot = "" } = process.env;
  const options: SpawnOptions = { cwd: home, env: { PATH, SystemRoot, HOME: home, TZ: "UTC", ...env } };
  const child = spawn(process.execPath, [MAIN, ...argv], options);
  let stdout = "";
  let stderr = "";
  child.stdout?.setEncoding("utf8").on("data", (text: string) => {
    stdout += text;
    if (readBytes !== undefined && stdout.length >= readBytes) child.stdout?.destroy();
    if (interruptAt !== undefined && stdout.includes(interruptAt)) child.kill("SIGINT");
  });
  child.stderr?.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  if (interruptAt === undefined) child.stdin?.end(stdin ?? "");
  return new Promise((resolve) => child.once("close", (code) => resolve({ code, stdout, stderr })));
}

describe("the process", () => {
  test.skipIf(onWindows)("without a home in its environment makes nothing in the current folder", async () => {
    const env = { HOME: "", TRANSCRIPTS_DATABASE: join(makeTempDir(), "store.db") };
    const { code, stderr } = await run(["list", "--project", home, "--json"], { env });
    assert.equal(code, 1, stderr);
    // Bun makes a folder of its own.
    assert.deepEqual(
      readdirSync(home).filter((name) => name !== ".bun"),
      [".claude"],
    );
  });

  test("--version, and nothing else", async () => {
    assert.deepEqual(await run(["--version"]), { code: 0, stdout: `${VERSION}\n`, stderr: "" });
  });

  test("prints the same as a run in this process", async () => {
    const here = await runCli(["show", SESSION, "--json"], { home });
    assert.deepEqual(await run(["show", SESSION, "--json"]), { code: 0, stdout: here.stdout, stderr: here.stderr });
  });

  test("an error is one line on standard error, and exit status 2", async () => {
    const { code, stdout, stderr } = await run(["show", "gone.jsonl"]);
    assert.deepEqual([code, stdout], [2, ""]);
    assert.match(stderr, /^transcripts: There is no file [^\n]*\n$/);
  });

  test.skipIf(onWindows)("started in a folder that is gone", async () => {
    const script = `mkdir gone && cd gone && rmdir ../gone && exec "$0" "$@"`;
    const child = spawn("/bin/sh", ["-c", script, process.execPath, MAIN, "list"], { cwd: makeTempDir() });
    let stderr = "";
    child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
    const code = await new Promise((resolve) => child.once("close", resolve));
    const says = "transcripts: The current folder no longer exists. Change to another folder and try again.\n";
    assert.deepEqual([code, stderr], [2, says]);
  });

  test("standard input", async () => {
    const { code, stdout } = await run(["errors", "-", "--json"], { stdin: sampleSession() });
    assert.deepEqual(
      [code, stdout],
      [0, '{"tool_name":"Read","tool_use_id":"toolu_read","error":"File does not exist."}\n'],
    );
  });

  for (const argv of [
    ["show", long],
    ["entries", long],
    ["show", long, "--json"],
  ]) {
    test(`ends quietly if its reader goes away: ${argv[0]} ${argv.slice(2).join(" ")}`, async () => {
      const { code, stderr } = await run(argv, { readBytes: 1_000 });
      assert.deepEqual([code, stderr], [0, ""]);
    });
  }

  test("Ctrl-C while it follows: 130, and no stack trace", async () => {
    const { code, stdout, stderr } = await run(["tail", "-f", SESSION], { interruptAt: "node sum.mjs" });
    assert.deepEqual([code, stderr], [130, ""]);
    assert.match(stdout, /node sum\.mjs/);
  });

  test("Ctrl-C while it waits for standard input", async () => {
    const options: SpawnOptions = { cwd: home, stdio: ["pipe", "ignore", "pipe"], env: { ...process.env, HOME: home } };
    const child = spawn(process.execPath, [MAIN, "errors", "gone.jsonl", "-"], options);
    const ended = new Promise<number | null>((resolve) => child.once("close", resolve));
    // What it says of the first one tells that it runs; the second one never comes.
    child.stderr?.once("data", () => child.kill("SIGINT"));
    assert.equal(await ended, 130);
  });

  test("colours: none in a pipe, FORCE_COLOR, and NO_COLOR over it", async () => {
    const colours = async (env: Readonly<Record<string, string>>): Promise<boolean> =>
      (await run(["show", SESSION], { env })).stdout.includes("\u001b[");
    assert.equal(await colours({}), false);
    assert.equal(await colours({ FORCE_COLOR: "1" }), true);
    assert.equal(await colours({ FORCE_COLOR: "1", NO_COLOR: "1" }), false);
    assert.equal(await colours({ FORCE_COLOR: "0" }), false);
  });

  test("COLUMNS sets the width of a table without a terminal", async () => {
    const { stdout } = await run(["timeline", long], { env: { COLUMNS: "40" } });
    const [, table = ""] = stdout.split("\n\n");
    for (const line of table.split("\n")) assert.ok(line.length <= 40, line);
    const whole = await run(["timeline", long]);
    assert.ok(whole.stdout.includes("x".repeat(100)));
  });

  test("a damaged file does not crash", async () => {
    const { code, stderr } = await run(["show", "-"], { stdin: "\0\0{]\nnot a session\n" });
    assert.equal(code, 2);
    assert.doesNotMatch(stderr, /\n\s+at /);
  });
});
