/** Two machines with one PostgreSQL: each answers every question about the sessions of the other as the other does. */
import assert from "node:assert/strict";
import { cpSync, mkdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { calls, result, sampleSession, says, user } from "../support/cli/claude-lines.ts";
import {
  ALL,
  COPIES,
  EACH,
  Machine,
  MAIN,
  questionsAbout,
  sampleMachine,
  SUBAGENT,
} from "../support/cli/sample-machine.ts";
import { withoutOrigin } from "../support/cli/without-origin.ts";
import type { ToolAnswer } from "../../src/tools/tool.ts";
import { placeOfSession, SESSION_KINDS, testSessions } from "../support/parse/session-files.ts";
import { afterAll, describe, test } from "../support/runner.ts";
import { sharedPostgresBackend } from "../support/store/postgres-suite.ts";
import { allAnswers, machineAt } from "../support/tools/tool-calls.ts";
import { removeTempDirs } from "../support/temp-dir.ts";
import { writeFakeStore } from "../unit/sessions-machine.ts";

afterAll(removeTempDirs);
const postgres = sharedPostgresBackend();

const URL_NAME = "TRANSCRIPTS_DATABASE_URL";
const OWN = "5a1b2c3d-4e5f-4061-8071-2a3b4c5d6e7f";
const projects = ".claude/projects/-work-shop";

/** A database, and what gives the machine that has indexed so far a name: all machines of a test have the same. */
async function team() {
  const place = await postgres.newPlace();
  const sql = (statement: string) => postgres.sql(place, statement);
  const name = (host: string) => sql(`UPDATE sessions SET host = '${host}' WHERE host NOT LIKE '%-host'`);
  return { url: place.env[URL_NAME] ?? "", sql, name };
}

/** Their machine, whose sessions are indexed, and ours, which has none yet. */
async function machines() {
  const { url, sql, name } = await team();
  const theirs = await sampleMachine({ [URL_NAME]: url });
  await theirs.index();
  await name("their-host");
  return { theirs, ours: new Machine({ [URL_NAME]: url }), sql, name, url };
}

/** Removes what only the machine with the file knows: its place, and whether it was recorded there. */
function withoutMachine(text: string): string {
  return withoutOrigin(text.replaceAll(/^cannot be resumed: .*\n/gm, ""))
    .replaceAll(/"(?:path|database|host)":(?:null|"[^"]*"),?/g, "")
    .replaceAll(/^ +"(?:host)": .*\n/gm, "")
    .replaceAll(/(?: · | {2}| \()(?:from the store, their-host|not recorded on this machine|their-host)\)?/g, "")
    .replaceAll(/ +/g, " ")
    .replaceAll(/^-+$/gm, "");
}

async function checkAlike(theirs: Machine, ours: Machine, questions: readonly (readonly string[])[]): Promise<void> {
  for (const question of questions) {
    const [was, is] = [await theirs.run(...question), await ours.run(...question)];
    const said = `${question.join(" ")}: ${is.stderr}`;
    assert.equal(withoutMachine(is.stdout), withoutMachine(was.stdout), said);
    assert.equal(is.exitCode, was.exitCode, said);
    if (was.stdout !== "") assert.match(is.stderr, /from the store/, said);
  }
}

/** Runs a command as it is printed. */
async function pasted(machine: Machine, command: unknown) {
  const [program, ...args] = String(command)
    .replace(/ {2}#.*/, "")
    .split(" ");
  assert.equal(program, "transcripts", String(command));
  return machine.run(...args);
}

describe("sessions of another machine", () => {
  test("have the answers that they have there", async () => {
    const { theirs, ours } = await machines();
    const rows = await theirs.rows("list", "--subagents", "--empty");
    const ids = rows.map(({ session_id: id }) => String(id));
    assert.equal(ids.length, 6);
    await checkAlike(theirs, ours, [...ALL, ...questionsAbout(ids), ["show", MAIN.slice(0, 8)], ["list"]]);
    // Sessions of our own change nothing.
    ours.write(`${projects}/${OWN}.jsonl`, user("Ours", 0) + says("Yes", 1));
    await checkAlike(theirs, ours, questionsAbout(ids.slice(0, 3)));
  });

  test("name their machine wherever they are shown", async () => {
    const { ours } = await machines();
    const shown = async (...args: string[]) => (await ours.run(...args)).stdout;
    for (const command of [
      ["list"],
      ["show", MAIN],
      ["timeline", MAIN],
      ["find", "price"],
      ["export", MAIN, "--html", "-o", "-"],
    ])
      assert.match(await shown(...command), /their-host/, command.join(" "));
    assert.match(await shown("errors", MAIN, "--locate"), /\ttheir-host$/m);
    assert.match(await shown("show", MAIN), /^cannot be resumed: it was recorded on their-host$/m);
    const hosts = async (...args: string[]) => new Set((await ours.rows(...args)).map(({ host }) => host));
    for (const command of [["list"], ["find", "price"], ["errors", MAIN, "--locate"]])
      assert.deepEqual(await hosts(...command), new Set(["their-host"]), command.join(" "));
    assert.equal((await ours.run("stats", "--here")).exitCode, 1);
    const all = JSON.parse(await shown("stats", "--json", "--by", "session"));
    assert.ok(all.rows.every((row: { host: unknown }) => row.host === "their-host"));
  });

  test("are read by tools, which name their machine", async () => {
    const { theirs, ours } = await machines();
    const there = machineAt(theirs.home, theirs.env);
    const here = machineAt(ours.home, ours.env);
    const origin =
      / {2}\((?:from the store|not recorded)[^)]*\)|, not recorded on this machine|^From the store: .*\n|^This transcript was not recorded .*\n|^(?:file|database) .*\n|, recorded on their-host|, on their-host| {2}on their-host|(?<=^Session \S+) {2}\/.*$|@[0-9a-f]{8}\b/gm;
    const plain = ({ text }: ToolAnswer): string => text.replaceAll(origin, "");
    const questions: [string, Record<string, unknown>][] = [
      ["list_sessions", {}],
      ["list_errors", { fixes: true }],
      ["find_in_transcripts", { query: "price" }],
      ["find_fixes", { error: "File does not exist" }],
      ...[MAIN, COPIES, SUBAGENT, "ses_markdown", "ses_opencode"].flatMap(
        (session): [string, Record<string, unknown>][] => [
          ["read_session", { session, with_tools: true, with_thinking: true, max_chars: 80_000 }],
          ["list_errors", { session, fixes: true }],
        ],
      ),
    ];
    try {
      for (const [tool, args] of questions) {
        const name = JSON.stringify([tool, args]);
        const was: ToolAnswer = await there.call(tool, args);
        const is: ToolAnswer = await here.call(tool, args);
        assert.ok(is.isError !== true, `${name}: ${is.text}`);
        assert.equal(plain(is), plain(was), name);
        if (tool !== "find_fixes" && !is.text.startsWith("No failed")) assert.match(is.text, /their-host/, name);
      }
    } finally {
      await Promise.all([there.close(), here.close()]);
    }
  });

  test("have the entries of their conversation, and the same page", async () => {
    const { theirs, ours } = await machines();
    const names = ["line_number", "byte_offset", "blocks", "uuid", "role", "model", "user_kind", "timestamp"];
    const entries = async (machine: Machine, id: string): Promise<unknown[]> => {
      const rows = await machine.rows("entries", id);
      const used = rows.filter(
        ({ outcome, blocks }) => outcome === "used" && Array.isArray(blocks) && blocks.length > 0,
      );
      return used.map((row) => names.map((name) => row[name]));
    };
    const page = async (machine: Machine, id: string): Promise<string> =>
      (await machine.run("export", id, "--html", "-o", "-")).stdout
        .replace(/<details class="closed"><summary><span class="name">\d+ damaged places?<.*?<\/details>/, "")
        .replace(/<div><dt>Origin<\/dt>.*?<\/div>/, "");
    for (const id of [MAIN, SUBAGENT, "ses_markdown", "ses_jsonl", "ses_opencode"]) {
      assert.deepEqual(await entries(ours, id), await entries(theirs, id), id);
      const [is, was] = [await page(ours, id), await page(theirs, id)];
      const at = [...is].findIndex((character, place) => character !== was[place]);
      assert.ok(is === was, `${id}: ${is.slice(Math.max(0, at - 200), at + 200)}`);
    }
  });

  test("are found and fixed with commands that work here", async () => {
    const { url, name } = await team();
    const [theirs, ours] = [await sampleMachine({ [URL_NAME]: url }), new Machine({ [URL_NAME]: url })];
    const build = (id: string, at: number) => calls("Bash", id, { command: "npm run build" }, at);
    const path = `${projects}/${OWN}.jsonl`;
    const failed = build("b1", 1) + result("b1", "Cannot find module heliotrope", 2, true);
    theirs.write(path, user("Build it", 0) + failed + build("b2", 3) + result("b2", "built", 4) + says("Done", 5));
    await theirs.index();
    await name("their-host");
    const origin = ({ open: _open, gone: _gone, ...row }: Record<string, unknown>): unknown =>
      JSON.parse(withoutMachine(JSON.stringify(row)));
    for (const term of ["price.mjs", "entry 3 of ses_markdown", "question to opencode", "It is there"]) {
      const [was, is] = [await theirs.rows("find", term), await ours.rows("find", term)];
      assert.ok(is.length > 0, term);
      assert.deepEqual(is.map(origin), was.map(origin));
      for (const { open } of is) {
        const { exitCode, stdout, stderr } = await pasted(ours, open);
        assert.ok(exitCode === 0 && stdout.includes(term), `${String(open)}: ${stdout}${stderr}`);
      }
    }
    assert.match((await ours.run("find", "price")).stderr, /searched 7 sessions in the store/);
    const project = await ours.run("find", "price", "--project", "/work/shop");
    assert.match(project.stderr, /searched 4 sessions/);
    const [error] = await ours.rows("fixes", "Cannot find module heliotrope");
    const fixes = error?.["fixes"];
    assert.ok(Array.isArray(fixes) && fixes[0].host === "their-host", JSON.stringify(error));
    const opened = await pasted(ours, fixes[0].open);
    assert.match(opened.stdout, /Cannot find module heliotrope/, opened.stderr);
    assert.match((await ours.run("fixes", "Cannot find module heliotrope")).stdout, /their-host/);
    assert.equal((await ours.run("fixes", "Cannot find module heliotrope", "--here")).exitCode, 1);
  });

  test("are latest only if asked for, and left out with --here", async () => {
    const { theirs, ours } = await machines();
    const none = await ours.run("show", "latest");
    assert.equal(none.exitCode, 2);
    assert.match(none.stderr, /No sessions on this machine yet.*`latest@HOST`.*their-host/);
    const theirLatest = await ours.run("show", "latest@their-host", "--json");
    assert.equal(theirLatest.stdout, (await theirs.run("show", "latest", "--json")).stdout);
    ours.write(`${projects}/${OWN}.jsonl`, user("Our prices", 0) + says("Yes", 1));
    const text = (await ours.run("show", "latest")).stdout;
    assert.match(text, /Our prices/);
    // Their sessions are newer.
    assert.notEqual((await ours.rows("list"))[0]?.["session_id"], OWN);
    const ids = async (...args: string[]) => (await ours.rows(...args)).map(({ session_id: id }) => id);
    assert.deepEqual(await ids("list", "--here"), [OWN]);
    assert.deepEqual(await ids("find", "price", "--here"), [OWN]);
    await ours.index();
    assert.deepEqual(await ids("find", "price", "--here"), [OWN]);
    assert.deepEqual(await ids("list", "--here"), [OWN]);
    const stats = await ours.run("stats", "--here", "--json");
    assert.equal(JSON.parse(stats.stdout).sessions, 1, stats.stderr);
    // Gone here is not the same as elsewhere.
    rmSync(join(ours.home, projects), { recursive: true });
    assert.deepEqual(await ids("list", "--here"), [OWN]);
    assert.equal((await ours.run("show", "latest")).stdout.replace(/^.*resume.*\n/m, "").includes("Our prices"), true);
    assert.equal((await ours.run("show", "latest@nowhere")).exitCode, 2);
  });

  test("are cited by snippets as they are there", async () => {
    const { theirs, ours } = await machines();
    const part = ["--lines", "2-6", "--type", "error_reasoning", "--title", "Prices"];
    for (const id of [MAIN, "ses_opencode"]) {
      const lines = id === MAIN ? part : ["--turns", "1", ...part.slice(2)];
      const cited = async (machine: Machine): Promise<unknown> => {
        const kept = await machine.run("snippets", "extract", id, ...lines, "--json");
        assert.equal(kept.exitCode, 0, kept.stderr);
        const { snippet_id: snippetId, session_id: sessionId } = JSON.parse(kept.stdout);
        const { snippets } = JSON.parse((await theirs.run("snippets", "query", "--json")).stdout);
        const { content, metadata } = snippets.find((each: { snippet_id: string }) => each.snippet_id === snippetId);
        return { sessionId, content: content.replace(" of opencode.db", ""), events: metadata.citation.event_ids };
      };
      assert.deepEqual(await cited(ours), await cited(theirs));
    }
    assert.deepEqual(
      (await ours.rows("list")).map(({ host }) => host),
      Array.from({ length: 5 }, () => "their-host"),
    );
  });
});

/** The content of a snippet of some turns. */
async function citedBy(machine: Machine, id: string, turns: string): Promise<string> {
  const kept = ["--turns", turns, "--type", "decision_rationale", "--title", "x", "--json"];
  const { exitCode, stdout, stderr } = await machine.run("snippets", "extract", id, ...kept);
  assert.equal(exitCode, 0, stderr);
  const { snippets } = JSON.parse((await machine.run("snippets", "query", "--json")).stdout);
  return snippets.find((each: { snippet_id: string }) => each.snippet_id === JSON.parse(stdout).snippet_id).content;
}

describe("the same path on two machines", () => {
  test("with other content is two sessions, of which ours is the one at the path", async () => {
    const { url, name } = await team();
    const [theirs, ours] = [new Machine({ [URL_NAME]: url }), new Machine({ [URL_NAME]: url })];
    // Both machines see their own home folder at one place.
    const home = `${theirs.home}-current`;
    const as = (machine: Machine): Machine => {
      rmSync(home, { force: true });
      symlinkSync(machine.home, home);
      const seen = new Machine({ [URL_NAME]: url, XDG_DATA_HOME: join(home, "data") });
      return Object.assign(seen, { home });
    };
    const path = `${projects}/${MAIN}.jsonl`;
    theirs.write(
      path,
      sampleSession() + user("Their heliotrope", 100) + says(`Ask the gardener. ${"More. ".repeat(30)}`, 101),
    );
    ours.write(path, user("Our heliotrope", 0) + says(`Ask the florist. ${"More. ".repeat(30)}`, 1));
    await as(theirs).index();
    await name("their-host");
    try {
      for (const isIndexed of [false, true]) {
        const machine = as(ours);
        if (isIndexed) await machine.index();
        for (const argument of [MAIN, "latest", MAIN.slice(0, 8), join(home, path)])
          assert.match((await machine.run("show", argument)).stdout, /Ask the florist/, argument);
        const listed = await machine.rows("list");
        assert.deepEqual(new Set(listed.map(({ host }) => host)), new Set([null, "their-host"]));
        for (const { session_id: id, host } of listed) {
          const { stdout, stderr } = await machine.run("show", String(id));
          assert.match(stdout, host === null ? /Ask the florist/ : /Ask the gardener/, stderr);
        }
        const found = await machine.rows("find", "heliotrope");
        assert.equal(found.length, 2);
        for (const { open, passage, host } of found) {
          assert.equal(String(passage).startsWith("Their"), host === "their-host");
          const { stdout, stderr } = await pasted(machine, open);
          assert.ok(stdout.includes(String(passage)), `${String(open)}: ${stdout}${stderr}`);
        }
        assert.match(await citedBy(machine, MAIN, "1"), /florist/);
      }
      // A snippet of theirs is taken from their content, not from our file at that path.
      const machine = as(ours);
      const their = (await machine.rows("list")).find(({ host }) => host !== null);
      const id = String(their?.["session_id"]);
      assert.match(await citedBy(machine, id, "3"), /gardener/);
    } finally {
      rmSync(home, { force: true });
    }
  });

  test("with the same content, as after a move to a new machine, is one session", async () => {
    const { theirs, ours, url } = await machines();
    for (const folder of [".claude", ".openfleet", "data/opencode"])
      cpSync(join(theirs.home, folder), join(ours.home, folder), { recursive: true, preserveTimestamps: true });
    const third = new Machine({ [URL_NAME]: url });
    const isOnce = async (machine: Machine): Promise<void> => {
      assert.equal((await machine.rows("list", "--subagents", "--empty")).length, 6);
      const lines = async (asked: Machine): Promise<string[]> =>
        (await asked.rows("find", "price")).map(({ line_number: line }) => String(line)).toSorted();
      assert.deepEqual(await lines(machine), await lines(theirs));
    };
    await isOnce(ours);
    await ours.index();
    await isOnce(ours);
    await isOnce(third);
  });
});

describe("a shared database", () => {
  test("takes what two machines index at once", async () => {
    const { url } = await team();
    const [first, second] = [await sampleMachine({ [URL_NAME]: url }), new Machine({ [URL_NAME]: url })];
    for (const at of [2, 3, 4])
      second.write(`${projects}/${at}${OWN.slice(1)}.jsonl`, user(`Question ${at}`, at) + says("Yes", at + 1));
    // One id on both, with other content.
    second.write(`${projects}/${MAIN}.jsonl`, user("Another beginning", 0) + says("And end", 1));
    await Promise.all([first.index(), second.index(), first.index(), second.index()]);
    for (const machine of [first, second])
      assert.equal((await machine.rows("list", "--subagents", "--empty")).length, 10);
    assert.match((await first.run("show", MAIN)).stdout, /Add up the prices/);
    assert.match((await second.run("show", MAIN)).stdout, /Another beginning/);
    for (const machine of [first, second]) {
      const { stderr } = await machine.run("index");
      assert.match(stderr, /0 new, 0 changed/, stderr);
    }
  });

  for (const name of ["sqlite", "postgres"])
    test(`takes one session from many indexers at once, in ${name}`, async () => {
      const machine = new Machine(name === "postgres" ? { [URL_NAME]: (await team()).url } : {});
      let text = "";
      for (let turn = 0; turn < 4; turn += 1) {
        text += user(`Question ${turn}`, 2 * turn) + says(`Answer ${turn}`, 2 * turn + 1);
        machine.write(`${projects}/${OWN}.jsonl`, text);
        const runs = await Promise.all(Array.from({ length: 6 }, () => machine.run("index")));
        for (const { exitCode, stderr } of runs) assert.equal(exitCode, 0, stderr);
      }
      const question = ["show", OWN, "--json", "--with-tools"];
      const before = await machine.run(...question);
      assert.match((await machine.run("index")).stderr, /0 new, 0 changed, 1 unchanged/);
      machine.lose();
      assert.equal((await machine.run(...question)).stdout, before.stdout);
      assert.equal((await machine.rows("find", "Answer")).length, 4);
    });

  test("keeps apart sessions of two agents with the same ids of messages, and a fork whose parent it alone has", async () => {
    const { url } = await team();
    const machine = new Machine({ [URL_NAME]: url });
    const sessionOf = (id: string, text: string) => {
      const message = { id: "msg_1", data: { role: "user", time: { created: 1_750_000_000_000 } } };
      return [{ id, messages: [{ ...message, parts: [{ id: "prt_1", data: { type: "text", text } }] }] }];
    };
    const databases = ["opencode/opencode.db", "kilo/kilo.db"].map((path) => join(machine.home, "data", path));
    await writeFakeStore(databases[0] ?? "", sessionOf("ses_of_opencode", "heliotrope for opencode"));
    await writeFakeStore(databases[1] ?? "", sessionOf("ses_of_kilo", "heliotrope for Kilo"));
    // A fork repeats the messages of its parent, with their ids.
    const begun = user("Heliotrope of the parent", 0) + says("First answer", 1);
    machine.write(`${projects}/${MAIN}.jsonl`, begun);
    await machine.index();
    const alone = JSON.parse((await machine.run("stats", MAIN, "--json")).stdout).total.tokens_out;
    rmSync(join(machine.home, projects), { recursive: true });
    machine.write(`${projects}/${OWN}.jsonl`, begun.replaceAll(MAIN, OWN) + says("Second answer", 2));
    await machine.index();
    const shown = async (id: string) => (await machine.run("show", id)).stdout;
    assert.match(await shown("ses_of_opencode"), /heliotrope for opencode/);
    assert.match(await shown("ses_of_kilo"), /heliotrope for Kilo/);
    assert.match(await shown(MAIN), /Heliotrope of the parent[^]*First answer/);
    assert.match(await shown(OWN), /Heliotrope of the parent[^]*Second answer/);
    assert.equal((await machine.rows("find", "heliotrope")).length, 4);
    const { total, repeated_messages: repeated } = JSON.parse((await machine.run("stats", "--json")).stdout);
    assert.deepEqual([total.tokens_out, repeated], [2 * alone, 1]);
    for (const path of databases) rmSync(path);
    assert.match(await shown("ses_of_opencode"), /heliotrope for opencode/);
    assert.match(await shown("ses_of_kilo"), /heliotrope for Kilo/);
  });

  test("answers a role that may only read, also about sessions that it lacks", async () => {
    const { theirs, ours, sql, url } = await machines();
    const database = url.replace(/^.*\//, "");
    await sql(
      `DO $$ BEGIN CREATE ROLE reader LOGIN PASSWORD 'reads'; EXCEPTION WHEN duplicate_object THEN NULL; END $$`,
    );
    await sql(`GRANT CONNECT ON DATABASE ${database} TO reader`);
    await sql("GRANT SELECT ON ALL TABLES IN SCHEMA public TO reader");
    const address = new URL(url);
    address.username = "reader";
    address.password = "reads";
    Object.assign(ours.env, { [URL_NAME]: address.href });
    const rows = await theirs.rows("list", "--subagents", "--empty");
    const ids = rows.map(({ session_id: id }) => String(id));
    await checkAlike(theirs, ours, [...ALL, ...questionsAbout(ids.slice(0, 3))]);
    // More than a search reads besides a store of its own.
    for (let at = 0; at < 25; at += 1) {
      const id = `${10 + at}${OWN.slice(2)}`;
      ours.write(`${projects}/${id}.jsonl`, user(`Prices of ${at}`, at) + says("Yes", at + 1));
    }
    const found = await ours.rows("find", "price");
    assert.deepEqual(new Set(found.map(({ host }) => host)), new Set([null, "their-host"]));
    assert.equal((await ours.rows("list")).length, 30);
    assert.equal((await ours.run("snippets", "query")).exitCode, 1);
    assert.equal((await ours.run("fixes", "File does not exist")).exitCode, 0);
    const tools = machineAt(ours.home, ours.env);
    const pages = await allAnswers(tools, "find_in_transcripts", { query: "price", limit: 10 });
    const text = pages.join("\n");
    assert.match(text, /^Session .*, recorded on their-host$/m);
    assert.match(text, /^Session (?!.*their-host).*$/m);
    assert.equal(text.match(/^\[[\d-]+\] /gm)?.length, found.length);
    const refused = await ours.run("index");
    assert.equal(refused.exitCode, 2);
    assert.match(refused.stderr, /may not write to the database/);
  });
});

describe("session files of another machine", () => {
  testSessions("have the answers that they have there", SESSION_KINDS, async (all) => {
    const files = SESSION_KINDS.flatMap((kind) => all.find(({ name }) => name.startsWith(kind)) ?? []);
    const { url, name } = await team();
    const [theirs, ours] = [new Machine({ [URL_NAME]: url }), new Machine({ [URL_NAME]: url })];
    const exports: string[] = [];
    for (const { name: file, path } of files) {
      const isExport = file.startsWith("opencode-export");
      // A file outside of the places of sessions is known by its name.
      const id = isExport ? /"id": *"(ses_\w+)"/.exec(readFileSync(path, "utf8"))?.[1] : undefined;
      const to = join(theirs.home, isExport ? `exports/${id}.json` : placeOfSession(file));
      mkdirSync(dirname(to), { recursive: true });
      cpSync(path, to);
      if (isExport) exports.push(to);
    }
    await theirs.index();
    // Exports are in no place where sessions are looked for.
    const { exitCode, stderr } = await theirs.run("index", ...exports);
    assert.equal(exitCode, 0, stderr);
    await name("their-host");
    const rows = await theirs.rows("list", "--subagents", "--empty");
    assert.ok(rows.length >= files.length);
    const ids = rows.map(({ session_id: id }) => String(id));
    await checkAlike(theirs, ours, [
      ...ALL,
      ...ids.flatMap((id) => EACH.map(([command = "", ...options]) => [...command.split(" "), id, ...options])),
    ]);
  });
});
