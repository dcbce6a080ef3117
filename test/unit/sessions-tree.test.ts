import assert from "node:assert/strict";
import type { ParseResult } from "../../src/parse/model.ts";
import { parseTranscript } from "../../src/parse/parse-transcript.ts";
import type { SessionNode } from "../../src/sessions/session-family.ts";
import { figuresOf, type MessageFigures, type SessionFigures } from "../../src/sessions/session-figures.ts";
import { sessionRef } from "../../src/sessions/session-ref.ts";
import { sessionTree, type SessionTree } from "../../src/sessions/session-tree.ts";
import { describe, test } from "../support/runner.ts";

function node(id: string, children: readonly SessionNode[] = []): SessionNode {
  const agentId = id.startsWith("agent-") ? id.slice("agent-".length) : null;
  return { ref: sessionRef({ id, agentId, source: "claude-code" }), children: [...children] };
}

function message(key: string | null, tokensOut = 1, more: Partial<MessageFigures> = {}): MessageFigures {
  const none = { tokensIn: 0, cacheRead: 0, cacheWrite: 0, costUsd: null, toolCalls: 0, toolErrors: 0, timeMs: null };
  return { key, tokensOut, ...none, ...more };
}

/** A tree with the figures of each session by its id. */
async function treeOf(top: SessionNode, figures: Record<string, Partial<SessionFigures>>): Promise<SessionTree> {
  return sessionTree(top, async ({ id }) => ({ messages: [], started: [], ...figures[id] }));
}

const shape = ({ ref, startedBy, children }: SessionTree): string =>
  `${ref.id}${startedBy === null ? "" : `:${startedBy}`}${children.length === 0 ? "" : `(${children.map(shape).join(" ")})`}`;

describe("totals", () => {
  test("a node alone and with all below it", async () => {
    const tree = await treeOf(node("a", [node("agent-b", [node("agent-c")]), node("agent-d")]), {
      a: { messages: [message("1", 10, { tokensIn: 5, costUsd: 1, timeMs: 1000 })] },
      "agent-b": { messages: [message("2", 20, { cacheRead: 7, toolCalls: 2, toolErrors: 1, timeMs: 500 })] },
      "agent-c": { messages: [message("3", 30, { cacheWrite: 3, costUsd: 0.5, timeMs: 4000 })] },
      "agent-d": { messages: [message("4", 0)] },
    });
    assert.deepEqual(tree.alone, {
      messages: 1,
      tokensIn: 5,
      tokensOut: 10,
      cacheRead: 0,
      cacheWrite: 0,
      costUsd: 1,
      unpricedMessages: 0,
      toolCalls: 0,
      toolErrors: 0,
      firstMs: 1000,
      lastMs: 1000,
      durationMs: 0,
    });
    assert.deepEqual(tree.withBelow, {
      messages: 4,
      tokensIn: 5,
      tokensOut: 60,
      cacheRead: 7,
      cacheWrite: 3,
      costUsd: 1.5,
      unpricedMessages: 1,
      toolCalls: 2,
      toolErrors: 1,
      firstMs: 500,
      lastMs: 4000,
      durationMs: 3500,
    });
    const [b, d] = tree.children;
    assert.deepEqual([b?.alone.costUsd, b?.withBelow.costUsd, b?.withBelow.tokensOut], [null, 0.5, 50]);
    assert.deepEqual([d?.alone.costUsd, d?.alone.durationMs], [0, 0]);
  });

  test("a message that stands in several files counts once, with its largest output", async () => {
    const tree = await treeOf(node("a", [node("agent-acompact-1"), node("agent-b")]), {
      a: { messages: [message("1", 3, { toolCalls: 1, toolErrors: 1, timeMs: 10 }), message(null, 5)] },
      "agent-acompact-1": {
        messages: [message("1", 8, { costUsd: 2, toolCalls: 1, timeMs: 90 }), message("2", 1), message(null, 5)],
      },
      "agent-b": { messages: [message("2", 4)] },
    });
    const { messages, tokensOut, toolCalls, toolErrors, costUsd, durationMs } = tree.withBelow;
    assert.deepEqual([messages, tokensOut, toolCalls, toolErrors, costUsd, durationMs], [4, 22, 1, 1, 2, 0]);
    assert.equal(tree.alone.tokensOut, 8);
  });

  test("a session that cannot be read says so and costs itself", async () => {
    const tree = await sessionTree(node("a", [node("agent-b")]), async ({ id }) => {
      if (id === "agent-b") throw new Error("it is gone");
      return { messages: [message("1")], started: [] };
    });
    assert.deepEqual([tree.problem, tree.withBelow.messages], [null, 1]);
    assert.deepEqual([tree.children[0]?.problem, tree.children[0]?.alone.messages], ["it is gone", 0]);
  });
});

describe("the call that started a subagent", () => {
  test("is named, and puts the subagent where it belongs", async () => {
    const tree = await treeOf(node("a", [node("agent-b"), node("agent-c"), node("agent-d"), node("agent-e")]), {
      a: {
        started: [
          { id: "b", toolUseId: "t1" },
          { id: "unknown", toolUseId: "t0" },
        ],
      },
      "agent-b": { started: [{ id: "c", toolUseId: "t2" }] },
      "agent-c": { started: [{ id: "agent-d", toolUseId: "t3" }] },
    });
    assert.equal(shape(tree), "a(agent-b:t1(agent-c:t2(agent-d:t3)) agent-e)");
  });

  test("counts from its parent first, for a compaction's sidechain repeats it", async () => {
    const started = [{ id: "b", toolUseId: "t1" }];
    const top = node("a", [node("agent-acompact-1"), node("agent-b")]);
    assert.equal(
      shape(await treeOf(top, { a: { started }, "agent-acompact-1": { started } })),
      "a(agent-acompact-1 agent-b:t1)",
    );
  });

  test("never makes a circle", async () => {
    const tree = await treeOf(node("a", [node("agent-b"), node("agent-c")]), {
      "agent-b": {
        started: [
          { id: "b", toolUseId: "t1" },
          { id: "c", toolUseId: "t2" },
          { id: "a", toolUseId: "t3" },
        ],
      },
      "agent-c": { started: [{ id: "b", toolUseId: "t4" }] },
    });
    assert.equal(shape(tree), "a(agent-b(agent-c:t2))");
  });
});

describe("figures of a parsed session", () => {
  const line = (fields: Record<string, unknown>): string => JSON.stringify({ sessionId: "s", ...fields });
  const usage = (output: number): unknown => ({ input_tokens: 10, output_tokens: output });
  const content = (...blocks: unknown[]): unknown => blocks;

  async function parsed(...lines: string[]): Promise<ParseResult> {
    return parseTranscript("s", `${lines.join("\n")}\n`);
  }

  test("calls belong to the message that made them, and subagents to their call", async () => {
    const result = await parsed(
      line({
        type: "user",
        uuid: "u1",
        timestamp: "2026-01-05T10:00:00.000Z",
        message: { role: "user", content: "go" },
      }),
      line({
        type: "assistant",
        uuid: "u2",
        timestamp: "2026-01-05T10:00:01.000Z",
        message: {
          id: "msg_1",
          role: "assistant",
          model: "claude-none",
          usage: usage(7),
          content: content(
            { type: "tool_use", id: "t1", name: "Task", input: {} },
            { type: "tool_use", id: "t2", name: "Bash", input: {} },
          ),
        },
      }),
      line({
        type: "user",
        uuid: "u3",
        timestamp: "2026-01-05T10:00:02.000Z",
        message: { role: "user", content: content({ type: "tool_result", tool_use_id: "t1", content: "done" }) },
        toolUseResult: { agentId: "abc", status: "completed" },
      }),
      line({
        type: "user",
        uuid: "u4",
        message: {
          role: "user",
          content: content({ type: "tool_result", tool_use_id: "t2", is_error: true, content: "Exit code 1" }),
        },
      }),
    );
    const figures = figuresOf(result);
    assert.deepEqual(figures.started, [{ id: "abc", toolUseId: "t1" }]);
    assert.deepEqual(
      figures.messages.map(({ key, tokensOut, toolCalls, toolErrors, timeMs }) => [
        key,
        tokensOut,
        toolCalls,
        toolErrors,
        timeMs,
      ]),
      [
        ["u1", 0, 0, 0, Date.UTC(2026, 0, 5, 10)],
        ["msg_1", 7, 2, 1, Date.UTC(2026, 0, 5, 10, 0, 1)],
        ["u3", 0, 0, 0, Date.UTC(2026, 0, 5, 10, 0, 2)],
        ["u4", 0, 0, 0, null],
      ],
    );
    const block = result.content_blocks.find(({ tool_use_id }) => tool_use_id === "t2");
    assert.ok(block);
    const ours = { ...block, metadata: { subagent_session_id: "ses_2" } };
    assert.deepEqual(figuresOf({ ...result, content_blocks: [ours] }).started, [{ id: "ses_2", toolUseId: "t2" }]);
    const tree = await sessionTree(node("s"), async () => figures);
    assert.deepEqual([tree.alone.costUsd, tree.alone.unpricedMessages, tree.alone.durationMs], [null, 1, 2000]);
  });
});
