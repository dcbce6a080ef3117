import assert from "node:assert/strict";
import { copyFileSync, mkdirSync, symlinkSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { readHead } from "../../src/sessions/file-ref.ts";
import { AGENTS } from "../../src/agents/registry.ts";
import { findSessions, type FoundSessions } from "../../src/sessions/find-sessions.ts";
import { filterByProject } from "../../src/sessions/project-filter.ts";
import { nodeSessionFiles, type SessionFiles } from "../../src/places/session-files.ts";
import { isSubagent, type Where } from "../../src/places/session-ref.ts";
import { runCli } from "../support/cli/run-cli.ts";
import { afterAll, describe, test } from "../support/runner.ts";
import { makeTempDir, removeTempDirs } from "../support/temp-dir.ts";
import {
  claudeLine,
  filesWith,
  Machine,
  minuteMs,
  sqliteWriter,
  systemError,
  writeFakeStore,
} from "./sessions-machine.ts";

afterAll(removeTempDirs);

const UUID = "0a1b2c3d-4e5f-4061-8071-2a3b4c5d6e7f";

const idsOf = ({ sessions }: FoundSessions): string[] => sessions.map(({ id }) => id);
const find = async (
  where: Where,
  { project, ...options }: { project?: string; files?: SessionFiles } = {},
): Promise<FoundSessions> => {
  const found = await findSessions(where, options);
  return project === undefined ? found : { ...found, sessions: await filterByProject(found.sessions, project, where) };
};

describe("places", () => {
  test("an empty home has none, and the places that were searched are named", async () => {
    const machine = new Machine();
    const { sessions, unreadable, roots } = await find(machine.where);
    assert.deepEqual([sessions, unreadable], [[], []]);
    assert.deepEqual(
      roots.slice(0, 4).map(({ agent, path, isThere }) => [agent, path, isThere]),
      [
        ["transcript", machine.transcripts, false],
        ["claude-code", machine.claude, false],
        ["claude-code", join(machine.home, ".config/claude/projects"), false],
        ["opencode", machine.database, false],
      ],
    );
    // Only where Kilo is used, it has a database.
    const others = AGENTS.flatMap(({ name }) => (name === "kilo" ? [] : [name]));
    assert.deepEqual(new Set(roots.map(({ agent }) => agent)), new Set(others));
    assert.ok(roots.every(({ isThere }) => !isThere));
  });

  test("XDG folders, and CLAUDE_CONFIG_DIR with several paths in place of the defaults", async () => {
    const machine = new Machine();
    const elsewhere = makeTempDir();
    machine.env = { XDG_CONFIG_HOME: join(elsewhere, "config"), XDG_DATA_HOME: join(elsewhere, "data") };
    machine.claudeFile("-p/default.jsonl");
    machine.write(join(elsewhere, "config/claude/projects/-p/xdg.jsonl"), "");
    await writeFakeStore(join(elsewhere, "data/opencode/opencode.db"), [{ id: "ses_x" }]);
    assert.deepEqual(idsOf(await find(machine.where)).toSorted(), ["default", "ses_x", "xdg"]);

    machine.write(join(elsewhere, "one/projects/-p/one.jsonl"), "");
    machine.write(join(machine.home, "two/projects/-p/two.jsonl"), "");
    machine.env = { CLAUDE_CONFIG_DIR: `${join(elsewhere, "one")}, ~/two ,,${join(elsewhere, "none")}` };
    assert.deepEqual(idsOf(await find(machine.where)).toSorted(), ["one", "two"]);
  });

  test("OPENCODE_DB is absolute, or below opencode's folder, or in memory", async () => {
    const machine = new Machine();
    const absolute = join(makeTempDir(), "own.db");
    await writeFakeStore(absolute, [{ id: "ses_absolute" }]);
    await writeFakeStore(join(machine.home, ".local/share/opencode/other.db"), [{ id: "ses_other" }]);
    await writeFakeStore(machine.database, [{ id: "ses_usual" }]);
    await writeFakeStore(join(machine.home, ".local/share/opencode/opencode-dev.db"), [{ id: "ses_dev" }]);
    assert.deepEqual(idsOf(await find(machine.where)), ["ses_dev", "ses_usual"]);
    machine.env = { OPENCODE_DB: absolute };
    assert.deepEqual(idsOf(await find(machine.where)), ["ses_absolute"]);
    machine.env = { OPENCODE_DB: "other.db" };
    assert.deepEqual(idsOf(await find(machine.where)), ["ses_other"]);
    machine.env = { OPENCODE_DB: ":memory:" };
    assert.deepEqual(idsOf(await find(machine.where)), []);
  });

  test("the nearest .openfleet upwards is the project's", async () => {
    const machine = new Machine();
    machine.transcript("ses_1.md", "ses_1");
    const cwd = join(machine.project, "src/deep");
    mkdirSync(cwd, { recursive: true });
    const { sessions } = await find({ ...machine.where, cwd });
    assert.deepEqual([sessions[0]?.id, sessions[0]?.project], ["ses_1", machine.project]);
  });

  test("the folder that the recorder's option names, from the project's configuration and from the user's", async () => {
    const machine = new Machine();
    machine.transcript("ses_1.md", "ses_1", { minute: 5 });
    mkdirSync(join(machine.project, ".git"));
    const cwd = join(machine.project, "src");
    mkdirSync(cwd);
    const config = `// mine\n{ "plugin": ["x", ["opencode-transcripts@1.2", { "directory": "../${basename(machine.home)}/kept" },],], }`;
    machine.write(join(machine.project, ".opencode/opencode.jsonc"), config);
    machine.write(
      join(machine.project, "opencode.json"),
      '{"plugin": [["not-opencode-transcripts", {"directory": "/no"}]]',
    );
    const own = { plugin: [["file:///x/opencode-transcripts/dist", { directory: join(machine.home, "all") }]] };
    machine.write(join(machine.home, ".config/opencode/opencode.json"), JSON.stringify(own));
    const newer = { package: "opencode-transcripts", options: { directory: join(machine.home, "of-2") } };
    machine.write(join(machine.home, ".config/opencode/opencode.jsonc"), JSON.stringify({ plugins: ["x", newer] }));
    const ofKilo = { plugin: [["opencode-transcripts", { directory: join(machine.home, "of-kilo") }]] };
    machine.write(join(machine.project, ".kilo/kilo.json"), JSON.stringify(ofKilo));
    machine.write(join(machine.home, "of-2/transcripts/ses_4.md"), "", 2);
    machine.write(join(machine.home, "of-kilo/transcripts/ses_5.md"), "", 1);
    machine.transcript("../../src/x.md", "ses_no");
    machine.write(join(machine.home, "kept/transcripts/ses_2.jsonl"), "", 4);
    machine.write(join(machine.home, "all/transcripts/ses_3.md"), "", 3);
    const { sessions, roots } = await find({ ...machine.where, cwd });
    assert.deepEqual(
      sessions.map(({ id }) => id),
      ["ses_1", "ses_2", "ses_3", "ses_4", "ses_5"],
    );
    assert.equal(roots.filter(({ agent }) => agent === "transcript").length, 5);
  });

  test("given roots are looked at in place of all others", async () => {
    const machine = new Machine();
    machine.claudeFile("-p/a.jsonl");
    const path = join(makeTempDir(), "projects");
    machine.write(join(path, "-q/b.jsonl"), "");
    assert.deepEqual(idsOf(await find({ ...machine.where, roots: [{ agent: "claude-code", path }] })), ["b"]);
  });
});

describe("Claude Code", () => {
  test("sessions newest first, with subagents of both layouts", async () => {
    const machine = new Machine();
    const path = machine.claudeFile(`-home-me-app/${UUID}.jsonl`, 1);
    machine.claudeFile(`-home-me-app/${UUID}/subagents/agent-a1.jsonl`, 4);
    machine.claudeFile(`-home-me-app/${UUID}/subagents/workflows/w/agent-a2.jsonl`, 3);
    // Not a session, but a list of the subagents of a workflow.
    machine.claudeFile(`-home-me-app/${UUID}/subagents/workflows/w/journal.jsonl`, 3);
    machine.claudeFile("-home-me-app/agent-old.jsonl", 2);
    machine.claudeFile("C--Users-me-app/later.jsonl", 5);
    machine.claudeFile(`-home-me-app/${UUID}/tool-results/x.txt`, 9);
    const found = await find(machine.where);
    assert.deepEqual(
      found.sessions.map(({ id, parentId, agentId }) => [id, parentId, agentId]),
      [
        ["later", null, null],
        ["agent-a1", UUID, "a1"],
        ["agent-a2", UUID, "a2"],
        ["agent-old", null, "old"],
        [UUID, null, null],
      ],
    );
    assert.deepEqual(found.sessions.at(-1), {
      id: UUID,
      place: "claude-code",
      agent: "claude-code",
      path,
      database: null,
      project: null,
      projectLabel: "-home-me-app",
      parentId: null,
      agentId: null,
      title: null,
      labelTitle: null,
      startedMs: null,
      lastMs: null,
      modifiedMs: minuteMs(1),
      bytes: claudeLine().length,
      alternatives: [],
      archived: null,
    });
  });

  test("5,000 sessions are found without one being opened", async () => {
    const machine = new Machine();
    for (let i = 0; i < 5000; i += 1) machine.claudeFile(`-p${i % 50}/${i}.jsonl`, i);
    const openRead = (): never => assert.fail("opened");
    const { sessions, unreadable } = await find(machine.where, { files: filesWith({ openRead }) });
    assert.deepEqual(
      sessions.map(({ id }) => Number(id)),
      Array.from({ length: 5000 }, (_, i) => 4999 - i),
    );
    assert.deepEqual(unreadable, []);
  });
});

describe("transcripts", () => {
  test("a session in both formats is one, children have their parent, other files are none", async () => {
    const machine = new Machine();
    const jsonl = machine.transcript("ses_1.jsonl", "ses_1", { minute: 2 });
    const markdown = machine.transcript("ses_1.md", "ses_1", { minute: 2 });
    machine.transcript("ses_1/ses_2.md", "ses_2", { minute: 1, parentID: "ses_1" });
    machine.write(join(machine.transcripts, "README.md"), "# Transcripts");
    machine.write(join(machine.transcripts, "notes.md"), "# Mine");
    machine.transcript("ses_1/attachments/abc.md", "ses_no");
    machine.write(join(machine.transcripts, "ses_1/outputs/call.txt"), "out");
    const { sessions } = await find(machine.where);
    assert.deepEqual(
      sessions.map(({ id, path, parentId, alternatives }) => [id, path, parentId, alternatives.map((a) => a.path)]),
      [
        ["ses_1", jsonl, null, [markdown]],
        ["ses_2", join(machine.transcripts, "ses_1/ses_2.md"), "ses_1", []],
      ],
    );
  });

  test("a session whose parent only opencode knows is a subagent", async () => {
    const machine = new Machine();
    machine.transcript("ses_2.md", "ses_2");
    await writeFakeStore(machine.database, [{ id: "ses_1" }, { id: "ses_2", parent: "ses_1" }]);
    const { sessions } = await find(machine.where);
    assert.deepEqual(
      sessions.filter(isSubagent).map(({ id }) => id),
      ["ses_2"],
    );
  });

  test("a session that opencode has too is listed once, as in its store, with the transcript as another form", async () => {
    const machine = new Machine();
    machine.transcript("ses_1.md", "ses_1", { minute: 1 });
    await writeFakeStore(machine.database, [
      { id: "ses_1", title: "Named", minute: 2 },
      { id: "ses_2", parent: "ses_1", directory: "/q", minute: 3 },
    ]);
    const { sessions, roots } = await find(machine.where);
    assert.deepEqual(
      sessions.map(({ id, place, title, project, parentId }) => [id, place, title, project, parentId]),
      [
        ["ses_2", "opencode", "T", "/q", "ses_1"],
        ["ses_1", "opencode", "Named", "/p", null],
      ],
    );
    assert.deepEqual(
      sessions[1]?.alternatives.map(({ place, path }) => [place, path]),
      [["transcript", join(machine.transcripts, "ses_1.md")]],
    );
    const counts = roots.map((root) => root.sessions);
    assert.deepEqual(counts, [1, 0, 0, 2, ...counts.slice(4).map(() => 0)]);
  });
});

describe("projects", () => {
  test("a folder takes what is inside it, also where Claude Code's names are ambiguous", async () => {
    const machine = new Machine();
    machine.claudeFile("-w-app/a.jsonl", 5, { cwd: "/w/app" });
    machine.claudeFile("-w-app-sub/b.jsonl", 4, { cwd: "/w/app/sub" });
    machine.claudeFile("-w-app-old/c.jsonl", 3, { cwd: "/w/app-old" });
    machine.claudeFile("-w-application/d.jsonl", 2, { cwd: "/w/application" });
    await writeFakeStore(machine.database, [
      { id: "ses_in", directory: "/w/app/x", minute: 1 },
      { id: "ses_out", directory: "/w/app-x" },
    ]);
    assert.deepEqual(idsOf(await find(machine.where, { project: "/w/app" })), ["a", "b", "ses_in"]);
    assert.deepEqual(idsOf(await find({ ...machine.where, cwd: "/w/app/sub" }, { project: ".." })), [
      "a",
      "b",
      "ses_in",
    ]);
    // A name is exactly the last part of a path.
    assert.deepEqual(idsOf(await find(machine.where, { project: "app-x" })), ["ses_out"]);
    assert.deepEqual(idsOf(await find(machine.where, { project: "app" })), ["a"]);
    assert.deepEqual(idsOf(await find(machine.where, { project: "app-old" })), ["c"]);
    // The working directory counts, not the name of the folder that the file is in.
    machine.claudeFile("-moved/e.jsonl", 0, { cwd: "/w/elsewhere" });
    for (const project of ["elsewhere", "/w/elsewhere"])
      assert.deepEqual(idsOf(await find(machine.where, { project })), ["e"]);
    for (const project of ["APP-x", "old", "w-app", "moved"])
      assert.deepEqual(idsOf(await find(machine.where, { project })), []);
    assert.deepEqual(idsOf(await find(machine.where, { project: "/nowhere" })), []);
    assert.equal((await find(machine.where, { project: "/" })).sessions.length, 7);
    // A path of another system, as of sessions copied from it, is not taken as relative to this folder.
    machine.claudeFile("C--w-app/f.jsonl", 0, { cwd: "C:\\w\\app" });
    assert.deepEqual(idsOf(await find({ ...machine.where, cwd: machine.home }, { project: "." })), []);
    assert.deepEqual(idsOf(await find(machine.where, { project: "C:\\w\\app" })), ["f"]);
  });
});

test("projects that share Claude Code's name for their folders are told apart by their working directories", async () => {
  const machine = new Machine();
  for (const [at, cwd] of ["/projects/외주/app", "/projects/개인/app", "/projects/외주/app/sub"].entries())
    machine.claudeFile(`-projects----app${at === 2 ? "-sub" : ""}/${at}.jsonl`, 9 - at, { cwd });
  assert.deepEqual(idsOf(await find(machine.where, { project: "/projects/외주/app" })), ["0", "2"]);
  assert.deepEqual(idsOf(await find(machine.where, { project: "/projects/개인" })), ["1"]);
  assert.deepEqual(idsOf(await find(machine.where, { project: "app" })), ["0", "1"]);
  // The store knows their working directories.
  const { home } = machine;
  for (const argv of [["list"], ["index"], ["list"], ["find", "hello"]]) {
    const { stdout } = await runCli(
      [...argv, ...(argv[0] === "index" ? [] : ["--project", "/projects/개인", "--json"])],
      { home },
    );
    const ids = stdout.split("\n").flatMap((line) => (line === "" ? [] : [JSON.parse(line).session_id]));
    assert.deepEqual(ids, argv[0] === "index" ? [] : ["1"], argv.join(" "));
  }
});

test("a project is found by any link to it, and by its real path if an agent noted a link", async () => {
  const machine = new Machine();
  const real = join(machine.home, "real/app");
  const link = join(machine.home, "link");
  mkdirSync(real, { recursive: true });
  symlinkSync(join(machine.home, "real"), link);
  machine.claudeFile("-real-app/a.jsonl", 3, { cwd: real });
  machine.claudeFile("-linked/b.jsonl", 2, { cwd: join(link, "app/gone") });
  await writeFakeStore(machine.database, [{ id: "ses_c", directory: join(link, "app"), minute: 1 }]);
  for (const project of [real, join(link, "app"), join(machine.home, "real")])
    assert.deepEqual(idsOf(await find(machine.where, { project })), ["a", "b", "ses_c"], project);
  assert.deepEqual(idsOf(await find(machine.where, { project: join(machine.home, "real/app-2") })), []);
});

test("a session in which nothing was said belongs to the folder that its notes name", async () => {
  const machine = new Machine();
  machine.claudeFile("-w-app-old/a.jsonl", 1, { type: "attachment", cwd: "/w/app-old" });
  const [ref] = (await find(machine.where)).sessions;
  assert.ok(ref);
  assert.equal((await readHead(ref)).projectLabel, "/w/app-old");
});

describe("what cannot be read", () => {
  test("names a database that is invalid, lacks tables or columns, or is a folder, with the reason", async () => {
    const machine = new Machine();
    const opencode = join(machine.home, ".local/share/opencode");
    machine.claudeFile("-p/a.jsonl");
    machine.write(join(opencode, "opencode.db"), "This is no database, only a text that is long enough for a header.");
    machine.write(join(opencode, "opencode-empty.db"), "");
    mkdirSync(join(opencode, "opencode-folder.db"));
    const odd = await sqliteWriter(join(opencode, "opencode-odd.db"));
    odd.exec("CREATE TABLE session (id text)");
    odd.close();
    const { sessions, unreadable } = await find(machine.where);
    assert.deepEqual(
      sessions.map(({ id }) => id),
      ["a"],
    );
    const reasons = Object.fromEntries(unreadable.map(({ path, reason }) => [basename(path), reason]));
    assert.deepEqual(Object.keys(reasons).toSorted(), [
      "opencode-empty.db",
      "opencode-folder.db",
      "opencode-odd.db",
      "opencode.db",
    ]);
    assert.match(reasons["opencode.db"] ?? "", /not a database/);
    assert.match(reasons["opencode-empty.db"] ?? "", /it has no table session/);
    assert.match(reasons["opencode-odd.db"] ?? "", /its table session lacks time_updated/);
  });

  test("sessions of opencode before 1.2 that no database has, by every command", async () => {
    const machine = new Machine();
    await writeFakeStore(machine.database, [{ id: "ses_migrated" }]);
    const storage = join(dirname(machine.database), "storage/session");
    for (const [project, id] of [
      ["p1", "ses_migrated"],
      ["p1", "ses_left"],
      ["p2", "ses_out"],
    ] as const)
      machine.write(join(storage, project, `${id}.json`), `{"id":"${id}"}`);
    const reason = "it has 2 sessions of opencode before 1.2, as JSON files, which are not read";
    assert.deepEqual((await find(machine.where)).unreadable, [{ path: storage, reason }]);
    for (const argv of [["list"], ["stats"], ["find", "x"], ["doctor"]]) {
      const { stdout, stderr } = await runCli(argv, { home: machine.home });
      assert.match(stdout + stderr, /2 sessions of opencode before 1\.2/, argv.join(" "));
    }
  });

  test("only a folder that may not be listed is lost", async () => {
    const machine = new Machine();
    machine.claudeFile("-closed/a.jsonl");
    machine.claudeFile("-open/b.jsonl");
    const files = filesWith({
      list: (path) => {
        if (path.endsWith("-closed")) throw systemError("EACCES");
        return nodeSessionFiles.list(path);
      },
    });
    const found = await find(machine.where, { files });
    assert.deepEqual(idsOf(found), ["b"]);
    assert.deepEqual(found.unreadable, [{ path: join(machine.claude, "-closed"), reason: "permission denied" }]);
  });

  test("names that are not UTF-8 are listed as unreadable", async () => {
    // Elsewhere the file system accepts no such name.
    if (process.platform !== "linux") return;
    const machine = new Machine();
    const path = machine.claudeFile("-p/a.jsonl");
    const folder = Buffer.from(join(machine.claude, "-p"));
    for (const name of ["/caf\xe9.jsonl", "/caf\xe9"]) {
      const bad = Buffer.concat([folder, Buffer.from(name, "latin1")]);
      if (name.endsWith("l")) copyFileSync(path, bad);
      else mkdirSync(bad);
    }
    const found = await find(machine.where);
    assert.deepEqual(idsOf(found), ["a"]);
    const reason = "its name is not valid UTF-8";
    const listed = found.unreadable.filter((each) => each.reason === reason);
    assert.deepEqual(
      listed
        .map((each) => each.path)
        .toSorted()
        .at(-1),
      join(machine.claude, "-p/caf\ufffd.jsonl"),
    );
  });

  test("a root that is a file", async () => {
    const machine = new Machine();
    machine.write(machine.claude, "");
    const { unreadable } = await find(machine.where);
    assert.deepEqual(unreadable, [{ path: machine.claude, reason: "it or a folder above it is a file, not a folder" }]);
  });

  test("a folder with the name of a session, and a link to nothing", async () => {
    const machine = new Machine();
    machine.claudeFile("-p/a.jsonl");
    mkdirSync(join(machine.claude, "-p/folder.jsonl"));
    symlinkSync(join(machine.claude, "none"), join(machine.claude, "-p/dangling.jsonl"));
    const found = await find(machine.where);
    assert.deepEqual(idsOf(found), ["a"]);
    assert.deepEqual(
      found.unreadable.map(({ path, reason }) => [basename(path), reason]),
      [
        ["folder.jsonl", "it is a folder, not a file"],
        ["dangling.jsonl", "it is a link to a missing file"],
      ],
    );
  });

  test("circles of links end, and each file is listed once, under its own name", async () => {
    const machine = new Machine();
    const path = machine.claudeFile("-b/a.jsonl");
    symlinkSync(join(machine.claude, "-b"), join(machine.claude, "-a"));
    symlinkSync(machine.claude, join(machine.claude, "-self"));
    symlinkSync(machine.claude, join(machine.claude, "-b/up"));
    symlinkSync(join(machine.claude, "-b/loop"), join(machine.claude, "-b/loop"));
    symlinkSync(path, join(machine.claude, "-b/again.jsonl"));
    mkdirSync(join(machine.home, ".config"));
    symlinkSync(join(machine.home, ".claude"), join(machine.home, ".config/claude"));
    const found = await find(machine.where);
    assert.deepEqual(
      found.sessions.map((ref) => ref.path),
      [path],
    );
    assert.deepEqual(found.unreadable, []);
  });

  test("links to a project and to a session elsewhere are followed", async () => {
    const machine = new Machine();
    const elsewhere = makeTempDir();
    machine.write(join(elsewhere, "project/a.jsonl"), "");
    machine.write(join(elsewhere, "b.txt"), "");
    machine.claudeFile("-p/c.jsonl");
    symlinkSync(join(elsewhere, "project"), join(machine.claude, "-linked"));
    symlinkSync(join(elsewhere, "b.txt"), join(machine.claude, "-p/b.jsonl"));
    assert.deepEqual(idsOf(await find(machine.where)).toSorted(), ["a", "b", "c"]);
  });

  test("a file that disappears meanwhile is left out", async () => {
    const machine = new Machine();
    machine.claudeFile("-p/a.jsonl");
    machine.claudeFile("-p/going.jsonl");
    const files = filesWith({
      stat: (path) => {
        if (path.endsWith("going.jsonl")) throw systemError("ENOENT");
        return nodeSessionFiles.stat(path);
      },
    });
    const found = await find(machine.where, { files });
    assert.deepEqual([idsOf(found), found.unreadable], [["a"], []]);
  });
});
