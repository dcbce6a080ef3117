/** What the published program loads before a search: each file and each module of Node that is not needed is paid for. */
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { storeSession, user } from "../support/cli/claude-lines.ts";
import { REPOSITORY } from "../support/repository.ts";
import { afterAll, describe, test } from "../support/runner.ts";
import { makeTempDir, removeTempDirs } from "../support/temp-dir.ts";

const FOLDER = join(REPOSITORY, "dist/cli");
const MAIN = join(FOLDER, "main.js");
assert(existsSync(MAIN), "build the package first: npm run build");

afterAll(removeTempDirs);

const YESTERDAY = new Date(Date.now() - 86_400_000);

/** Prints at the end what Node has loaded of its own. */
const HOOK = `process.on("exit", () => require("node:fs").writeSync(2, "\\n" + JSON.stringify(process.moduleLoadList)));`;

describe("the start of a search", () => {
  test("one file beside main.js, which imports no other", () => {
    const [common = "", ...others] = readdirSync(join(FOLDER, "chunks")).filter((name) => name.startsWith("base-"));
    assert.deepEqual(others, []);
    const main = readFileSync(MAIN, "utf8");
    assert.deepEqual(
      main.match(/\bimport\b[^;]*/g)?.length,
      1,
      "main.js imports one file, when it knows Node's version",
    );
    assert.ok(main.includes(common));
    assert.doesNotMatch(readFileSync(join(FOLDER, "chunks", common), "utf8"), /(?:^|[;}])import(?:\s|\{|\*)/);
  });

  test("neither streams nor what starts processes", () => {
    const home = makeTempDir();
    const env = { PATH: process.env["PATH"], HOME: home, XDG_DATA_HOME: join(home, "data") };
    storeSession(home, user("Where is the quokka?", 1));
    const node = process.versions.bun === undefined ? process.execPath : "node";
    execFileSync(node, [MAIN, "index"], { env, stdio: "ignore" });
    // Folders that just changed are looked at again.
    for (const folder of ["", ".claude", ".claude/projects", ".claude/projects/-work-shop"]) {
      utimesSync(join(home, folder), YESTERDAY, YESTERDAY);
    }
    execFileSync(node, [MAIN, "find", "quokka"], { env, cwd: home, stdio: "ignore" });
    const hook = join(home, "hook.cjs");
    writeFileSync(hook, HOOK);
    const { stdout, stderr } = spawnSync(node, ["--require", hook, MAIN, "find", "quokka"], {
      env,
      cwd: home,
      encoding: "utf8",
    });
    assert.match(stdout, /Where is the quokka/, stderr);
    const loaded = stderr.slice(stderr.lastIndexOf("\n"));
    assert.match(loaded, /NativeModule sqlite/);
    assert.doesNotMatch(
      loaded,
      /NativeModule (?:child_process|net|tty|stream|crypto|worker_threads|perf_hooks|fs\/promises)"/,
    );
  });
});
