/** A database in which opencode 2.x has written: the sessions of both versions, through every command. */
import assert from "node:assert/strict";
import { readFileSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { findSessions } from "../../src/sessions/find-sessions.ts";
import { runCli, type CliRun } from "../support/cli/run-cli.ts";
import { withoutOrigin } from "../support/cli/without-origin.ts";
import { addStored2, INFO_2, TABLES_2 } from "../support/parse/opencode-2-session.ts";
import { REPOSITORY } from "../support/repository.ts";
import { afterAll, describe, test } from "../support/runner.ts";
import { removeTempDirs } from "../support/temp-dir.ts";
import { machineAt } from "../support/tools/tool-calls.ts";
import { Machine, openFakeStore, sqliteWriter } from "./sessions-machine.ts";

afterAll(removeTempDirs);

const MESSAGE_TABLE = "CREATE TABLE session_message (id text PRIMARY KEY, session_id text NOT NULL, data text)";
const OLD = {
  id: "ses_old",
  messages: [
    { id: "msg_1", data: { role: "user" }, parts: [{ id: "prt_1", data: { type: "text", text: "asked in 1.x" } }] },
  ],
};

/** A database of opencode 1.x, which 2.x has used since. */
async function upgraded(...statements: readonly string[]): Promise<Machine> {
  const machine = new Machine();
  const database = await openFakeStore(machine.database, [OLD]);
  for (const statement of [MESSAGE_TABLE, ...statements]) database.exec(statement);
  database.close();
  return machine;
}

function run({ home, project }: Machine, ...argv: string[]): Promise<CliRun> {
  return runCli(argv, { home, cwd: project });
}

const NEW = { id: "ses_new" };
const TAKEN_OVER = { id: "ses_old" };
const SAID = { type: "user", time: { created: 1 }, text: "asked in 2.x" };

/** A database of opencode 1.x, in which 2.x has written these sessions since. */
async function writtenBy2(
  ...sessions: readonly { id: string; messages?: Record<string, unknown>[] }[]
): Promise<Machine> {
  const machine = new Machine();
  const database = await openFakeStore(machine.database, [OLD]);
  for (const statement of TABLES_2) database.exec(statement);
  for (const { messages, ...session } of sessions) addStored2(database, session, messages);
  database.close();
  return machine;
}

const rowsOf = (stdout: string): Record<string, unknown>[] =>
  stdout.split("\n").flatMap((line) => (line === "" ? [] : [JSON.parse(line)]));

describe("a database with sessions of opencode 1.x and 2.x", () => {
  test("is read where the tables of 2.x are empty, as opencode 1.18 leaves them", async () => {
    const { sessions, unreadable } = await findSessions((await writtenBy2()).where);
    assert.deepEqual([sessions.map(({ id }) => id), unreadable], [["ses_old"], []]);
  });

  test("has each session once: what 2.x has taken over from its tables, the rest from those of 1.x", async () => {
    const machine = await writtenBy2(NEW, { ...TAKEN_OVER, messages: [{ id: "msg_9", ...SAID }] });
    assert.deepEqual((await findSessions(machine.where)).sessions.map(({ id }) => id).toSorted(), [
      "ses_new",
      "ses_old",
    ]);
    const { stdout } = await run(machine, "show", "ses_old");
    assert.match(stdout, /asked in 2\.x/);
    assert.doesNotMatch(stdout, /asked in 1\.x/);
  });

  test("still has a session in the tables of 1.x if 2.x only lists it", async () => {
    const machine = await writtenBy2({ ...TAKEN_OVER, messages: [] });
    assert.match((await run(machine, "show", "ses_old")).stdout, /asked in 1\.x/);
  });

  test("answers every question about a session of 2.x, from the file, from the index, and when the database is gone", async () => {
    const machine = await writtenBy2(NEW, { id: "ses_child" });
    const asked = async (): Promise<string[]> => {
      const answers: string[] = [];
      for (const argv of [
        ["list", "--json"],
        ["show", "ses_new", "--with-tools", "--with-thinking"],
        ["timeline", "ses_new"],
        ["errors", "ses_new", "--json"],
        ["stats", "ses_new", "--json"],
        ["stats", "--json"],
      ]) {
        const { exitCode, stdout, stderr } = await run(machine, ...argv);
        assert.equal(exitCode, 0, `${argv.join(" ")}: ${stderr}`);
        answers.push(stdout);
      }
      return answers;
    };
    const [list = "", show = "", , errors = "", stats = ""] = await asked();
    assert.ok(rowsOf(list).some(({ session_id: id, title }) => id === "ses_new" && title === INFO_2.title));
    for (const text of [/Run the tests\./, /I run them\./, /They may fail\./, /make test/, /Tests were run\./])
      assert.match(show, text);
    assert.deepEqual(
      rowsOf(errors).map(({ tool_name: tool }) => tool),
      ["shell", "no_such_tool", "shell"],
    );
    assert.match(stats, /"tokens_in": 130/);
    const files = await asked();
    assert.equal((await run(machine, "index")).exitCode, 0);
    assert.deepEqual(await asked(), files);
    const found = await run(machine, "find", '"They may fail"', "--json");
    assert.deepEqual(
      rowsOf(found.stdout)
        .map((row) => String(row["session_id"]))
        .toSorted((a, b) => (a < b ? -1 : 1)),
      ["ses_child", "ses_new"],
    );
    rmSync(dirname(machine.database), { recursive: true });
    assert.deepEqual((await asked()).map(withoutOrigin), files.map(withoutOrigin));
  });

  test("counts the request for a summary, which only the log of events has", async () => {
    const machine = new Machine();
    const database = await openFakeStore(machine.database, []);
    for (const statement of TABLES_2) database.exec(statement);
    addStored2(database, NEW);
    const data = JSON.stringify({ source: "compaction", cost: 0.5, tokens: { input: 1_000, output: 7 } });
    database.run("INSERT INTO event VALUES ('evt_1', 'ses_new', 41, 1, 'session.usage.recorded.1', ?)", data);
    database.close();
    assert.match((await run(machine, "stats", "ses_new", "--json")).stdout, /"tokens_in": 1130/);
  });

  test("counts what a fork repeats from its parent once, and each session's own", async () => {
    const machine = new Machine();
    const database = await openFakeStore(machine.database, []);
    for (const statement of TABLES_2) database.exec(statement);
    const answer = (id: string, second: number, input: number) => {
      const time = { created: second * 1_000, completed: second * 1_000 + 500 };
      const tokens = { input, output: 1, reasoning: 0, cache: { read: 0, write: 0 } };
      return { id, type: "assistant", time, tokens, cost: 0, content: [{ type: "text", text: id }] };
    };
    addStored2(database, { id: "ses_first" }, [answer("msg_1", 1, 100), answer("msg_2", 2, 1_000)]);
    addStored2(database, { id: "ses_fork" }, [answer("msg_3", 1, 100), answer("msg_4", 3, 10_000)]);
    addStored2(database, { id: "ses_again" }, [answer("msg_5", 1, 100), answer("msg_6", 3, 10_000)]);
    database.exec("UPDATE session_v2 SET fork_session_id = 'ses_first' WHERE id = 'ses_fork'");
    database.exec("UPDATE session_v2 SET fork_session_id = 'ses_fork' WHERE id = 'ses_again'");
    database.close();
    assert.match((await run(machine, "stats", "ses_fork", "--json")).stdout, /"tokens_in": 10100/);
    for (const command of [["stats"], ["index"], ["stats"]]) {
      const { stdout } = await run(machine, ...command, ...(command[0] === "stats" ? ["--json"] : []));
      if (command[0] === "stats") assert.match(stdout, /"tokens_in": 11100,/);
    }
  });

  test("lacks what a committed revert removed, which the index keeps as superseded", async () => {
    const messages = [
      { id: "msg_1", ...SAID, text: "kept words" },
      { id: "msg_2", ...SAID, text: "reverted words" },
    ];
    const machine = await writtenBy2({ ...NEW, messages });
    assert.equal((await run(machine, "index")).exitCode, 0);
    const database = await sqliteWriter(machine.database);
    database.exec("DELETE FROM session_message WHERE data LIKE '%reverted words%'");
    database.exec("UPDATE session_v2 SET time_updated = time_updated + 1000");
    database.close();
    assert.doesNotMatch((await run(machine, "show", "ses_new")).stdout, /reverted words/);
    assert.equal((await run(machine, "index")).exitCode, 0);
    assert.match((await run(machine, "show", "ses_new", "--superseded")).stdout, /kept words[^]*reverted words/);
  });

  test("is read again by the index when a message was added", async () => {
    const machine = await writtenBy2({ ...NEW, messages: [{ id: "msg_1", ...SAID }] });
    assert.equal((await run(machine, "index")).exitCode, 0);
    const database = await sqliteWriter(machine.database);
    const said = { ...SAID, text: "a later word" };
    const values = ["msg_2", "ses_new", "user", 99, Date.now(), Date.now(), JSON.stringify(said)];
    database.run("INSERT INTO session_message VALUES (?, ?, ?, ?, ?, ?, ?)", ...values);
    database.close();
    assert.equal((await run(machine, "find", "a later word")).exitCode, 0);
  });

  test("may have only the tables of 2.x", async () => {
    const machine = new Machine();
    const database = await sqliteWriter(machine.database);
    for (const statement of TABLES_2) database.exec(statement);
    addStored2(database, NEW);
    database.close();
    const { exitCode, stdout, stderr } = await run(machine, "list", "--json");
    assert.match(stderr, /^created the store [^\n]*\n$/);
    assert.deepEqual([exitCode, rowsOf(stdout)[0]?.["session_id"]], [0, "ses_new"]);
    assert.equal((await run(machine, "doctor")).exitCode, 0);
  });

  test("as the preview makes it, with the sessions of both versions in one table", async () => {
    const folder = join(REPOSITORY, "test/fixtures/opencode-2/database");
    const machine = new Machine();
    const database = await sqliteWriter(machine.database);
    database.exec("PRAGMA foreign_keys = OFF");
    for (const statement of readFileSync(join(folder, "schema.sql"), "utf8").split(/;\s*$/m))
      if (statement.trim()) database.exec(statement);
    assert.deepEqual((await findSessions(machine.where)).unreadable, []);
    const rows: Record<string, Record<string, unknown>[]> = JSON.parse(readFileSync(join(folder, "rows.json"), "utf8"));
    for (const table of ["session", "session_message", "event"]) {
      for (const row of rows[table] ?? []) {
        const values = Object.values(row).map((value) =>
          typeof value === "string" || typeof value === "number" || value === null ? value : JSON.stringify(value),
        );
        const marks = values.map(() => "?").join(", ");
        database.run(`INSERT INTO ${table} (${Object.keys(row).join(", ")}) VALUES (${marks})`, ...values);
      }
    }
    database.close();
    const { sessions, unreadable } = await findSessions(machine.where);
    assert.deepEqual([sessions.map(({ title }) => title), unreadable], [["A title for tools"], []]);
    const errors = rowsOf((await run(machine, "errors", sessions[0]?.id ?? "", "--json")).stdout);
    assert.deepEqual(
      errors.map(({ tool_name: tool }) => tool),
      ["shell", "no_such_tool", "read", "read"],
    );
  });
});

describe("tables of opencode 2.x in a form that is not known", () => {
  const V2 = "CREATE TABLE session_v2 (id text PRIMARY KEY, title text)";
  const NEW_SESSION = "INSERT INTO session_v2 VALUES ('ses_new', 'N')";
  const MOVED_SESSION = "INSERT INTO session_v2 VALUES ('ses_old', 'O')";

  test("are named by doctor and list, and what 1.x wrote is listed", async () => {
    const machine = await upgraded(V2, NEW_SESSION, MOVED_SESSION);
    const expected =
      /opencode\.db: it has 2 sessions of opencode 2\.x that cannot be read: its table session_message lacks/;
    const doctor = await run(machine, "doctor");
    assert.equal(doctor.exitCode, 2);
    assert.match(doctor.stdout, expected);
    const list = await run(machine, "list", "--json");
    assert.match(list.stderr, expected);
    assert.deepEqual([list.exitCode, JSON.parse(list.stdout).session_id], [0, "ses_old"]);
    const missing = await run(machine, "show", "ses_new");
    assert.equal(missing.exitCode, 2);
    assert.match(
      missing.stderr,
      /No session .*"ses_new" \(.*opencode\.db was not read: it has 2 sessions of opencode 2/,
    );
    const tools = machineAt(machine.home, { OPENCODE_DB: machine.database });
    try {
      const { text } = await tools.call("list_sessions", {});
      assert.match(text, expected);
    } finally {
      await tools.close();
    }
  });

  test("have sessions that only the old table of sessions shares with 1.x", async () => {
    const machine = await upgraded(
      "INSERT INTO session (id, project_id, slug, directory, title, version, time_created, time_updated) VALUES ('ses_two', 'p', 's', '/p', 'T', '2', 1, 2)",
      "INSERT INTO session_message VALUES ('msg_9', 'ses_two', '{}')",
    );
    const { sessions, unreadable } = await findSessions(machine.where);
    assert.deepEqual(
      sessions.map(({ id }) => id),
      ["ses_old"],
    );
    assert.match(unreadable[0]?.reason ?? "", /it has 1 session of opencode 2\.x/);
  });

  test("may be the only ones", async () => {
    const machine = new Machine();
    const database = await sqliteWriter(machine.database);
    for (const statement of [V2, MESSAGE_TABLE, NEW_SESSION]) database.exec(statement);
    database.close();
    const { exitCode, stderr } = await run(machine, "list");
    assert.equal(exitCode, 1);
    assert.match(stderr, /it has 1 session of opencode 2\.x that cannot be read/m);
    assert.equal((await run(machine, "doctor")).exitCode, 2);
  });

  test("and a later table of sessions are reported", async () => {
    const machine = await upgraded("CREATE TABLE session_v3 (id text)", "INSERT INTO session_v3 VALUES ('ses_3')");
    const { exitCode, stdout } = await run(machine, "doctor");
    assert.equal(exitCode, 2);
    assert.match(stdout, /its table session_v3 is not known to this version; it has 1 row$/m);
  });
});

test("Kilo's database is found beside opencode's or by KILO_DB, and its sessions are Kilo's, from the index too", async () => {
  const machine = await upgraded();
  const data = join(machine.home, ".local/share");
  const named = join(machine.home, "elsewhere.db");
  for (const [path, id] of [
    [join(data, "kilo/kilo.db"), "ses_kilo"],
    [named, "ses_named"],
  ] as const)
    (await openFakeStore(path, [{ ...OLD, id }])).close();
  const listed = async (env: Record<string, string>, ...argv: string[]): Promise<string[]> => {
    const { stdout } = await runCli(["list", "--json", ...argv], { home: machine.home, cwd: machine.project, env });
    return rowsOf(stdout)
      .map((row) => `${String(row["session_id"])} ${String(row["agent"])}`)
      .toSorted();
  };
  const both = ["ses_kilo kilo", "ses_old opencode"];
  for (let round = 0; round < 2; round++) {
    assert.deepEqual(await listed({}), both);
    assert.deepEqual(await listed({}, "--agent", "kilo"), ["ses_kilo kilo"]);
    assert.deepEqual(await listed({}, "--agent", "opencode"), ["ses_old opencode"]);
    assert.deepEqual(await listed({ KILO_DB: named }, "--agent", "kilo"), ["ses_named kilo"]);
    assert.equal((await run(machine, "index")).exitCode, 0);
  }
  const forgotten = await run(machine, "forget", "ses_kilo", "--yes");
  assert.match(forgotten.stdout, /kilo session delete ses_kilo/);
  assert.match((await run(machine, "stats", named)).stderr, /is opencode's database, not a session/);
});

test("opencode's database is not a session itself", async () => {
  const machine = await upgraded();
  const { exitCode, stderr } = await run(machine, "stats", machine.database);
  assert.equal(exitCode, 2);
  assert.match(stderr, /opencode\.db is opencode's database, not a session\. Name one of its sessions/);
});
