import assert from "node:assert/strict";
import type { ParsedContentBlock, ToolCall, TranscriptMessage } from "../../src/parse/model.ts";
import { correlateToolCalls } from "../../src/parse/tool-calls.ts";
import { makeBlock, makeMessage } from "../support/made-session.ts";
import { describe, test } from "../support/runner.ts";

interface Sketch {
  message?: Partial<TranscriptMessage>;
  blocks: Partial<ParsedContentBlock>[];
}

const use = (id: string | null, fields: Partial<ParsedContentBlock> = {}): Partial<ParsedContentBlock> => ({
  block_type: "tool_use",
  tool_use_id: id,
  tool_name: "Bash",
  ...fields,
});
const result = (
  id: string | null,
  text: string,
  fields: Partial<ParsedContentBlock> = {},
): Partial<ParsedContentBlock> => ({
  block_type: "tool_result",
  tool_result_id: id,
  result_text: text,
  status: "completed",
  ...fields,
});
const from = (line: string): Partial<TranscriptMessage> => ({ metadata: { source_tool_assistant_uuid: line } });

function correlate(sketches: readonly Sketch[]): { calls: ToolCall[]; blocks: ParsedContentBlock[] } {
  const messages = sketches.map(({ message }, ordinal) => makeMessage(ordinal, message));
  const blocks = messages.flatMap((message, at) =>
    (sketches[at]?.blocks ?? []).map((fields, order) => makeBlock(message, order, fields)),
  );
  return { calls: correlateToolCalls(messages, blocks), blocks };
}

/** Each call as `message of the call -> text of its result`. */
const pairs = (sketches: readonly Sketch[]): string[] =>
  correlate(sketches).calls.map(
    ({ use: call, result_text, result: answer }) =>
      `${call?.message_ordinal ?? "none"} -> ${answer ? result_text : "none"}`,
  );

describe("correlateToolCalls", () => {
  test("brings a call and its result together", () => {
    const { calls, blocks } = correlate([
      { message: { timestamp: "2001-01-01T00:00:00Z" }, blocks: [use("a", { tool_input: { command: "ls" } })] },
      { blocks: [result("a", "<tool_use_error>no</tool_use_error>", { status: "error", is_error: true })] },
    ]);
    assert.deepEqual(calls, [
      {
        tool_use_id: "a",
        tool_name: "Bash",
        tool_input: { command: "ls" },
        status: "error",
        is_error: true,
        exit_code: null,
        error: "no",
        result_text: "<tool_use_error>no</tool_use_error>",
        matched_by: "id",
        use: { block_id: "message_0.0", message_ordinal: 0, line_number: 1, timestamp: "2001-01-01T00:00:00Z" },
        result: { block_id: "message_1.0", message_ordinal: 1, line_number: 2, timestamp: null },
        is_sidechain: false,
        agent_id: null,
      },
    ]);
    assert.equal(blocks[0]?.status, "error");
  });

  test("keeps the order of the conversation, whatever order the blocks come in", () => {
    const messages = [makeMessage(0), makeMessage(1)];
    const [first, second] = messages;
    assert.ok(first && second);
    const blocks = [makeBlock(second, 1, use("c")), makeBlock(second, 0, use("b")), makeBlock(first, 0, use("a"))];
    assert.deepEqual(
      correlateToolCalls(messages, blocks).map((call) => call.tool_use_id),
      ["a", "b", "c"],
    );
  });

  test("parallel calls get their own results", () => {
    assert.deepEqual(
      pairs([{ blocks: [use("a"), use("b")] }, { blocks: [result("b", "B")] }, { blocks: [result("a", "A")] }]),
      ["0 -> A", "0 -> B"],
    );
  });

  test("a result may come before its call", () => {
    assert.deepEqual(pairs([{ blocks: [result("a", "A")] }, { blocks: [use("a")] }]), ["1 -> A"]);
  });

  test("an id that is used again: each result goes to the nearest call before it", () => {
    const session = [
      { blocks: [use("a")] },
      { blocks: [result("a", "1")] },
      { blocks: [use("a")] },
      { blocks: [result("a", "2")] },
    ];
    assert.deepEqual(pairs(session), ["0 -> 1", "2 -> 2"]);
  });

  test("an id that is used again after a call without result", () => {
    assert.deepEqual(pairs([{ blocks: [use("a")] }, { blocks: [use("a")] }, { blocks: [result("a", "2")] }]), [
      "0 -> none",
      "1 -> 2",
    ]);
  });

  test("one id for several parallel calls: results in their order", () => {
    assert.deepEqual(pairs([{ blocks: [use("a"), use("a")] }, { blocks: [result("a", "1"), result("a", "2")] }]), [
      "0 -> 1",
      "0 -> 2",
    ]);
  });

  test("a call before the result is nearer than one after it", () => {
    assert.deepEqual(pairs([{ blocks: [use("a")] }, { blocks: [result("a", "1")] }, { blocks: [use("a")] }]), [
      "0 -> 1",
      "2 -> none",
    ]);
  });

  test("remaining results of a reused id are matched with later calls, nearest first", () => {
    const session = [
      { blocks: [result("a", "1")] },
      { blocks: [use("a")] },
      { blocks: [result("a", "2")] },
      { blocks: [use("a")] },
    ];
    assert.deepEqual(pairs(session), ["1 -> 2", "3 -> 1"]);
  });

  test("agents that share an id keep their own results", () => {
    const a = { is_sidechain: true, agent_id: "A" };
    const b = { is_sidechain: true, agent_id: "B" };
    const { calls } = correlate([
      { message: a, blocks: [use("call_0")] },
      { message: b, blocks: [use("call_0")] },
      { message: a, blocks: [result("call_0", "of A")] },
      { message: b, blocks: [result("call_0", "of B")] },
    ]);
    assert.deepEqual(
      calls.map((call) => [call.agent_id, call.result_text]),
      [
        ["A", "of A"],
        ["B", "of B"],
      ],
    );
    assert.ok(calls.every((call) => call.is_sidechain));
  });

  test("a result of another agent is better than none", () => {
    assert.deepEqual(pairs([{ blocks: [use("a")] }, { message: { is_sidechain: true }, blocks: [result("a", "1")] }]), [
      "0 -> 1",
    ]);
  });

  test("of calls with one id the line that the source names is taken", () => {
    const session = [
      { blocks: [use("a", { source_uuid: "L1" })] },
      { blocks: [use("a", { source_uuid: "L2" })] },
      { message: from("L1"), blocks: [result("a", "1")] },
      { message: from("L2"), blocks: [result("a", "2")] },
    ];
    assert.deepEqual(pairs(session), ["0 -> 1", "1 -> 2"]);
  });

  test("a result with a strange id is found through the line that the source names", () => {
    const { calls } = correlate([
      { blocks: [use("a", { source_uuid: "L1" })] },
      { message: from("L1"), blocks: [result("[REDACTED]", "1")] },
    ]);
    assert.deepEqual(
      calls.map((call) => [call.tool_use_id, call.matched_by, call.result_text]),
      [["a", "source_uuid", "1"]],
    );
  });

  test("of several calls on that line the one without a result is taken", () => {
    const { calls } = correlate([
      { blocks: [use("a", { source_uuid: "L1" }), use("b", { source_uuid: "L1" })] },
      { message: from("L1"), blocks: [result("a", "A"), result(null, "B")] },
    ]);
    assert.deepEqual(
      calls.map((call) => [call.tool_use_id, call.matched_by, call.result_text]),
      [
        ["a", "id", "A"],
        ["b", "source_uuid", "B"],
      ],
    );
  });

  test("where that is not clear, nothing is guessed", () => {
    assert.deepEqual(
      pairs([
        { blocks: [use("a", { source_uuid: "L1" }), use("b", { source_uuid: "L1" })] },
        { message: from("L1"), blocks: [result(null, "?")] },
      ]),
      ["0 -> none", "0 -> none", "none -> ?"],
    );
  });

  test("a second result for a call is separate, in its own place", () => {
    const session = [
      { blocks: [use("a")] },
      { blocks: [result("a", "1")] },
      { blocks: [result("a", "2")] },
      { blocks: [use("b")] },
    ];
    assert.deepEqual(pairs(session), ["0 -> 1", "none -> 2", "3 -> none"]);
  });

  test("without a result a call is pending, without a call a result has no tool", () => {
    const { calls, blocks } = correlate([
      { blocks: [use("a")] },
      { blocks: [result("b", "[Request interrupted by user]", { status: "interrupted" })] },
    ]);
    assert.deepEqual(
      calls.map(({ status, tool_name, tool_use_id, error, matched_by }) => ({
        status,
        tool_name,
        tool_use_id,
        error,
        matched_by,
      })),
      [
        { status: "pending", tool_name: "Bash", tool_use_id: "a", error: null, matched_by: null },
        {
          status: "interrupted",
          tool_name: null,
          tool_use_id: "b",
          error: "[Request interrupted by user]",
          matched_by: null,
        },
      ],
    );
    assert.equal(blocks[0]?.status, "pending");
  });

  test("calls without ids are pending, and results without ids and line are separate", () => {
    assert.deepEqual(pairs([{ blocks: [use(null)] }, { blocks: [result(null, "1")] }]), ["0 -> none", "none -> 1"]);
  });

  test("a result whose status the source left open goes by its mark", () => {
    const { calls } = correlate([
      { blocks: [use("a")] },
      { blocks: [result("a", "x", { status: null, is_error: true })] },
    ]);
    assert.equal(calls[0]?.status, "error");
  });
});
