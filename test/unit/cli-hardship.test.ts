/** The command line where not all is as it should be: nothing may be written, or the window is narrow. */
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, openSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { sampleSession, SESSION, storeSession, user } from "../support/cli/claude-lines.ts";
import { runCli } from "../support/cli/run-cli.ts";
import { asStoreError } from "../../src/store/sqlite/sqlite-faults.ts";
import { REPOSITORY } from "../support/repository.ts";
import { NOBODY, isLinux, isRoot, notOnLinux } from "../support/machine.ts";
import { afterAll, describe, test } from "../support/runner.ts";
import { makeTempDir, removeTempDirs } from "../support/temp-dir.ts";
import { isStoreError } from "../../src/transcripts-error.ts";

afterAll(removeTempDirs);

const MAIN = join(REPOSITORY, "src/cli/main.ts");
const EXTRACT = ["snippets", "extract", SESSION, "--lines", "2-6", "--type", "learning_pattern", "--title", "A path"];

function machine(text = sampleSession()): string {
  const home = makeTempDir();
  storeSession(home, text);
  return home;
}

/** As a user who may write nothing in `home`: root may everywhere. */
function asReader(home: string, argv: readonly string[], stdout: "pipe" | number = "pipe") {
  const { PATH = "" } = process.env;
  return spawnSync(process.execPath, [MAIN, ...argv], {
    ...(isRoot ? { uid: NOBODY, gid: NOBODY } : {}),
    cwd: home,
    env: { PATH, HOME: home, NODE_DISABLE_COMPILE_CACHE: "1" },
    encoding: "utf8",
    stdio: ["ignore", stdout, "pipe"],
  });
}

/** Commands on a disk of so many KiB, which is mounted for their time alone. */
function onDisk(kib: number, script: string) {
  const disk = makeTempDir();
  const mount = `mount -t tmpfs -o size=${kib}k tmpfs "$DISK"`;
  const { PATH = "" } = process.env;
  return spawnSync("unshare", ["--user", "--map-root-user", "--mount", "sh", "-c", `${mount} && ${script}`], {
    env: { PATH, DISK: disk, RUN: `${process.execPath} ${MAIN}`, NODE_DISABLE_COMPILE_CACHE: "1" },
    encoding: "utf8",
  });
}

const noDisk = !(isLinux && onDisk(64, "true").status === 0) && "no user namespaces";

describe("a full disk", () => {
  test.skipIf(noDisk)("ends an index run with what to do, loses nothing, and the next run completes it", () => {
    const home = makeTempDir();
    // Texts that take as much space as they are long.
    const noise = (): string => randomBytes(1_400).toString("base64").replaceAll(/[+/=]/g, " ");
    const words = Array.from({ length: 400 }, (_, at) => `${at} heliotrope ${noise()}`);
    for (const [at, id] of [SESSION, SESSION.replace(/^.{8}/, "ffffffff")].entries())
      storeSession(home, words.map((word, line) => user(`${at} ${word}`, line)).join(""), { id });
    const run = `env HOME=${home} XDG_DATA_HOME="$DISK" $RUN`;
    const end = (name: string): string => `; echo "${name} exits with $?" >&2; `;
    const script = [
      `${run} index${end("first")}`,
      `${run} index${end("second")}`,
      `${run} find heliotrope --limit 1${end("find")}`,
      `${run} show ${SESSION} --last 1${end("show")}`,
      `${run} stats > /dev/null${end("stats")}`,
      `mount -o remount,size=100m "$DISK"; ${run} index${end("third")}`,
      `${run} index${end("fourth")}`,
    ].join("");
    const { stdout, stderr } = onDisk(3_000, script);
    const full = /No space left on device for the database .*transcripts\.db\. Free some space/g;
    assert.match(stderr, /first exits with 2\n/);
    assert.match(stderr, /second exits with 2\n/);
    assert.ok((stderr.match(full) ?? []).length >= 2, stderr);
    for (const name of ["find", "show", "stats", "third", "fourth"])
      assert.match(stderr, new RegExp(`${name} exits with 0\n`), stderr);
    assert.match(stdout, /heliotrope/);
    assert.match(stderr, /indexed 2 sessions: 0 new, 0 changed, 2 unchanged\nfourth/);
  });

  test.skipIf(noDisk)("a machine never stays without an id", () => {
    const home = makeTempDir();
    storeSession(home, sampleSession());
    const folder = join(home, "data/opencode-transcripts");
    // A process that was killed left it so.
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "machine-id"), "");
    const run = (database: string): string => `env HOME=${home} TRANSCRIPTS_DATABASE=${home}/${database} $RUN index`;
    const script = `dd if=/dev/zero of="$DISK/fill" bs=1k 2>/dev/null; mkdir "$DISK/opencode-transcripts"
      XDG_DATA_HOME="$DISK" ${run("1.db")}; ls -s "$DISK/opencode-transcripts" | sed 's/^/left /'; XDG_DATA_HOME=${home}/data ${run("2.db")}`;
    const { stdout } = onDisk(64, script);
    assert.doesNotMatch(stdout, /machine-id/);
    assert.match(readFileSync(join(folder, "machine-id"), "utf8"), /^[\da-f-]{36}\n$/);
    assert.deepEqual(readdirSync(folder), ["hash-key", "machine-id"]);
  });
});

describe("where nothing may be written", () => {
  if (process.platform === "win32") return;

  test("snippets are found", async () => {
    const home = machine();
    const made = await runCli(EXTRACT, { home });
    assert.equal(made.exitCode, 0, made.stderr);
    const folder = join(home, ".local/share/opencode-transcripts");
    for (const path of [home, join(home, ".local"), join(home, ".local/share")]) chmodSync(path, 0o755);
    chmodSync(join(folder, "transcripts.db"), 0o444);
    chmodSync(folder, 0o555);
    const found = asReader(home, ["snippets", "query", "--type", "learning_pattern"]);
    assert.match(found.stdout, /A path/, found.stderr);
    assert.equal(found.status, 0);
    const refused = asReader(home, EXTRACT);
    assert.deepEqual([refused.status, /No permission to write to the database/.test(refused.stderr)], [2, true]);
    chmodSync(folder, 0o755);
  });

  test("a folder that cannot be created is reported as a missing database folder", () => {
    const cause = Object.assign(new Error("ENOENT: no such file or directory, mkdir '/ro/x'"), { code: "ENOENT" });
    const error = asStoreError(cause, "/ro/x/transcripts.db");
    assert(isStoreError(error) && error.code === "unavailable");
    assert.match(
      error.message,
      /^The database \/ro\/x\/transcripts\.db cannot be opened .*TRANSCRIPTS_DATABASE to another file\.$/,
    );
  });

  test("an export names the file that it cannot write, and says why", () => {
    const home = machine();
    for (const path of [home, join(home, ".claude"), join(home, ".claude/projects")]) chmodSync(path, 0o755);
    for (const [name, reason] of [
      ["missing/page.html", "its folder does not exist"],
      ["page.html", "permission denied"],
    ] as const) {
      const { status, stderr } = asReader(home, ["export", "latest", "--html", "-o", name]);
      const path = join(home, name);
      assert.deepEqual([status, stderr.includes(`transcripts: ${path} cannot be written: ${reason}. `)], [2, true]);
    }
  });

  test.skipIf(notOnLinux)("a full disk under standard output ends the program with a sentence", () => {
    const home = machine();
    chmodSync(home, 0o755);
    const { status, stderr } = asReader(home, ["list", "--help"], openSync("/dev/full", "w"));
    assert.deepEqual(
      [status, stderr.startsWith("transcripts: No space left on device: output is incomplete")],
      [2, true],
    );
  });
});

test("snippets are printed with lines and tabs as they are", async () => {
  const home = machine();
  const content = `all:\n\techo ${"word ".repeat(40)}end`;
  await runCli([...EXTRACT.slice(0, 3), ...EXTRACT.slice(5), "--content-file", "-"], { home, stdin: content });
  const { stdout } = await runCli(["snippets", "query", "--full"], { home });
  assert(stdout.includes(`  \techo ${"word ".repeat(40)}end\n`), stdout);
});
