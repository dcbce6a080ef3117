/** The program as it is published, in `dist/`: each command does there what it does here. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { allCommands } from "../../src/cli/commands/all-commands.ts";
import { VERSION } from "../../src/version.ts";
import { sampleSession, SESSION, storeSession, user } from "../support/cli/claude-lines.ts";
import { runCli } from "../support/cli/run-cli.ts";
import { REPOSITORY } from "../support/repository.ts";
import { afterAll, describe, isLong, test } from "../support/runner.ts";
import { makeTempDir, removeTempDirs } from "../support/temp-dir.ts";

afterAll(removeTempDirs);

const MAIN = join(REPOSITORY, "dist/cli/main.js");
assert(existsSync(MAIN), "build the package first: npm run build");

const home = makeTempDir();
storeSession(home, sampleSession());
// The first command that needs a store says that it made one.
await runCli(["index"], { home });
mkdirSync(join(home, ".git"));
writeFileSync(join(home, "opencode.jsonc"), '{\n  // mine\n  "plugin": ["other"],\n}\n');
// Both runs find the plugin.
await runCli(["init", "--yes"], { home });

const COMMANDS: readonly string[][] = [
  ["init", "--yes"],
  ["list"],
  ["list", "--json"],
  ["show", SESSION, "--with-tools", "--with-thinking"],
  ["show", "latest", "--json"],
  ["stats", "--by", "day"],
  ["stats", SESSION, "--json"],
  ["timeline", "latest"],
  ["entries", "latest"],
  ["errors", SESSION],
  ["errors", SESSION, "--fixes"],
  ["find", "price"],
  ["find", "price", "--json"],
  ["tail", "-n", "3"],
  ["export", SESSION, "--html"],
  ["completion", "zsh"],
  ["show", "not-there"],
];

interface Ended {
  code: number | null;
  stdout: string;
  stderr: string;
}

function run(argv: readonly string[], at = home, env: Readonly<Record<string, string>> = {}): Ended {
  const { PATH = "", SystemRoot = "" } = process.env;
  const TZ = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const { status, stdout, stderr } = spawnSync(process.execPath, [MAIN, ...argv], {
    cwd: at,
    env: { PATH, SystemRoot, HOME: at, TZ, ...env },
    encoding: "utf8",
    input: "",
    maxBuffer: 64 * 1024 * 1024,
  });
  return { code: status, stdout, stderr };
}

describe("the built program", () => {
  test("--version", () => assert.deepEqual(run(["-V"]), { code: 0, stdout: `${VERSION}\n`, stderr: "" }));

  // Those that run below load all they need there.
  test("the help of each command", async () => {
    const names = (await allCommands()).map(({ runnable }) => runnable.definition.name());
    const others = names.filter((name) => isLong || !COMMANDS.some(([first]) => first === name));
    for (const name of ["--help", ...others])
      assert.equal(run([name, "--help"]).stdout, (await runCli([name, "--help"], { home })).stdout);
  });

  for (const argv of COMMANDS) {
    test(argv.join(" "), async () => {
      const { exitCode, stdout, stderr } = await runCli(argv, { home, plugin: REPOSITORY });
      assert.deepEqual(run(argv), { code: exitCode, stdout, stderr });
    });
  }

  test("init and doctor", () => {
    const project = makeTempDir();
    mkdirSync(join(project, ".git"));
    const made = run(["init"], project, { HOME: home });
    assert.equal(made.code, 0, made.stderr);
    assert.deepEqual(readdirSync(join(project, ".openfleet")).sort(), ["sessions", "transcripts"]);
    const { plugin } = JSON.parse(readFileSync(join(project, "opencode.json"), "utf8"));
    assert.deepEqual(plugin, [REPOSITORY], "a host cannot install a working copy by name");
    assert.match(run(["doctor"], project, { HOME: home }).stdout, /opencode\.json has the plugin/);
  });

  test("runs where compiled code cannot be cached", () => {
    const file = join(makeTempDir(), "file");
    writeFileSync(file, "");
    const { code, stderr } = run(["errors", SESSION], home, { XDG_CACHE_HOME: file });
    assert.deepEqual([code, stderr], [0, ""]);
  });

  test("reads sessions so large that another thread is started", () => {
    const machine = makeTempDir();
    // A third of them each time, so that both threads have something to find.
    const filler = Array.from({ length: 3_000 }, (_, at) => user(`${at} ${"x".repeat(4_000)}`, at)).join("");
    for (const place of ["a", "b", "c"])
      storeSession(machine, filler + user(`needle ${place}`, 1), { id: place.repeat(36) });
    const found = run(["find", "needle", "--json"], machine);
    assert.equal(found.code, 0);
    assert.match(found.stderr, /^searched 3 sessions \(3 updated\)$/m);
    assert.equal(found.stdout.split("\n").length, 4);
    const stats = run(["stats"], machine);
    assert.match(stats.stdout, /Prompts\s+9,003 in 9,003 messages/);
  });
});
