import assert from "node:assert/strict";
import { judgedEnd } from "../../src/agents/opencode/opencode-endings.ts";
import { type Digest, digestOf } from "../../src/tools/save-conversation/conversation-digest.ts";
import {
  encodeJsonlEntry,
  encodeJsonlHeader,
  encodeMarkdownEntry,
  encodeMarkdownHeader,
  type TranscriptEntry,
} from "../../src/transcript/format/formats.ts";
import { describe, test } from "../support/runner.ts";
import { shortened } from "../../src/neutral-text.ts";
import { code, firstLine, blockquote } from "../../src/tools/save-conversation/session-file.ts";

const AT = { timestamp: "2026-01-05T10:30:00.000Z", messageID: "msg_1" };
const HEADER = encodeJsonlHeader({ version: 1, sessionID: "ses_1" });

/** Returns the digest of a transcript with these entries, judged as when they are recorded; a string stands for a line. */
function digest(...entries: (TranscriptEntry | string)[]): Promise<Digest> {
  const lines = entries.map((entry) => (typeof entry === "string" ? entry : encodeJsonlEntry(judged(entry))));
  return digestOf(HEADER + lines.join(""));
}

function judged(entry: TranscriptEntry): TranscriptEntry {
  return entry.type === "tool_result" ? { ...entry, ...judgedEnd(entry) } : entry;
}

describe("the digest of a transcript", () => {
  test("of nothing is empty", async () => {
    const { userMessages, stats } = await digest();
    assert.deepEqual([userMessages, stats.assistant_messages, stats.tool_use_count, stats.duration_ms], [0, 0, 0, 0]);
  });

  test("counts messages, not their entries", async () => {
    const { userMessages, stats } = await digest(
      { type: "user", ...AT, messageID: "u1", content: "a", parts: [] },
      { type: "user", ...AT, messageID: "u1", partID: "p2", content: "more of it", parts: [] },
      { type: "reasoning", ...AT, content: "hm" },
      { type: "assistant", ...AT, content: "one" },
      { type: "tool_use", ...AT, tool: "bash", callID: "c", input: {} },
      { type: "assistant", ...AT, messageID: "msg_2", content: "two" },
    );
    assert.deepEqual([userMessages, stats.assistant_messages], [1, 2]);
  });

  test("adds up usage", async () => {
    const tokens = { input: 10, output: 2 };
    const { stats, reasoningTokens, models } = await digest(
      { type: "assistant", ...AT, content: "a", messageID: "msg_1", model: "a/b" },
      { type: "session_event", ...AT, messageID: "msg_1", name: "usage", data: { tokens, cost: 0.5, model: "a/b" } },
      {
        type: "session_event",
        ...AT,
        messageID: "msg_2",
        name: "usage",
        data: { tokens: { ...tokens, cacheRead: 7 }, cost: 0.25, model: "a/c" },
      },
      {
        type: "session_event",
        ...AT,
        messageID: "msg_3",
        name: "usage",
        data: { tokens: { input: 0, output: 3, reasoning: 5 }, model: "a/b" },
      },
      { type: "session_event", ...AT, name: "usage", data: "not what it should be" },
      { type: "session_event", ...AT, name: "usage" },
    );
    const { tokens_in, tokens_out, cache_read, cache_write, cost_estimate_usd, cost_is_estimate } = stats;
    assert.deepEqual([tokens_in, tokens_out, reasoningTokens, cache_read, cache_write], [20, 12, 5, 7, 0]);
    assert.deepEqual([cost_estimate_usd, cost_is_estimate], [0.75, false]);
    assert.deepEqual(models, ["a/b", "a/c"]);
  });

  test("a cost of 0, as a subscription records it, is replaced by the price of the tokens and marked", async () => {
    const answer = (model: string): TranscriptEntry => ({
      type: "session_event",
      ...AT,
      messageID: "msg_1",
      name: "usage",
      data: { tokens: { input: 1_000_000, output: 1_000_000 }, cost: 0, model },
    });
    const known = await digest(answer("anthropic/claude-opus-4-8"));
    assert.deepEqual([known.stats.cost_estimate_usd, known.stats.cost_is_estimate], [30, true]);
    const free = await digest(answer("local/homemade-7b"));
    assert.deepEqual([free.stats.cost_estimate_usd, free.stats.cost_is_estimate], [0, false]);
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
    assert.equal((await digest(title("New session - 2026-01-05T10:30:00.000Z"))).title, null);
    assert.equal((await digest(title("First"), title("Second"))).title, "Second");
  });

  test("counts what is missing: lost and torn entries, places that cannot be read", async () => {
    const event = { type: "session_event", ...AT } as const;
    const { missing } = await digest(
      { ...event, name: "missing entries", data: { missing: 7 } },
      { ...event, name: "missing entries" },
      { ...event, name: "torn entry", data: {} },
      "not an entry\n",
      '{"type":"user","timest',
    );
    assert.equal(missing, 11);
  });

  test("does not count an output in a file of its own as missing", async () => {
    const header = encodeMarkdownHeader({ version: 1, sessionID: "ses_1" }, { filePath: "ses_1.md" });
    const entry: TranscriptEntry = {
      type: "tool_result",
      ...AT,
      tool: "bash",
      callID: "c",
      input: {},
      output: "x".repeat(99),
    };
    const options = { filePath: "ses_1.md", outputPath: "ses_1/outputs/c.txt", maxInlineChars: 9 };
    const { missing } = await digestOf(header + encodeMarkdownEntry(entry, options));
    assert.equal(missing, 0);
  });

  test("takes failures of every kind, and only those, with whatever output", async () => {
    const call = (tool: string, output: unknown, end: object = {}, input: object = {}): TranscriptEntry[] => {
      const common = { ...AT, tool, callID: `c${(calls += 1)}`, partID: `p${calls}`, input };
      return [
        { type: "tool_use", ...common },
        { type: "tool_result", ...common, output, ...end },
      ];
    };
    let calls = 0;
    const { stats, errors } = await digest(
      ...call("read", { deep: 1 }, { status: "error" }),
      ...call("bash", "stopped", { status: "interrupted" }),
      ...call("invalid", "unknown tool", { status: "completed" }),
      ...call("bash", "", { metadata: { exit: 2 } }, { command: "false" }),
      ...call("bash", "", { metadata: { exit: 0 } }),
      ...call("bash", "", { metadata: { exit: 1 } }, { command: "grep a b" }),
      ...call("bash", "The user rejected permission to use this specific tool call", { status: "error" }),
    );
    assert.equal(stats.tool_error_count, 3);
    assert.deepEqual(errors, [
      { source: "read", message: '{"deep":1}' },
      { source: "invalid", message: "unknown tool" },
      { source: "bash", message: "exit code 2: false" },
    ]);
  });

  test("keeps a bounded number of prompts, errors and files, and counts all", async () => {
    const entries = Array.from({ length: 3_000 }, (_, n): TranscriptEntry[] => {
      const write = { ...AT, tool: "write", callID: `c${n}`, partID: `c${n}`, input: { filePath: `f${n}` } };
      return [
        { type: "user", ...AT, messageID: `u${n}`, content: "x".repeat(n === 0 ? 50_000 : 10), parts: [] },
        { type: "tool_use", ...write },
        { type: "tool_result", ...write, output: "" },
        { type: "tool_result", ...AT, tool: "bash", callID: `d${n}`, input: {}, output: "no", status: "error" },
      ];
    });
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

  test("stays inside its quote", () => assert.equal(blockquote("a\n\n# b\r\n```\rc"), "> a\n>\n> # b\n> ```\n> c"));

  test("is cut between characters", () => {
    assert.equal(shortened("abc", 3), "abc");
    assert.equal(shortened("a🎉b", 2), "a…");
  });

  test("gives its first line with words", () => {
    assert.equal(firstLine("\n\n  a \nb"), "a ");
    assert.equal(firstLine(""), "");
  });
});
