/** Tags, pins and titles that the user gives to sessions. */
import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { type Machine, MAIN, sampleMachine } from "../support/cli/sample-machine.ts";
import { afterAll, describe, test } from "../support/runner.ts";
import { removeTempDirs } from "../support/temp-dir.ts";

afterAll(removeTempDirs);

/** Sorted. */
async function ids(machine: Machine, ...args: string[]): Promise<string[]> {
  return (await machine.rows(...args)).map(({ session_id: id }) => String(id)).toSorted();
}

describe("transcripts tag", () => {
  test("gives tags that list, find, stats and errors filter by, and that stay when the file is gone", async () => {
    const machine = await sampleMachine();
    const given = await machine.run("tag", MAIN, "Release", "bug/12");
    assert.deepEqual([given.exitCode, given.stdout], [0, "bug/12, release\n"], given.stderr);
    await machine.run("tag", "ses_opencode", "release", "--pin", "--title", "The big one");
    const both = await ids(machine, "list", "--tag", "release");
    assert.deepEqual(both, [MAIN, "ses_opencode"]);
    assert.deepEqual(await ids(machine, "list", "--tag", "release", "--tag", "bug/12"), [MAIN]);
    assert.deepEqual(await ids(machine, "list", "--tag", "none"), []);
    const pinned = (await machine.rows("list")).find(({ is_pinned: isPinned }) => isPinned);
    assert.deepEqual([pinned?.["title"], pinned?.["tags"]], ["The big one", ["release"]]);
    assert.deepEqual(new Set(await ids(machine, "find", "price", "--tag", "bug/12")), new Set([MAIN]));
    const { sessions } = JSON.parse((await machine.run("stats", "--tag", "bug/12", "--json")).stdout);
    assert.equal(sessions, 1);
    assert.equal((await machine.run("errors", "--tag", "none")).exitCode, 1);
    await machine.index();
    machine.lose();
    assert.deepEqual(await ids(machine, "list", "--tag", "release"), both);
    const taken = await machine.run("tag", MAIN, "--remove", "RELEASE", "--remove", "bug/12");
    assert.equal(taken.stdout, "no tags\n");
    assert.deepEqual(await ids(machine, "list", "--tag", "release"), ["ses_opencode"]);
    assert.equal((await machine.run("forget", "ses_opencode", "--yes")).exitCode, 0);
    assert.deepEqual(await ids(machine, "list", "--tag", "release"), []);
  });

  test("gives a title that every command shows and finds", async () => {
    const machine = await sampleMachine();
    await machine.index();
    const named = { [MAIN]: "The great renaming", ses_opencode: "A quiet migration" };
    for (const [id, title] of Object.entries(named)) await machine.run("tag", id, "--title", title);
    for (const isGone of [false, true]) {
      if (isGone) machine.lose();
      for (const [id, title] of Object.entries(named)) {
        const listed = (await machine.rows("list")).find(({ session_id: each }) => each === id);
        assert.equal(listed?.["title"], title);
        const stats = JSON.parse((await machine.run("stats", id, "--by", "session", "--json")).stdout);
        assert.equal(stats.rows?.[0]?.title, title);
        for (const args of [
          ["show", id],
          ["export", id, "--html"],
          ["export", id, "--markdown"],
          ["export", id, "--json"],
          ["find", title],
        ]) {
          const { stdout, stderr } = await machine.run(...args);
          assert.ok(stdout.includes(title), `${args.join(" ")}: ${stdout.slice(0, 400)} ${stderr}`);
        }
      }
    }
    await machine.run("tag", MAIN, "--title", "");
    assert.equal((await machine.run("find", "great renaming")).exitCode, 1);
  });

  test("refuses what cannot be a tag, and keeps no secret in a title", async () => {
    const machine = await sampleMachine();
    for (const name of ["two words", "-x!", "", "a".repeat(65)]) {
      const { exitCode, stderr } = await machine.run("tag", MAIN, "--", name);
      assert.equal(exitCode, 2, name);
      assert.match(stderr, /cannot be a tag/);
    }
    assert.equal((await machine.run("tag", "0000nothing", "x")).exitCode, 2);
    const secret = `ghp_${"a1B2c3D4e5".repeat(4).slice(0, 36)}`;
    const { stdout } = await machine.run("tag", MAIN, "--title", `Uses ${secret}`);
    assert.doesNotMatch(stdout, new RegExp(secret));
    assert.match(stdout, /REDACTED/);
    assert.equal((await machine.run("tag", MAIN, "--title", "")).stdout, "no tags\n");
    rmSync(join(machine.home, ".claude"), { recursive: true });
  });
});
