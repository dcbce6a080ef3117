/** `transcripts fixes` and find_fixes: whether an error came up in any session before, and what fixed it. */
import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { at, calls, result, says, SESSION, storeSession, user } from "../support/cli/claude-lines.ts";
import { pastFixes } from "../../src/queries/past-fixes.ts";
import { openStore } from "../../src/store/open-store.ts";
import { type Outputs } from "../support/cli/json-output.ts";
import { runCli, type CliRun } from "../support/cli/run-cli.ts";
import { afterAll, describe, test } from "../support/runner.ts";
import { makeTempDir, removeTempDirs } from "../support/temp-dir.ts";
import { machineAt } from "../support/tools/tool-calls.ts";

afterAll(removeTempDirs);

interface Made {
  /** Number in the session's id. */
  number: number;
  cwd?: string;
  failure: string;
  /** Calls after it; the last one has the same target. */
  after?: readonly string[];
  /** Number of times that all this happens. */
  times?: number;
}

const COMMAND = "npm run deploy";

/** A session in which a command fails, something is done, and it is run again. */
function sessionText({ number, cwd = "/work/shop", failure, after = [], times = 1 }: Made): string {
  const lines = Array.from({ length: times }, (_, time) => {
    const from = 100 * time;
    const id = (step: number): string => `c${from + step}`;
    return [
      user("Deploy it", from),
      calls("Bash", id(0), { command: COMMAND }, from + 1),
      result(id(0), `Exit code 1\n${failure}`, from + 2, true),
      ...(after.length > 0 ? [says(`The cause is known: ${after[0]}`, from + 3)] : []),
      ...after.flatMap((command, step) => [
        calls("Bash", id(step + 1), { command }, from + 4 + 2 * step),
        result(id(step + 1), "done", from + 5 + 2 * step),
      ]),
    ];
  });
  return lines.flat().join("").replaceAll(SESSION, idOf(number)).replaceAll("/work/shop", cwd);
}

const idOf = (number: number): string => `0a1b2c3d-4e5f-4061-8071-${String(number).padStart(12, "0")}`;

class Machine {
  readonly home = makeTempDir();

  constructor(...made: readonly Made[]) {
    for (const session of made) storeSession(this.home, sessionText(session), { id: idOf(session.number) });
  }

  run(argv: readonly string[], { cwd = this.home, stdin = "" } = {}): Promise<CliRun> {
    return runCli(argv, { home: this.home, cwd, stdin, env: { XDG_DATA_HOME: join(this.home, "data") } });
  }

  async fixes(error: string, cwd?: string): Promise<Outputs["fixes"][]> {
    const { stdout, stderr, exitCode } = await this.run(["fixes", error, "--json"], cwd === undefined ? {} : { cwd });
    assert.ok(exitCode < 2, stderr);
    return stdout.split("\n").flatMap((line) => (line === "" ? [] : JSON.parse(line)));
  }

  async index(): Promise<this> {
    const { exitCode, stderr } = await this.run(["index"]);
    assert.equal(exitCode, 0, stderr);
    return this;
  }
}

const DENIED = (port: number): string => `Error: connect ECONNREFUSED 10.0.0.${port}:${5_000 + port} at ${at(port)}`;
const TUNNEL = "ssh -fN -L 5432:db:5432 gateway";

describe("fixes", () => {
  test("of an error that came up in several sessions are counted and cited, with what was done before", async () => {
    const machine = await new Machine(
      { number: 1, failure: DENIED(1), after: [TUNNEL, COMMAND] },
      { number: 2, failure: DENIED(2), after: [TUNNEL, COMMAND] },
      { number: 3, failure: DENIED(3), after: ["systemctl restart proxy", COMMAND] },
      { number: 4, failure: DENIED(4) },
      { number: 5, failure: "SyntaxError: Unexpected token in the configuration", after: [COMMAND] },
    ).index();
    const [error, ...others] = await machine.fixes("connect ECONNREFUSED 192.168.0.9:443");
    assert.deepEqual(others, []);
    assert.deepEqual(
      { count: error?.count, sessions: error?.session_count, unfixed: error?.unfixed },
      { count: 4, sessions: 4, unfixed: 1 },
    );
    const [first, second] = error?.fixes ?? [];
    assert.equal(first?.count, 2);
    assert.deepEqual(first.steps[0]?.input, { command: TUNNEL });
    assert.match(first.words[0] ?? "", /The cause is known/);
    assert.deepEqual(second?.steps[0]?.input, { command: "systemctl restart proxy" });
    const opened = await machine.run(first.open.split(" ").slice(1));
    assert.equal(opened.exitCode, 0, opened.stderr);
    assert.match(opened.stdout, /ECONNREFUSED/);
  });

  test("count a failure once that a fork copied, with what fixed it there", async () => {
    const failure = sessionText({ number: 1, failure: DENIED(1) });
    const own = [
      calls("Bash", "c8", { command: TUNNEL }, 10),
      result("c8", "done", 11),
      calls("Bash", "c9", { command: COMMAND }, 12),
      result("c9", "deployed", 13),
    ];
    const machine = new Machine();
    storeSession(machine.home, failure, { id: idOf(1) });
    storeSession(machine.home, (failure + own.join("")).replaceAll(idOf(1), idOf(2)).replaceAll(SESSION, idOf(2)), {
      id: idOf(2),
    });
    await machine.index();
    const [error, ...others] = await machine.fixes("connect ECONNREFUSED");
    assert.deepEqual(others, []);
    const { count, session_count, checked, unfixed, fixes } = error ?? {};
    assert.deepEqual([count, session_count, checked, unfixed], [1, 1, 1, 0]);
    assert.deepEqual(
      fixes?.map((fix) => [fix.session_id, fix.count, fix.steps[0]?.input]),
      [[idOf(2), 1, { command: TUNNEL }]],
    );
  });

  test("without a message are those of the most frequent errors in the sessions that match the filters", async () => {
    const missing = "Error: Cannot find module heliotrope";
    const machine = await new Machine(
      { number: 1, failure: missing, after: ["npm install heliotrope", COMMAND] },
      { number: 2, failure: DENIED(1), after: [TUNNEL, COMMAND] },
      { number: 3, failure: DENIED(2), cwd: "/work/garden", after: ["systemctl restart proxy", COMMAND] },
    ).index();
    const seen = async (...options: readonly string[]): Promise<unknown[]> => {
      const { stdout } = await machine.run(["fixes", "--json", ...options]);
      const rows = stdout.split("\n").flatMap((line): Outputs["fixes"][] => (line === "" ? [] : [JSON.parse(line)]));
      return rows.map(({ count, projects, fixes }) => [count, projects, fixes.length]);
    };
    assert.deepEqual(await seen(), [
      [2, ["/work/garden", "/work/shop"], 2],
      [1, ["/work/shop"], 1],
    ]);
    assert.deepEqual(await seen("--limit", "1"), [[2, ["/work/garden", "/work/shop"], 2]]);
    assert.deepEqual(await seen("--project", "garden"), [[1, ["/work/garden"], 1]]);
    const { stdout } = await machine.run(["fixes"]);
    assert.match(stdout, /seen 2 times in 2 sessions of garden, shop, last /);
  });

  test("in a long session are found by reading only the messages around the failure", async () => {
    const machine = new Machine();
    const work = (from: number): string[] =>
      Array.from({ length: 2_000 }, (_, step) => [
        calls("Read", `r${from + step}`, { file_path: `/work/shop/${step}.ts` }, from + step),
        result(`r${from + step}`, "export {};", from + step),
      ]).flat();
    const failure = sessionText({ number: 1, failure: DENIED(1), after: [TUNNEL, COMMAND] });
    const text = [user("Read it", 0), ...work(1_000), failure.replaceAll(idOf(1), SESSION), ...work(5_000)].join("");
    storeSession(machine.home, text.replaceAll(SESSION, idOf(1)), { id: idOf(1) });
    await machine.index();
    const where = { env: { XDG_DATA_HOME: join(machine.home, "data") }, home: machine.home, cwd: machine.home };
    const store = await openStore(where);
    let rows = 0;
    const counting = new Proxy(store, {
      get(target, name) {
        const value: unknown = Reflect.get(target, name, target);
        if (typeof value !== "function") return value;
        return async (...args: unknown[]): Promise<unknown> => {
          const answer: unknown = await Reflect.apply(value, target, args);
          if (name === "blocks" && Array.isArray(answer)) rows += answer.length;
          return answer;
        };
      },
    });
    const query = { error: "connect ECONNREFUSED", signal: new AbortController().signal };
    const [error] = await pastFixes({ store: counting, elsewhere: [] }, where, query);
    await store.close();
    assert.deepEqual(error?.fixes[0]?.steps[0]?.input, { command: TUNNEL });
    assert.ok(rows < 3_000, `${rows} of some 8,000 blocks were read`);
  });

  test("are the same when the files are gone, and for words without quotes and a stream", async () => {
    const machine = await new Machine({ number: 1, failure: DENIED(1), after: [TUNNEL, COMMAND] }).index();
    const before = await machine.fixes("connect ECONNREFUSED");
    const ofWords = await machine.run(["fixes", "connect", "ECONNREFUSED", "--json"]);
    const ofStream = await machine.run(["fixes", "-", "--json"], {
      stdin: `building\n${DENIED(7)}\n    at net.js:1\n`,
    });
    rmSync(join(machine.home, ".claude"), { recursive: true });
    assert.deepEqual(await machine.fixes("connect ECONNREFUSED"), before);
    for (const { stdout } of [ofWords, ofStream]) assert.deepEqual(JSON.parse(stdout).fixes, before[0]?.fixes);
  });

  test("of an error that turned into another one are what was done between the two", async () => {
    const machine = new Machine();
    const text = [
      user("Deploy it", 0),
      calls("Bash", "a1", { command: COMMAND, description: "Deploy" }, 1),
      result("a1", "Exit code 1\nError: the lock file is out of date", 2, true),
      calls("Bash", "a2", { command: "npm install" }, 3),
      result("a2", "done", 4),
      calls("Bash", "a3", { command: COMMAND, description: "Deploy again" }, 5),
      result("a3", "Exit code 1\nError: the region is not configured", 6, true),
      calls("Bash", "a4", { command: "npm config set region eu" }, 7),
      result("a4", "done", 8),
      calls("Bash", "a5", { command: COMMAND, description: "Deploy a last time" }, 9),
      result("a5", "deployed", 10),
    ];
    storeSession(machine.home, text.join(""));
    await machine.index();
    const helpful = async (text: string) => {
      const [error, ...others] = await machine.fixes(text);
      assert.deepEqual(others, [], "another error of the session is no answer");
      return error?.fixes.map(({ diff, steps }) => [diff, steps.map(({ input }) => input)]);
    };
    assert.deepEqual(await helpful("the lock file is out of date"), [["", [{ command: "npm install" }]]]);
    assert.deepEqual(await helpful("the region is not configured"), [["", [{ command: "npm config set region eu" }]]]);
  });

  test("that helped in several sessions come before what one agent did again and again", async () => {
    const machine = await new Machine(
      { number: 1, failure: DENIED(1), after: [TUNNEL, COMMAND] },
      { number: 2, failure: DENIED(2), after: [TUNNEL, COMMAND] },
      { number: 3, failure: DENIED(3), after: ["systemctl restart proxy", COMMAND], times: 3 },
    ).index();
    const [error] = await machine.fixes("connect ECONNREFUSED");
    assert.deepEqual(
      error?.fixes.map(({ steps, count }) => [steps[0]?.input, count]),
      [
        [{ command: TUNNEL }, 2],
        [{ command: "systemctl restart proxy" }, 3],
      ],
    );
  });

  test("of this project come first", async () => {
    const machine = await new Machine(
      {
        number: 1,
        cwd: "/work/other",
        failure: "Error: the token of the registry has expired, for long",
        after: [COMMAND],
      },
      {
        number: 2,
        cwd: "/work/shop",
        failure: "Error: the token of the registry has expired",
        after: [TUNNEL, COMMAND],
      },
    ).index();
    for (const [cwd, first] of [
      ["/work/shop", 2],
      ["/work/other", 1],
    ] as const) {
      const [error] = await machine.fixes("the token of the registry has expired", cwd);
      assert.equal(error?.is_in_project, true);
      assert.equal(error?.fixes[0]?.session_id, idOf(first));
    }
  });

  test("say so if an error was never fixed or never came up", async () => {
    const machine = await new Machine({ number: 1, failure: DENIED(1) }).index();
    const never = await machine.run(["fixes", "connect ECONNREFUSED"]);
    assert.equal(never.exitCode, 0);
    assert.match(never.stdout, /^Never fixed\.$/m);
    const unknown = await machine.run(["fixes", "the moon is not in its orbit"]);
    assert.equal(unknown.exitCode, 1);
    assert.match(unknown.stderr, /no such error came up before/);
    const ofNone = await machine.run(["fixes", "--project", "no-such-project"]);
    assert.deepEqual([ofNone.exitCode, ofNone.stderr], [1, "no call failed\n"]);
  });

  test("need a text that says something and a call that failed, and the messages say so", async () => {
    const machine = new Machine({ number: 1, failure: DENIED(1), after: [COMMAND] });
    const empty = await machine.run(["fixes", "Exit code 1"]);
    assert.equal(empty.exitCode, 2);
    assert.match(empty.stderr, /does not say what failed/);
    // Such as a variable without a value, or an empty log.
    for (const argv of [
      ["fixes", ""],
      ["fixes", "-"],
    ]) {
      const { exitCode, stdout, stderr } = await machine.run(argv);
      assert.deepEqual([exitCode, stdout], [2, ""]);
      assert.match(stderr, /does not say what failed/);
    }
  });

  test("are offered as a tool, within its budget", async () => {
    const machine = await new Machine(
      ...[1, 2, 3, 4].map((number) => ({
        number,
        failure: `${DENIED(number)} ${"x".repeat(3_000)}`,
        after: [TUNNEL, COMMAND],
      })),
    ).index();
    const agent = machineAt(machine.home);
    const { text } = await agent.call("find_fixes", { error: "connect ECONNREFUSED" });
    await agent.close();
    assert.match(text, /4 times in 4 sessions/);
    assert.match(text, /Fixed 4 times .*:\nline 5, Bash ssh .*\nline 7, Bash npm run deploy, passed/);
    assert.ok(text.includes(TUNNEL));
    assert.doesNotMatch(text, /no content in the store/);
    assert.ok(text.length < 900 * 5, String(text.length));
  });
});
