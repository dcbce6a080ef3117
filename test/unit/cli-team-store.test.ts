/** A team's store in PostgreSQL: commands that only read leave it as it is. */
import assert from "node:assert/strict";
import { utimesSync } from "node:fs";
import { KEPT_SCANS } from "../../src/scan/kept-scan.ts";
import { openStore } from "../../src/store/open-store.ts";
import { runCli } from "../support/cli/run-cli.ts";
import { sampleSession, SESSION, storeSession, user } from "../support/cli/claude-lines.ts";
import { afterAll, describe, test } from "../support/runner.ts";
import { postgresForThisFile } from "../support/store/postgres-suite.ts";
import { makeTempDir, removeTempDirs } from "../support/temp-dir.ts";

afterAll(removeTempDirs);
const postgres = postgresForThisFile();

describe("a team's store", () => {
  test("gets nothing from stats and find, which say what they read as files", async () => {
    const home = makeTempDir();
    const place = await postgres.newPlace();
    const env = { TRANSCRIPTS_DATABASE_URL: place.env["TRANSCRIPTS_DATABASE_URL"] ?? "" };
    // Figures are kept only of what is worth it: some megabytes.
    const old = storeSession(home, sampleSession() + user("word ".repeat(1_000_000), 90));
    utimesSync(old, 1_000_000_000, 1_000_000_000);
    assert.equal((await runCli(["index"], { home, env })).exitCode, 0);
    const held = async (): Promise<unknown> => {
      const store = await openStore(place, { readOnly: true });
      try {
        return { sessions: await store.sessions(), figures: [...(await store.cached(KEPT_SCANS))] };
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
    const stats = await runCli(["stats", "--all", "--json"], { home, env });
    assert.equal(stats.exitCode, 0, stats.stderr);
    assert.deepEqual(await held(), before);
    const found = await runCli(["find", "heliotrope", "--json"], { home, env });
    assert.match(found.stdout, /a heliotrope question/);
    assert.match(found.stderr, /will be read as files; `transcripts index` brings that in/);
    assert.deepEqual(await held(), before);
  }, 120_000);
});
