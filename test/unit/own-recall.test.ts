import assert from "node:assert/strict";
import { isOwnRecall } from "../../src/calls/own-recall.ts";
import { describe, test } from "../support/runner.ts";

describe("output of this program in a session", () => {
  for (const name of [
    "find_in_transcripts",
    "read_session",
    "mcp__transcripts__list_errors",
    "transcripts_query_snippets",
    "list_sessions",
    "my-transcripts.list_sessions",
    "recall_find_in_transcripts",
    "mcp__opencode-transcripts__find_in_transcripts",
    "opencode-transcripts_extract_snippet",
  ]) {
    test(`the tool ${name} is its own`, () => assert.ok(isOwnRecall(name, {})));
  }

  for (const name of [
    "Bash",
    "read_session_state",
    "spread_session",
    "find",
    "mcp__tmux__list_sessions",
    "mcp__sentry__list_errors",
    "x.read_session",
    null,
  ]) {
    test(`the tool ${name} is not`, () => assert.equal(isOwnRecall(name, { path: "transcripts find x" }), false));
  }

  const own = [
    "transcripts find needle",
    "cd /x && transcripts show latest",
    "npx transcripts find needle | head",
    "npx -y opencode-transcripts find needle",
    "LANG=C transcripts errors abc",
    "true\ntranscripts find x",
    "transcripts changes latest",
    "./node_modules/.bin/transcripts timeline abc",
    "node dist/cli/transcripts.js find x",
    "echo $(transcripts list --recent 3)",
    "if transcripts find x; then y; fi",
    "'/opt/my bin/transcripts' find x".replace("my bin", "bin"),
    "C:\\tools\\transcripts.cmd find x",
    "npx --yes opencode-transcripts@latest find needle",
    "pnpm dlx opencode-transcripts find needle",
    "cat session.jsonl | transcripts show - --json | jq .",
    "ls *.jsonl | xargs -n 1 transcripts show",
    "timeout 30 transcripts find x",
    "timeout 5s npx transcripts stats --all",
    "node node_modules/opencode-transcripts/dist/cli/main.js find needle",
    "bash -c 'transcripts find x'",
    'sh -c "cd /y; transcripts find x | head"',
    "env A=b transcripts find x",
    "ssh -p 22 box 'cd x && transcripts errors latest'",
    "script -qc 'transcripts find x' /dev/null",
    "watch -n 5 transcripts tail latest",
    "uv run transcripts find x",
    "gtimeout 5 transcripts find x",
    "xargs -I {} transcripts show {} < ids",
    "bash <<'EOF'\ntranscripts find x\nEOF",
    "eval transcripts find x",
    "for s in a b; do transcripts show $s; done",
    'echo "found: $(transcripts find x)"',
    "echo `transcripts find x`",
    "transcripts find x 2>&1 | head -3",
    "cat <<EOF > notes && transcripts find x\nhello\nEOF",
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
    "node dist/cli/main.js find x",
    "# transcripts find x",
    "sudo echo transcripts find x",
    "ssh box echo transcripts find",
    "bash -c 'echo transcripts find x'",
    "rg -n transcripts find src",
  ];
  for (const command of others) {
    test(`the command \`${command}\` is not`, () => assert.equal(isOwnRecall("Bash", { command }), false));
  }

  test("commands are not read in quadratic time", () => {
    for (const piece of [
      "(",
      "a=",
      "| x/",
      "x=1 ",
      "npx ",
      "-a ",
      "$(",
      "`",
      '"$(',
      "<<E\n",
      "bash -c 'x' ",
      "ssh ",
      "eval ",
      "'",
      "\\",
      "{ ",
      "npx -a x=1 5s ",
      "/a",
      "opencode-transcripts/",
      "\n/a transcripts",
    ]) {
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
