/** Sessions whose files are gone: every question has the answer that it had before, from the store. */
import assert from "node:assert/strict";
import { copyFileSync, cpSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { withoutOrigin } from "../support/cli/without-origin.ts";
import { sampleSession } from "../support/cli/claude-lines.ts";
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
import { CORPUS, corpusFiles, placeOfCorpusFile } from "../support/parse/corpus.ts";
import { afterAll, describe, isLong, test } from "../support/runner.ts";
import { sharedPostgresBackend } from "../support/store/postgres-suite.ts";
import { machineAt } from "../support/tools/tool-calls.ts";
import { removeTempDirs } from "../support/temp-dir.ts";
import { sqliteWriter } from "../unit/sessions-machine.ts";

afterAll(removeTempDirs);
const postgres = sharedPostgresBackend();

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

describe("sessions whose files are gone", () => {
  for (const name of ["sqlite", "postgres"] as const) {
    test(`have the answers that they had, from ${name}`, async () => {
      const place = name === "postgres" ? await postgres.newPlace() : undefined;
      const url = place?.env["TRANSCRIPTS_DATABASE_URL"];
      const machine = await sampleMachine(url === undefined ? {} : { TRANSCRIPTS_DATABASE_URL: url });
      await machine.index();
      const rows = await machine.rows("list", "--subagents", "--empty");
      const ids = rows.map(({ session_id: id }) => String(id));
      assert.deepEqual(
        ids.toSorted(),
        [MAIN, COPIES, SUBAGENT, "ses_jsonl", "ses_markdown", "ses_opencode"].toSorted(),
      );
      // Latest is the same session, and the beginning of an id finds it.
      await checkQuestions(machine, [...ALL, ...questionsAbout(ids), ["show", "latest"], ["show", "0a1b2c3d"]]);
    }, 240_000);
  }

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
          ["read_session", { session, with_tools: true, with_thinking: true, max_tokens: 20_000 }],
          ["read_session", { session, turns: "-1" }],
          ["list_errors", { session, fixes: true }],
        ],
      ),
      ["read_session", { session: MAIN, around_line: 4, with_tools: true }],
    ];
    const plain = (data: unknown): unknown =>
      JSON.parse(withoutOrigin(JSON.stringify(data).replaceAll(/"(?:next_cursor|rest_cursor)":"[^"]*"/g, '"c":1')));
    try {
      const before = new Map<string, unknown>();
      for (const [tool, args] of questions)
        before.set(JSON.stringify([tool, args]), plain((await tools.call(tool, args)).data));
      machine.lose();
      for (const [tool, args] of questions) {
        const name = JSON.stringify([tool, args]);
        const { text, data, isError } = await tools.call(tool, args);
        assert.ok(isError !== true, `${name}: ${text}`);
        assert.deepEqual(plain(data), before.get(name), name);
        if (tool !== "find_in_transcripts" && !text.startsWith("No failed"))
          assert.match(text, /from the store/i, name);
      }
    } finally {
      await tools.close();
    }
  }, 120_000);

  test("are exported, but for the damaged places, of which only the number is kept", async () => {
    const machine = await sampleMachine();
    await machine.index();
    const page = async (id: string): Promise<string> => (await machine.run("export", id, "-o", "-")).stdout;
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
    assert.match(stderr, /from the store, since .* no longer has it; 2 damaged places of it were not kept/);
  }, 120_000);

  test("have the entries of their conversation", async () => {
    const machine = await sampleMachine();
    await machine.index();
    const ids = [MAIN, SUBAGENT, "ses_markdown", "ses_jsonl", "ses_opencode"];
    const names = ["line_number", "byte_offset", "blocks", "uuid", "role", "model", "user_kind", "timestamp"];
    const kept = (row: Record<string, unknown>): unknown => names.map((name) => row[name]);
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
      assert.deepEqual((await entries(id)).map(kept), before[at]?.map(kept), id);
    }
    const { stderr } = await machine.run("entries", MAIN);
    assert.match(stderr, /only lines with a part of the conversation were kept/);
  }, 120_000);

  test("are found, and the command that find prints opens them", async () => {
    const machine = await sampleMachine();
    await machine.index();
    machine.lose();
    for (const term of ["price.mjs", "entry 3 of ses_markdown", "question to opencode", "It is there"]) {
      const rows = await machine.rows("find", term);
      assert.ok(rows.length > 0, term);
      for (const { open } of rows) {
        const [program, ...args] = String(open).split(" ");
        assert.equal(program, "transcripts", String(open));
        const shown = await machine.run(...args);
        assert.equal(shown.exitCode, 0, shown.stderr);
        assert.ok(shown.stdout.includes(term), shown.stdout);
      }
    }
  }, 120_000);

  test("are refused where secrets are wanted, and left out of lists", async () => {
    const machine = await sampleMachine();
    await machine.index();
    machine.lose();
    for (const [command = "", ...options] of [["show"], ["timeline"], ["errors"], ["export", "-o", "-"], ["entries"]]) {
      const { exitCode, stdout, stderr } = await machine.run(command, MAIN, ...options, "--no-redact");
      assert.deepEqual([exitCode, stdout], [2, ""], command);
      assert.match(stderr, /only in the store, which does not have its secrets\. Leave --no-redact out/, command);
    }
    const { exitCode, stderr } = await machine.run("list", "--no-redact");
    assert.equal(exitCode, 1);
    assert.match(stderr, /left out: 5 sessions that only the store has/);
  }, 120_000);

  test("are found by the path that they had, and forgotten by it", async () => {
    const machine = await sampleMachine();
    await machine.index();
    machine.lose();
    const path = join(machine.home, `.claude/projects/-work-shop/${MAIN}.jsonl`);
    const byId = await machine.run("show", MAIN);
    assert.deepEqual(await machine.run("show", path), byId);
    assert.equal((await machine.run("forget", path, "--yes")).exitCode, 0);
    assert.equal((await machine.run("show", MAIN)).exitCode, 2);
  }, 120_000);

  test("say so if an earlier version kept only their searchable text", async () => {
    const machine = await sampleMachine();
    await machine.index();
    machine.lose();
    const database = await sqliteWriter(join(machine.home, "data/opencode-transcripts/transcripts.db"));
    database.exec("UPDATE events SET kept = 'text', content = 'Read\u001e/work/shop' WHERE block_type = 'tool_use'");
    database.close();
    const { exitCode, stdout, stderr } = await machine.run("show", MAIN, "--json", "--with-tools");
    assert.equal(exitCode, 0, stderr);
    assert.match(stdout, /"tool_input":"Read\\n\/work\/shop"/);
    assert.match(stderr, /an earlier version stored it, and kept only the searchable text of its entries/);
  }, 120_000);

  test("of another machine are listed with its name, and are not the latest here", async () => {
    const place = await postgres.newPlace();
    const url = place.env["TRANSCRIPTS_DATABASE_URL"] ?? "";
    const machine = await sampleMachine({ TRANSCRIPTS_DATABASE_URL: url });
    await machine.index();
    const show = ["show", MAIN, "--json", "--with-tools"];
    const before = (await machine.run(...show)).stdout;
    await postgres.sql(place, "UPDATE sessions SET machine_id = 'another', host = 'their-host'");
    machine.lose();
    assert.equal((await machine.run(...show)).stdout, before);
    const rows = await machine.rows("list");
    assert.deepEqual(
      new Set(rows.map(({ host, path, resume }) => JSON.stringify([host, path, resume]))),
      new Set(['["their-host",null,null]']),
    );
    assert.match((await machine.run("show", MAIN)).stderr, /from the store, since it was recorded on their-host/);
    assert.match((await machine.run("list")).stdout, /\(from the store, their-host\)/);
    assert.match((await machine.run("show", "latest")).stderr, /No sessions on this machine/);
    const [found] = await machine.rows("find", "price.mjs");
    assert.deepEqual([found?.["host"], found?.["path"]], ["their-host", null]);
    const [, ...args] = String(found?.["open"]).split(" ");
    assert.match((await machine.run(...args)).stdout, /price\.mjs/);
  }, 120_000);

  test("give snippets with their citation", async () => {
    const machine = await sampleMachine();
    await machine.index();
    machine.lose();
    const part = ["--lines", "2-6", "--type", "error_reasoning", "--title", "Prices"];
    const { exitCode, stderr } = await machine.run("snippets", "extract", MAIN, ...part);
    assert.equal(exitCode, 0, stderr);
    const { stdout } = await machine.run("snippets", "query", "--json");
    const { snippets } = JSON.parse(stdout);
    assert.match(snippets[0].content, /lines 2 to 6, .*\n! Read failed \(line 4\): File does not exist\./s);
    assert.equal(snippets[0].metadata.citation.event_ids.length, 5);
    assert.equal(snippets[0].metadata.citation.entries.length, 5);
  }, 120_000);
});

describe("a file that went away", () => {
  test("changes nothing that was kept when it comes back, whole or shorter", async () => {
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
    assert.match(dropped.stdout, /^Assistant {2}10:00:12 {2}.*superseded\nDone: the sum is 3\.$/m, dropped.stderr);
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
  }, 120_000);
});

describe("real sessions", () => {
  const files = corpusFiles("claude-code", "claude-stream-json", "opencode-export");
  const missing = files.length === 0 ? " (the corpus is not here: nothing was tried)" : "";
  test(`have the answers that they had, from the store${missing}`, async () => {
    const machine = new Machine();
    const exports: string[] = [];
    for (const name of files) {
      const isExport = name.startsWith("opencode-export");
      // As a person names it: an export is known by its file's name.
      const named = (): string => JSON.parse(readFileSync(join(CORPUS, name), "utf8")).info.id;
      const to = join(machine.home, isExport ? `exports/${named()}.json` : placeOfCorpusFile(name));
      if (isExport) exports.push(to);
      mkdirSync(dirname(to), { recursive: true });
      cpSync(join(CORPUS, name), to);
    }
    await machine.index();
    // An export is nowhere among the sessions: it is indexed by its path.
    for (const path of exports) assert.equal((await machine.run("index", path)).exitCode, 0, path);
    const rows = files.length === 0 ? [] : await machine.rows("list", "--subagents", "--empty");
    const listed = rows.map(({ path }) => String(path)).filter((path) => exports.includes(path));
    assert.deepEqual(listed.toSorted(), exports.toSorted());
    const ids = rows.map(({ session_id: id }) => String(id));
    const some = EACH.slice(0, isLong ? EACH.length : 1);
    const each = ids.flatMap((id) => [
      ...some.map(([command = "", ...options]) => [...command.split(" "), id, ...options]),
      ["errors", id, "--json", "--fixes", "--locate"],
    ]);
    if (files.length > 0) await checkQuestions(machine, [...ALL, ...each]);
  }, 400_000);
});
