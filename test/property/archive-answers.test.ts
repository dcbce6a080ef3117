/** Sessions whose files are gone: every question has the answer that it had before, from the store. */
import assert from "node:assert/strict";
import { appendFileSync, copyFileSync, cpSync, mkdirSync, readFileSync, rmSync, utimesSync } from "node:fs";
import { dirname, join } from "node:path";
import { withoutOrigin } from "../support/cli/without-origin.ts";
import { sampleSession, says } from "../support/cli/claude-lines.ts";
import {
  ALL,
  type Answer,
  COPIES,
  EACH,
  Machine,
  MAIN,
  questionsAbout,
  sampleMachine,
  SUBAGENT,
} from "../support/cli/sample-machine.ts";
import { addStored2, TABLES_2 } from "../support/parse/opencode-2-session.ts";
import { placeOfSession, SESSION_KINDS, testSessions } from "../support/parse/session-files.ts";
import { afterAll, describe, isLong, test } from "../support/runner.ts";
import type { ToolAnswer } from "../../src/tools/tool.ts";
import { machineAt } from "../support/tools/tool-calls.ts";
import { removeTempDirs } from "../support/temp-dir.ts";
import { openFakeStore, sqliteWriter, type StoredSession, writeFakeStore } from "../unit/sessions-machine.ts";

afterAll(removeTempDirs);

/** The answers to questions before and after the files went away. */
async function checkQuestions(machine: Machine, questions: readonly (readonly string[])[]): Promise<void> {
  const before: Answer[] = [];
  for (const question of questions) before.push(await machine.run(...question));
  machine.lose();
  for (const [at, question] of questions.entries()) {
    const [was, is] = [before[at], await machine.run(...question)];
    const said = `${question.join(" ")}: ${is.stderr}`;
    assert.equal(withoutOrigin(is.stdout), withoutOrigin(was?.stdout ?? ""), said);
    assert.equal(is.exitCode, was?.exitCode, said);
    if (was?.stdout !== "") assert.match(is.stderr, /from the store/, said);
  }
}

/** Returns the answer of a tool, without its origin. */
function plain({ text }: ToolAnswer): string {
  return text.replaceAll(/^From the store, since .*\n| {2}\(from the store[^)]*\)|, from the store/gm, "");
}

describe("sessions whose files are gone", () => {
  test("get the same answers as before", async () => {
    const machine = await sampleMachine();
    await machine.index();
    const rows = await machine.rows("list", "--subagents", "--empty");
    const ids = rows.map(({ session_id: id }) => String(id));
    assert.deepEqual(ids.toSorted(), [MAIN, COPIES, SUBAGENT, "ses_jsonl", "ses_markdown", "ses_opencode"].toSorted());
    // Latest is the same session, and the beginning of an id finds it.
    await checkQuestions(machine, [...ALL, ...questionsAbout(ids), ["show", "latest"], ["show", "0a1b2c3d"]]);
  });

  test("are read by tools as before", async () => {
    const machine = await sampleMachine();
    await machine.index();
    const tools = machineAt(machine.home, machine.env);
    const questions: [string, Record<string, unknown>][] = [
      ["list_sessions", {}],
      ["list_errors", { fixes: true }],
      ["find_in_transcripts", { query: "price" }],
      ...[MAIN, COPIES, SUBAGENT, "ses_markdown", "ses_opencode"].flatMap(
        (session): [string, Record<string, unknown>][] => [
          ["read_session", { session, with_tools: true, with_thinking: true, max_chars: 80_000 }],
          ["read_session", { session, last: 1 }],
          ["list_errors", { session, fixes: true }],
        ],
      ),
      ["read_session", { session: MAIN, line: 4, with_tools: true }],
    ];
    try {
      const before = new Map<string, unknown>();
      for (const [tool, args] of questions)
        before.set(JSON.stringify([tool, args]), plain(await tools.call(tool, args)));
      machine.lose();
      for (const [tool, args] of questions) {
        const name = JSON.stringify([tool, args]);
        const answer = await tools.call(tool, args);
        assert.ok(answer.isError !== true, `${name}: ${answer.text}`);
        assert.equal(plain(answer), before.get(name), name);
        if (!answer.text.startsWith("No failed")) assert.match(answer.text, /from the store/i, name);
      }
    } finally {
      await tools.close();
    }
  });

  test("are exported without damaged places, of which only the number is kept", async () => {
    const machine = await sampleMachine();
    await machine.index();
    const page = async (id: string): Promise<string> => (await machine.run("export", id, "--html", "-o", "-")).stdout;
    const ids = [MAIN, COPIES, "ses_markdown", "ses_opencode"];
    const others = ids.flatMap((id) => [
      ["export", id, "--markdown"],
      ["export", id, "--json"],
    ]);
    const before = await Promise.all(ids.map(page));
    await checkQuestions(machine, others);
    for (const [at, id] of ids.entries()) {
      const damage = /<details class="closed"><summary><span class="name">\d+ damaged places?<.*?<\/details>/;
      const [is, was] = [await page(id), before[at]?.replace(damage, "") ?? ""];
      const differs = [...is].findIndex((character, place) => character !== was[place]);
      const [seen, expected] = [is, was].map((text) => text.slice(Math.max(differs - 80, 0), differs + 200));
      assert.ok(is === was, `${id}: ${seen}\n${expected}`);
    }
    const { stderr } = await machine.run("show", MAIN);
    assert.match(stderr, /from the store, since .* no longer has it; without its 2 damaged places/);
  });

  test("have the entries of their conversation", async () => {
    const machine = await sampleMachine();
    await machine.index();
    const ids = [MAIN, SUBAGENT, "ses_markdown", "ses_jsonl", "ses_opencode"];
    // A line of opencode may have several messages, of which the first one's facts were its own.
    const facts = ["uuid", "role", "model", "user_kind", "timestamp"];
    const kept = (id: string, rows: Record<string, unknown>[]): unknown =>
      rows.flatMap((row) => {
        const names = ["line_number", "byte_offset", ...(id === "ses_opencode" ? [] : facts)];
        const blocks = Array.isArray(row["blocks"]) ? row["blocks"] : [];
        return blocks.map((block: unknown) => [...names.map((name) => row[name]), block]);
      });
    const entries = async (id: string): Promise<Record<string, unknown>[]> => {
      const { stdout } = await machine.run("entries", id);
      const rows = stdout
        .split("\n")
        .flatMap((line): Record<string, unknown>[] => (line === "" ? [] : JSON.parse(line)));
      return rows.filter(
        (row) => row["outcome"] === "used" && Array.isArray(row["blocks"]) && row["blocks"].length > 0,
      );
    };
    const before = await Promise.all(ids.map(entries));
    machine.lose();
    for (const [at, id] of ids.entries()) {
      const rows = await entries(id);
      assert.deepEqual(kept(id, rows), kept(id, before[at] ?? []), id);
      for (const { blocks } of rows) assert.equal(Array.isArray(blocks) && blocks.length, 1);
    }
    const { stderr } = await machine.run("entries", MAIN);
    assert.match(stderr, /has only the blocks of its conversation/);
  });

  test("find prints a command that opens them", async () => {
    const machine = await sampleMachine();
    await machine.index();
    machine.lose();
    for (const term of ["price.mjs", "entry 3 of ses_markdown", "question to opencode", "It is there"]) {
      const rows = await machine.rows("find", "--exact", term);
      assert.ok(rows.length > 0, term);
      for (const { open } of rows) {
        const [program, ...args] = String(open).split(" ");
        assert.equal(program, "transcripts", String(open));
        const shown = await machine.run(...args);
        assert.equal(shown.exitCode, 0, shown.stderr);
        assert.ok(shown.stdout.includes(term), shown.stdout);
      }
    }
  });

  test("are refused with --no-redact, and left out of lists that read files", async () => {
    const machine = await sampleMachine();
    await machine.index();
    machine.lose();
    for (const [command = "", ...options] of [["show"], ["errors"], ["export", "--html", "-o", "-"], ["entries"]]) {
      const { exitCode, stdout, stderr } = await machine.run(command, MAIN, ...options, "--no-redact");
      assert.deepEqual([exitCode, stdout], [2, ""], command);
      assert.match(stderr, /only in the store, where it is redacted\. Leave --no-redact out/, command);
    }
    const { exitCode, stderr } = await machine.run("errors", "--no-redact");
    assert.equal(exitCode, 1);
    assert.match(stderr, /left out: \d+ sessions that are only in the store/);
  });

  test("can be named and forgotten by their former path", async () => {
    const machine = await sampleMachine();
    await machine.index();
    machine.lose();
    const path = join(machine.home, `.claude/projects/-work-shop/${MAIN}.jsonl`);
    const byId = await machine.run("show", MAIN);
    assert.deepEqual(await machine.run("show", path), byId);
    assert.equal((await machine.run("forget", path, "--yes")).exitCode, 0);
    assert.equal((await machine.run("show", MAIN)).exitCode, 2);
  });

  test("give snippets with their citation", async () => {
    const machine = await sampleMachine();
    await machine.index();
    machine.lose();
    const part = ["--lines", "2-6", "--type", "error_reasoning", "--title", "Prices"];
    const { exitCode, stderr } = await machine.run("snippets", "extract", MAIN, ...part);
    assert.equal(exitCode, 0, stderr);
    const { stdout } = await machine.run("snippets", "query", "--json");
    const { snippets } = JSON.parse(stdout);
    assert.match(snippets[0].content, /^\[4\] {3}! File does not exist\.$/m);
    assert.equal(snippets[0].metadata.citation.entries.length, 5);
  });
});

/** Three kinds of forks: a copy of a file, of rows with new ids, and of rows that name the session they are from. */
const FORKS: Readonly<
  Record<
    string,
    { parent: string; fork: string; make: (machine: Machine) => Promise<void>; lose: Change; goOn: Change }
  >
> = {
  "Claude Code": {
    parent: MAIN,
    fork: COPIES,
    make: async (machine) => {
      const said = sampleSession();
      machine.write(claudeFile(MAIN), said);
      machine.write(claudeFile(COPIES), said.replaceAll(MAIN, COPIES) + says("The fork goes its own way.", 70));
    },
    lose: async ({ home }) => rmSync(join(home, claudeFile(MAIN))),
    goOn: async ({ home }) => {
      appendFileSync(join(home, claudeFile(COPIES)), THE_END);
      utimesSync(join(home, claudeFile(COPIES)), 1_770_000_000, 1_770_000_000);
    },
  },
  "opencode 1.x": {
    parent: "ses_first",
    fork: "ses_fork",
    make: async (machine) => {
      const own = answer1("msg_5", 3, "The fork goes its own way.");
      await writeFakeStore(databaseOf(machine), [
        { id: "ses_first", messages: [answer1("msg_1", 1, "It was priced."), answer1("msg_2", 2, "Only the first.")] },
        { id: "ses_fork", messages: [answer1("msg_4", 1, "It was priced."), own] },
      ]);
    },
    lose: changing((id) => [
      `DELETE FROM part WHERE session_id = '${id}'`,
      `DELETE FROM message WHERE session_id = '${id}'`,
      `DELETE FROM session WHERE id = '${id}'`,
    ]),
    goOn: changing((_, id) => [
      `INSERT INTO message SELECT 'msg_6', session_id, 9, time_updated + 60000, data FROM message WHERE id = 'msg_5'`,
      `INSERT INTO part SELECT 'prt_6', 'msg_6', session_id, 0, 0, replace(data, 'its own way', 'on') FROM part
        WHERE message_id = 'msg_5'`,
      `UPDATE session SET time_updated = time_updated + 60000 WHERE id = '${id}'`,
    ]),
  },
  "opencode 2.x": {
    parent: "ses_first",
    fork: "ses_fork",
    make: async (machine) => {
      const database = await openFakeStore(databaseOf(machine), []);
      for (const statement of TABLES_2) database.exec(statement);
      addStored2(database, { id: "ses_first" });
      addStored2(database, { id: "ses_fork" });
      database.exec("UPDATE session_v2 SET fork_session_id = 'ses_first' WHERE id = 'ses_fork'");
      database.close();
    },
    lose: changing((id) => [
      `DELETE FROM session_message WHERE session_id = '${id}'`,
      `DELETE FROM session_v2 WHERE id = '${id}'`,
    ]),
    goOn: changing((_, id) => [
      `INSERT INTO session_message SELECT 'msg_99', session_id, type, 990, time_created, time_updated + 60000,
        '{"time":{"created":1790000099000},"text":"The fork goes on."}' FROM session_message
        WHERE session_id = '${id}' AND type = 'user'`,
      `UPDATE session_v2 SET time_updated = time_updated + 60000 WHERE id = '${id}'`,
    ]),
  },
};

type Change = (machine: Machine, parent: string, fork: string) => Promise<void>;

const THE_END = says("The fork goes on.", 80);
const claudeFile = (id: string): string => `.claude/projects/-work-shop/${id}.jsonl`;
const databaseOf = ({ home }: Machine): string => join(home, "data/opencode/opencode.db");

function changing(statements: (parent: string, fork: string) => string[]): Change {
  return async (machine, parent, fork) => {
    const database = await sqliteWriter(databaseOf(machine));
    for (const statement of statements(parent, fork)) database.exec(statement);
    database.close();
  };
}

function answer1(id: string, second: number, text: string): NonNullable<StoredSession["messages"]>[number] {
  const time = { created: 1_750_000_000_000 + second * 1_000, completed: 1_750_000_000_500 + second * 1_000 };
  const tokens = { input: 100 * second, output: second, reasoning: 0, cache: { read: 0, write: 0 } };
  const data = { role: "assistant", time, modelID: "m", providerID: "p", cost: 0.25, tokens };
  return { id, data, parts: [{ id: `prt_${id}`, data: { type: "text", text } }] };
}

describe("a fork whose parent only the store has", () => {
  for (const [agent, { parent, fork, make, lose, goOn }] of Object.entries(FORKS)) {
    test(`gets the same answers as before, also after it continued: ${agent}`, async () => {
      const questions = [...questionsAbout([fork]), ["find", "price", "--json"], ...ALL];
      const tools: [string, Record<string, unknown>][] = [
        ["read_session", { session: fork, with_tools: true, with_thinking: true, max_chars: 80_000 }],
        ["list_errors", { session: fork, fixes: true }],
      ];
      const asked = async (machine: Machine): Promise<Map<string, string>> => {
        const answers = new Map<string, string>();
        for (const question of questions) {
          const { stdout } = await machine.run(...question);
          answers.set(question.join(" "), withoutOrigin(stdout).replaceAll(machine.home, ""));
        }
        const calls = machineAt(machine.home, machine.env);
        for (const [name, args] of tools)
          answers.set(name, plain(await calls.call(name, args)).replaceAll(machine.home, ""));
        await calls.close();
        return answers;
      };
      const check = async (): Promise<void> => {
        const expected = await asked(whole);
        for (const [question, answer] of await asked(orphaned)) assert.equal(answer, expected.get(question), question);
      };
      const [whole, orphaned] = [new Machine(), new Machine()];
      await make(whole);
      cpSync(whole.home, orphaned.home, { recursive: true, preserveTimestamps: true });
      for (const machine of [whole, orphaned]) await machine.index();
      await lose(orphaned, parent, fork);
      assert.match((await orphaned.run("show", parent)).stderr, /from the store/);
      await check();
      for (const machine of [whole, orphaned]) {
        await goOn(machine, parent, fork);
        await machine.index();
      }
      assert.match((await orphaned.run("show", fork)).stdout, /The fork goes on/);
      await check();
    });
  }
});

describe("a file that was deleted", () => {
  test("changes nothing in the store when it comes back, whole or shorter", async () => {
    const machine = await sampleMachine();
    const path = join(machine.home, `.claude/projects/-work-shop/${MAIN}.jsonl`);
    const copy = join(machine.home, "copy.jsonl");
    copyFileSync(path, copy);
    await machine.index();
    const show = ["show", MAIN, "--json", "--with-tools", "--with-thinking"];
    const before = (await machine.run(...show)).stdout;
    rmSync(path);
    assert.equal((await machine.run(...show)).stdout, before);
    await machine.index();
    copyFileSync(copy, path);
    await machine.index();
    rmSync(path);
    await machine.index();
    assert.equal((await machine.run(...show)).stdout, before);
    // Only the beginning comes back: the rest stays, as what the source no longer has.
    machine.write(
      `.claude/projects/-work-shop/${MAIN}.jsonl`,
      sampleSession().split("\n").slice(0, 2).join("\n") + "\n",
    );
    await machine.index();
    const [found] = await machine.rows("find", "the sum is 3");
    assert.equal(found?.["superseded"], true);
    const [, ...args] = String(found?.["open"]).split(" ");
    const dropped = await machine.run(...args);
    assert.match(
      dropped.stdout,
      /^Assistant {2}10:00:12 {2}.*superseded\n>?\[\d+\] Done: the sum is 3\.$/m,
      dropped.stderr,
    );
    rmSync(path);
    assert.equal((await machine.run(...args)).stdout.includes("Done: the sum is 3."), true);
    assert.equal((await machine.run("show", MAIN)).stdout.includes("Done: the sum is 3."), false);
    copyFileSync(copy, path);
    await machine.index();
    rmSync(path);
    assert.equal((await machine.run(...show)).stdout, before);
    const { exitCode } = await machine.run("forget", MAIN, "--yes");
    assert.equal(exitCode, 0);
    assert.equal((await machine.run(...show)).exitCode, 2);
  });
});

describe("session files", () => {
  testSessions("get the same answers from the store", SESSION_KINDS, async (files) => {
    const machine = new Machine();
    const exports: string[] = [];
    for (const { name, path } of files) {
      const isExport = name.startsWith("opencode-export");
      // As a person names it: an export is known by its file's name.
      const named = (): string => JSON.parse(readFileSync(path, "utf8")).info.id;
      const to = join(machine.home, isExport ? `exports/${named()}.json` : placeOfSession(name));
      if (isExport) exports.push(to);
      mkdirSync(dirname(to), { recursive: true });
      cpSync(path, to);
    }
    await machine.index();
    // An export is nowhere among the sessions: it is indexed by its path.
    for (const exported of exports) assert.equal((await machine.run("index", exported)).exitCode, 0, exported);
    const rows = await machine.rows("list", "--subagents", "--empty");
    const listed = rows.map(({ path }) => String(path)).filter((path) => exports.includes(path));
    assert.deepEqual(listed.toSorted(), exports.toSorted());
    const ids = rows.map(({ session_id: id }) => String(id));
    const some = EACH.slice(0, isLong ? EACH.length : 1);
    const each = ids.flatMap((id) => [
      ...some.map(([command = "", ...options]) => [...command.split(" "), id, ...options]),
      ["errors", id, "--json", "--fixes"],
    ]);
    await checkQuestions(machine, [...ALL, ...each]);
  });
});
