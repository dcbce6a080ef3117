import assert from "node:assert/strict";
import { isOwnRecall } from "../../src/scan/find-own-output.ts";
import { describe, test } from "../support/runner.ts";

describe("what this program printed into a session", () => {
  for (const name of [
    "find_in_transcripts",
    "read_session",
    "mcp__transcripts__list_errors",
    "transcripts_query_snippets",
    "x.list_sessions",
    "mcp__opencode-transcripts__find_in_transcripts",
    "opencode-transcripts_extract_snippet",
  ]) {
    test(`the tool ${name} is its own`, () => assert.ok(isOwnRecall(name, {})));
  }

  for (const name of ["Bash", "read_session_state", "spread_session", "find", null]) {
    test(`the tool ${name} is not`, () => assert.equal(isOwnRecall(name, { path: "transcripts find x" }), false));
  }

  const own = [
    "transcripts find needle",
    "cd /x && transcripts show latest",
    "npx transcripts find needle | head",
    "npx -y opencode-transcripts find needle",
    "LANG=C transcripts errors abc",
    "./node_modules/.bin/transcripts timeline abc",
    "node dist/cli/transcripts.js find x",
    "echo $(transcripts list --recent 3)",
    "if transcripts find x; then y; fi",
    "true\ntranscripts --json find x",
    "'/opt/my bin/transcripts' find x".replace("my bin", "bin"),
    "C:\\tools\\transcripts.cmd find x",
    "npx --yes opencode-transcripts@latest find needle",
    "npx -p opencode-transcripts transcripts find needle",
    "pnpm dlx opencode-transcripts find needle",
    "cat session.jsonl | transcripts show - --json | jq .",
    "ls *.jsonl | xargs -n 1 transcripts show",
    "timeout 30 transcripts find x",
    "timeout 5s npx transcripts stats --all",
    "node node_modules/opencode-transcripts/dist/cli/main.js find needle",
    "cd /tmp && FOO=1 BAR='2' transcripts find needle 2>/dev/null | head -5",
  ];
  for (const command of own)
    test(`the command \`${command}\` is its own`, () => assert.ok(isOwnRecall("Bash", { command })));

  const others = [
    "ls transcripts find",
    "grep -r find .openfleet/transcripts",
    "echo transcripts find",
    "transcripts init",
    "cat transcripts/find.md",
    "git commit -m 'transcripts find is quick'",
    "mytranscripts find x",
    "npm install opencode-transcripts",
    "npx opencode-transcripts index",
    "cat node_modules/opencode-transcripts/dist/cli/main.js | grep find",
    "vim src/transcripts find.txt",
  ];
  for (const command of others) {
    test(`the command \`${command}\` is not`, () => assert.equal(isOwnRecall("Bash", { command }), false));
  }

  test("no command takes longer than the test may: the time does not grow with the square of its length", () => {
    for (const piece of ["(", "a=", "| x/", "x=1 ", "npx ", "-a "]) {
      assert.equal(isOwnRecall("Bash", { command: `${piece.repeat(50_000)}transcripts` }), false);
    }
  });

  test("a command may be a list of words, or have another name", () => {
    assert.ok(isOwnRecall("shell", { command: ["bash", "-lc", "transcripts find x"] }));
    assert.ok(isOwnRecall("shell", { command: ["transcripts", "find", "x"] }));
    assert.ok(isOwnRecall("exec_command", { cmd: "transcripts find x" }));
    assert.equal(isOwnRecall("Write", { content: "transcripts find x" }), false);
    assert.equal(isOwnRecall("Bash", null), false);
  });
});
