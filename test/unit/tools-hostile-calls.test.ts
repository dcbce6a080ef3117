/** Calls that must not make a tool wait, break down or tell a secret. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { closeSync, constants, openSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { ToolRunner } from "../../src/tools/runner/tool-runner.ts";
import { assistant, calls, result, sampleSession, says, storeSession, user } from "../support/cli/claude-lines.ts";
import { randomSecret } from "../support/parse/secret.ts";
import { isWindows, onWindows } from "../support/machine.ts";
import { eventually } from "../support/recording/eventually.ts";
import { afterAll, describe, test } from "../support/runner.ts";
import { makeTempDir, removeTempDirs } from "../support/temp-dir.ts";
import { machineAt, type Machine } from "../support/tools/tool-calls.ts";

afterAll(removeTempDirs);

const never = new AbortController().signal;

function pipeIn(home: string): string {
  const path = join(home, "pipe");
  execFileSync("sh", ["-c", `mkfifo "$0"`, path]);
  return path;
}

/** Lets go of whoever waits for it to be opened. */
async function openedOtherEnd(path: string): Promise<void> {
  await eventually(() => {
    try {
      closeSync(openSync(path, constants.O_WRONLY | constants.O_NONBLOCK));
      return true;
    } catch {
      // Nobody waits at the other end so far.
      return false;
    }
  });
}

async function onMachine(text: string, body: (machine: Machine, home: string) => Promise<void>): Promise<void> {
  const home = makeTempDir();
  storeSession(home, text);
  const machine = machineAt(home);
  try {
    await body(machine, home);
  } finally {
    await machine.close();
  }
}

describe("a path that is not a file", () => {
  if (isWindows) return;
  const kept = { snippet_type: "learning_pattern", title: "x", content: "It was freed, and it passed. ".repeat(9) };
  for (const [tool, more] of [
    ["read_session", {}],
    ["list_errors", {}],
    ["extract_snippet", kept],
    ["extract_snippet", { ...kept, content: undefined, source_line_start: 1 }],
  ] as const) {
    test(`is refused by ${tool} at once, a pipe and a device${"source_line_start" in more ? " (lines)" : ""}`, () =>
      onMachine(sampleSession(), async (machine, home) => {
        for (const path of [pipeIn(home), "/dev/zero"]) {
          const name = tool === "extract_snippet" ? "session_id" : "session";
          const { isError, text } = await machine.call(tool, { [name]: path, ...more });
          assert.equal(isError, true);
          assert.match(text, /is a pipe or a device, not a file/);
        }
      }));
  }

  test("a session whose file became a pipe is reported as unreadable", () =>
    onMachine(sampleSession(), async (machine, home) => {
      const path = join(home, "own.jsonl");
      execFileSync("sh", ["-c", `cp "$0"/.claude/projects/*/*.jsonl "$1"`, home, path]);
      const made = await machine.call("extract_snippet", { session_id: path, ...kept });
      assert.notEqual(made.isError, true, made.text);
      const { session_id: id } = z.object({ session_id: z.string() }).parse(JSON.parse(made.text));
      execFileSync("sh", ["-c", `rm "$0"; mkfifo "$0"`, path]);
      const lines = { ...kept, content: undefined, session_id: id, source_line_start: 1 };
      assert.match((await machine.call("extract_snippet", lines)).text, /cannot be read here|pipe or a device/);
    }));
});

describe("a thread that hangs", () => {
  test.skipIf(onWindows)("does not keep the runner from closing", async () => {
    const home = makeTempDir();
    const path = pipeIn(home);
    const workerUrl = new URL("../support/tools/stuck-thread-child.ts", import.meta.url);
    const runner = new ToolRunner({ env: {}, home, workerUrl });
    const { text } = await runner.call({ tool: "x", args: {}, cwd: home }, never);
    assert.equal(text, "waiting");
    await runner.close(50);
    // Node would wait for such a thread at its end; Bun may have ended it.
    if (process.versions["bun"] === undefined) await openedOtherEnd(path);
  });
});

describe("no answer has a secret", () => {
  test("from around what was said: folders, names of tools, ids, models", async () => {
    const [folder, name, id, orphan, asked] = Array.from({ length: 5 }, randomSecret);
    const text = [
      user(`Look into it ${asked}`, 0),
      calls(`mcp__${name}__x`, `toolu_${id}`, { q: 1 }, 2),
      result(`toolu_${id}`, "it broke", 3, true),
      result(String(orphan), "nobody asked", 4, true),
      assistant({ blocks: [{ type: "text", text: "Done." }], model: "model" }, 5),
      says("Now it is done.", 6),
    ]
      .join("")
      .replaceAll("/work/shop", `/work/${folder}`);
    await onMachine(text, async (machine) => {
      for (const [tool, args] of [
        ["list_sessions", {}],
        ["read_session", { with_tools: true, with_thinking: true }],
        ["read_session", { line: 3 }],
        ["list_errors", {}],
        ["find_in_transcripts", { query: "done" }],
      ] as const) {
        const answer = await machine.call(tool, args);
        assert.notEqual(answer.isError, true, answer.text);
        assert.deepEqual(
          [folder, name, id, orphan, asked].filter((secret) => answer.text.includes(String(secret))),
          [],
          tool,
        );
      }
      const listed = await machine.call("list_sessions", {});
      assert.match(listed.text, /\[REDACTED:github-token\]: /);
    });
  });

  test("from the call itself, when it fails", () =>
    onMachine(sampleSession(), async (machine) => {
      const secret = randomSecret();
      for (const [tool, args] of [
        ["list_sessions", { since: secret }],
        ["read_session", { session: secret }],
        ["read_session", { last: secret }],
        ["read_session", { [secret]: 1 }],
        ["extract_snippet", { snippet_type: secret, title: "x" }],
        [
          "extract_snippet",
          {
            session_id: "latest",
            snippet_type: "learning_pattern",
            title: "x",
            content: "c ".repeat(90),
            event_id: secret,
          },
        ],
        ["find_in_transcripts", { query: "x", since: secret }],
      ] as const) {
        const { isError, text } = await machine.call(tool, args);
        assert.equal(isError, true, text);
        assert.doesNotMatch(text, new RegExp(secret), tool);
      }
    }));
});

test("a missing file is reported in one sentence", () =>
  onMachine(sampleSession(), async (machine) => {
    const { text } = await machine.call("read_session", { session: "no/such.jsonl" });
    assert.match(text, /Check the path, or call list_sessions to see all sessions\.$/);
  }));
