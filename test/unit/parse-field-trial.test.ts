/** Peculiarities of real session files that no other test has. The lines are made up. */
import assert from "node:assert/strict";
import { findFixes } from "../../src/queries/call-fixes.ts";
import type { ParseResult } from "../../src/parse/model.ts";
import { parseTranscript } from "../../src/agents/parse-input.ts";
import { answer, file, toolResult, toolUse } from "../support/parse/claude-lines.ts";
import { describe, test } from "../support/runner.ts";

const parsed = (lines: readonly string[]): Promise<ParseResult> =>
  parseTranscript("S1", file(...lines), { pricing: "flat" });

describe("stream-json", () => {
  const streamed = (type: string, content: unknown, more: Record<string, unknown> = {}): string =>
    JSON.stringify({ type, session_id: "s-1", message: { role: type, content }, ...more });

  test("has its own name for the mark of an injection", async () => {
    const skill = [{ type: "text", text: "Base directory for this skill: /skills/review" }];
    const { messages, stats } = await parsed([
      streamed("user", "Review it"),
      streamed("user", skill, { isSynthetic: true }),
    ]);
    assert.deepEqual(
      messages.map(({ user_kind }) => user_kind),
      ["human", "meta"],
    );
    assert.equal(stats.human_messages, 1);
  });

  test("keeps the calls of each subagent together", async () => {
    const call = (agent: string, id: string): string =>
      streamed("assistant", [toolUse(id, "Bash", { command: "make test" })], { parent_tool_use_id: agent });
    const ended = (agent: string, id: string, failed: boolean): string =>
      streamed(
        "user",
        [{ type: "tool_result", tool_use_id: id, content: failed ? "Exit code 2" : "ok", is_error: failed }],
        {
          parent_tool_use_id: agent,
        },
      );
    const { messages, content_blocks, tool_calls } = await parsed([
      call("toolu_a", "toolu_1"),
      call("toolu_b", "toolu_2"),
      ended("toolu_a", "toolu_1", true),
      ended("toolu_b", "toolu_2", true),
      call("toolu_b", "toolu_3"),
      ended("toolu_b", "toolu_3", false),
    ]);
    assert.deepEqual([...new Set(messages.map(({ agent_id }) => agent_id))], ["toolu_a", "toolu_b"]);
    assert.deepEqual(
      findFixes(messages, content_blocks, tool_calls).map(({ failed, fix }) => [failed.tool_use_id, fix?.tool_use_id]),
      [
        ["toolu_1", undefined],
        ["toolu_2", "toolu_3"],
      ],
    );
  });
});

describe("a command that was killed because a person stopped it", () => {
  const status = async (text: string): Promise<unknown> => {
    const lines = [
      answer("msg_1", [toolUse("toolu_1", "Bash")]),
      toolResult("toolu_1", text, { toolUseResult: `Error: ${text}` }, { is_error: true }),
    ];
    return (await parsed(lines)).tool_calls[0]?.status;
  };

  test("was interrupted, although the note follows an exit code", async () => {
    assert.equal(await status("Exit code 137\n[Request interrupted by user for tool use]\n\nbuilding"), "interrupted");
  });

  test("else it failed", async () => {
    assert.equal(await status("Exit code 137\nKilled"), "error");
    assert.equal(await status("Exit code 1\nlog: [Request interrupted by user]"), "error");
  });
});

test("opencode's placeholder title does not count", async () => {
  const exported = (title: string): string => JSON.stringify({ info: { id: "ses_1", title }, messages: [] });
  const titleOf = async (title: string): Promise<string | null> =>
    (await parseTranscript("S1", exported(title))).metadata.title;
  assert.equal(await titleOf("New session - 2026-05-01T10:00:00.000Z"), null);
  assert.equal(await titleOf("Child session - 2026-05-01T10:00:00.000Z"), null);
  assert.equal(await titleOf("New session - and then?"), "New session - and then?");
});
