/** list_sessions and list_errors: newest first, each once on pages of any size. */
import assert from "node:assert/strict";
import { statSync, utimesSync, writeFileSync } from "node:fs";
import { at as timeOf, calls, result, says, storeSession, user } from "../support/cli/claude-lines.ts";
import { randomSecret } from "../support/parse/secret.ts";
import { afterAll, describe, test } from "../support/runner.ts";
import { makeTempDir, removeTempDirs } from "../support/temp-dir.ts";
import { allAnswers, machineAt, type Machine } from "../support/tools/tool-calls.ts";

afterAll(removeTempDirs);

const SESSIONS = 9;

function idOf(at: number): string {
  return `${String(at).repeat(8)}-2222-4333-8444-555555555555`;
}

/** In session `at` things were said `at` times ten minutes ago, whatever the time of its file; it has `at` failed calls. */
function machine(): Machine {
  const home = makeTempDir();
  for (let at = 0; at < SESSIONS; at += 1) {
    const failures = Array.from(
      { length: at },
      (_, n) =>
        calls(n % 2 === 0 ? "Bash" : "Edit", `toolu_${at}_${n}`, { command: `try ${at} ${n}` }, n - at * 600) +
        result(`toolu_${at}_${n}`, `failure ${at} ${n}: ${"why ".repeat(n * 40)}`, n - at * 600, true),
    );
    const said = user(`prompt ${at}`, -at * 600) + failures.join("") + says("end", 90 - at * 600);
    const project = at < 5 ? "shop" : "lake";
    const path = storeSession(home, said.replaceAll("/work/shop", `/work/${project}`), {
      id: idOf(at),
      project: `-work-${project}`,
    });
    const time = new Date(Date.UTC(2026, 0, 5, 10) + at * 60_000);
    utimesSync(path, time, time);
  }
  return machineAt(home);
}

const matches = (texts: readonly string[], pattern: RegExp): string[] =>
  [...texts.join("\n").matchAll(pattern)].map(([, found = ""]) => found);
const listed = async (made: Machine, args: Record<string, unknown>): Promise<string[]> =>
  matches(await allAnswers(made, "list_sessions", args), /^- (\S+)/gm);
const failures = async (made: Machine, args: Record<string, unknown>): Promise<string[]> =>
  matches(await allAnswers(made, "list_errors", args), /^(failure \d \d)/gm);

describe("list_sessions", () => {
  test("lists the newest first, each once, on pages of any size", async () => {
    const made = machine();
    const ids = Array.from({ length: SESSIONS }, (_, at) => idOf(at));
    for (const args of [{}, { limit: 2 }, { limit: 9 }, { max_chars: 1_000 }])
      assert.deepEqual(await listed(made, args), ids, JSON.stringify(args));
    assert.deepEqual(await listed(made, { project: "lake" }), ids.slice(5));
  });

  test("orders sessions before 1970, and those of no year that the store keeps last", async () => {
    const home = makeTempDir();
    const dates = [
      "2026-01-05T10:00:00.000Z",
      "1960-05-01T00:00:00.000Z",
      "0001-01-01T00:00:00.000Z",
      "+200000-01-01T00:00:00.000Z",
    ];
    for (const [at, date] of dates.entries())
      storeSession(home, user("A walrus?", 0).replaceAll(timeOf(0), date), { id: idOf(at) });
    assert.deepEqual(
      await listed(machineAt(home), { limit: 1 }),
      dates.map((_, at) => idOf(at)),
    );
  });

  test("says what each was, and how to continue", async () => {
    const { text } = await machine().call("list_sessions", { limit: 3 });
    assert.match(text, /^Sessions 1 to 3, newest first/);
    assert.match(text, /^- 22222222-\S+ {2}2026-01-05 09:41 {2}shop: "prompt 2" {2}1 turn, 2 calls, 2 failed$/m);
    assert.match(text, /^More: the same arguments with offset 3\.$/m);
  });

  test("keeps the figures, so that the next list reads only what changed", async () => {
    const home = makeTempDir();
    const path = storeSession(home, user("A walrus?", 1) + says("No walrus.", 2));
    const time = new Date("2026-02-01T00:00:00Z");
    utimesSync(path, time, time);
    const made = machineAt(home);
    const answer = async (): Promise<string> => (await made.call("list_sessions", {})).text;
    const first = await answer();
    assert.match(first, /A walrus\?/);
    // From now on the file says nothing, but has the size and the time that it had.
    writeFileSync(path, " ".repeat(statSync(path).size));
    utimesSync(path, time, time);
    assert.equal(await answer(), first);
    await made.close();
  });
});

describe("list_errors", () => {
  const expected = Array.from({ length: SESSIONS }, (_, at) =>
    Array.from({ length: at }, (_, n) => `failure ${at} ${at - 1 - n}`),
  ).flat();

  test("lists the newest first, each once, on pages of any size", async () => {
    const made = machine();
    for (const args of [{ limit: 200, max_chars: 100_000 }, { limit: 3 }, { max_chars: 2_000 }, { fixes: true }])
      assert.deepEqual(await failures(made, args), expected, JSON.stringify(args));
  });

  test("filters by session, tool, project and time, and cites each", async () => {
    const made = machine();
    const ofThird = ["failure 3 2", "failure 3 1", "failure 3 0"];
    assert.deepEqual(await failures(made, { session: idOf(3) }), ofThird);
    assert.deepEqual(await failures(made, { session: idOf(3), tool: "edit" }), ["failure 3 1"]);
    assert.equal((await failures(made, { project: "shop", limit: 200 })).length, 10);
    assert.deepEqual(await failures(made, { session: idOf(2), since: "2026-01-05T09:40:01Z" }), ["failure 2 1"]);
    const { text } = await made.call("list_errors", { session: idOf(1) });
    assert.match(text, new RegExp(`^Session ${idOf(1)}  .*\\.jsonl$`, "m"));
    assert.match(text, /^\[3\] Bash, 2026-01-05 09:50, called on line 2$/m);
  });

  test("shows what fixed a failure, without secrets", async () => {
    const secret = randomSecret();
    const home = makeTempDir();
    storeSession(
      home,
      user("go", 0) +
        calls("Bash", "a", { command: `deploy --key ${secret} --to prod` }, 1) +
        result("a", `Exit code 1\nbad key ${secret}`, 2, true) +
        says("The target has another name.", 3) +
        calls("Bash", "b", { command: `deploy --key ${secret} --to production` }, 4) +
        result("b", "done", 5),
    );
    const { text } = await machineAt(home).call("list_errors", { fixes: true });
    assert.ok(!text.includes(secret));
    assert.match(
      text,
      /Fixed on line 5:\nline 5, Bash deploy .*, changed:\n[^]*production\nSaid: The target has another name\./,
    );
  });

  test("says that there are none", async () => {
    assert.match(
      (await machine().call("list_errors", { tool: "nope" })).text,
      /^No failed call matches\.\nlooked at 8 sessions/,
    );
  });
});
