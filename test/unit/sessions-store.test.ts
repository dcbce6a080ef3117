import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { chmodSync, copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { opencodeExport } from "../../src/agents/opencode/opencode-export.ts";
import type { SessionRef } from "../../src/places/session-ref.ts";
import type { InputUnit } from "../../src/parse/message-draft.ts";
import { openReadable } from "../../src/sessions/open-session.ts";
import { resolveSession } from "../../src/sessions/resolve-session.ts";
import { findSessions } from "../../src/sessions/find-sessions.ts";
import { openSqlite } from "../../src/places/sqlite-reader.ts";
import { opencodeSession } from "../../src/agents/opencode/store-export.ts";
import { chunksOf } from "../../src/transcript/format/formats.ts";
import { REPOSITORY } from "../support/repository.ts";
import { onWindows, withoutRoot } from "../support/machine.ts";
import { afterAll, beforeAll, describe, test } from "../support/runner.ts";
import { runCli } from "../support/cli/run-cli.ts";
import { makeTempDir, removeTempDirs } from "../support/temp-dir.ts";
import {
  exportedFrom,
  Machine,
  openFakeStore,
  sqliteWriter,
  type StoredSession,
  writeFakeStore,
} from "./sessions-machine.ts";

afterAll(removeTempDirs);

async function unitsIn(ref: SessionRef): Promise<InputUnit[]> {
  return (await Array.fromAsync((await openReadable(ref).open({})).units)).flat();
}

const SESSION: StoredSession = {
  id: "ses_1",
  messages: [
    {
      id: "msg_2",
      data: { role: "user" },
      parts: [
        { id: "prt_2", data: { type: "text", text: "second\n" } },
        { id: "prt_1", data: { type: "text", text: "first" } },
      ],
    },
    { id: "msg_1", data: { role: "assistant", cost: 0.5 }, parts: [] },
  ],
};

describe("a stored session", () => {
  test("is the JSON of an export: messages by time, parts by id", async () => {
    const machine = new Machine();
    await writeFakeStore(machine.database, [SESSION]);
    // The host's test compares the messages with those of the real export.
    assert.deepEqual(await exportedFrom(machine.database, "ses_1"), {
      info: {
        id: "ses_1",
        directory: "/p",
        title: "T",
        version: "1",
        time: { created: 1749999999000, updated: 1750000000000 },
      },
      messages: [
        {
          info: { role: "user", id: "msg_2", sessionID: "ses_1" },
          parts: [
            { type: "text", text: "first", id: "prt_1", sessionID: "ses_1", messageID: "msg_2" },
            { type: "text", text: "second\n", id: "prt_2", sessionID: "ses_1", messageID: "msg_2" },
          ],
        },
        { info: { role: "assistant", cost: 0.5, id: "msg_1", sessionID: "ses_1" }, parts: [] },
      ],
    });
  });

  test("without messages", async () => {
    const machine = new Machine();
    await writeFakeStore(machine.database, [{ id: "ses_1" }]);
    assert.deepEqual((await exportedFrom(machine.database, "ses_1")).messages, []);
  });

  test("with damaged content is handed on with it", async () => {
    const machine = new Machine();
    const messages = [{ id: "msg_1", data: '{"role":', parts: [{ id: "prt_1", data: "[1]" }] }];
    await writeFakeStore(machine.database, [{ id: "ses_1", messages }]);
    assert.deepEqual((await exportedFrom(machine.database, "ses_1")).messages, [
      {
        info: { type: "damaged", raw: '{"role":', id: "msg_1", sessionID: "ses_1" },
        parts: [{ type: "damaged", raw: "[1]", id: "prt_1", sessionID: "ses_1", messageID: "msg_1" }],
      },
    ]);
  });

  test("that was deleted since it was listed is gone", async () => {
    const machine = new Machine();
    await writeFakeStore(machine.database, [{ id: "ses_1" }]);
    const ref = await resolveSession("ses_1", machine.where);
    const database = await sqliteWriter(machine.database);
    database.run("DELETE FROM session");
    database.close();
    await assert.rejects(unitsIn(ref), {
      name: "TranscriptsError",
      code: "gone",
    });
  });
});

describe("reading a stored session message by message", () => {
  const said = (id: string, role: string, text: string) => ({
    id,
    data: { role, time: { created: 1_750_000_000_000 } },
    parts: [{ id: `prt_${id}`, data: { type: "text", text } }],
  });
  const messages = [
    said("msg_1", "user", "first\nline \u{1f600} \ud800"),
    { id: "msg_2", data: '{"role":', parts: [{ id: "prt_2", data: "[1]" }] },
    said("msg_3", "assistant", "γ"),
    said("msg_4", "robot", "unknown"),
  ];

  test("gives the units of its export, with the number of each message as its line", async () => {
    for (const count of [0, 1, messages.length]) {
      const machine = new Machine();
      await writeFakeStore(machine.database, [{ id: "ses_1", messages: messages.slice(0, count) }]);
      const ref = await resolveSession("ses_1", machine.where);
      const json = Buffer.from(JSON.stringify(await exportedFrom(machine.database, "ses_1")));
      const units = (await Array.fromAsync(opencodeExport.read(chunksOf(json), {}))).flat();
      assert.deepEqual(
        units.map(({ line, lines }) => [line, lines]),
        [[1, 0], ...Array.from({ length: count }, (_, at) => [at + 1, 1])],
      );
      assert.deepEqual(await unitsIn(ref), units);
    }
  });
});

test("an answer that ended with an error or was aborted is shown as such, with and without words", async () => {
  const machine = new Machine();
  const time = { created: 1_750_000_000_000 };
  const prompt = (id: string) => ({
    id,
    data: { role: "user", time },
    parts: [{ id: `${id}_p`, data: { type: "text", text: "asked" } }],
  });
  const failed = { name: "APIError", data: { message: "Overloaded apricot", statusCode: 529 } };
  const aborted = { name: "MessageAbortedError", data: { message: "Aborted" } };
  for (const words of [[], [{ id: "prt_w", data: { type: "text", text: "Half an ans" } }]]) {
    await writeFakeStore(machine.database, [
      {
        id: "ses_1",
        messages: [
          prompt("msg_1"),
          { id: "msg_2", data: { role: "assistant", time, error: failed }, parts: words },
          prompt("msg_3"),
          { id: "msg_4", data: { role: "assistant", time, error: aborted }, parts: [] },
        ],
      },
    ]);
    const out = join(makeTempDir(), "out");
    for (const argv of [
      ["show", "ses_1"],
      ["timeline", "ses_1"],
      ["export", "ses_1", "--markdown"],
      ["export", "ses_1", "--html"],
    ]) {
      const isFile = argv[0] === "export";
      const { stdout, stderr } = await runCli([...argv, ...(isFile ? ["-o", out] : [])], { home: machine.home });
      const shown = isFile ? readFileSync(out, "utf8") : stdout;
      assert.match(shown, /ended with an error: Overloaded apricot/, argv.join(" ") + stderr);
      assert.match(shown, /The answer was aborted\./, argv.join(" "));
      if (isFile) rmSync(out);
    }
    for (const suffix of ["", "-wal", "-shm"]) rmSync(machine.database + suffix, { force: true });
  }
});

describe("a running opencode", () => {
  test("is seen with what it has not moved into its file yet, and goes on undisturbed", async () => {
    const machine = new Machine();
    const database = await openFakeStore(machine.database, [SESSION]);
    assert.ok(statSync(`${machine.database}-wal`).size > 0);
    database.exec("BEGIN IMMEDIATE");
    database.run("UPDATE session SET title = 'not yet'");
    // In the middle of somebody's transaction, and of ours.
    const [ref] = (await findSessions(machine.where)).sessions;
    assert.equal(ref?.title, "T");
    assert.ok(ref);
    const reader = await openSqlite(machine.database);
    const session = opencodeSession(reader, ref.id);
    database.exec("COMMIT");
    database.exec("PRAGMA wal_checkpoint(TRUNCATE)");
    assert.equal(statSync(`${machine.database}-wal`).size, 0);
    assert.match(JSON.stringify([...(session?.messages ?? [])]), /second/);
    reader.close();
    assert.equal((await findSessions(machine.where)).sessions[0]?.title, "not yet");
    database.close();
  });

  test("marks a session as changed by its new messages, however many sessions are newer", async () => {
    const machine = new Machine();
    const newer = Array.from({ length: 12 }, (_, at) => ({ id: `ses_new${at}`, minute: 10 }));
    const database = await openFakeStore(machine.database, [SESSION, ...newer]);
    const timeOf = async (): Promise<number | undefined> =>
      (await findSessions(machine.where)).sessions.find(({ id }) => id === SESSION.id)?.modifiedMs;
    const before = (await timeOf()) ?? 0;
    database.run("UPDATE message SET time_updated = ?", before + 1);
    assert.equal(await timeOf(), before + 1);
    database.close();
  });

  test("that begins to write while a session is read is seen, though nobody used the database before", async () => {
    const machine = new Machine();
    await writeFakeStore(machine.database, [SESSION]);
    const reader = await openSqlite(machine.database);
    const query = reader.query("SELECT title FROM session");
    const titles = (): unknown[] => query().map(({ title }) => title);
    assert.deepEqual(titles(), ["T"]);
    const database = await sqliteWriter(machine.database);
    database.run("UPDATE session SET title = 'Later'");
    assert.deepEqual(titles(), ["Later"]);
    database.close();
    reader.close();
  });

  test("reading never writes", async () => {
    const machine = new Machine();
    await writeFakeStore(machine.database, [SESSION]);
    const reader = await openSqlite(machine.database);
    assert.throws(() => reader.query("DELETE FROM session")(), /readonly/);
    reader.close();
    await assert.rejects(async () => openSqlite(join(machine.home, "none.db")));
    assert.equal(existsSync(join(machine.home, "none.db")), false);
  });
});

describe("the folder of a database that is read", () => {
  const before = process.env["TMPDIR"];
  const copies = makeTempDir();
  beforeAll(() => {
    process.env["TMPDIR"] = copies;
    chmodSync(copies, 0o777);
  });
  afterAll(() => {
    if (before === undefined) delete process.env["TMPDIR"];
    else process.env["TMPDIR"] = before;
  });

  /** A folder with the database, and what of its log is there. */
  async function folderWith(...suffixes: readonly string[]): Promise<{ machine: Machine; folder: string }> {
    const source = new Machine();
    const database = await openFakeStore(source.database, [SESSION]);
    if (suffixes.length === 0) database.close();
    const machine = new Machine();
    const folder = dirname(machine.database);
    mkdirSync(folder, { recursive: true });
    for (const suffix of ["", ...suffixes]) copyFileSync(source.database + suffix, machine.database + suffix);
    if (suffixes.length > 0) database.close();
    return { machine, folder };
  }

  const states = {
    "without a log": [],
    "with a log, as a copy has it": ["-wal"],
    "with a log and its index": ["-wal", "-shm"],
  };
  for (const [what, suffixes] of Object.entries(states)) {
    test(`has no other files afterwards, ${what}`, async () => {
      const { machine, folder } = await folderWith(...suffixes);
      const before = readdirSync(folder);
      for (const argv of [["list"], ["show", "ses_1"], ["stats"], ["doctor"]]) {
        const { stdout, exitCode } = await runCli(argv, { home: machine.home, env: { XDG_DATA_HOME: "" } });
        assert.ok(exitCode < 2, argv.join(" "));
        if (argv[0] === "show") assert.match(stdout, /first/);
        const others = readdirSync(folder).filter((name) => !before.includes(name));
        assert.deepEqual(others, [], argv.join(" "));
      }
    });

    if (what.includes("copy"))
      test("is copied once, however often it is opened", async () => {
        const { machine } = await folderWith(...suffixes);
        const before = readdirSync(copies).length;
        for (let round = 0; round < 3; round += 1) await exportedFrom(machine.database, "ses_1");
        assert.equal(readdirSync(copies).length, before + 1);
      });

    test.skipIf(onWindows)(`may be closed to the user for writing, ${what}`, async () => {
      const { machine, folder } = await folderWith(...suffixes);
      const folders: string[] = [];
      for (let at = folder; at !== dirname(machine.home); at = dirname(at)) folders.push(at);
      for (const at of folders) chmodSync(at, 0o555);
      for (const name of readdirSync(folder)) chmodSync(join(folder, name), 0o444);
      await withoutRoot(machine.home, async () => {
        const roots = [{ agent: "opencode", path: machine.database }];
        const { sessions, unreadable } = await findSessions({ ...machine.where, roots });
        assert.deepEqual([sessions.map(({ id }) => id), unreadable], [["ses_1"], []]);
        assert.equal((await exportedFrom(machine.database, "ses_1")).messages.length, 2);
      });
      for (const at of folders) chmodSync(at, 0o755);
    });
  }
});

test("Node prints nothing about SQLite, but other warnings still", () => {
  const script = `
    import { openSqlite } from ${JSON.stringify(join(REPOSITORY, "src/places/sqlite-reader.ts"))};
    await openSqlite(":memory:");
    process.emitWarning("SQLite, says another one");`;
  const args = ["--input-type=module", "--eval", script];
  const { stdout, stderr, status } = spawnSync(join(REPOSITORY, "node_modules/.bin/node"), args, { encoding: "utf8" });
  assert.deepEqual([stdout, status], ["", 0], stderr);
  assert.match(stderr, /SQLite, says another one/);
  assert.doesNotMatch(stderr, /experimental/i);
});
