/** A team's store in PostgreSQL: commands that only read leave it as it is. */
import assert from "node:assert/strict";
import { rmSync, utimesSync } from "node:fs";
import { hostname } from "node:os";
import { openStore } from "../../src/store/open-store.ts";
import type { StoredSession } from "../../src/store/stored-model.ts";
import { ToolCalls } from "../../src/tools/runner/tool-requests.ts";
import { runCli } from "../support/cli/run-cli.ts";
import { sampleSession, SESSION, storeSession, user } from "../support/cli/claude-lines.ts";
import { afterAll, describe, test } from "../support/runner.ts";
import { sharedPostgresBackend } from "../support/store/postgres-suite.ts";
import { makeTempDir, removeTempDirs } from "../support/temp-dir.ts";

afterAll(removeTempDirs);
const postgres = sharedPostgresBackend();

describe("a team's store", () => {
  test("gets nothing from stats and find, which say what they read as files", async () => {
    const home = makeTempDir();
    const place = await postgres.newPlace();
    const env = { TRANSCRIPTS_DATABASE_URL: place.env["TRANSCRIPTS_DATABASE_URL"] ?? "" };
    const old = storeSession(home, sampleSession() + user("word ".repeat(1_000_000), 90));
    utimesSync(old, 1_000_000_000, 1_000_000_000);
    assert.equal((await runCli(["index"], { home, env })).exitCode, 0);
    const held = async (): Promise<unknown> => {
      const store = await openStore(place, { readOnly: true });
      try {
        return await store.sessions();
      } finally {
        await store.close();
      }
    };
    const before = await held();
    const other = SESSION.replace(/^.{8}/, "ffffffff");
    const path = storeSession(home, user("a heliotrope question", 0) + user("word ".repeat(1_000_000), 3), {
      id: other,
    });
    utimesSync(path, 1_000_000_000, 1_000_000_000);
    utimesSync(old, 1_100_000_000, 1_100_000_000);
    const stats = await runCli(["stats", "--json"], { home, env });
    assert.equal(stats.exitCode, 0, stats.stderr);
    assert.deepEqual(await held(), before);
    // Figures are kept in this machine's own file, for the session that the team's store lacks and the changed one.
    const own = await openStore({ env: {}, home }, { readOnly: true });
    assert.deepEqual(
      (await own.sessions()).map(({ session_id: id, figures }) => [id, figures !== null]),
      [SESSION, other].toSorted().map((id) => [id, true]),
    );
    await own.close();
    const again = await runCli(["stats", "--json"], { home, env });
    assert.equal(again.stdout, stats.stdout);
    const found = await runCli(["find", "heliotrope", "--json"], { home, env });
    assert.match(found.stdout, /a heliotrope question/);
    assert.match(found.stderr, /will be read as files; `transcripts index` adds them/);
    assert.deepEqual(await held(), before);
    assert.equal((await runCli(["forget", other, "--yes"], { home, env })).exitCode, 1);
    await runCli(["stats"], { home, env });
    const left = await openStore({ env: {}, home }, { readOnly: true });
    assert.deepEqual(
      (await left.sessions()).map(({ session_id: id }) => id),
      [SESSION],
    );
    await left.close();
  });

  test("leaves the figures that list_sessions reads to the file of this machine", async () => {
    const home = makeTempDir();
    const place = await postgres.newPlace();
    const env = { TRANSCRIPTS_DATABASE_URL: place.env["TRANSCRIPTS_DATABASE_URL"] ?? "" };
    storeSession(home, sampleSession());
    const calls = new ToolCalls({ env, home });
    const { text } = await calls.run({ tool: "list_sessions", args: {}, cwd: home }, new AbortController().signal);
    await calls.close();
    assert.match(text, new RegExp(`^- ${SESSION} .* turns?, `, "m"));
    const own = await openStore({ env: {}, home }, { readOnly: true });
    assert.deepEqual(
      (await own.sessions()).map(({ session_id: id, figures }) => [id, figures !== null]),
      [[SESSION, true]],
    );
    await own.close();
  });

  test("is not created by a question, nor changed if it is of another version", async () => {
    const home = makeTempDir();
    const place = await postgres.newPlace();
    const env = { TRANSCRIPTS_DATABASE_URL: place.env["TRANSCRIPTS_DATABASE_URL"] ?? "" };
    storeSession(home, sampleSession());
    const tables = "SELECT table_name FROM information_schema.tables WHERE table_schema = 'public' ORDER BY table_name";
    const shape = async (): Promise<unknown> => [
      await postgres.sql(place, tables),
      (await postgres.sql(place, tables)).length === 0 ? [] : await postgres.sql(place, "TABLE transcripts_schema"),
    ];
    for (const version of [0, 9_999]) {
      if (version > 0) await (await openStore(place)).close();
      if (version > 0) await postgres.sql(place, `UPDATE transcripts_schema SET version = ${version}`);
      const before = await shape();
      for (const command of [["find", "prices"], ["stats"], ["list"], ["snippets", "query"], ["doctor"]])
        await runCli(command, { home, env });
      if (version > 0) assert.match((await runCli(["index"], { home, env })).stderr, /created by another version/);
      const calls = new ToolCalls({ env, home });
      for (const [tool, args] of [
        ["find_in_transcripts", { query: "prices" }],
        ["list_sessions", {}],
        ["query_snippets", {}],
      ] as const)
        await calls.run({ tool, args, cwd: home }, new AbortController().signal);
      await calls.close();
      assert.deepEqual(await shape(), before);
    }
  });

  test("tells machines with one host name apart: no machine forgets the sessions of another", async () => {
    const [first, second] = [makeTempDir(), makeTempDir()];
    const place = await postgres.newPlace();
    const env = { TRANSCRIPTS_DATABASE_URL: place.env["TRANSCRIPTS_DATABASE_URL"] ?? "" };
    const sessions = async (): Promise<StoredSession[]> => {
      const store = await openStore(place, { readOnly: true });
      try {
        return await store.sessions();
      } finally {
        await store.close();
      }
    };
    const path = storeSession(first, sampleSession());
    assert.equal((await runCli(["index"], { home: first, env })).exitCode, 0);
    rmSync(path);
    const copy = storeSession(second, sampleSession() + user("It goes on here", 90));
    assert.match((await runCli(["index", "--json"], { home: second, env })).stdout, /"gone": 0,/);
    const rows = await sessions();
    assert.deepEqual(new Set(rows.map((row) => row.path)), new Set([path, copy]));
    assert.equal(new Set(rows.map(({ machine_id: id }) => id)).size, 2);
    assert.equal(new Set(rows.map(({ host }) => host)).size, 1);
    const found = await runCli(["find", "prices"], { home: second, env });
    const of = new RegExp(`^Session .*, recorded on ${hostname().replaceAll(".", "\\.")}$`, "m");
    assert.match(found.stdout, of, "a hit of the other machine has its name");
    await runCli(["forget", SESSION, "--yes"], { home: second, env });
    assert.deepEqual(
      (await sessions()).map((row) => row.path),
      [path],
    );
    assert.match((await runCli(["index"], { home: first, env })).stderr, /1 gone \(kept\)/);
  });
});
