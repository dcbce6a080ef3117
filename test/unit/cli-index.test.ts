import assert from "node:assert/strict";
import { appendFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { sqliteWriter } from "./sessions-machine.ts";
import { says, SESSION, user } from "../support/cli/claude-lines.ts";
import { outputOf } from "../support/cli/json-output.ts";
import { runCli, type CliRun, type CliSetting } from "../support/cli/run-cli.ts";
import { afterAll, describe, test } from "../support/runner.ts";
import { makeTempDir, removeTempDirs } from "../support/temp-dir.ts";

afterAll(removeTempDirs);

function homeWith(...texts: string[]): string {
  const home = makeTempDir();
  const folder = join(home, ".claude", "projects", "p");
  mkdirSync(folder, { recursive: true });
  for (const [at, text] of texts.entries()) writeFileSync(join(folder, `${SESSION.slice(0, -1)}${at}.jsonl`), text);
  return home;
}

function index(home: string, args: readonly string[] = [], more: Partial<CliSetting> = {}): Promise<CliRun> {
  return runCli(["index", ...args], { home, ...more });
}

const DATABASE = ".local/share/opencode-transcripts/transcripts.db";

describe("transcripts index", () => {
  test("says what it did", async () => {
    const home = homeWith(user("hello", 1) + says("hi", 2), user("more", 3));
    const first = await index(home);
    assert.deepEqual([first.exitCode, first.stdout], [0, ""]);
    assert.match(first.stderr, /^indexed 2 sessions: 2 new, 0 changed, 0 unchanged; 3 entries from 0\.0 MB$/m);
    assert.match((await index(home)).stderr, /^indexed 2 sessions: 0 new, 0 changed, 2 unchanged$/m);
    const path = join(home, ".claude/projects/p", `${SESSION.slice(0, -1)}0.jsonl`);
    appendFileSync(path, says("again", 4));
    rmSync(join(home, ".claude/projects/p", `${SESSION.slice(0, -1)}1.jsonl`));
    mkdirSync(join(home, ".claude/projects/p/x.jsonl"));
    const second = await index(home, ["--json"]);
    const result = outputOf("index", second.stdout);
    assert.deepEqual(
      [result.sessions, result.new, result.changed, result.gone, result.events, result.unreadable.length],
      [1, 0, 1, 1, 1, 1],
    );
    assert.equal(result.store, join(home, DATABASE));
    assert.match(second.stderr, /not read: .*x\.jsonl: it is a folder, not a file\n/);
    assert.match(second.stderr, /1 whose file is gone/);
  });

  test("fails for a session that was named and cannot be read, after adding the others", async () => {
    const home = homeWith(user("hello", 1));
    writeFileSync(join(home, "notes.txt"), "milk, eggs\n");
    const { exitCode, stderr } = await index(home, ["notes.txt", SESSION.slice(0, -1)]);
    assert.equal(exitCode, 2);
    assert.match(stderr, /not read: .*notes\.txt is not a session/);
    assert.match(stderr, /indexed 2 sessions: 1 new, .*1 unreadable/);
  });

  test("without sessions finds nothing", async () => {
    const { exitCode, stderr } = await index(makeTempDir());
    assert.equal(exitCode, 1);
    assert.match(stderr, /no sessions found; `transcripts doctor`/);
  });

  test("moves a database of another version aside, and says where", async () => {
    const home = homeWith(user("hello", 1));
    const path = join(home, "my.db");
    const env = { TRANSCRIPTS_DATABASE: path };
    await index(home, [], { env });
    const database = await sqliteWriter(path);
    database.exec("PRAGMA user_version = 9999");
    database.close();
    const before = readFileSync(path);
    const { exitCode, stderr } = await index(home, [], { env });
    assert.equal(exitCode, 0);
    assert.match(stderr, /created by another version .* kept as .*my\.db\.version-9999, and a new one is created/);
    assert.match(stderr, /1 new/);
    assert.deepEqual(readFileSync(`${path}.version-9999`).subarray(100), before.subarray(100));
    assert.match((await index(home, [], { env })).stderr, /1 unchanged/);
  });

  test("says what to do about a database that it cannot use", async () => {
    const home = homeWith(user("hello", 1));
    const garbage = join(home, "garbage.db");
    writeFileSync(garbage, "no database at all ".repeat(500));
    const readOnly =
      process.platform === "linux"
        ? ([
            ["/sys/t.db", /No permission to write|cannot be opened/],
            // Node's own creation of folders would never end there.
            ["/proc/no-folder/deeper/t.db", /cannot be opened .*Check the permissions of its folder/],
          ] as const)
        : [];
    for (const [path, message] of [
      [garbage, /damaged or was not created by this program.*Move it away/],
      [join(garbage, "t.db"), /Set TRANSCRIPTS_DATABASE|set TRANSCRIPTS_DATABASE/],
      ...readOnly,
    ] as const) {
      const { exitCode, stderr } = await index(home, [], { env: { TRANSCRIPTS_DATABASE: path } });
      assert.equal(exitCode, 2, path);
      assert.match(stderr, message);
      assert.doesNotMatch(stderr, /should not happen/);
    }
  });
});
