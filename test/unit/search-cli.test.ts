/** `transcripts find` and its store. */
import assert from "node:assert/strict";
import { appendFileSync, chmodSync, mkdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { openSqliteDatabase } from "../../src/store/sqlite/open-sqlite.ts";
import { at, calls, result, sampleSession, says, SESSION, storeSession, user } from "../support/cli/claude-lines.ts";
import { type Outputs, rowsOf } from "../support/cli/json-output.ts";
import { runCli, type CliRun } from "../support/cli/run-cli.ts";
import { onWindows, withoutRoot } from "../support/machine.ts";
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

describe("transcripts find", () => {
  test("shows the best passages first, each with a command that opens it", async () => {
    const { run, rows } = await machine();
    const { stdout, stderr, exitCode } = await run("find", "--exact", "IT IS");
    assert.equal(exitCode, 0);
    assert.match(stdout, /^\[2\] assistant, .*: Blue it is\.\n {4}transcripts show 1b2c2c3d-[\w-]+ --line 2\n/m);
    assert.equal(stderr, "searched 2 sessions\n");
    for (const [argv, passages] of [
      [["price"], 3],
      [["exist", "--errors"], 1],
      [["price", "--tool", "read"], 2],
      [["e", "--role", "user"], 2],
    ] as const) {
      const found = await rows(...argv);
      assert.equal(found.length, passages, argv.join(" "));
      assert.deepEqual(
        found.map(({ rank }) => rank),
        found.map((_, index) => index + 1),
      );
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
    assert.match((await run("find", "it", "--project", "/work/paint")).stderr, /^searched 1 session/);
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
    assert.deepEqual([exitCode, stdout], [1, ""]);
    assert.match(stderr, /^searched 2 sessions\nNothing found\. /);
    assert.equal((await run("find", "")).exitCode, 2);
  });

  test("a limit says how many there are", async () => {
    const { run } = await machine();
    assert.match((await run("find", "price", "--limit", "2")).stderr, /; the best 2 of 3 passages\n$/);
  });

  test("entries written since are found, and indexed once", async () => {
    const { run, path, rows } = await machine();
    assert.match((await run("find", "walrus")).stderr, /searched 2 sessions/);
    appendFileSync(path, says("A walrus appears.", 120));
    const { stderr, exitCode } = await run("find", "walrus");
    assert.equal(exitCode, 0);
    assert.equal(stderr, "searched 2 sessions (1 updated)\n");
    assert.equal((await run("find", "walrus")).stderr, "searched 2 sessions\n");
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
    assert.match((await run("find", "walrus")).stderr, /^searched 2 sessions \(1 updated\)/);
    assert.equal((await rows("walrus")).length, 1);
    const other = storeSession(home, user("A newt?", 130), {
      id: SESSION.replace("0a1b", "9a1b"),
      project: "-work-paint",
    });
    await figures();
    assert.match((await run("find", "newt")).stderr, /1 updated/, "a new session gets figures alone");
    rmSync(other);
  });

  test("finds new sessions, replaced ones, and those in a new folder", async () => {
    const { run, home, path, rows } = await machine();
    for (let look = 0; look < 2; look += 1) assert.equal((await run("find", "otter")).exitCode, 1);
    storeSession(home, says("An otter.", 130), { id: OTHER.replace("1b2c", "2c3d"), project: "-work-river" });
    assert.match((await run("find", "otter")).stderr, /3 sessions \(1 updated\)/);
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
    const [current] = await rows("otters only");
    assert.deepEqual([current?.superseded, current?.open.startsWith("transcripts show")], [false, true]);
  });

  test("a session that is missing in the index is indexed again", async () => {
    const { run, home, rows } = await machine();
    for (let look = 0; look < 2; look += 1) assert.equal((await rows("--exact", "Blue it is")).length, 1);
    const opened = await openSqliteDatabase(database(home), { readOnly: false });
    opened.exec(`PRAGMA foreign_keys = ON; DELETE FROM sessions WHERE session_id = '${OTHER}'`);
    opened.close();
    assert.match((await run("find", "Blue it is")).stderr, /1 updated/);
    assert.equal((await rows("--exact", "Blue it is")).length, 1);
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
      assert.match(stderr, /searched 2 sessions \(1 whose file is gone\)/);
    }
  });

  test("several words: what stands literally, then all words or all but one, and it says which", async () => {
    const { run, rows } = await machine();
    const lines = async (...words: string[]): Promise<(number | null)[]> =>
      (await rows(...words)).map(({ line_number }) => line_number);
    assert.deepEqual(await lines("prices", "the", "add"), [1]);
    assert.deepEqual(await lines("prices the add"), [1]);
    assert.deepEqual(await lines("--exact", "prices the add"), []);
    assert.match(
      (await run("find", "prices", "add")).stderr,
      /^No passage has the phrase; these have all the words\.\n/,
    );
    assert.equal((await lines("tax", "export", "zebra")).length, 1);
    const { stdout, stderr } = await run("find", "tax", "export", "zebra");
    assert.match(stderr, /^No passage has all the words; these have most of them\.\n/);
    assert.match(stdout, /, without "zebra": /);
    const [row] = await rows("tax", "export", "zebra");
    assert.deepEqual([row?.match, row?.missing], ["words", ["zebra"]]);
    assert.deepEqual(
      (await rows("Blue", "it")).map(({ match }) => match),
      ["phrase", "words"],
    );
    assert.match((await run("find", "Blue", "it")).stderr, /^Passages with the words in another order:\n/);
  });

  test("nothing found says what was searched, and what to try", async () => {
    const { run } = await machine();
    const said = async (...argv: string[]): Promise<string> => (await run("find", ...argv)).stderr;
    assert.match(
      await said("prices", "zebra"),
      /^searched 2 sessions\nNothing found\. No passage has zebra\. Try the rest: prices\.\n$/,
    );
    assert.match(
      await said("prices", "blue"),
      /Nothing found\. Each word is found, but never together with the others: try fewer words\.\n$/,
    );
    assert.match(
      await said("zebra", "--role", "user"),
      /Try another word, or the beginning of one\. Or leave out --role\.\n$/,
    );
    assert.match(await said("--exact", "add the prices up"), /Without --exact the words may be in any order\.\n$/);
  });

  test("a terminal gets three passages of a session, unless asked for more; a pipe gets all", async () => {
    const { home, run } = await machine();
    const id = OTHER.replace("1b2c", "5b2c");
    storeSession(home, Array.from({ length: 5 }, (_, at) => says(`The heron ${at}.`, at)).join(""), { id });
    const onTerminal = async (...argv: string[]): Promise<CliRun> =>
      runCli(["find", "heron", ...argv], { home, terminal: 80 });
    const { stdout, stderr } = await onTerminal();
    assert.equal(stdout.match(/The heron/g)?.length ?? stdout.match(/--line/g)?.length, 3);
    assert.match(stderr, /; 2 more in these sessions: --per-session\n$/);
    assert.equal((await onTerminal("--per-session", "9")).stdout.match(/--line/g)?.length, 5);
    assert.equal((await run("find", "heron")).stdout.match(/--line/g)?.length, 5);
  });

  test("its own earlier output is not found", async () => {
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
    for (const more of [[], ["--tool", "Bash"], ["--role", "tool"]]) {
      const found = (await rows("needle", ...more)).map(({ passage }) => passage);
      assert.deepEqual(found, more[0] === "--tool" || more[0] === "--role" ? [] : ["One real needle."], more.join(" "));
    }
    assert.equal((await run("find", "needle", "real")).exitCode, 0);
  });

  test("a damaged store is left alone, with the reason, and the question uses one in memory", async () => {
    const { run, home } = await machine();
    const bytes = "no database ".repeat(1_000);
    writeFileSync(database(home), bytes);
    const { exitCode, stdout, stderr } = await run("find", "Blue it is");
    assert.equal(exitCode, 0, stderr);
    assert.match(stdout, /Blue it is\./);
    assert.match(
      stderr,
      /^the store is kept in memory for this question: .*damaged or was not created by this program/,
    );
    assert.match(stderr, /searched 2 sessions \(2 updated\)\n$/);
    assert.equal(readFileSync(database(home), "utf8"), bytes);
  });

  test("a store whose damage shows only in the search is set aside before anything is printed", async () => {
    const { run, home } = await machine();
    const opened = await openSqliteDatabase(database(home), { readOnly: false });
    opened.exec("UPDATE events SET role = 'walrus' WHERE content LIKE 'Blue it is%'");
    opened.close();
    for (const more of [[], ["--json"]]) {
      const { exitCode, stdout, stderr } = await run("find", "blue", ...more);
      assert.equal(exitCode, 0, stderr);
      assert.equal(stdout.match(/--line \d+/g)?.length, 2, "each passage once");
      assert.match(
        stderr,
        /^the store is kept in memory .*transcripts\.db is damaged .*a value in the column role that/,
      );
      assert.match(stderr, /Move it away and run `transcripts index` .* snippets are stored nowhere else/);
      assert.doesNotMatch(stderr, /rebuild/);
      assert.match(stderr, /searched 2 sessions \(2 updated\)\n$/);
    }
  });

  test("--role system finds what the program put in", async () => {
    const { path, rows } = await machine();
    appendFileSync(path, user("This is said by a walrus.", 120) + meta("This walrus is put in.", 121));
    assert.deepEqual(
      (await rows("walrus", "--role", "system")).map(({ role, passage }) => [role, passage]),
      [["system", "This walrus is put in."]],
    );
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
    const found = await rows("walrus", "--errors");
    assert.deepEqual(found.map(({ tool_use_id }) => tool_use_id ?? "").toSorted(), failed);
    assert.match((await run("stats", id, "--json")).stdout, /"tool_errors": ?3\b/);
  });

  test("a store that cannot be written is asked as it is, and the note says what it lacks", async () => {
    const { run, path, home, rows } = await machine();
    appendFileSync(path, says("A walrus is blue.", 120));
    await refuseUpdates(home);
    const { stdout, stderr, exitCode } = await run("find", "blue");
    assert.equal(exitCode, 0);
    assert.match(stdout, /Blue it is/);
    assert.match(
      stderr,
      /^searched 2 sessions; not in the store yet: 1 session \(0\.0 MB\) that may have more; .*rejected/,
    );
    assert.equal((await rows("blue")).length, 2);
    for (const command of ["list", "stats", "errors"])
      assert.match((await run(command)).stderr, /not in the store yet: 1 session .*rejected/, command);
  });

  test.skipIf(onWindows)("a store in a folder that cannot be written is asked as it is", async () => {
    const { run, path, home } = await machine();
    appendFileSync(path, says("A walrus is blue.", 120));
    const folder = dirname(database(home));
    chmodSync(folder, 0o500);
    chmodSync(database(home), 0o400);
    await withoutRoot(home, async () => {
      const { stdout, stderr } = await run("find", "blue");
      assert.match(stdout, /Blue it is/);
      assert.match(stderr, /not in the store yet: 1 session/);
    });
    chmodSync(folder, 0o700);
  });

  test("a store that cannot be made is kept in memory, and everything is found", async () => {
    const { run, home, rows } = await machine();
    rmSync(dirname(database(home)), { recursive: true });
    writeFileSync(dirname(database(home)), "a file where a folder should be");
    const { stdout, stderr, exitCode } = await run("find", "blue");
    assert.equal(exitCode, 0, stderr);
    assert.match(stdout, /Blue it is/);
    assert.match(stderr, /^the store is kept in memory for this question: /);
    assert.match(stderr, /searched 2 sessions \(2 updated\)\n$/);
    assert.equal((await rows("blue")).length, 2);
  });

  test("the first question makes the store, says where, and the second finds it there", async () => {
    const { run, home } = await machine();
    rmSync(dirname(database(home)), { recursive: true });
    const { stderr, exitCode } = await run("find", "blue");
    assert.equal(exitCode, 0);
    assert.equal(
      stderr,
      `created the store ${database(home)}, which keeps what sessions say\nsearched 2 sessions (2 updated)\n`,
    );
    assert.equal((await run("find", "blue")).stderr, "searched 2 sessions\n");
  });

  test("of much that is new the newest is added, and of the rest what may have the text; nothing else is missing", async () => {
    const { home, run, rows } = await machine();
    const padding = `${" ".repeat(4_000_000)}\n`;
    const add = (digit: string, seconds: number, text: string, megabytes: number): void => {
      const id = SESSION.replace("0a1b", digit.repeat(4));
      const whole = text + padding.repeat(megabytes / 4);
      const path = storeSession(home, whole, { id, project: "-work-padded" });
      utimesSync(path, new Date(at(seconds)), new Date(at(seconds)));
    };
    add("6", 600, says("A heron, the newest.", 600), 32);
    add("5", 500, says("A heron, larger than what is left.", 500), 32);
    add("4", 400, says("An otter.", 400), 32);
    add("3", 300, says("A heron, the oldest, and large.", 300), 20);
    const found = async (...argv: string[]): Promise<unknown> =>
      (await rows("heron", ...argv)).map(({ passage }) => passage.slice(9)).toSorted();
    const { stderr } = await run("find", "unicorn");
    // The others lack the word, as their bytes say.
    assert.match(stderr, /^searched 6 sessions \(1 updated, 3 without the words\)\n/);
    assert.deepEqual(await found(), ["larger than what is left.", "the newest.", "the oldest, and large."]);
    assert.equal((await run("find", "heron")).stderr, "searched 6 sessions (1 updated)\n");
    add("7", 700, says("A heron, larger than all.", 700), 60);
    add("8", 650, says("An otter, larger than all.", 650), 60);
    assert.match(
      (await run("find", "heron")).stderr,
      /; not in the store yet: 1 session \(60\.0 MB\) that may have more; `transcripts index` adds them\n$/,
    );
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
