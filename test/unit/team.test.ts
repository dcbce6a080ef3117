/** A team's database, which machines push to and which questions with --team ask instead of the machine. */
import assert from "node:assert/strict";
import { appendFileSync, existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { PushOutput } from "../../src/cli/commands/push.ts";
import { push } from "../../src/indexing/push-sessions.ts";
import { openStore } from "../../src/store/open-store.ts";
import { openPostgres } from "../../src/store/postgres/postgres-database.ts";
import type { SqlDatabase, SqlSession } from "../../src/store/sql-database.ts";
import { SqlStore } from "../../src/store/sql-store.ts";
import { thisMachine } from "../../src/store/store-place.ts";
import type { Store } from "../../src/store/store.ts";
import { calls, result, says, user } from "../support/cli/claude-lines.ts";
import { outputOf } from "../support/cli/json-output.ts";
import { ALL, COPIES, Machine, MAIN, questionsAbout, sampleMachine } from "../support/cli/sample-machine.ts";
import { withoutOrigin } from "../support/cli/without-origin.ts";
import { dump } from "../support/indexing/index-fixture.ts";
import { afterAll, describe, test } from "../support/runner.ts";
import { sharedPostgresBackend } from "../support/store/postgres-suite.ts";
import { removeTempDirs } from "../support/temp-dir.ts";

afterAll(removeTempDirs);
const postgres = sharedPostgresBackend();

const URL_NAME = "TRANSCRIPTS_DATABASE_URL";
const OWN = "5a1b2c3d-4e5f-4061-8071-2a3b4c5d6e7f";
const projects = ".claude/projects/-work-shop";

async function pushFrom(machine: Machine): Promise<PushOutput> {
  const { exitCode, stdout, stderr } = await machine.run("push", "--json");
  assert.equal(exitCode, 0, stderr);
  return outputOf("push", stdout);
}

/** A database, and what gives the machine that has pushed so far a name: all machines of a test have the same. */
async function team() {
  const place = await postgres.newPlace();
  const sql = (statement: string) => postgres.sql(place, statement);
  const name = (host: string) => sql(`UPDATE sessions SET host = '${host}' WHERE host NOT LIKE '%-host'`);
  return { place, url: place.env[URL_NAME] ?? "", sql, name };
}

/** Their machine, whose sessions were pushed, and ours, which has none. */
async function machines() {
  const { url, sql, name, place } = await team();
  const theirs = await sampleMachine({ [URL_NAME]: url });
  await pushFrom(theirs);
  await name("their-host");
  return { theirs, ours: new Machine({ [URL_NAME]: url }), sql, name, url, place };
}

/** Removes what differs between a session here and one in the team's database. */
function withoutMachine(text: string): string {
  return withoutOrigin(text)
    .replaceAll(/@[0-9a-f]{12}/g, "")
    .replaceAll(/"(?:path|database|host)":(?:null|"[^"]*"),?/g, "")
    .replaceAll(/^ +"(?:host)": .*\n/gm, "")
    .replaceAll(/(?: · | {2}| \()(?:from the store, their-host|their-host)\)?/g, "")
    .replaceAll(/ --team\b/g, "")
    .replaceAll(/ +/g, " ")
    .replaceAll(/^-+$/gm, "");
}

async function checkAlike(theirs: Machine, ours: Machine, questions: readonly (readonly string[])[]): Promise<void> {
  for (const question of questions) {
    const [was, is] = [await theirs.run(...question), await ours.run(...question, "--team")];
    const said = `${question.join(" ")}: ${is.stderr}`;
    assert.equal(withoutMachine(is.stdout), withoutMachine(was.stdout), said);
    assert.equal(is.exitCode, was.exitCode, said);
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

async function rowsOf(store: Store): Promise<unknown> {
  const ids = (text: string): unknown => JSON.parse(text.replaceAll(/@[0-9a-f]{12}/g, ""));
  const { sessions, messages, blocks } = await dump(store);
  const plain = sessions.map(({ state, ...row }) => ({ ...row, state: { ...state, copied_revision: 0 } }));
  const figures = await Promise.all(sessions.map(async ({ session_id: id }) => [id, await store.figures(id)]));
  return ids(JSON.stringify({ sessions: plain, messages, blocks, figures }));
}

describe("a question with --team", () => {
  test("has the answers that the machine has which pushed the sessions", async () => {
    const { theirs, ours } = await machines();
    const rows = await theirs.rows("list", "--subagents", "--empty");
    const ids = rows.map(({ session_id: id }) => String(id));
    assert.equal(ids.length, 6);
    const asked = questionsAbout(ids).filter(([command]) => command !== "snippets");
    await checkAlike(theirs, ours, [...ALL, ...asked, ["show", MAIN.slice(0, 8)], ["show", "latest"], ["list"]]);
    // Sessions of our own are no part of the answer.
    ours.write(`${projects}/${OWN}.jsonl`, user("Ours", 0) + says("Yes", 1));
    await checkAlike(theirs, ours, [
      ["list", "--json"],
      ["stats", "--json"],
      ["show", "latest"],
    ]);
    assert.deepEqual(
      (await ours.rows("list")).map(({ session_id: id }) => id),
      [OWN],
    );
  });

  test("says that nothing was pushed yet", async () => {
    const { url } = await team();
    const machine = new Machine({ [URL_NAME]: url });
    assert.equal((await machine.run("push")).exitCode, 0);
    for (const argv of [["list"], ["stats"], ["find", "x"], ["show", "latest"]]) {
      const { stderr } = await machine.run(...argv, "--team");
      assert.match(stderr, /he team's database has no sessions[;.] `transcripts push` copies/, argv.join(" "));
    }
  });

  test("names the machine, and prints commands that work where they are printed", async () => {
    const { url, name } = await team();
    const [theirs, ours] = [await sampleMachine({ [URL_NAME]: url }), new Machine({ [URL_NAME]: url })];
    const build = (id: string, at: number) => calls("Bash", id, { command: "npm run build" }, at);
    const failed = build("b1", 1) + result("b1", "Cannot find module heliotrope", 2, true);
    theirs.write(
      `${projects}/${OWN}.jsonl`,
      user("Build it", 0) + failed + build("b2", 3) + result("b2", "built", 4) + says("Done", 5),
    );
    await pushFrom(theirs);
    await name("their-host");
    for (const command of [
      ["list"],
      ["show", MAIN],
      ["timeline", MAIN],
      ["find", "price"],
      ["errors", "--fixes"],
      ["fixes", "Cannot find module heliotrope"],
      ["export", MAIN, "--html", "-o", "-"],
    ])
      assert.match((await ours.run(...command, "--team")).stdout, /their-host/, command.join(" "));
    assert.match(
      (await ours.run("show", MAIN, "--team")).stdout,
      /^cannot be resumed: it was recorded on their-host$/m,
    );
    for (const { host, path } of await ours.rows("list", "--team"))
      assert.deepEqual([host, path], ["their-host", null]);
    for (const term of ["price.mjs", "entry 3 of ses_markdown", "question to opencode", "It is there"]) {
      const found = await ours.rows("find", "--exact", term, "--team");
      assert.ok(found.length > 0, term);
      for (const { open } of found) {
        const { exitCode, stdout, stderr } = await pasted(ours, open);
        assert.ok(exitCode === 0 && stdout.includes(term), `${String(open)}: ${stdout}${stderr}`);
      }
    }
    assert.match((await ours.run("find", "price", "--team")).stderr, /searched 7 sessions/);
    const [error] = await ours.rows("fixes", "Cannot find module heliotrope", "--team");
    const fixes = error?.["fixes"];
    assert.ok(Array.isArray(fixes), JSON.stringify(error));
    assert.match((await pasted(ours, fixes[0].open)).stdout, /Cannot find module heliotrope/);
  });

  test("asks only that database, and no other question does", async () => {
    const { url } = await team();
    const machine = new Machine({ [URL_NAME]: url.replace(/:\d+\//, ":1/") });
    machine.write(`${projects}/${OWN}.jsonl`, user("Ours", 0) + says("Yes", 1));
    for (const command of [["index"], ["list"], ["find", "Ours"], ["stats"], ["show", OWN]]) {
      const { exitCode, stderr } = await machine.run(...command);
      assert.equal(exitCode, 0, stderr);
    }
    for (const command of [["push"], ["list", "--team"], ["find", "Ours", "--team"], ["show", OWN, "--team"]]) {
      const { exitCode, stderr, stdout } = await machine.run(...command);
      assert.notEqual(exitCode, 0, command.join(" "));
      assert.equal(stdout, "");
      assert.match(stderr, /cannot be reached/, command.join(" "));
      assert.doesNotMatch(stderr, /test-password/);
    }
    const nowhere = new Machine();
    for (const command of [["push"], ["list", "--team"], ["find", "Ours", "--team"]]) {
      const { exitCode, stderr } = await nowhere.run(...command);
      assert.equal(exitCode, 2);
      assert.match(stderr, /TRANSCRIPTS_DATABASE_URL is not set/);
    }
  });

  test("is answered for a role that may only read, which cannot push", async () => {
    const { theirs, ours, sql, url } = await machines();
    const database = url.replace(/^.*\//, "");
    await sql(
      `DO $$ BEGIN CREATE ROLE team_reader LOGIN PASSWORD 'reads'; EXCEPTION WHEN duplicate_object THEN NULL; END $$`,
    );
    await sql(`GRANT CONNECT ON DATABASE ${database} TO team_reader`);
    await sql("GRANT SELECT ON ALL TABLES IN SCHEMA public TO team_reader");
    const address = new URL(url);
    address.username = "team_reader";
    address.password = "reads";
    Object.assign(ours.env, { [URL_NAME]: address.href });
    await checkAlike(theirs, ours, [...ALL, ["show", MAIN], ["errors", MAIN, "--json"]]);
    assert.ok((await ours.rows("find", "price", "--team")).length > 0);
    assert.equal((await ours.run("fixes", "File does not exist", "--team")).exitCode, 0);
    assert.equal((await ours.run("snippets", "query", "--team")).exitCode, 1);
    ours.write(`${projects}/${OWN}.jsonl`, user("Ours", 0) + says("Yes", 1));
    const refused = await ours.run("push");
    assert.equal(refused.exitCode, 2);
    assert.match(refused.stderr, /may not write to the database/);
  });

  test("creates no tables, and is refused by a database of another version, which stays as it is", async () => {
    const { place, sql } = await team();
    const machine = await sampleMachine({ [URL_NAME]: place.env[URL_NAME] ?? "" });
    const tables = "SELECT table_name FROM information_schema.tables WHERE table_schema = 'public' ORDER BY table_name";
    const shape = async (): Promise<unknown> => [
      await sql(tables),
      (await sql(tables)).length === 0 ? [] : await sql("TABLE transcripts_schema"),
    ];
    for (const version of [0, 9_999]) {
      if (version > 0) await (await openStore(place)).close();
      if (version > 0) await sql(`UPDATE transcripts_schema SET version = ${version}`);
      const before = await shape();
      for (const command of [["find", "prices"], ["stats"], ["list"], ["snippets", "query"], ["show", MAIN]]) {
        const { exitCode, stdout } = await machine.run(...command, "--team");
        assert.notEqual(exitCode, 0, command.join(" "));
        assert.equal(stdout, "");
      }
      if (version > 0) assert.match((await machine.run("push")).stderr, /created by another version/);
      assert.deepEqual(await shape(), before);
    }
  });
});

/** A connection that breaks at its `n`-th write: that statement and all later ones do not reach the server. */
class BreakingDatabase {
  #left: number;

  constructor(n: number) {
    this.#left = n;
  }

  get isBroken(): boolean {
    return this.#left <= 0;
  }

  around(database: SqlDatabase): SqlDatabase {
    return {
      ...database,
      ...this.#session(database),
      // Without its commit the server rolls a transaction back.
      transaction: (work) =>
        database.transaction(async (session) => {
          const answer = await work(this.#session(session));
          this.#pass("COMMIT");
          return answer;
        }),
      snapshot: (work) => database.snapshot((session) => work(this.#session(session))),
    };
  }

  #session(session: SqlSession): SqlSession {
    return {
      dialect: session.dialect,
      all: async (sql, values, read) => (this.#pass(sql), session.all(sql, values, read)),
      run: async (sql, values) => (this.#pass(sql), session.run(sql, values)),
      exec: async (sql) => (this.#pass(sql), session.exec(sql)),
    };
  }

  #pass(sql: string): void {
    if (!this.isBroken && /^\s*(?:INSERT|UPDATE|DELETE|COMMIT)/i.test(sql)) this.#left -= 1;
    if (this.isBroken) throw new Error("The server is gone.");
  }
}

describe("transcripts push", () => {
  test("copies what changed since the last push, and only that", async () => {
    const { url, place } = await team();
    const machine = await sampleMachine({ [URL_NAME]: url });
    const check = async (): Promise<void> => {
      const [here, there] = [
        await openStore(machine, { readOnly: true }),
        await openStore({ ...place, home: machine.home }, { readOnly: true }),
      ];
      assert.deepEqual(await rowsOf(there), await rowsOf(here));
      await Promise.all([here.close(), there.close()]);
    };
    const first = await pushFrom(machine);
    assert.deepEqual([first.pushed, first.unchanged], [6, 0]);
    await check();
    const again = await pushFrom(machine);
    assert.deepEqual([again.pushed, again.unchanged, again.rows], [0, 6, 0]);
    const path = `${projects}/${COPIES}.jsonl`;
    appendFileSync(join(machine.home, path), says("I went", 95).replaceAll(MAIN, COPIES));
    const grown = await pushFrom(machine);
    assert.equal(grown.pushed, 1);
    assert.equal(grown.rows, 2, "a message and its block");
    await check();
    // A session whose file is gone stays, here and there.
    rmSync(join(machine.home, path));
    assert.equal((await pushFrom(machine)).pushed, 0);
    await check();
  });

  test("that breaks off at any write is completed by the next", async () => {
    const { url, place } = await team();
    const machine = new Machine({ [URL_NAME]: url });
    await (await openStore(place)).close();
    const local = async (): Promise<Store> => openStore(machine);
    const text = (turns: number, word: string): string =>
      Array.from({ length: turns }, (_, at) => user(`${word} ${at}`, 2 * at) + says("Yes", 2 * at + 1)).join("");
    for (let n = 1, isBroken = true; isBroken; n += 1) {
      machine.write(`${projects}/${OWN}.jsonl`, text(4 + (n % 3), `word ${n}`));
      await machine.index();
      const [here, breaking] = [await local(), new BreakingDatabase(n)];
      const database = breaking.around(await openPostgres(url, { readOnly: false }));
      const there = new SqlStore(database, () => thisMachine(machine, { create: true }));
      await push(here, there).catch(() => undefined);
      isBroken = breaking.isBroken;
      await there.close();
      const next = await openStore({ ...machine, team: true });
      const report = await push(here, next);
      assert.equal(report.pushed, isBroken ? 1 : 0, `write ${n}`);
      assert.deepEqual(await rowsOf(next), await rowsOf(here), `write ${n}`);
      await Promise.all([here.close(), next.close()]);
    }
  });

  test("of one session by several at once ends with all of it", async () => {
    const { url } = await team();
    const machine = new Machine({ [URL_NAME]: url });
    for (let turn = 1; turn < 5; turn += 1) {
      machine.write(`${projects}/${OWN}.jsonl`, Array.from({ length: turn }, (_, at) => user(`Q ${at}`, at)).join(""));
      const runs = await Promise.all(Array.from({ length: 4 }, () => machine.run("push")));
      for (const { exitCode, stderr } of runs)
        assert.ok(exitCode === 0 || /which another push is writing/.test(stderr), stderr);
    }
    await pushFrom(machine);
    const [here, there] = [await openStore(machine), await openStore({ ...machine, team: true })];
    assert.deepEqual(await rowsOf(there), await rowsOf(here));
    await Promise.all([here.close(), there.close()]);
  });

  test("keeps sessions of two machines apart that have one id", async () => {
    const { theirs, ours } = await machines();
    ours.write(`${projects}/${MAIN}.jsonl`, user("Another beginning", 0) + says("And end", 1));
    await Promise.all([pushFrom(ours), pushFrom(theirs)]);
    const rows = (await ours.rows("list", "--team")).filter(({ session_id: id }) => String(id).startsWith(MAIN));
    assert.equal(new Set(rows.map(({ session_id: id }) => id)).size, 2);
    const texts: string[] = [];
    for (const { session_id: id } of rows) texts.push((await theirs.run("show", String(id), "--team")).stdout);
    assert.equal(texts.filter((text) => text.includes("Another beginning")).length, 1);
    assert.equal(texts.filter((text) => text.includes("Add up the prices")).length, 1);
    const both = await ours.run("show", MAIN, "--team");
    assert.equal(both.exitCode, 2);
    assert.match(both.stderr, /2 sessions have ids that begin with/);
  });

  test("copies snippets, also those that were changed or removed", async () => {
    const { theirs, ours } = await machines();
    const kept = ["--lines", "2-6", "--type", "error_reasoning", "--title", "Prices"];
    assert.equal((await theirs.run("snippets", "extract", MAIN, ...kept)).exitCode, 0);
    assert.equal((await pushFrom(theirs)).snippets, 1);
    assert.equal((await pushFrom(theirs)).snippets, 0);
    const [found] = JSON.parse((await ours.run("snippets", "query", "--team", "--json")).stdout).snippets;
    const [own] = JSON.parse((await theirs.run("snippets", "query", "--json")).stdout).snippets;
    assert.deepEqual({ ...found, session_id: MAIN }, own);
    const store = await openStore(theirs);
    assert.equal(await store.deleteSnippetsBefore(new Date("9999-01-01")), 1);
    await store.close();
    await pushFrom(theirs);
    assert.equal((await ours.run("snippets", "query", "--team")).exitCode, 1);
  });

  test("is done by the hook only if the user says so", async () => {
    const { url } = await team();
    for (const [wish, isPushed] of [
      [undefined, false],
      ["0", false],
      ["1", true],
    ] as const) {
      const machine = new Machine({ [URL_NAME]: url, ...(wish === undefined ? {} : { TRANSCRIPTS_PUSH: wish }) });
      const path = `${projects}/${OWN}.jsonl`;
      machine.write(path, user("Ours", 0) + says("Yes", 1));
      const stdin = JSON.stringify({ hook_event_name: "Stop", transcript_path: join(machine.home, path) });
      const done = await machine.runWith({ stdin }, "index", "--hook");
      assert.equal(done.exitCode, 0, done.stderr);
      assert.equal(/pushed 1 session/.test(done.stderr), isPushed);
    }
  });
});

describe("transcripts forget --team", () => {
  test("removes a session here and there, whichever machine pushed it, and no push brings it back", async () => {
    const { theirs, ours } = await machines();
    ours.write(`${projects}/${MAIN}.jsonl`, user("A copy of it", 0) + says("Yes", 1));
    await pushFrom(ours);
    const isThere = async (): Promise<boolean> => (await ours.run("show", MAIN, "--team")).stderr.includes(MAIN);
    assert.ok(await isThere());
    const { stdout, exitCode } = await theirs.run("forget", MAIN, "--team", "--yes", "--json");
    assert.equal(exitCode, 0);
    const { in_index: here, in_team: there } = outputOf("forget", stdout);
    assert.deepEqual([here.length, there.length], [2, 3], "with its subagent");
    assert.equal((await ours.rows("list", "--team")).length, 4);
    for (const machine of [theirs, ours]) {
      const { stderr } = await machine.run("push");
      assert.doesNotMatch(stderr, /pushed [1-9]/);
    }
    assert.equal((await ours.run("show", MAIN, "--team")).exitCode, 2);
    assert.equal((await ours.run("show", MAIN)).exitCode, 0, "the copy of another machine stays there");
  });

  test("removes a session that only the team's database has, and forget alone leaves the team's", async () => {
    const { theirs, ours } = await machines();
    assert.equal((await theirs.run("forget", COPIES, "--yes")).exitCode, 0);
    assert.equal((await ours.run("show", COPIES, "--team")).exitCode, 0);
    assert.equal((await ours.run("forget", COPIES, "--yes")).exitCode, 2);
    assert.equal((await ours.run("forget", COPIES.slice(0, 8), "--team", "--yes")).exitCode, 0);
    assert.equal((await ours.run("show", COPIES, "--team")).exitCode, 2);
    assert.ok(!existsSync(join(ours.home, "data/opencode-transcripts/transcripts.db")), "no store is made");
  });
});
