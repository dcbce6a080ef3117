import assert from "node:assert/strict";
import { resultStatus, type ResultFacts } from "../../src/agents/claude-code/claude-endings.ts";
import { endingInText, errorText, exitCodeInText, type ResultTexts } from "../../src/calls/result-texts.ts";
import type { ToolStatus } from "../../src/parse/model.ts";
import { describe, test } from "../support/runner.ts";

const REFUSED =
  "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file edit, the new_string was NOT written to the file). STOP what you are doing and wait for the user to tell you how to proceed.";

const statuses: [string, ResultFacts, ToolStatus][] = [
  ["a plain success", { isError: false, text: "ok" }, "completed"],
  ["a success without the mark", { isError: undefined, text: "ok" }, "completed"],
  ["an empty result", { isError: null, text: "" }, "completed"],
  ["an error by its mark", { isError: true, text: "Exit code 1" }, "error"],
  ["an error with tags", { isError: true, text: "<tool_use_error>No such file</tool_use_error>" }, "error"],
  ["tags without the mark", { isError: undefined, text: " <tool_use_error>x</tool_use_error>\n" }, "error"],
  ["tags that are only quoted", { isError: undefined, text: "1→<tool_use_error>x</tool_use_error>" }, "completed"],
  [
    "tags with more behind them",
    { isError: undefined, text: "<tool_use_error>x</tool_use_error> is a tag" },
    "completed",
  ],
  ["tags that a command printed", { isError: false, text: "<tool_use_error>x</tool_use_error>" }, "completed"],
  ["an error that only the host's copy tells", { isError: undefined, text: "x", toolUseResult: "Error: x" }, "error"],
  [
    "a copy of a success as text",
    { isError: undefined, text: "File created", toolUseResult: "File created" },
    "completed",
  ],
  ["a refusal", { isError: true, text: REFUSED, toolUseResult: "User rejected tool use" }, "rejected"],
  [
    "a refusal told by the host only",
    { isError: true, text: "no", toolUseResult: "User rejected tool use" },
    "rejected",
  ],
  ["a refusal with the person's words", { isError: true, text: `${REFUSED}\nuse pnpm` }, "rejected"],
  [
    "a call behind a refused one",
    { isError: true, text: "The user doesn't want to take this action right now. STOP" },
    "rejected",
  ],
  ["a refusal in tags", { isError: true, text: `<tool_use_error>${REFUSED}</tool_use_error>` }, "rejected"],
  ["a refusal that a file quotes", { isError: undefined, text: `     1→${REFUSED}` }, "completed"],
  ["a refusal that a command printed", { isError: false, text: REFUSED }, "completed"],
  ["an interruption", { isError: true, text: "[Request interrupted by user for tool use]" }, "interrupted"],
  [
    "an interruption told by the host",
    { isError: true, text: "x", toolUseResult: "Error: [Request interrupted by user]" },
    "interrupted",
  ],
  [
    "an interruption found by a search",
    { isError: undefined, text: "a.md:[Request interrupted by user]" },
    "completed",
  ],
  [
    "a command that was stopped",
    { isError: false, text: "partial", toolUseResult: { interrupted: true } },
    "interrupted",
  ],
  ["a command that was not", { isError: false, text: "all", toolUseResult: { interrupted: false } }, "completed"],
  [
    "a stopped command, marked as an error",
    { isError: true, text: "a\n<error>Command was aborted before completion</error>" },
    "interrupted",
  ],
  [
    "a command that ran out of time",
    { isError: true, text: "Exit code 143\nCommand timed out after 2m 0.0s", toolUseResult: { interrupted: true } },
    "error",
  ],
  ["a permission prompt that was closed", { isError: true, text: "Permission prompt was aborted." }, "interrupted"],
  [
    "a permission that was not given",
    { isError: true, text: "Claude requested permissions to write to /a, but you haven't granted it yet." },
    "error",
  ],
  [
    "a permission that a rule denies",
    { isError: true, text: "Permission to use Bash with command rm has been denied." },
    "error",
  ],
  ["a hook that blocked", { isError: true, text: "PreToolUse:Bash hook error: [guard.sh]: no" }, "error"],
];

describe("a result of Claude Code", () => {
  for (const [name, facts, expected] of statuses) {
    test(`${name}: ${expected}`, () => assert.equal(resultStatus(facts), expected));
  }
});

describe("texts of an agent without marks", () => {
  const texts: ResultTexts = {
    rejected: ["exec command rejected by user"],
    interrupted: ["aborted by user"],
    failed: ["apply_patch verification failed", "unsupported call: "],
    exitCode: /^(?:Chunk ID: .*\n)?(?:Wall time: .*\n)?Process exited with code (\d+)$/m,
  };

  test("say how a call ended only at their beginning", () => {
    assert.equal(endingInText(texts, "aborted by user after 1.6s"), "interrupted");
    assert.equal(endingInText(texts, "exec command rejected by user"), "rejected");
    assert.equal(endingInText(texts, "unsupported call: no_such"), "error");
    assert.equal(endingInText(texts, "log: aborted by user"), undefined);
    assert.equal(endingInText({ rejected: [], interrupted: [] }, "unsupported call: no_such"), undefined);
  });

  test("have the exit code of a command", () => {
    assert.equal(
      exitCodeInText(texts, "Chunk ID: 1\nWall time: 0.1 seconds\nProcess exited with code 3\nOutput:\n"),
      3,
    );
    assert.equal(exitCodeInText(texts, "Output:\nnothing"), undefined);
    assert.equal(exitCodeInText({ rejected: [], interrupted: [] }, "Process exited with code 3"), undefined);
  });
});

describe("errorText", () => {
  const texts: [string, string, string][] = [
    ["no tags", " Exit code 1\n", "Exit code 1"],
    ["tags", "<tool_use_error>File does not exist.</tool_use_error>", "File does not exist."],
    ["nested tags", "<tool_use_error><tool_use_error>a</tool_use_error></tool_use_error>", "a"],
    ["an unclosed tag", "<tool_use_error>\n  a", "a"],
    ["a closing tag alone", "a</tool_use_error>", "a"],
    ["tags inside", "Error: <tool_use_error>a</tool_use_error>", "Error: a"],
    ["colours", "\u001B[31mred\u001B[0m", "\u001B[31mred\u001B[0m"],
    ["nothing but tags", "<tool_use_error></tool_use_error>", ""],
  ];
  for (const [name, text, expected] of texts) test(name, () => assert.equal(errorText(text), expected));
});
