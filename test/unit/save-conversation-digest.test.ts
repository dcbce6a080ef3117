import assert from "node:assert/strict";
import type { TranscriptEntry, TranscriptItem, TranscriptProblem } from "../../src/transcript/format/entry-types.ts";
import { catalogPricing } from "../../src/parse/pricing.ts";
import { type Digest, digestOf } from "../../src/tools/save-conversation/conversation-digest.ts";
import { describe, test } from "../support/runner.ts";
import { shortened } from "../../src/neutral-text.ts";
import { code, firstLine, quoted } from "../../src/tools/save-conversation/session-file.ts";

const AT = { timestamp: "2026-01-05T10:30:00.000Z", messageID: "msg_1" };

async function* itemsOf(
  entries: readonly (TranscriptEntry | TranscriptProblem["code"])[],
): AsyncGenerator<TranscriptItem> {
  const place = { line: 1, offset: 0 };
  for (const entry of entries) {
    if (typeof entry === "string") yield { kind: "problem", problem: { code: entry, ...place, message: "" } };
    else yield { kind: "entry", entry, ...place, endOffset: 1 };
  }
}

function digest(...entries: (TranscriptEntry | TranscriptProblem["code"])[]): Promise<Digest> {
  return digestOf(itemsOf(entries));
}

function costOf({ usage }: Digest): [cost: number | null, isEstimate: boolean] {
  const { cost_usd, cost_is_estimate } = usage.totals();
  return [cost_usd, cost_is_estimate];
}

describe("the digest of a transcript", () => {
  test("of nothing is empty", async () => {
    const { userMessages, assistantMessages, toolCalls, usage, firstTimestamp } = await digest();
    assert.deepEqual(
      [userMessages, assistantMessages, toolCalls, usage.totals().cost_usd, firstTimestamp],
      [0, 0, 0, null, undefined],
    );
  });

  test("counts messages, not their entries", async () => {
    const { userMessages, assistantMessages } = await digest(
      { type: "user", ...AT, messageID: "u1", content: "a", parts: [] },
      { type: "user", ...AT, messageID: "u1", partID: "p2", content: "more of it", parts: [] },
      { type: "reasoning", ...AT, content: "hm" },
      { type: "assistant", ...AT, content: "one" },
      { type: "tool_use", ...AT, tool: "bash", callID: "c", input: {} },
      { type: "assistant", ...AT, messageID: "msg_2", content: "two" },
    );
    assert.deepEqual([userMessages, assistantMessages], [1, 2]);
  });

  test("adds up usage from texts and from events", async () => {
    const tokens = { input: 10, output: 2 };
    const { usage, models } = await digest(
      { type: "assistant", ...AT, content: "a", tokens, cost: 0.5, model: "a/b" },
      {
        type: "session_event",
        ...AT,
        name: "usage",
        data: { tokens: { ...tokens, cacheRead: 7 }, cost: 0.25, model: "a/c" },
      },
      { type: "assistant", ...AT, content: "b", tokens: { input: 0, output: 3, reasoning: 5 }, model: "a/b" },
      { type: "session_event", ...AT, name: "usage", data: "not what it should be" },
      { type: "session_event", ...AT, name: "usage" },
    );
    const { tokens_in, tokens_out, cache_read, cache_write, cost_usd, cost_is_estimate } = usage.totals();
    assert.deepEqual([tokens_in, tokens_out, usage.reasoning, cache_read, cache_write], [20, 12, 5, 7, 0]);
    assert.deepEqual([cost_usd, cost_is_estimate], [0.75, false]);
    assert.deepEqual(models, ["a/b", "a/c"]);
  });

  test("a cost of 0, as a subscription records it, is replaced by the price of the tokens and marked", async () => {
    const answer = (model: string): TranscriptEntry => ({
      type: "assistant",
      ...AT,
      content: "a",
      tokens: { input: 1_000_000, output: 1_000_000 },
      cost: 0,
      model,
    });
    const pricing = await catalogPricing();
    const items = (...entries: TranscriptEntry[]): AsyncIterable<TranscriptItem> => itemsOf(entries);
    const known = await digestOf(items(answer("anthropic/claude-opus-4-8")), undefined, pricing);
    assert.deepEqual(costOf(known), [30, true]);
    const free = await digestOf(items(answer("local/homemade-7b")), undefined, pricing);
    assert.deepEqual(costOf(free), [0, false]);
  });

  test("keeps the last three texts, joined if they were written in pieces, anew if they were replaced", async () => {
    const text = (partID: string, content: string, continues?: "append" | "replace"): TranscriptEntry => ({
      type: "assistant",
      ...AT,
      partID,
      content,
      ...(continues === undefined ? {} : { continues }),
    });
    const { lastTexts } = await digest(
      text("p1", "Zero."),
      text("p2", "One "),
      text("p3", "Tw"),
      text("p2", "and a half.", "append"),
      text("p3", "Two.", "replace"),
      text("p4", "Three."),
    );
    assert.deepEqual(lastTexts, ["One and a half.", "Two.", "Three."]);
  });

  test("takes the title that was given last, and no placeholder", async () => {
    const title = (text: string): TranscriptEntry => ({ type: "session_event", ...AT, name: "title", text });
    assert.equal((await digest(title("New session - 2026-01-05T10:30:00.000Z"))).title, undefined);
    assert.equal((await digest(title("First"), title("Second"))).title, "Second");
  });

  test("counts what is missing: lost and torn entries, places that cannot be read, but not outputs kept elsewhere", async () => {
    const event = { type: "session_event", ...AT } as const;
    const { missing } = await digest(
      { ...event, name: "missing entries", data: { missing: 7 } },
      { ...event, name: "missing entries" },
      { ...event, name: "torn entry", data: {} },
      "damaged_entry",
      "torn_entry",
      "missing_output",
    );
    assert.equal(missing, 11);
  });

  test("takes failures of every kind, and only those, with whatever output", async () => {
    const result = { type: "tool_result", ...AT, callID: "c", input: {} } as const;
    const { failedCalls, errors } = await digest(
      { ...result, tool: "read", output: { deep: 1 }, status: "error" },
      { ...result, tool: "bash", output: "stopped", status: "interrupted" },
      { ...result, tool: "invalid", output: "unknown tool", status: "completed" },
      { ...result, tool: "bash", output: "", metadata: { exit: 2 }, input: { command: "false" } },
      { ...result, tool: "bash", output: "", metadata: { exit: 0 } },
      { ...result, tool: "bash", output: "", metadata: { exit: 1 }, input: { command: "grep a b" } },
      {
        ...result,
        tool: "bash",
        output: "The user rejected permission to use this specific tool call",
        status: "error",
      },
    );
    assert.equal(failedCalls, 3);
    assert.deepEqual(errors, [
      { source: "read", message: '{"deep":1}' },
      { source: "invalid", message: "unknown tool" },
      { source: "bash", message: "exit code 2: false" },
    ]);
  });

  test("keeps a bounded number of prompts, errors and files, and counts all", async () => {
    const entries = Array.from({ length: 3_000 }, (_, n): TranscriptEntry[] => [
      { type: "user", ...AT, messageID: `u${n}`, content: "x".repeat(50_000), parts: [] },
      { type: "tool_result", ...AT, tool: "write", callID: `c${n}`, input: { filePath: `f${n}` }, output: "" },
      { type: "tool_result", ...AT, tool: "bash", callID: `d${n}`, input: {}, output: "no", status: "error" },
    ]);
    const { prompts, promptCount, errors, errorCount, files } = await digest(...entries.flat());
    assert.deepEqual(
      [prompts.length, promptCount, errors.length, errorCount, files.length],
      [20, 3_000, 20, 3_000, 1_000],
    );
    assert.equal(prompts[0]?.length, 20_000);
  });
});

describe("foreign text in a saved session", () => {
  test("stays inside its code span", () => {
    assert.equal(code("a  b"), "`a  b`");
    assert.equal(code("a`b``c"), "``` a`b``c ```");
    assert.equal(code("a\r\nb"), "`a b`");
  });

  test("stays inside its quote", () => assert.equal(quoted("a\n\n# b\r\n```\rc"), "> a\n>\n> # b\n> ```\n> c"));

  test("is cut between characters", () => {
    assert.equal(shortened("abc", 3), "abc");
    assert.equal(shortened("a🎉b", 2), "a…");
  });

  test("gives its first line with words", () => {
    assert.equal(firstLine("\n\n  a \nb"), "a ");
    assert.equal(firstLine(""), "");
  });
});
