/** One session with every way to fail, as opencode has it: all that reads or shows it counts the same calls. */
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { sessionRecord } from "../../src/host/session-records.ts";
import { storedRecords } from "../../src/agents/opencode/opencode-records.ts";
import { parseTranscript } from "../../src/agents/parse-input.ts";
import { calls, result, SESSION as CLAUDE_SESSION, storeSession, user } from "../support/cli/claude-lines.ts";
import { outputOf, rowsOf } from "../support/cli/json-output.ts";
import { runCli } from "../support/cli/run-cli.ts";
import { Recording } from "../support/recording/recording.ts";
import { afterAll, beforeAll, describe, test } from "../support/runner.ts";

import { makeTempDir, removeTempDirs } from "../support/temp-dir.ts";
import { machineAt } from "../support/tools/tool-calls.ts";
import { openFakeStore } from "./sessions-machine.ts";

afterAll(removeTempDirs);

interface Ended {
  tool: string;
  input: object;
  state: object;
  /** How the call ended, and its exit code. */
  expected: [status: string, exitCode: number | null];
}

const bash = (command: string, exit: number | null, expected: string): Ended => ({
  tool: "bash",
  input: { command },
  state: { status: "completed", output: `output of ${command}`, title: command, metadata: { exit } },
  expected: [expected, exit],
});

const CALLS: Ended[] = [
  bash("exit 3", 3, "error"),
  bash("npm test", 0, "completed"),
  bash("cat f | grep needle", 1, "completed"),
  bash("grep needle f | make", 1, "error"),
  {
    tool: "bash",
    input: { command: "sleep 9" },
    state: {
      status: "completed",
      output:
        "(no output)\n\n<shell_metadata>\nshell tool terminated command after exceeding timeout 500 ms.\n</shell_metadata>",
      title: "",
      metadata: { exit: null },
    },
    expected: ["error", null],
  },
  {
    tool: "invalid",
    input: { tool: "no_such_tool", error: "Model tried to call unavailable tool" },
    state: { status: "completed", output: "The arguments are invalid", title: "Invalid Tool", metadata: {} },
    expected: ["error", null],
  },
  {
    tool: "read",
    input: { filePath: "/nowhere" },
    state: { status: "error", error: "File not found" },
    expected: ["error", null],
  },
  {
    tool: "bash",
    input: { command: "sleep 99" },
    state: { status: "error", error: "Tool execution aborted", metadata: { interrupted: true } },
    expected: ["interrupted", null],
  },
  {
    tool: "bash",
    input: { command: "rm x" },
    state: { status: "error", error: "The user rejected permission to use this specific tool call." },
    expected: ["rejected", null],
  },
];
const TOKENS = { input: 100, output: 200, reasoning: 0, cache: { read: 0, write: 0 } };
const EXPECTED = CALLS.map(({ expected }) => expected);
const FAILED = EXPECTED.filter(([status]) => status === "error").length;

const ID = "ses_failures";
const SESSION = {
  info: { id: ID, title: "Failures", version: "1.18.33", directory: "/w", time: { created: 1_772_442_000_000 } },
  messages: [
    {
      info: { id: "msg_1", role: "user", sessionID: ID, time: { created: 1_772_442_000_001 } },
      parts: [{ id: "prt_1", messageID: "msg_1", sessionID: ID, type: "text", text: "Try it all." }],
    },
    {
      info: {
        id: "msg_2",
        role: "assistant",
        sessionID: ID,
        modelID: "large",
        providerID: "acme",
        tokens: { input: 1, output: 2, reasoning: 0, cache: { read: 0, write: 0 } },
        cost: 0,
        time: { created: 1_772_442_000_002, completed: 1_772_442_000_009 },
      },
      parts: CALLS.map(({ tool, input, state }, at) => ({
        id: `prt_2${at}`,
        messageID: "msg_2",
        sessionID: ID,
        type: "tool",
        tool,
        callID: `call_${at}`,
        state: { input, time: { start: 1_772_442_000_003, end: 1_772_442_000_004 }, ...state },
      })),
    },
  ],
};

/** The session as an export, and as recorded in both formats. */
const files: Record<string, string> = {};
const home = makeTempDir();

beforeAll(async () => {
  const folder = join(home, ".openfleet");
  const recording = new Recording(folder, {
    format: "both",
    queries: {
      session: async () => sessionRecord(ID, { ...SESSION.info }, false),
      history: async () => SESSION.messages.flatMap(storedRecords),
    },
  });
  await recording.recorder.recall(ID);
  await recording.end();
  files["markdown"] = join(folder, "transcripts", `${ID}.md`);
  files["jsonl"] = join(folder, "transcripts", `${ID}.jsonl`);
  files["export"] = join(home, "export.json");
  writeFileSync(files["export"], JSON.stringify(SESSION, null, 2));
});

async function printed(...argv: string[]): Promise<string> {
  const { stdout, exitCode } = await runCli(argv, { home });
  assert.equal(exitCode, 0, argv.join(" "));
  return stdout;
}

for (const form of ["export", "markdown", "jsonl"]) {
  describe(`calls that failed, in ${form}`, () => {
    const file = (): string => files[form] ?? "";

    test("have the status, and separate fields for the host's status and the exit code", async () => {
      const { tool_calls, stats: sums } = await parseTranscript(ID, readFileSync(file(), "utf8"));
      assert.deepEqual(
        tool_calls.map(({ status, exit_code }) => [status, exit_code]),
        EXPECTED,
      );
      assert.deepEqual(
        tool_calls.map(({ is_error }) => is_error),
        CALLS.map(({ state }, at) => "error" in state && EXPECTED[at]?.[0] !== "interrupted"),
      );
      assert.equal(sums.tool_error_count, FAILED);
    });

    test("are the same to errors, --fixes, stats, timeline and the page", async () => {
      const ids = CALLS.flatMap(({ expected }, at) => (expected[0] === "error" ? [`call_${at}`] : []));
      for (const options of [["--json"], ["--json", "--fixes"]]) {
        const told = rowsOf("errors", await printed("errors", file(), ...options));
        assert.deepEqual(
          told.map(({ tool_use_id }) => tool_use_id),
          ids,
        );
      }
      assert.equal(outputOf("stats", await printed("stats", file(), "--json")).tool_errors, FAILED);
      const [turn] = rowsOf("timeline", await printed("timeline", file(), "--json"));
      assert.equal(turn?.tool_errors, FAILED);
      const page = await printed("export", file(), "--html", "-o", "-");
      assert.equal(page.split('class="call error"').length - 1, FAILED);
    });
  });
}

test("find --errors looks through the calls that failed, and no others", async () => {
  const hits = rowsOf("find", await printed("find", '"output of"', "--errors", "--json"));
  assert.deepEqual(new Set(hits.map(({ tool_use_id }) => tool_use_id)), new Set(["call_0", "call_3"]));
});

describe("a failed call that a fork copied", () => {
  const FORK = "11111111-2222-4333-8444-555555555555";

  async function counted(machine: string, ...named: string[]): Promise<(string | null)[]> {
    const env = { XDG_DATA_HOME: join(machine, "data") };
    const { stdout, stderr } = await runCli(["errors", ...named, "--json"], { home: machine, cwd: machine, env });
    assert.doesNotMatch(stderr, /cannot/);
    return rowsOf("errors", stdout).map(({ tool_use_id }) => tool_use_id);
  }

  test("counts once in errors and list_errors, from Claude Code", async () => {
    const machine = makeTempDir();
    const first = [user("Go", 1), calls("Bash", "c1", { command: "ls /x" }, 2), result("c1", "Exit code 2", 3, true)];
    // The fork fails in the same way, in a call of its own.
    const own = [calls("Bash", "c2", { command: "ls /x" }, 5), result("c2", "Exit code 2", 6, true)];
    storeSession(machine, first.join(""));
    storeSession(machine, [...first, ...own].join("").replaceAll(CLAUDE_SESSION, FORK), { id: FORK });
    assert.deepEqual(new Set(await counted(machine)), new Set(["c1", "c2"]));
    assert.equal((await counted(machine)).length, 2);
    assert.deepEqual(await counted(machine, CLAUDE_SESSION, FORK), ["c1", "c2"]);
    assert.deepEqual(await counted(machine, FORK), ["c1", "c2"]);
    const agent = machineAt(machine);
    for (const fixes of [false, true]) {
      const { text } = await agent.call("list_errors", { fixes });
      assert.match(text, /Failed calls 1 to 2, newest first; looked at 2 sessions\./);
    }
    await agent.close();
  });

  test("counts once from opencode, where copies have new ids", async () => {
    const machine = makeTempDir();
    const failed = (id: string, created: number, callID: string) => ({
      id,
      data: { id, role: "assistant", modelID: "m", providerID: "p", time: { created }, tokens: TOKENS, cost: 0.5 },
      parts: [
        {
          id: `prt_${id}`,
          data: { type: "tool", tool: "bash", callID, state: { ...bash("exit 3", 3, "error").state, input: {} } },
        },
      ],
    });
    // Providers repeat the ids of calls, so the second call of the fork is not a copy.
    const sessions = [
      { id: "ses_2", messages: [failed("msg_1", 1_750_000_000_001, "call_1")] },
      {
        id: "ses_1",
        messages: [failed("msg_3", 1_750_000_000_001, "call_1"), failed("msg_4", 1_750_000_000_003, "call_1")],
      },
    ];
    (await openFakeStore(join(machine, "data/opencode/opencode.db"), sessions)).close();
    assert.deepEqual(await counted(machine), ["call_1", "call_1"]);
  });
});

describe("the sections of a transcript", () => {
  const count = (kind: string): number => {
    const text = readFileSync(files["markdown"] ?? "", "utf8");
    return text.split("\n").filter((line) => line.startsWith("## [") && line.includes(`] ${kind}:`)).length;
  };

  test("say which calls did not end well, and add up", () => {
    const well = EXPECTED.filter(([status]) => status === "completed").length;
    assert.deepEqual([count("Tool Use"), count("Tool Result"), count("Tool Error")], [9, well, 9 - well]);
  });

  test("show the exit code of a command that failed", () => {
    const text = readFileSync(files["markdown"] ?? "", "utf8");
    assert.match(text, /\] Tool Error: bash\n\n\*\*Call ID\*\*: call_0\n(?:.+\n|\n)*?\*\*Exit code\*\*: 3\n/);
    assert.doesNotMatch(text, /"exitCode":3/, "and the comment does not repeat it");
  });
});
