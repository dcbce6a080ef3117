/** The built server, asked without a browser: commands that name its pages, figures that follow, and a team's pages. */
import assert from "node:assert/strict";
import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { calls, result, says, SESSION, user } from "../support/cli/claude-lines.ts";
import { type Machine, MAIN, sampleMachine } from "../support/cli/sample-machine.ts";
import { afterAll, describe, test } from "../support/runner.ts";
import { sharedPostgresBackend } from "../support/store/postgres-suite.ts";
import { removeTempDirs } from "../support/temp-dir.ts";
import { runBuilt, ServedSite } from "./served.ts";

afterAll(removeTempDirs);
const postgres = sharedPostgresBackend();

/** Commands, and the path of the page that has their answer. */
const NAMED: readonly (readonly [command: readonly string[], path: string])[] = [
  [["list"], "/index.html"],
  [
    ["list", "--agent", "claude-code", "--project", "/work/shop"],
    "/index.html?agent=claude-code&project=%2Fwork%2Fshop",
  ],
  [["find", "price"], "/index.html?text=price"],
  [["show", MAIN], `/sessions/${MAIN}/index.html`],
  [["errors", MAIN], `/sessions/${MAIN}/index.html`],
  [["errors"], "/failures.html"],
  [["stats"], "/figures.html"],
];

/** Returns the address that a command names, as on a terminal. */
async function named(machine: Machine, command: readonly string[]): Promise<string | undefined> {
  const { stderr, exitCode } = await machine.runWith({ terminal: 100 }, ...command);
  assert.equal(exitCode, 0, stderr);
  return /^page: (\S+)$/m.exec(stderr)?.[1];
}

/** Returns the command that a page names. */
function commandIn(page: string): string | undefined {
  return /In a terminal: <code>([^<]*)/.exec(page)?.[1]?.replaceAll("&#39;", "'");
}

describe("a server of this user", () => {
  test("is named by commands on a terminal, with the page that has their answer", async () => {
    const machine = await sampleMachine();
    assert.equal(await named(machine, ["list"]), undefined);
    const server = await ServedSite.start(machine);
    const file = join(machine.home, "data/opencode-transcripts/server.json");
    try {
      for (const [command, path] of NAMED) {
        const address = await named(machine, command);
        assert.equal(address, server.href(path), command.join(" "));
        await server.page(path);
      }
      assert.doesNotMatch((await machine.run("list")).stderr, /page:/);
      assert.equal(statSync(file).mode & 0o777, 0o600);
      assert.deepEqual(Object.keys(JSON.parse(readFileSync(file, "utf8"))), ["origin", "pid"]);
    } finally {
      await server.stop();
    }
    assert.equal(await named(machine, ["list"]), undefined);
    for (const stale of [
      '{"origin":"http://127.0.0.1:4040","pid":99999999}',
      '{"origin":"http://evil.example","pid":1}',
      "{",
    ]) {
      writeFileSync(file, stale);
      assert.equal(await named(machine, ["list"]), undefined, stale);
    }
  });

  test("names the command with the answer of a page, with the page's filters", async () => {
    const machine = await sampleMachine();
    const id = "3a1b2c3d-4e5f-4061-8071-2a3b4c5d6e7f";
    const failed = calls("Bash", "b1", { command: "npm test" }, 501);
    const error = "Exit code 1\n\n--force: Cannot find module heliotrope";
    const lines = user("Run it with --force", 500) + failed + result("b1", error, 502, true);
    machine.write(`.claude/projects/-work-shop/${id}.jsonl`, lines.replaceAll(SESSION, id));
    await machine.index();
    assert.equal((await machine.run("tag", id, "later")).exitCode, 0);
    const server = await ServedSite.start(machine);
    try {
      const failures = await server.page("/failures.html");
      const [, heliotrope = ""] = /href="(failures[^"]+)"[^>]*>[^<]*heliotrope/.exec(failures) ?? [];
      for (const [path, command] of [
        ["/index.html", "list"],
        ["/tags/later.html", "list --tag later"],
        ["/tools/Bash.html", "list --tool Bash"],
        ["/index.html?tool=Bash&agent=claude-code", "list --agent claude-code --tool Bash"],
        ["/figures.html", "stats --by day"],
        ["/failures.html", "fixes"],
        ["/index.html?agent=claude-code&tag=later", "list --agent claude-code --tag later"],
        ["/index.html?project=/work/shop&failed=yes", "errors --project /work/shop"],
        ["/index.html?text=heliotrope&tag=later&failed=yes", "find --errors --tag later heliotrope"],
        ["/index.html?text=with+--force&since=2000-01-01", "find --since 2000-01-01 -- with '--force'"],
        [`/${heliotrope}`, "fixes -- '--force: Cannot find module heliotrope'"],
      ] as const) {
        assert.equal(commandIn(await server.page(path)), `transcripts ${command}`, path);
        const words = Array.from(command.matchAll(/'([^']*)'|\S+/g), ([word, quoted]) => quoted ?? word);
        const { stderr, exitCode } = await machine.run(...words);
        assert.equal(exitCode, 0, stderr);
      }
    } finally {
      await server.stop();
    }
  });

  test("links each bar and row of the statistics to the sessions that it counts", async () => {
    const machine = await sampleMachine();
    await machine.index();
    const server = await ServedSite.start(machine);
    try {
      const figures = await server.page("/figures.html");
      const links = new Set(Array.from(figures.matchAll(/href="([a-z]+\/[^"]+)"/g), ([, href = ""]) => href));
      const kinds = new Set([...links].map((href) => href.replace(/\/.*/, "")));
      assert.deepEqual([...kinds].toSorted(), ["agents", "days", "models", "projects", "tools"]);
      for (const href of links) assert.match(await server.page(`/${href}`), /class="title"/, href);
      // Every bar, and every row of a table, has its link.
      assert.doesNotMatch(figures, /<th scope="row">\s*(?:<svg.*?<\/svg>)?[^<\s]/);
    } finally {
      await server.stop();
    }
  });

  test("shows figures of sessions that another program has added", async () => {
    const machine = await sampleMachine();
    await machine.index();
    const server = await ServedSite.start(machine);
    const sessions = async (): Promise<number> =>
      Number(/<dt>Sessions<\/dt><dd>(\d+)/.exec(await server.page("/figures.html"))?.[1]);
    try {
      const before = await sessions();
      const id = "2a1b2c3d-4e5f-4061-8071-2a3b4c5d6e7f";
      const text = `${user("One more", 500)}${says("Yes", 501)}`.replaceAll(SESSION, id);
      machine.write(`.claude/projects/-work-shop/${id}.jsonl`, text);
      await machine.index();
      assert.equal(await sessions(), before + 1);
    } finally {
      await server.stop();
    }
  });
});

describe("a team's database", () => {
  test("is shown and archived for a role that may only read", async () => {
    const place = await postgres.newPlace();
    const url = new URL(place.env["TRANSCRIPTS_DATABASE_URL"] ?? "");
    const machine = await sampleMachine({ TRANSCRIPTS_DATABASE_URL: url.href });
    assert.equal((await machine.run("push")).exitCode, 0);
    for (const statement of [
      "DO $$ BEGIN CREATE ROLE pages_reader LOGIN PASSWORD 'reads'; EXCEPTION WHEN duplicate_object THEN NULL; END $$",
      `GRANT CONNECT ON DATABASE ${url.pathname.slice(1)} TO pages_reader`,
      "GRANT SELECT ON ALL TABLES IN SCHEMA public TO pages_reader",
    ])
      await postgres.sql(place, statement);
    [url.username, url.password] = ["pages_reader", "reads"];
    machine.lose();
    machine.env["TRANSCRIPTS_DATABASE_URL"] = url.href;
    const server = await ServedSite.start(machine, "--team");
    try {
      const list = await server.page("/");
      assert.equal(commandIn(list), "transcripts list --team");
      const [, session = ""] = new RegExp(`href="(sessions/${MAIN}[^"]*)"`).exec(list) ?? [];
      assert.match(await server.page(`/${session}`), /price/);
      for (const path of ["/figures.html", "/failures.html", "/files.html", "/index.html?text=price"])
        assert.match(await server.page(path), /<main/, path);
    } finally {
      await server.stop();
    }
    const folder = join(machine.home, "pages");
    runBuilt(machine, "archive", "--team", "-o", folder);
    assert.match(readFileSync(join(folder, "index.html"), "utf8"), new RegExp(`sessions/${MAIN}`));
  });
});
