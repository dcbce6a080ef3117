/** What units can say that is not simply a message, with a made format whose lines are units. */
import assert from "node:assert/strict";
import { CumulativeUsage } from "../../src/parse/cumulative-usage.ts";
import type { SessionContent } from "../../src/parse/content.ts";
import { type InputUnit, type MessageDraft, onlyPart } from "../../src/parse/message-draft.ts";
import type { ParseResult } from "../../src/parse/model.ts";
import { parseTranscript } from "../../src/agents/parse-input.ts";
import { hasUsage, UsageLedger, usageOf } from "../../src/parse/usage-ledger.ts";
import { SessionRows } from "../../src/indexing/session-rows.ts";
import { describe, test } from "../support/runner.ts";

type Line = Partial<Omit<InputUnit, "messages">> & { messages?: MessageDraft[] };

const FORMAT = { name: "made", lines: "json" } as const;

function made(lines: readonly Line[]): SessionContent {
  return {
    open: async ({ part }) => ({ format: FORMAT, units: unitsOf(lines, part) }),
  };
}

async function* unitsOf(lines: readonly Line[], part: string | undefined): AsyncGenerator<InputUnit[]> {
  for (const [at, line] of structuredClone(lines).entries()) {
    const unit = { line: at + 1, offset: at * 10, lines: 1, outcome: { as: "used" as const }, problems: [] };
    yield [onlyPart({ messages: [], ...unit, ...line }, part)];
  }
}

const text = (said: string): MessageDraft["blocks"] => [{ type: "text", text: said }];
const prompt = (uuid: string, said: string): MessageDraft => ({
  type: "user",
  role: "user",
  userKind: "human",
  uuid,
  blocks: text(said),
});
const answer = (id: string, said: string): MessageDraft => ({
  type: "assistant",
  role: "assistant",
  sourceId: id,
  uuid: id,
  model: "m",
  blocks: text(said),
});
const tokens = (tokensIn: number, tokensOut: number) => ({ tokensIn, tokensOut, cacheRead: 0, cacheWrite: 0 });
const usage = (id: string, tokensIn: number, tokensOut: number): MessageDraft => ({
  type: "system",
  role: null,
  sourceId: id,
  model: "m",
  usage: tokens(tokensIn, tokensOut),
  blocks: [],
});
const call = (id: string): MessageDraft["blocks"][number] => ({
  type: "tool_use",
  toolUseId: id,
  toolName: "Bash",
  input: {},
});
const result = (id: string, said: string, isError = false): MessageDraft["blocks"][number] => ({
  type: "tool_result",
  toolUseId: id,
  text: said,
  isError,
  status: isError ? "error" : "completed",
});

const parsed = (...lines: Line[]): Promise<ParseResult> => parseTranscript("s", made(lines), { pricing: "flat" });

function rowsOf(...messages: MessageDraft[]): Line[] {
  return messages.map((message) => ({ messages: [message] }));
}

/** Returns the messages in order: type, subtype, tokens and texts. */
function told({ messages, content_blocks }: ParseResult): unknown[] {
  return messages.map((message) => [
    message.message_type,
    ...(message.metadata.subtype === undefined ? [] : [message.metadata.subtype]),
    ...(message.tokens_in === null ? [] : [[message.tokens_in, message.tokens_out]]),
    ...content_blocks.filter((block) => block.message_id === message.id).map((block) => block.content_text),
  ]);
}

async function ledgerOf(...sessions: Line[][]): Promise<UsageLedger> {
  const ledger = new UsageLedger("UTC");
  for (const [at, lines] of sessions.entries()) {
    const { messages } = await parsed(...lines);
    ledger.add({ id: `session ${at}`, project: null, agent: "made" }, messages.filter(hasUsage).map(usageOf));
  }
  return ledger;
}

describe("usage in records of its own", () => {
  test("joins its answer, before or after it, or else is a message of its own", async () => {
    const before = await parsed(...rowsOf(usage("a", 5, 7), answer("a", "hello")));
    assert.deepEqual(told(before), [["assistant", [5, 7], "hello"]]);
    assert.deepEqual(
      [before.messages[0]?.role, before.messages[0]?.line_number, before.messages[0]?.uuid],
      ["assistant", 2, "a"],
    );
    const after = await parsed(...rowsOf(answer("a", "hello"), usage("a", 5, 7)));
    assert.deepEqual(told(after), [["assistant", [5, 7], "hello"]]);
    const alone = await parsed(...rowsOf(answer("a", "hello"), usage("b", 5, 7)));
    assert.deepEqual(told(alone), [
      ["assistant", "hello"],
      ["system", "usage", [5, 7]],
    ]);
    for (const { stats } of [before, after, alone])
      assert.deepEqual([stats.tokens_in, stats.tokens_out, stats.assistant_messages], [5, 7, 1]);
    assert.deepEqual([before.stats.total_messages, alone.stats.total_messages], [1, 2]);
  });

  test("counts once if it is repeated, in its file and in others", async () => {
    const { stats } = await parsed(...rowsOf(usage("a", 5, 7), usage("a", 5, 7)));
    assert.equal(stats.tokens_in, 5);
    const ledger = await ledgerOf(
      rowsOf(usage("a", 5, 7), usage("b", 1, 1)),
      rowsOf(usage("a", 5, 7), answer("a", "x")),
    );
    assert.deepEqual([ledger.total().tokens_in, ledger.copies.length], [6, 1]);
  });

  test("gives an answer its id that has none until then", async () => {
    const pieces = rowsOf(
      { ...answer("", "one"), sourceId: undefined, answerId: "first" },
      { ...answer("", "two"), sourceId: undefined, answerId: "first" },
      { ...usage("resp_1", 5, 7), answerId: "first" },
    );
    const read = await parsed(...pieces);
    assert.deepEqual(told(read), [["assistant", [5, 7], "one", "two"]]);
    assert.equal(read.messages[0]?.source_id, "resp_1");
    assert.equal((await ledgerOf(pieces, pieces)).total().tokens_in, 5);
  });

  test("is in the figures of the store as in those of the file", () => {
    const rows = new SessionRows({ sessionId: "s", format: FORMAT, seal: () => 0 });
    const unit = { line: 1, offset: 0, lines: 1, outcome: { as: "used" as const }, problems: [] };
    rows.add({ ...unit, messages: [usage("a", 5, 7), answer("b", "hello"), usage("b", 1, 2)] });
    rows.finish();
    const { answers, counts } = rows.figures();
    assert.deepEqual(
      answers.map(({ key, tokens_in, tokens_out }) => [key, tokens_in, tokens_out]),
      [
        ["a", 5, 7],
        ["b", 1, 2],
      ],
    );
    assert.equal(counts.assistant_messages, 1);
  });
});

describe("cumulative totals", () => {
  test("count what was not counted otherwise, and start over when they get smaller", () => {
    const totals = new CumulativeUsage();
    totals.count(tokens(10, 1));
    assert.deepEqual(totals.rest(tokens(10, 3)), tokens(0, 2));
    assert.deepEqual(totals.rest(tokens(15, 4)), tokens(5, 1));
    totals.count(tokens(2, 2));
    assert.deepEqual(totals.rest(tokens(2, 2)), tokens(0, 0));
    assert.deepEqual(totals.rest(tokens(3, 2)), tokens(1, 0));
  });
});

describe("messages that the agent dropped", () => {
  const rewound: Line[] = [
    ...rowsOf(prompt("1", "first"), prompt("2", "wrong"), {
      ...answer("3", "answer to it"),
      blocks: [call("c")],
      usage: tokens(5, 7),
    }),
    ...rowsOf({ type: "user", role: "user", userKind: "tool_result", uuid: "4", blocks: [result("c", "no", true)] }),
    { supersedes: ["2", "3", "4"] },
    ...rowsOf(prompt("5", "right")),
  ];

  test("stay with a label, and count in usage only", async () => {
    const { messages, stats, tool_calls } = await parsed(...rewound);
    assert.deepEqual(
      messages.map(({ uuid, metadata }) => [uuid, metadata.superseded ?? false]),
      [
        ["1", false],
        ["2", true],
        ["3", true],
        ["4", true],
        ["5", false],
      ],
    );
    const { total_messages, human_messages, tool_use_count, tool_error_count, tokens_in, tools } = stats;
    assert.deepEqual([total_messages, human_messages, tool_use_count, tool_error_count, tokens_in], [2, 2, 0, 0, 5]);
    assert.deepEqual(tools, {});
    assert.deepEqual(
      tool_calls.map(({ superseded }) => superseded),
      [true],
    );
  });

  test("are part of the conversation again when another piece of them comes", async () => {
    const { messages } = await parsed(
      ...rowsOf(answer("a", "one"), answer("b", "two")),
      { supersedes: ["a", "b"] },
      ...rowsOf({ ...answer("a", "one"), blocks: [] }),
    );
    assert.deepEqual(
      messages.map(({ metadata }) => metadata.superseded ?? false),
      [false, true],
    );
  });

  test("are superseded rows of the store, and their usage is in its figures", () => {
    const rows = new SessionRows({ sessionId: "s", format: FORMAT, seal: () => 0 });
    for (const [at, line] of structuredClone(rewound).entries())
      rows.add({ line: at, offset: at, lines: 1, outcome: { as: "used" }, messages: [], problems: [], ...line });
    const { blocks } = rows.takeBlocks();
    rows.finish();
    assert.deepEqual(
      rows.messages().map(({ superseded }) => superseded),
      [false, true, true, true, false],
    );
    const dropped = rows.superseded();
    assert.deepEqual(
      blocks.map(({ row }) => dropped.has(row.event_id)),
      [false, true, true, true, false],
    );
    const { answers, prompts, counts } = rows.figures();
    assert.deepEqual(
      answers.map(({ tokens_in, calls }) => [tokens_in, calls]),
      [[5, undefined]],
    );
    assert.deepEqual([prompts.length, counts.human_messages, counts.tool_use_count], [0, 2, 0]);
  });
});

describe("a subagent in the file of its parent", () => {
  const lines: Line[] = [
    ...rowsOf(prompt("1", "do it"), answer("a", "starting a helper")),
    { part: "helper", messages: [prompt("2", "help")] },
    { part: "helper", messages: [{ ...answer("b", "helped"), usage: tokens(5, 7) }] },
    ...rowsOf(answer("c", "done")),
  ];

  test("is a session of its own", async () => {
    const parent = await parsed(...lines);
    assert.deepEqual(told(parent).flat(), ["user", "do it", "assistant", "starting a helper", "assistant", "done"]);
    assert.deepEqual(parent.lines.skipped, { subagent: 2 });
    assert.equal(parent.stats.tokens_in, 0);
    const child = await parseTranscript("s", made(lines), { part: "helper" });
    assert.deepEqual(told(child), [
      ["user", "help"],
      ["assistant", [5, 7], "helped"],
    ]);
    assert.deepEqual(child.lines.skipped, { "other session": 3 });
  });
});
