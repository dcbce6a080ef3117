/** A database in which opencode 2.x has written: said to be unread, while what opencode 1.x wrote is read. */
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { findSessions } from "../../src/sessions/find-sessions.ts";
import { runCli, type CliRun } from "../support/cli/run-cli.ts";
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

const V2 = "CREATE TABLE session_v2 (id text PRIMARY KEY, title text)";
const NEW_SESSION = "INSERT INTO session_v2 VALUES ('ses_new', 'N')";
const MOVED_SESSION = "INSERT INTO session_v2 VALUES ('ses_old', 'O')";

describe("a database with the tables of opencode 2.x", () => {
  test("is read where they are empty, as opencode 1.18 leaves them", async () => {
    const { sessions, unreadable } = await findSessions((await upgraded(V2)).where);
    assert.deepEqual([sessions.map(({ id }) => id), unreadable], [["ses_old"], []]);
  });

  test("is named by doctor and list, and what 1.x wrote is listed", async () => {
    const machine = await upgraded(V2, NEW_SESSION, MOVED_SESSION);
    const expected =
      /opencode\.db: it has 2 sessions of opencode 2\.x, which cannot be read yet; those of opencode 1\.x/;
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

  test("has sessions that only the old table of sessions shares with 1.x", async () => {
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

  test("may have none of those of 1.x", async () => {
    const machine = new Machine();
    const database = await sqliteWriter(machine.database);
    for (const statement of [V2, MESSAGE_TABLE, NEW_SESSION]) database.exec(statement);
    database.close();
    const { exitCode, stderr } = await run(machine, "list");
    assert.equal(exitCode, 1);
    assert.match(stderr, /it has 1 session of opencode 2\.x, which cannot be read yet$/m);
    assert.equal((await run(machine, "doctor")).exitCode, 2);
  });

  test("as the host makes them", async () => {
    const schema = join(REPOSITORY, "../shared/samples/opencode-2/database-schema.sql");
    if (!existsSync(schema)) return console.log("skipped: ../shared/samples is not here");
    const machine = new Machine();
    const database = await sqliteWriter(machine.database);
    database.exec("PRAGMA foreign_keys = OFF");
    for (const statement of readFileSync(schema, "utf8").split(/;\s*$/m))
      if (statement.trim()) database.exec(statement);
    assert.deepEqual((await findSessions(machine.where)).unreadable, []);
    database.run(
      "INSERT INTO session_message (id, session_id, type, seq, time_created, time_updated, data) VALUES ('msg_1', 'ses_1', 'user', 1, 1, 1, '{}')",
    );
    database.close();
    assert.match((await findSessions(machine.where)).unreadable[0]?.reason ?? "", /1 session of opencode 2\.x/);
  });
});

test("opencode's database is not a session itself", async () => {
  const machine = await upgraded();
  const { exitCode, stderr } = await run(machine, "stats", machine.database);
  assert.equal(exitCode, 2);
  assert.match(stderr, /opencode\.db is opencode's database, not a session\. Name one of its sessions/);
});
