import assert from "node:assert/strict";
import { mkdirSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { resolveSession } from "../../src/sessions/resolve-session.ts";
import { storeArchive } from "../../src/queries/stored-archive.ts";
import { openStoreInMemory } from "../../src/store/open-store.ts";
import type { SessionFiles } from "../../src/places/session-files.ts";
import type { SessionRef, Where } from "../../src/places/session-ref.ts";
import { afterAll, describe, test } from "../support/runner.ts";
import { removeTempDirs } from "../support/temp-dir.ts";
import { claudeLine, filesWith, Machine, systemError, writeFakeStore } from "./sessions-machine.ts";
import { type ErrorCode, isSessionError, type TranscriptsError } from "../../src/transcripts-error.ts";

afterAll(removeTempDirs);

async function failure(text: string, where: Where, files?: SessionFiles): Promise<TranscriptsError> {
  const error: unknown = await resolveSession(text, where, files).then(
    (ref) => assert.fail(`found ${ref.id}`),
    (reason: unknown) => reason,
  );
  assert.ok(isSessionError(error), String(error));
  // Each says what to do next.
  assert.match(error.message, /(?:Pass|Run|Check) [^.]*.*\.$/);
  return error;
}

describe("ids", () => {
  const machine = new Machine();
  machine.claudeFile("-p/0a1b2c3d-1.jsonl", 1);
  machine.claudeFile("-p/0a1b9999-2.jsonl", 2);
  machine.claudeFile("-p/0a1b9999-2/subagents/agent-feed01.jsonl", 3);
  machine.claudeFile("-p/twice.jsonl", 4);
  machine.claudeFile("-q/twice.jsonl", 5);
  machine.claudeFile("-q/twice-more.jsonl", 5);
  machine.transcript("ses_abcdef.md", "ses_abcdef");
  const { where } = machine;

  for (const [text, id] of [
    ["0a1b2c3d-1", "0a1b2c3d-1"],
    ["0a1b2", "0a1b2c3d-1"],
    ["agent-feed01", "agent-feed01"],
    ["feed", "agent-feed01"],
    ["ses_abcdef", "ses_abcdef"],
    ["ses_ab", "ses_abcdef"],
    ["abcd", "ses_abcdef"],
    ["twice-m", "twice-more"],
  ] as const) {
    test(`${text} is ${id}`, async () => {
      assert.equal((await resolveSession(text, where)).id, id);
    });
  }

  for (const [text, code, message] of [
    ["0a1b", "ambiguous", '2 sessions have ids that begin with "0a1b".'],
    ["0a1", "too_short", '"0a1" is too short to tell sessions apart.'],
    ["", "too_short", '"" is too short'],
    ["ffff", "not_found", 'No session has an id that begins with "ffff".'],
    ["a\u001b[31m\u009bred", "not_found", 'begins with "a\\u001b[31m?red"'],
    ["x".repeat(500), "not_found", `begins with "${"x".repeat(80)}…"`],
    [`${"x".repeat(79)}😀 is cut before the character`, "not_found", `begins with "${"x".repeat(79)}…"`],
    ["*.*", "too_short", '"*.*"'],
  ] as const satisfies [string, ErrorCode, string][]) {
    test(`${JSON.stringify(text.slice(0, 20))} is ${code}`, async () => {
      const error = await failure(text, where);
      assert.equal(error.code, code);
      assert.ok(error.message.includes(message), error.message);
    });
  }

  test("a stale copy of a session does not keep the one that went on from being opened", async () => {
    const copies = new Machine();
    copies.claudeFile("-old/twice.jsonl", 9);
    const path = copies.claudeFile("-new/twice.jsonl", 1, { message: { role: "user", content: "hello again" } });
    assert.equal((await resolveSession("twice", copies.where)).path, path);
  });

  test("candidates come newest first", async () => {
    const { candidates } = await failure("0a1b", where);
    assert.deepEqual(
      candidates.map(({ id }) => id),
      ["0a1b9999-2", "0a1b2c3d-1"],
    );
  });

  test("what could not be read is said where nothing is found", async () => {
    const files = filesWith({
      list: () => {
        throw systemError("EACCES");
      },
    });
    const error = await failure("ffff", where, files);
    assert.match(error.message, /"ffff" \(3 places could not be read\)\./);
  });
});

describe("paths", () => {
  test("relative to the folder, with what place and head tell", async () => {
    const machine = new Machine();
    const line = { sessionId: "parent", agentId: "x", isSidechain: true, cwd: "/w/app" };
    const path = machine.claudeFile("-w-app/agent-x.jsonl", 0, line);
    const ref = await resolveSession("-w-app/agent-x.jsonl", { ...machine.where, cwd: machine.claude });
    assert.deepEqual(
      [ref.place, ref.path, ref.id, ref.agentId, ref.parentId, ref.project, ref.projectLabel],
      ["claude-code", path, "agent-x", "x", "parent", "/w/app", "/w/app"],
    );
    const atHome = await resolveSession("~/.claude/projects/-w-app/agent-x.jsonl", machine.where);
    assert.deepEqual(atHome, ref);
  });

  test("a subagent by its folder, a transcript by its header", async () => {
    const machine = new Machine();
    const agent = machine.claudeFile("-w-app/s1/subagents/agent-x.jsonl", 0, { cwd: "/w/app", sessionId: "other" });
    assert.equal((await resolveSession(agent, machine.where)).parentId, "s1");
    const child = machine.transcript("ses_1/ses_2.md", "ses_2", { parentID: "ses_1" });
    const ref = await resolveSession(child, machine.where);
    assert.deepEqual([ref.place, ref.id, ref.parentId, ref.project], ["transcript", "ses_2", "ses_1", machine.project]);
  });

  test("a renamed transcript or export keeps its id, any other file is a file", async () => {
    const machine = new Machine();
    const copy = machine.transcript("../../copy.txt", "ses_9");
    const renamed = await resolveSession("copy.txt", machine.where);
    assert.deepEqual([renamed.id, renamed.place, renamed.path], ["ses_9", "transcript", copy]);
    machine.write(join(machine.project, "export.json"), '{\n  "info": {"id": "ses_1"}, "messages": []\n}');
    const ref = await resolveSession("export.json", machine.where);
    assert.deepEqual([ref.id, ref.place, ref.bytes], ["ses_1", "file", 45]);
  });

  test("a first line that is longer than a head usually is, such as one with screenshots", async () => {
    const machine = new Machine();
    for (const length of [100_000, 6_000_000]) {
      const long = { cwd: `/w/app-${length}`, message: { role: "user", content: "x".repeat(length) } };
      const path = machine.claudeFile(`-w-app/long-${length}.jsonl`, 0, long);
      assert.equal((await resolveSession(path, machine.where)).project, `/w/app-${length}`);
    }
  });

  test("no such file", async () => {
    const { where, project } = new Machine();
    for (const text of ["no/such.jsonl", "./abcd", "such.jsonl", "C:\\Users\\me\\such.jsonl"]) {
      const error = await failure(text, where);
      assert.equal(error.code, "not_found");
      assert.ok(error.message.startsWith(`There is no file ${join(project, text)}.`), error.message);
    }
  });

  test("a folder is refused", async () => {
    const machine = new Machine();
    machine.claudeFile("-p/s1/subagents/agent-a.jsonl");
    for (const path of [join(machine.claude, "-p/s1/"), join(machine.claude, "-p"), "."])
      assert.equal((await failure(path, machine.where)).code, "is_folder");
  });

  test("a session whose folder has its name is the session", async () => {
    const machine = new Machine();
    machine.claudeFile("-p/s001.jsonl");
    machine.claudeFile("-p/s001/subagents/agent-a.jsonl");
    const ref = await resolveSession("s001", { ...machine.where, cwd: join(machine.claude, "-p") });
    assert.deepEqual([ref.id, ref.place], ["s001", "claude-code"]);
    mkdirSync(join(machine.project, "plain"));
    assert.equal((await failure("plain", machine.where)).code, "is_folder");
    mkdirSync(join(machine.project, "dir"));
    assert.equal((await failure("dir", machine.where)).code, "is_folder", "a name too short for an id");
    assert.match(
      (await failure("caf\ufffd.jsonl", machine.where)).message,
      /`- < FILE`: a name that is not valid UTF-8/,
    );
  });

  test("a file that cannot be read, and one that goes away meanwhile", async () => {
    const machine = new Machine();
    const path = machine.claudeFile("-p/s1.jsonl");
    for (const [errno, code] of [
      ["EACCES", "unreadable"],
      ["ENOENT", "gone"],
    ] as const) {
      const files = filesWith({
        openRead: async () => {
          throw systemError(errno);
        },
      });
      const error = await failure(path, machine.where, files);
      assert.deepEqual([error.code, error.path], [code, path]);
    }
  });

  test("a pipe is refused, and not opened", async () => {
    const files = filesWith({
      stat: () => ({ kind: "other", bytes: 0, modifiedMs: 1 }),
      openRead: () => assert.fail("opened"),
    });
    const { code, message } = await failure("/dev/fd/63", new Machine().where, files);
    assert.equal(code, "unreadable");
    assert.match(message, /Pass it as standard input: `- < \/dev\/fd\/63`/);
  });
});

describe("latest", () => {
  const latestOf = (where: Where): Promise<SessionRef> => {
    const { signal } = new AbortController();
    return resolveSession("latest", {
      ...where,
      archive: storeArchive(where, { open: () => openStoreInMemory(where), signal }),
    });
  };

  test("the newest of the project that the folder is in, no subagent, not empty", async () => {
    const machine = new Machine();
    const other = machine.claudeFile("-elsewhere/other.jsonl", 9);
    machine.claudeFile("-elsewhere/other/subagents/agent-a.jsonl", 10);
    assert.equal((await latestOf(machine.where)).path, other);
    // Without a store, by the times of files.
    assert.equal((await resolveSession("latest", machine.where)).path, other);

    const label = machine.project.replace(/[^a-zA-Z0-9]/g, "-");
    machine.claudeFile(`${label}/mine.jsonl`, 3);
    machine.claudeFile(`${label}/agent-b.jsonl`, 5);
    machine.write(join(machine.claude, label, "empty.jsonl"), "", 6);
    assert.equal((await latestOf(machine.where)).id, "mine");

    machine.transcript("ses_0.md", "ses_0", { minute: 5 });
    machine.transcript("ses_1.md", "ses_1", { minute: 4, isSaid: true });
    const deep = join(machine.project, "src");
    mkdirSync(deep);
    assert.equal((await latestOf({ ...machine.where, cwd: deep })).id, "ses_1");

    const part = { id: "prt_1", data: { type: "text", text: "hello" } };
    const messages = [{ id: "msg_1", data: { role: "user" }, parts: [part] }];
    await writeFakeStore(machine.database, [
      { id: "ses_2", directory: machine.project, minute: 7, messages },
      { id: "ses_3", directory: machine.project, minute: 8 },
    ]);
    assert.equal((await latestOf({ ...machine.where, cwd: deep })).id, "ses_2");
  });

  test("goes by what was said, whatever a copy made of the times of files", async () => {
    const machine = new Machine();
    const [old, recent] = [machine.claudeFile("-p/old.jsonl", 1), machine.claudeFile("-p/recent.jsonl", 2)];
    utimesSync(old, 1_900_000_000, 1_900_000_000);
    utimesSync(recent, 1_000_000_000, 1_000_000_000);
    assert.equal((await latestOf(machine.where)).id, "recent");
  });

  test("nothing at all", async () => {
    const error = await failure("latest", new Machine().where);
    assert.deepEqual(
      [error.code, error.message],
      ["not_found", "No sessions on this machine yet. Run `transcripts doctor` to see which folders were searched."],
    );
  });

  test("a file of that name needs ./", async () => {
    const machine = new Machine();
    const path = machine.write(join(machine.project, "latest"), claudeLine());
    assert.equal((await resolveSession("./latest", machine.where)).path, path);
    assert.equal((await failure("latest", machine.where)).code, "not_found");
  });
});

test("- is standard input", async () => {
  const ref = await resolveSession("-", new Machine().where);
  assert.deepEqual([ref.place, ref.path, ref.bytes], ["stdin", null, null]);
});
