/** A search that finds everything as it was the last time does not look for sessions again, and never misses a change. */
import assert from "node:assert/strict";
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { sampleSession, says, SESSION, storeSession } from "../support/cli/claude-lines.ts";
import { runCli, type CliRun } from "../support/cli/run-cli.ts";
import { afterAll, describe, test } from "../support/runner.ts";
import { makeTempDir, removeTempDirs } from "../support/temp-dir.ts";

afterAll(removeTempDirs);

const AGENT = `${SESSION}/subagents/agent-1a`;

interface Machine {
  home: string;
  /** Of a session, and of a subagent of it. */
  path: string;
  agent: string;
  find: (term: string, env?: Record<string, string>) => Promise<CliRun>;
}

/** A home whose sessions are indexed, with an answer of the last time: folders that just changed give none. */
async function settled(): Promise<Machine> {
  const home = makeTempDir();
  const path = storeSession(home, sampleSession());
  const agent = storeSession(home, says("From below.", 20), { id: AGENT });
  const find = (term: string, env = {}): Promise<CliRun> => runCli(["find", term], { home, env });
  assert.equal((await runCli(["index"], { home })).exitCode, 0);
  age(home);
  assert.match((await find("walrus")).stderr, /searched 2 sessions in the index, 0 unreadable/);
  assert.equal(readdirSync(answers(home)).length, 1, "the answer is kept");
  return { home, path, agent, find };
}

function answers(home: string): string {
  return join(home, ".cache/opencode-transcripts/sessions");
}

/** Makes folders look as if nothing had changed in them for a day. */
function age(folder: string): void {
  const yesterday = new Date(Date.now() - 86_400_000);
  for (const name of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
    const path = join(folder, name);
    if (statSync(path).isDirectory()) utimesSync(path, yesterday, yesterday);
  }
  utimesSync(folder, yesterday, yesterday);
}

const CHANGES: Readonly<Record<string, (machine: Machine) => void>> = {
  "a session was appended to": ({ path }) => appendFileSync(path, says("A walrus.", 90)),
  "a subagent's session was appended to": ({ agent }) => appendFileSync(agent, says("A walrus.", 90)),
  "a session was added": ({ home }) => {
    storeSession(home, says("A walrus.", 90), { id: SESSION.replace("0a1b", "9a9b") });
  },
  "a session of a new project was added": ({ home }) => {
    storeSession(home, says("A walrus.", 90), { id: SESSION.replace("0a1b", "9a9b"), project: "-work-new" });
  },
  "a subagent's session was added": ({ home }) => {
    storeSession(home, says("A walrus.", 90), { id: AGENT.replace("1a", "2b") });
  },
  "a session was replaced by one of the same size": ({ path }) => {
    const text = says("A walrus.", 90);
    writeFileSync(path, text + " ".repeat(statSync(path).size - text.length - 1) + "\n");
  },
  "the project has transcripts now": ({ home }) => {
    const path = join(home, ".openfleet/transcripts/ses_walrus.jsonl");
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, says("A walrus.", 90));
  },
};

describe("what was known the last time", () => {
  for (const [name, change] of Object.entries(CHANGES)) {
    test(`does not hold when ${name}`, async () => {
      const machine = await settled();
      change(machine);
      const { stdout, stderr } = await machine.find("walrus");
      assert.match(stdout, /A walrus\./, stderr);
    });
  }

  test("does not hold when a session is gone, or the environment names other places", async () => {
    const { home, path, find } = await settled();
    const other = makeTempDir();
    storeSession(other, says("A walrus.", 90), { id: SESSION.replace("0a1b", "8a8b") });
    assert.match((await find("walrus", { CLAUDE_CONFIG_DIR: join(other, ".claude") })).stdout, /A walrus\./);
    assert.match((await find("walrus")).stdout, /A walrus\./, "the index keeps it");
    rmSync(path);
    assert.match((await find("prices")).stdout, /# only the index still has this/);
    assert.ok(existsSync(answers(home)));
  });

  test("holds when nothing changed: no session is looked for", async () => {
    const { home, find } = await settled();
    const [name = ""] = readdirSync(answers(home));
    const file = join(answers(home), name);
    const { mtimeMs } = statSync(file);
    assert.match((await find("prices")).stdout, /Add up the prices/);
    assert.equal(statSync(file).mtimeMs, mtimeMs, "the answer was not written again");
  });

  test("is asked anew when it is damaged", async () => {
    const { home, find } = await settled();
    const [name = ""] = readdirSync(answers(home));
    for (const text of ["", "{", "[]", '{"version":1}', "null"]) {
      writeFileSync(join(answers(home), name), text);
      assert.match((await find("prices")).stdout, /Add up the prices/);
    }
  });

  test("is kept for some folders only", async () => {
    const { home } = await settled();
    for (let at = 0; at < 12; at += 1) {
      const cwd = join(home, `folder-${at}`);
      mkdirSync(cwd);
      age(home);
      await runCli(["find", "prices"], { home, cwd });
    }
    assert.equal(readdirSync(answers(home)).length, 8);
  });
});
