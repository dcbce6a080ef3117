/** `transcripts find` with a store. */
import assert from "node:assert/strict";
import { appendFileSync, mkdirSync, readFileSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { openSqliteDatabase } from "../../src/store/sqlite/open-sqlite.ts";
import { at, calls, result, sampleSession, says, SESSION, storeSession, user } from "../support/cli/claude-lines.ts";
import { type Outputs, rowsOf } from "../support/cli/json-output.ts";
import { runCli, type CliRun } from "../support/cli/run-cli.ts";
import { isWindows } from "../support/machine.ts";
import { afterAll, describe, test } from "../support/runner.ts";
import { makeTempDir, removeTempDirs } from "../support/temp-dir.ts";

const OTHER = SESSION.replace("0a1b", "1b2c");
afterAll(removeTempDirs);

interface Machine {
  home: string;
  path: string;
  run: (...argv: string[]) => Promise<CliRun>;
  rows: (...argv: string[]) => Promise<Outputs["find"][]>;
}

/** A home with two sessions, indexed. */
async function machine(): Promise<Machine> {
  const home = makeTempDir();
  const path = storeSession(home, sampleSession());
  const other = user("Is it blue?", 100) + says("Blue it is.", 101);
  storeSession(home, other.replaceAll("/work/shop", "/work/paint"), { id: OTHER, project: "-work-paint" });
  const run = (...argv: string[]): Promise<CliRun> => runCli(argv, { home, now: new Date(at(3_600)) });
  const rows = async (...argv: string[]): Promise<Outputs["find"][]> =>
    rowsOf("find", (await run("find", "--json", ...argv)).stdout);
  assert.equal((await run("index")).exitCode, 0);
  return { home, path, run, rows };
}

function database(home: string): string {
  return join(home, ".local/share/opencode-transcripts/transcripts.db");
}

/** Nothing more can be written, for a reason that nobody thought of. */
async function refuseUpdates(home: string): Promise<void> {
  const blocker = await openSqliteDatabase(database(home), { readOnly: false });
  blocker.exec("CREATE TRIGGER t_full BEFORE UPDATE ON sessions BEGIN SELECT raise(ABORT, 'no'); END");
  blocker.close();
}

/** Returns a line with text that Claude Code itself adds to the conversation. */
function meta(text: string, seconds: number): string {
  return user(text, seconds).replace('"type":"user"', '"type":"user","isMeta":true');
}

describe("transcripts find with an index", () => {
  test("the same passages as without it, the best first", async () => {
    const { run, rows } = await machine();
    const { stdout, stderr, exitCode } = await run("find", "IT IS");
    assert.equal(exitCode, 0);
    assert.match(stdout, /^\[2\] assistant, .*: Blue it is\.\n {4}transcripts show 1b2c2c3d-[\w-]+ --line 2\n/m);
    assert.equal(stderr, "searched 2 sessions in the store\n");
    for (const [term, ...more] of [
      ["price"],
      ["it"],
      ["exist", "--errors"],
      ["price", "--tool", "read"],
      ["e", "--role", "user"],
    ]) {
      const indexed = await rows(term ?? "", ...more);
      const scanned = await rows(term ?? "", ...more, "--scan");
      const bare = (all: readonly Outputs["find"][]): string[] =>
        all.map((row) => JSON.stringify({ ...row, rank: 0, event_id: "", project: "" })).toSorted();
      assert.deepEqual(bare(indexed), bare(scanned), term);
      assert.deepEqual(
        indexed.map(({ rank }) => rank),
        indexed.map((_, index) => index + 1),
      );
      assert.ok(scanned.every(({ rank, event_id, gone }) => rank === null && event_id === null && !gone));
    }
    const [command] = (await rows("Blue it is")).map(({ open }) => open);
    assert.match((await run(...(command ?? "").split(" ").slice(1))).stdout, /Blue it is\./);
  });

  test("a person's words rank above tool output", async () => {
    const { rows } = await machine();
    assert.deepEqual(
      (await rows("sum")).map(({ role }) => role),
      ["assistant", "tool"],
    );
    assert.equal((await rows("price", "--limit", "1"))[0]?.rank, 1);
  });

  test("--project and --since", async () => {
    const { rows, run } = await machine();
    assert.deepEqual(
      (await rows("it", "--project", "/work/paint")).map(({ session_id }) => session_id),
      [OTHER, OTHER],
    );
    assert.deepEqual((await rows("it", "--project", "paint")).length, 2);
    assert.deepEqual(await rows("it", "--project", "/nowhere"), []);
    assert.match((await run("find", "it", "--project", "/work/paint")).stderr, /^searched 1 session in the store/);
    assert.deepEqual(
      (await rows("it", "--since", at(100)))
        .map(({ line_number }) => line_number)
        .toSorted((a, b) => (a ?? 0) - (b ?? 0)),
      [1, 2],
    );
    assert.deepEqual(
      (await rows("it", "--since", at(101))).map(({ line_number }) => line_number),
      [2],
    );
  });

  test("nothing found is 1; an empty term is 2", async () => {
    const { run } = await machine();
    const { exitCode, stdout, stderr } = await run("find", "nowhere to be found");
    assert.deepEqual([exitCode, stdout, stderr], [1, "", "searched 2 sessions in the store\n"]);
    assert.equal((await run("find", "")).exitCode, 2);
  });

  test("a limit says how many there are", async () => {
    const { run } = await machine();
    assert.match((await run("find", "price", "--limit", "2")).stderr, /; the best 2 of 3 passages\n$/);
  });

  test("entries written since are found, and indexed once", async () => {
    const { run, path, rows } = await machine();
    assert.match((await run("find", "walrus")).stderr, /searched 2 sessions in the store/);
    appendFileSync(path, says("A walrus appears.", 120));
    const { stderr, exitCode } = await run("find", "walrus");
    assert.equal(exitCode, 0);
    assert.equal(stderr, "searched 2 sessions in the store (1 updated)\n");
    assert.equal((await run("find", "walrus")).stderr, "searched 2 sessions in the store\n");
    assert.equal((await rows("walrus")).length, 1);
  });

  test("`stats` brings figures up to date, and leaves content to `find`", async () => {
    const { path, run, rows, home } = await machine();
    appendFileSync(path, says("A walrus is blue.", 120));
    const figures = async (): Promise<string> => (await run("stats", "--json")).stdout;
    const time = new Date(at(200));
    utimesSync(path, time, time);
    const [first, bytes] = [await figures(), readFileSync(path)];
    // The file now says nothing, but has the size and the time that it had.
    writeFileSync(path, " ".repeat(bytes.length));
    utimesSync(path, time, time);
    assert.equal(await figures(), first);
    writeFileSync(path, bytes);
    utimesSync(path, time, time);
    assert.match((await run("find", "walrus")).stderr, /^searched 2 sessions in the store \(1 updated\)/);
    assert.equal((await rows("walrus")).length, 1);
    const other = storeSession(home, user("A newt?", 130), {
      id: SESSION.replace("0a1b", "9a1b"),
      project: "-work-paint",
    });
    await figures();
    assert.match((await run("find", "newt")).stderr, /1 updated/, "a new session gets figures alone");
    rmSync(other);
  });

  test("so are new sessions, replaced ones, and those of a folder that was not there", async () => {
    const { run, home, path, rows } = await machine();
    for (let look = 0; look < 2; look += 1) assert.equal((await run("find", "otter")).exitCode, 1);
    storeSession(home, says("An otter.", 130), { id: OTHER.replace("1b2c", "2c3d"), project: "-work-river" });
    assert.match((await run("find", "otter")).stderr, /3 sessions in the store \(1 updated\)/);
    const old = await run("find", "prices");
    assert.equal(old.exitCode, 0);
    writeFileSync(path, says("Otters only.", 140));
    utimesSync(path, new Date(at(5_000)), new Date(at(5_000)));
    // What the file has no more is still found, and said to be dropped.
    for (const dropped of await rows("prices")) {
      assert.equal(dropped.superseded, true);
      assert.match(dropped.open, /^transcripts show \S+ --line \d+(?: --with-tools)? --superseded$/);
    }
    assert.match((await run("find", "prices")).stdout, /^\[1\] .*superseded/m);
    assert.equal((await run("find", "prices", "--scan")).exitCode, 1);
    const [current] = await rows("otters only");
    assert.deepEqual([current?.superseded, current?.open.startsWith("transcripts show")], [false, true]);
  });

  test("a session that the index was made to forget is indexed again", async () => {
    const { run, home, rows } = await machine();
    for (let look = 0; look < 2; look += 1) assert.equal((await rows("Blue it is")).length, 1);
    const opened = await openSqliteDatabase(database(home), { readOnly: false });
    opened.exec(`PRAGMA foreign_keys = ON; DELETE FROM sessions WHERE session_id = '${OTHER}'`);
    opened.close();
    assert.match((await run("find", "Blue it is")).stderr, /1 updated/);
    assert.equal((await rows("Blue it is")).length, 1);
  });

  test("a session whose file is gone is found, and said to be gone", async () => {
    const { run, path, rows } = await machine();
    rmSync(path);
    for (let look = 0; look < 2; look += 1) {
      const [row] = await rows("Add up the prices");
      assert.equal(row?.gone, true);
      assert.equal(row?.open, `transcripts show ${basename(path, ".jsonl")} --line 1`);
      const { stdout, stderr } = await run("find", "Add up the prices");
      assert.match(stdout, /\[\d+\] user, .*, from the store: /);
      assert.match(stderr, /searched 2 sessions in the store \(1 whose file is gone\)/);
    }
    assert.deepEqual(await rows("Add up the prices", "--scan"), []);
  });

  test("--words: all words in one entry, in any order, or all but one", async () => {
    const { run, rows } = await machine();
    const lines = async (words: string): Promise<(number | null)[]> =>
      (await rows("--words", words)).map(({ line_number }) => line_number);
    assert.deepEqual(await lines("prices the add"), [1]);
    assert.deepEqual((await lines("tax export zebra")).length, 1);
    assert.match(
      (await run("find", "--words", "tax export zebra")).stderr,
      /; no passage has all of tax, export, zebra: these have all but one\n$/,
    );
    assert.deepEqual(await rows("--words", "zebra unicorn"), []);
  });

  test("--words means the same with the index, without, and of sessions that changed since", async () => {
    const { run, rows, path } = await machine();
    const places = async (...argv: string[]): Promise<string[]> =>
      (await rows("--words", ...argv))
        .map((row) => `${row.session_id} ${row.line_number} ${row.match_count}`)
        .toSorted();
    appendFileSync(path, calls("Bash", "toolu_tax", { command: "export tax > prices" }, 120) + says("Blue tax.", 121));
    for (const words of [
      "prices the add",
      "tax export zebra",
      "tax blue",
      "blue tax zebra",
      "blue tax zebra unicorn",
      "zebra unicorn",
      "PRICES",
      "nothing of this stands anywhere",
    ]) {
      const scanned = await places(words, "--scan");
      assert.deepEqual(await places(words), scanned, words);
      assert.equal(scanned.length > 0, !/^(?:zebra|nothing)|unicorn/.test(words), words);
    }
    const told = (await run("find", "--words", "tax blue zebra", "--scan")).stderr;
    assert.match(told, /; no passage has all of tax, blue, zebra: these have all but one\n$/);
  });

  test("--words where the index cannot be written: a changed session may have more of the words", async () => {
    const { rows, run, path, home } = await machine();
    await refuseUpdates(home);
    assert.deepEqual(await rows("--words", "blue walrus"), [], "none has both");
    appendFileSync(path, says("A walrus, and it is blue.", 120) + says("Another walrus.", 121));
    assert.deepEqual(
      (await rows("--words", "blue walrus")).map(({ passage, event_id, rank }) => [passage, event_id, rank]),
      [["A walrus, and it is blue.", null, null]],
    );
    assert.equal((await rows("--words", "blue")).length, 3);
    assert.match((await run("find", "--words", "is it blue")).stderr, /and 1 changed session as files/);
  });

  test("its own earlier output is not found, neither with the index nor without", async () => {
    const { path, run, rows } = await machine();
    appendFileSync(
      path,
      [
        calls("Bash", "toolu_own", { command: "npx transcripts find needle | head" }, 200),
        result("toolu_own", "a needle", 201),
        calls("mcp__transcripts__find_in_transcripts", "toolu_mcp", { term: "needle" }, 202),
        result("toolu_mcp", "another needle", 203),
        result("toolu_late", "a needle before its call", 204),
        calls("read_session", "toolu_late", { session: "needle" }, 205),
        says("One real needle.", 206),
      ].join(""),
    );
    for (const more of [[], ["--scan"], ["--tool", "Bash"], ["--role", "tool"]]) {
      const found = (await rows("needle", ...more)).map(({ passage }) => passage);
      assert.deepEqual(found, more[0] === "--tool" || more[0] === "--role" ? [] : ["One real needle."], more.join(" "));
    }
    assert.equal((await run("find", "--words", "needle real")).exitCode, 0);
  });

  test("an index that is damaged is left aside, with the reason, and the sessions are read", async () => {
    const { run, home } = await machine();
    writeFileSync(database(home), "no database ".repeat(1_000));
    const { exitCode, stdout, stderr } = await run("find", "Blue it is");
    assert.equal(exitCode, 0, stderr);
    assert.match(stdout, /Blue it is\./);
    assert.match(stderr, /damaged or was not created by this program/);
    assert.match(stderr, /searched 2 sessions\n$/);
    assert.match((await run("find", "--words", "blue is")).stdout, /Blue it is\./);
  });

  test("an index whose damage shows only in the search is left aside too, before anything is printed", async () => {
    const { run, home } = await machine();
    const opened = await openSqliteDatabase(database(home), { readOnly: false });
    opened.exec("UPDATE events SET role = 'walrus' WHERE content LIKE 'Blue it is%'");
    opened.close();
    for (const more of [[], ["--json"], ["--words"]]) {
      const { exitCode, stdout, stderr } = await run("find", "blue", ...more);
      assert.equal(exitCode, 0, stderr);
      assert.equal(stdout.match(/--line \d+/g)?.length, 2, "each passage once");
      assert.match(stderr, /^the store was not used: .*transcripts\.db is damaged .*a value in the column role that/);
      assert.match(stderr, /Move it away and run `transcripts index` .* snippets are stored nowhere else/);
      assert.doesNotMatch(stderr, /rebuild/);
      assert.match(stderr, /searched 2 sessions\n$/);
    }
  });

  test.skipIf(isWindows)("a session that cannot be read is not said to be gone", async () => {
    const { run, path, rows } = await machine();
    rmSync(path);
    symlinkSync(path, path);
    const [row] = await rows("Add up the prices");
    assert.equal(row?.gone, false);
    assert.equal(row?.open, `# ${path} cannot be read: its symbolic links form a loop`);
    assert.match(
      (await run("find", "Add up the prices")).stderr,
      /\nsearched 2 sessions in the store, 1 unreadable\n$/,
    );
  });

  test("--role system finds what the program put in, with the index and without", async () => {
    const { path, rows } = await machine();
    appendFileSync(path, user("This is said by a walrus.", 120) + meta("This walrus is put in.", 121));
    for (const more of [[], ["--scan"]]) {
      const found = await rows("walrus", "--role", "system", ...more);
      assert.deepEqual(
        found.map(({ role, passage }) => [role, passage]),
        [["system", "This walrus is put in."]],
      );
    }
  });

  test("--errors means what `errors` prints and `stats` counts: not what a person stopped", async () => {
    const { home, run, rows } = await machine();
    const told: [id: string, content: string][] = [
      ["failed", "Exit code 1\na walrus"],
      ["killed", "Exit code 137\na walrus"],
      ["stopped", "Exit code 137\n[Request interrupted by user for tool use] a walrus"],
      ["refused", "The user doesn't want to proceed with this tool use. No walrus."],
      ["late", "Command timed out after 2m a walrus"],
    ];
    const lines = told.map(
      ([id, content], index) =>
        calls("Bash", `toolu_${id}`, { command: id }, 10 * index) +
        result(`toolu_${id}`, content, 10 * index + 1, true),
    );
    const id = OTHER.replace("1b2c", "3d4e");
    storeSession(home, lines.join("") + calls("Bash", "toolu_ok", {}, 90) + result("toolu_ok", "a walrus", 91), { id });
    const errors = (await run("errors", id, "--json")).stdout.trim().split("\n");
    const failed = errors.map((line) => /toolu_\w+/.exec(line)?.[0] ?? "");
    assert.deepEqual(failed, ["toolu_failed", "toolu_killed", "toolu_late"]);
    for (const more of [[], ["--scan"]]) {
      const found = await rows("walrus", "--errors", ...more);
      assert.deepEqual(found.map(({ tool_use_id }) => tool_use_id ?? "").toSorted(), failed);
    }
    assert.match((await run("stats", id, "--json")).stdout, /"tool_errors": ?3\b/);
  });

  test("an index that cannot be written is searched, and changed sessions are read", async () => {
    const { run, path, home, rows } = await machine();
    appendFileSync(path, says("A walrus is blue.", 120));
    await refuseUpdates(home);
    const { stdout, stderr, exitCode } = await run("find", "blue");
    assert.equal(exitCode, 0);
    assert.match(stdout, /walrus/);
    assert.match(stdout, /Blue it is/);
    assert.match(
      stderr,
      /^the store was not updated, so 1 session \(0\.0 MB\) will be read as files: .*rejected a value/,
    );
    assert.match(stderr, /searched 1 session in the store and 1 changed session as files\n$/);
    assert.deepEqual(
      (await rows("blue")).map(({ rank }) => rank),
      [1, 2, null],
    );
  });

  test("up to 50 MB of what is new is indexed, newest sessions first; the rest is read and comes after", async () => {
    const { home, run, rows } = await machine();
    const padded = (text: string, seconds: number): string =>
      says(text, seconds) + `${" ".repeat(4_000_000)}\n`.repeat(8);
    const add = (digit: string, seconds: number, text: string): void => {
      const id = SESSION.replace("0a1b", digit.repeat(4));
      const path = storeSession(home, text, { id, project: "-work-padded" });
      utimesSync(path, new Date(at(seconds)), new Date(at(seconds)));
    };
    add("5", 500, padded("A heron, the newest.", 500));
    add("4", 400, padded("A heron, too large for now.", 400));
    add("3", 300, says("A heron, the oldest.", 300));
    const found = async (): Promise<unknown> =>
      (await rows("heron")).map(({ passage, rank }) => [passage.slice(9), rank]);
    const { stderr } = await run("find", "unicorn");
    assert.match(stderr, /1 session \(32\.0 MB\) not in the store will be read as files/);
    assert.match(stderr, /searched 4 sessions in the store \(2 updated\) and 1 changed session as files/);
    const path = join(home, ".claude/projects/-work-padded", `${SESSION.replace("0a1b", "4444")}.jsonl`);
    appendFileSync(path, `${" ".repeat(4_000_000)}\n`.repeat(5));
    utimesSync(path, new Date(at(400)), new Date(at(400)));
    assert.deepEqual(await found(), [
      ["the newest.", 1],
      ["the oldest.", 2],
      ["too large for now.", null],
    ]);
  });

  test("a damaged or unwritable cache of the last answer does no harm", async () => {
    const { run, home } = await machine();
    const cache = join(home, ".cache/opencode-transcripts");
    rmSync(cache, { recursive: true, force: true });
    mkdirSync(join(home, ".cache"), { recursive: true });
    writeFileSync(cache, "a file where a folder should be");
    assert.equal((await run("find", "blue")).exitCode, 0);
  });
});
