/** The id of an exported session of opencode: that in the file, wherever the session is read from. */
import assert from "node:assert/strict";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { runCli } from "../support/cli/run-cli.ts";
import { afterAll, describe, test } from "../support/runner.ts";
import { makeTempDir, removeTempDirs } from "../support/temp-dir.ts";

afterAll(removeTempDirs);

const ID = "ses_277ed760bffeXZM4Joly2lQJzU";

function exportedFile(home: string): string {
  const time = { created: 1_776_104_409_588, updated: 1_776_104_566_021 };
  const info = {
    slug: "nimble-cabin",
    id: ID,
    directory: "/work/shop",
    title: "The status bar",
    version: "1.4.0",
    time,
  };
  const message = { id: "msg_1", sessionID: ID, role: "user", time: { created: time.created } };
  const parts = [{ id: "prt_1", sessionID: ID, messageID: "msg_1", type: "text", text: "Open the panel" }];
  const path = join(home, "my-export.json");
  writeFileSync(path, JSON.stringify({ info, messages: [{ info: message, parts }] }, null, 2));
  return path;
}

describe("the id of an exported session", () => {
  test("is the same while the file is there and when only the store has it", async () => {
    const home = makeTempDir();
    const path = exportedFile(home);
    const run = (...argv: string[]) => runCli(argv, { home, cwd: home, env: { XDG_DATA_HOME: join(home, "data") } });
    const idOf = async (session: string): Promise<unknown> => {
      const { stdout, stderr } = await run("stats", session, "--by", "session", "--json");
      return JSON.parse(stdout || JSON.stringify({ rows: [{ key: stderr }] })).rows[0]?.key;
    };
    assert.equal((await run("index", path)).exitCode, 0);
    assert.equal(await idOf(path), ID);
    rmSync(path);
    assert.deepEqual([await idOf(path), await idOf(ID)], [ID, ID]);
  });
});
