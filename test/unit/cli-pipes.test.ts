/** Named pipes where files are expected: no command waits for them. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { sampleSession, SESSION, storeSession } from "../support/cli/claude-lines.ts";
import { runCli } from "../support/cli/run-cli.ts";
import { afterAll, describe, test } from "../support/runner.ts";
import { makeTempDir, removeTempDirs } from "../support/temp-dir.ts";

afterAll(removeTempDirs);

function makePipe(path: string): void {
  mkdirSync(dirname(path), { recursive: true });
  execFileSync("sh", ["-c", `mkfifo "$0"`, path]);
}

/** A machine with one session, and a pipe wherever a program of ours or of an agent would have a file. */
function machine(): string {
  const home = makeTempDir();
  mkdirSync(join(home, ".git"));
  storeSession(home, sampleSession());
  const other = "ffffffff-4e5f-4061-8071-2a3b4c5d6e7f";
  for (const path of [
    `.claude/projects/-work-shop/${other}.jsonl`,
    `.claude/projects/-work-shop/agent-abc123.jsonl`,
    `.claude/projects/-work-shop/${SESSION}/subagents/agent-def456.jsonl`,
    ".openfleet/transcripts/ses_pipe.md",
    ".openfleet/transcripts/ses_pipe.jsonl",
    ".openfleet/transcripts/other.md",
    ".openfleet/transcripts/ses_a/outputs/call_1.txt",
    ".openfleet/sessions/2026-01-05/001_pipe.md",
    ".local/share/opencode/opencode.db",
    ".local/share/opencode/opencode-next.db",
    ".config/opencode/opencode.json",
    "opencode.json",
    "named.jsonl",
  ])
    makePipe(join(home, path));
  // A transcript of ours whose output is a pipe by now.
  writeFileSync(
    join(home, ".openfleet/transcripts/ses_a.md"),
    ["# Transcript: ses_a", "", "---", "", "## [2026-01-05T10:00:00.000Z] User Message", "", "needle", ""].join("\n"),
  );
  return home;
}

describe("a pipe in the place of a file", () => {
  if (process.platform === "win32") return;
  const home = machine();
  for (const [command, exitCode] of [
    [["list"], 0],
    [["list", "--subagents"], 0],
    [["find", "sum"], 0],
    [["stats"], 0],
    [["show", SESSION], 0],
    [["export", SESSION, "--html"], 0],
    [["index"], 0],
    [["find", "sum"], 0],
    [["doctor"], 2],
    [["init", "--yes"], 2],
    [["forget", SESSION], 2],
    [["forget", "named.jsonl"], 2],
    [["show", "named.jsonl"], 2],
    [["tail", "named.jsonl"], 2],
  ] as const) {
    test(`is not waited for: ${command.join(" ")}`, async () => {
      const { exitCode: got, stderr } = await runCli(command, { home });
      assert.equal(got, exitCode, stderr);
    });
  }

  test("is not waited for in place of the store", async () => {
    const store = join(makeTempDir(), "transcripts.db");
    makePipe(store);
    for (const command of [["index"], ["find", "x"], ["doctor"], ["snippets", "query"]]) {
      const { exitCode, stderr, stdout } = await runCli(command, { home, env: { TRANSCRIPTS_DATABASE: store } });
      // A search reads the sessions then.
      assert.equal(exitCode, command[0] === "find" ? 0 : 2, command.join(" "));
      assert.match(stderr + stdout, /is not a regular file/, command.join(" "));
    }
  });
});
