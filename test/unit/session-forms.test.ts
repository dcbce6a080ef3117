/** One session in several forms and places: in opencode's store, in copies of it, in our transcripts, in an export. */
import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { copyingOf } from "../../src/agents/registry.ts";
import { findSessions } from "../../src/sessions/find-sessions.ts";
import { resolveSession } from "../../src/sessions/resolve-session.ts";
import { type CliRun, runCli } from "../support/cli/run-cli.ts";
import { afterAll, describe, test } from "../support/runner.ts";
import { makeTempDir, removeTempDirs } from "../support/temp-dir.ts";
import { Machine, minuteMs, sqliteWriter, writeFakeStore, type StoredSession } from "./sessions-machine.ts";

afterAll(removeTempDirs);

function said(id: string, texts: readonly string[], minute = 0): StoredSession {
  const messages = texts.map((text, at) => ({
    id: `msg_${id}_${at}`,
    data: { role: at % 2 === 0 ? "user" : "assistant", time: { created: minuteMs(minute + at) } },
    parts: [{ id: `prt_${id}_${at}`, data: { type: "text", text } }],
  }));
  return { id, minute, messages };
}

/** Runs a command in a folder; its rows, if it prints JSON. */
async function run(machine: Machine, cwd: string, argv: readonly string[]): Promise<CliRun> {
  return runCli(argv, { home: machine.home, cwd, env: machine.env });
}

async function listed(machine: Machine, cwd: string): Promise<string[]> {
  const { stdout } = await run(machine, cwd, ["list", "--json"]);
  return stdout
    .split("\n")
    .flatMap((line) => (line === "" ? [] : [String(JSON.parse(line).session_id)]))
    .toSorted();
}

async function counted(machine: Machine, cwd: string): Promise<number> {
  return JSON.parse((await run(machine, cwd, ["stats", "--json"])).stdout).sessions;
}

async function searched(machine: Machine, cwd: string): Promise<string | undefined> {
  return /searched (\d+) session/.exec((await run(machine, cwd, ["find", "asked"])).stderr)?.[1];
}

describe("an agent whose sessions are files", () => {
  test("has a session for each copy of a file, and forks that keep the ids of answers", async () => {
    const machine = new Machine();
    for (const project of ["-p", "-q"]) machine.claudeFile(`${project}/same.jsonl`);
    const { sessions } = await findSessions(machine.where);
    assert.deepEqual(
      sessions.map(({ alternatives, ...ref }) => [alternatives, copyingOf(ref).forksChangeIds]),
      [
        [[], false],
        [[], false],
      ],
    );
    assert.equal(copyingOf({ agent: "an agent of a later version" }).forksChangeIds, true);
  });
});

describe("a session that is recorded and in opencode's own store", () => {
  /** A machine with both, and a transcript of a session that opencode has deleted. */
  async function recorded(): Promise<Machine> {
    const machine = new Machine();
    await writeFakeStore(machine.database, [
      said("ses_both", ["asked in both", "answered"], 1),
      said("ses_stored", ["asked in the store", "answered"], 2),
    ]);
    for (const format of ["md", "jsonl"]) machine.transcript(`ses_both.${format}`, "ses_both", { isSaid: true });
    machine.transcript("ses_deleted.md", "ses_deleted", { isSaid: true });
    return machine;
  }

  test("is one session, whatever was asked before and in whichever folder", async () => {
    for (const first of [["list"], ["stats"], ["index"], ["find", "asked"], ["stats", "ses_both"]]) {
      const machine = await recorded();
      const folders = [machine.project, machine.home, makeTempDir()];
      await run(machine, machine.project, first);
      for (const cwd of [...folders, ...folders]) {
        const ids = await listed(machine, cwd);
        assert.equal(ids.filter((id) => id === "ses_both").length, 1, first.join(" "));
        assert.equal(new Set(ids).size, ids.length, first.join(" "));
        assert.equal(await counted(machine, cwd), ids.length, first.join(" "));
        for (const argv of [
          ["show"],
          ["stats"],
          ["errors"],
          ["export", "--markdown", "-o", join(makeTempDir(), "x.md")],
        ])
          assert.notEqual((await run(machine, cwd, [...argv, "ses_both"])).exitCode, 2, argv.join(" "));
      }
      assert.equal((await listed(machine, machine.project)).length, 3);
    }
  });

  test("named by its file is not a second session afterwards", async () => {
    const machine = await recorded();
    for (const file of ["ses_both.md", "ses_both.jsonl"]) {
      for (const argv of [["stats"], ["show"], ["errors"]])
        assert.notEqual((await run(machine, machine.project, [...argv, join(machine.transcripts, file)])).exitCode, 2);
    }
    for (const cwd of [machine.home, machine.project])
      assert.equal((await listed(machine, cwd)).filter((id) => id === "ses_both").length, 1);
  });

  test("is read from opencode's store, else from our JSONL, else from our markdown", async () => {
    const machine = await recorded();
    const both = (await findSessions(machine.where)).sessions.find(({ id }) => id === "ses_both");
    assert.deepEqual(
      [both, ...(both?.alternatives ?? [])].map((form) => form?.database ?? form?.path),
      [machine.database, join(machine.transcripts, "ses_both.jsonl"), join(machine.transcripts, "ses_both.md")],
    );
    assert.match((await run(machine, machine.project, ["show", "ses_both"])).stdout, /asked in both/);
    // The store lists the session and cannot give it.
    const database = await sqliteWriter(machine.database);
    database.exec("ALTER TABLE part RENAME COLUMN message_id TO lost");
    database.close();
    assert.match((await run(machine, machine.project, ["show", "ses_both"])).stdout, /hello/);
  });

  test("is read in the next form by questions about many sessions, too", async () => {
    const machine = new Machine();
    machine.transcript("ses_two.md", "ses_two", { isSaid: true });
    machine.transcript("ses_two.jsonl", "ses_two", { isSaid: true });
    writeFileSync(join(machine.transcripts, "ses_two.jsonl"), Buffer.from("\ufeff# Transcript", "utf16le"));
    for (const argv of [["errors"], ["stats", "--until", "2999-01-01"], ["show", "latest"]]) {
      const { stdout, stderr } = await run(machine, machine.project, argv);
      assert.doesNotMatch(stdout + stderr, /not read|unreadable|UTF-16/, argv.join(" "));
      assert.match(stdout + stderr, /no call failed|read 1 session|hello/, argv.join(" "));
    }
  });
});

describe("copies of opencode's database", () => {
  test("the copy in which a session went on answers, whatever its name", async () => {
    for (const [stale, fresh] of [
      ["opencode.db", "opencode-stable.db"],
      ["opencode-stable.db", "opencode.db"],
    ] as const) {
      const machine = new Machine();
      const folder = dirname(machine.database);
      await writeFakeStore(join(folder, fresh), [said("ses_1", ["asked", "answered", "asked again", "answered"], 5)]);
      await writeFakeStore(join(folder, stale), [said("ses_1", ["asked", "answered"], 1), said("ses_2", ["asked"], 1)]);
      assert.match((await run(machine, machine.home, ["show", "ses_1"])).stdout, /asked again/);
      assert.deepEqual(await listed(machine, machine.home), ["ses_1", "ses_2"]);
      const stats = JSON.parse((await run(machine, machine.home, ["stats", "--json"])).stdout);
      assert.deepEqual([stats.sessions, stats.prompts], [2, 3]);
    }
  });

  test("the copy that was only renamed since does not hide what was said in the other", async () => {
    const machine = new Machine();
    await writeFakeStore(machine.database, [said("ses_1", ["asked", "answered", "asked again", "answered"])]);
    const copy = join(dirname(machine.database), "opencode-stable.db");
    await writeFakeStore(copy, [said("ses_1", ["asked", "answered"], -1)]);
    const database = await sqliteWriter(copy);
    database.exec(`UPDATE session SET title = 'A new name', time_updated = ${minuteMs(60)}`);
    database.close();
    assert.match((await run(machine, machine.home, ["show", "ses_1"])).stdout, /asked again/);
  });
});

describe("the ids that list and stats print", () => {
  test("open these sessions, however many share their beginning", async () => {
    const machine = new Machine();
    const projects = [machine.project, makeTempDir()];
    const sessions = ["ses_5540aaaa1", "ses_5540aaaa2", "ses_5540bbbb", "ses_5540bbbbcc", "ses_99"].map((id, at) => ({
      ...said(id, ["asked", "answered"], at),
      directory: projects[at % 2] ?? "",
    }));
    const child = { ...said("ses_5540bbbbcd", ["asked"], 9), parent: "ses_99" };
    await writeFakeStore(machine.database, [...sessions, child]);
    const uuid = "5540aaaa-0000-4000-8000-000000000001";
    machine.claudeFile(`-p/${uuid}.jsonl`);
    machine.claudeFile(`-p/${uuid}/subagents/agent-5540aaaa.jsonl`);
    const { project: cwd, home } = machine;
    for (const argv of [["list"], ["list", "--project", cwd], ["list", "--subagents"], ["stats", "--by", "session"]]) {
      const { stdout, stderr } = await runCli(argv, { home, cwd, terminal: 200 });
      const ids = [...stripVTControlCharacters(stdout).matchAll(/(?:^| )((?:ses_|agent-|5540aaaa)[\w-]*)/gm)].map(
        ([, id = ""]) => id,
      );
      assert.ok(ids.length >= 2, `${argv.join(" ")}: ${stdout}${stderr}`);
      const opened = await Promise.all(ids.map(async (id) => (await resolveSession(id, machine.where)).id));
      assert.equal(new Set(opened).size, ids.length, `${argv.join(" ")}: ${ids.join(" ")}`);
      for (const [at, id] of ids.entries()) assert.ok(opened[at]?.startsWith(id), `${id} opens ${opened[at]}`);
    }
  });
});

describe("profiles of Claude Code", () => {
  test("have their own sessions, whatever was asked in the other one before", async () => {
    const machine = new Machine();
    for (const profile of ["work", "home"]) {
      const path = join(machine.home, `.claude-${profile}/projects/-p/${profile}.jsonl`);
      mkdirSync(dirname(path), { recursive: true });
      const message = { role: "user", content: `asked at ${profile}` };
      writeFileSync(
        path,
        `${JSON.stringify({ type: "user", uuid: profile, message, sessionId: profile, cwd: "/p" })}\n`,
      );
    }
    for (const before of [["list"], ["stats"], ["index"], ["find", "asked"], ["list"]]) {
      for (const profile of ["work", "home"]) {
        machine.env = { CLAUDE_CONFIG_DIR: join(machine.home, `.claude-${profile}`) };
        await run(machine, machine.home, before);
        assert.deepEqual(await listed(machine, machine.home), [profile]);
        assert.equal(await counted(machine, machine.home), 1);
        assert.equal(await searched(machine, machine.home), "1");
      }
    }
  });
});
