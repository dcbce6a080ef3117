/** Modules of Node that the published program loads before it answers: each unneeded one slows every start. */
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { storeSession, user } from "../support/cli/claude-lines.ts";
import { REPOSITORY } from "../support/repository.ts";
import { afterAll, describe, test } from "../support/runner.ts";
import { makeTempDir, removeTempDirs } from "../support/temp-dir.ts";

const MAIN = join(REPOSITORY, "dist/cli/main.js");
assert(existsSync(MAIN), "build the package first: npm run build");

afterAll(removeTempDirs);

const NODE = process.versions.bun === undefined ? process.execPath : "node";
const YESTERDAY = new Date(Date.now() - 86_400_000);

/** Prints at the end what Node has loaded of its own. */
const HOOK = `process.on("exit", () => require("node:fs").writeSync(2, "\\n" + JSON.stringify(process.moduleLoadList)));`;

function run(home: string, ...args: readonly string[]): { stdout: string; loaded: string } {
  const hook = join(home, "hook.cjs");
  writeFileSync(hook, HOOK);
  const env = { PATH: process.env["PATH"], HOME: home, XDG_DATA_HOME: join(home, "data") };
  const { stdout, stderr } = spawnSync(NODE, ["--require", hook, MAIN, ...args], { env, cwd: home, encoding: "utf8" });
  return { stdout, loaded: stderr.slice(stderr.lastIndexOf("\n")) };
}

describe("the start of the published program", () => {
  test("--version loads neither SQLite nor threads", () => {
    const { stdout, loaded } = run(makeTempDir(), "--version");
    assert.match(stdout, /^\d+\.\d+\.\d+\n$/);
    assert.match(loaded, /NativeModule fs"/);
    // The library that parses arguments loads child_process.
    assert.doesNotMatch(loaded, /NativeModule (?:sqlite|crypto|zlib|worker_threads|http|tls)"/);
  });

  test("a search in the index loads SQLite, and no network", () => {
    const home = makeTempDir();
    storeSession(home, user("Where is the quokka?", 1));
    const env = { PATH: process.env["PATH"], HOME: home, XDG_DATA_HOME: join(home, "data") };
    execFileSync(NODE, [MAIN, "index"], { env, stdio: "ignore" });
    // Folders that just changed are looked at again.
    for (const folder of ["", ".claude", ".claude/projects", ".claude/projects/-work-shop"]) {
      utimesSync(join(home, folder), YESTERDAY, YESTERDAY);
    }
    run(home, "find", "quokka");
    const { stdout, loaded } = run(home, "find", "quokka");
    assert.match(stdout, /Where is the quokka/);
    assert.match(loaded, /NativeModule sqlite"/);
    assert.doesNotMatch(loaded, /NativeModule (?:http|https|http2|tls)"/);
  });
});
