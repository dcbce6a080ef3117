import assert from "node:assert/strict";
import type { TranscriptEntry, TranscriptHeader } from "../../src/transcript/format/formats.ts";
import type { ParsedContentBlock } from "../../src/parse/model.ts";
import { FORMATS } from "../support/parse/transcript-file.ts";
import { readSource, type SourceReading } from "../support/parse/source.ts";
import { describe, test } from "../support/runner.ts";

const at = (seconds: number): string => `2026-01-05T10:30:0${seconds}.000Z`;
const answer = { messageID: "msg_2", timestamp: at(2) };

const ENTRIES: TranscriptEntry[] = [
  {
    type: "user",
    timestamp: at(1),
    messageID: "msg_1",
    content: "Look.",
    parts: [
      { type: "text", text: "Look." },
      { type: "text", text: "A reminder.", synthetic: true },
      { type: "agent", name: "explore" },
    ],
    attachments: [
      { mime: "image/png", filename: "dot.png", path: "ses_1/attachments/dot.png", bytes: 8 },
      { mime: "text/plain", url: "file:///x/a.txt" },
    ],
    agent: "build",
    model: "acme/vendor/m-1",
  },
  { type: "reasoning", ...answer, partID: "prt_1", content: "Hm.", model: "acme/vendor/m-1" },
  { type: "assistant", ...answer, partID: "prt_2", content: "I look.", model: "acme/vendor/m-1", agent: "build" },
  {
    type: "tool_use",
    ...answer,
    timestamp: at(3),
    partID: "prt_3",
    tool: "task",
    callID: "call_1",
    input: { prompt: "p" },
    subagent: { sessionID: "ses_child", path: "ses_1/ses_child.md" },
  },
  {
    type: "tool_result",
    ...answer,
    timestamp: at(4),
    partID: "prt_3",
    tool: "task",
    callID: "call_1",
    input: { prompt: "p" },
    output: { found: 2 },
    title: "Looked",
    metadata: { exit: 0, long: "x".repeat(2_000), list: [1] },
    attachments: [{ mime: "image/png", path: "ses_1/attachments/p.png" }],
    subagent: { sessionID: "ses_child" },
  },
  {
    type: "session_event",
    ...answer,
    timestamp: at(5),
    partID: "prt_4",
    name: "usage",
    data: {
      model: "acme/vendor/m-1",
      tokens: { input: 100, output: 10, reasoning: 5, cacheRead: 3, cacheWrite: 2 },
      cost: 0.5,
      reason: "tool-calls",
    },
  },
  { type: "session_event", timestamp: at(6), name: "title", text: "A better title" },
  { type: "session_event", timestamp: at(6), name: "permission asked", text: "bash ls", data: { permission: "bash" } },
];

const HEADER: TranscriptHeader = {
  version: 1,
  sessionID: "ses_1",
  parentID: "ses_parent",
  title: "A title",
  directory: "/x",
  created: at(0),
  host: "opencode 1.18.33",
};

const blocksOf = ({ messages, blocks }: SourceReading, at: number): ParsedContentBlock[] =>
  blocks.filter(({ message_id }) => message_id === messages[at]?.id);

for (const [name, { source, text }] of Object.entries(FORMATS)) {
  describe(`entries in ${name}`, () => {
    test("the header describes the session, and a later title takes precedence", async () => {
      const { metadata } = await readSource(source, text(ENTRIES, HEADER));
      assert.deepEqual(metadata, {
        sessionId: "ses_1",
        parentSessionId: "ses_parent",
        agentId: null,
        title: "A better title",
        cwd: "/x",
        version: "1.18.33",
        gitBranch: null,
        firstTimestamp: at(0),
        lastTimestamp: at(6),
      });
    });

    test("a user's message has its visible text and its files as blocks, what the host added as metadata", async () => {
      const read = await readSource(source, text(ENTRIES));
      const [user] = read.messages;
      assert.ok(user);
      assert.deepEqual(
        [user.message_type, user.user_kind, user.source_id, user.model],
        ["user", "human", "msg_1", null],
      );
      assert.deepEqual(user.metadata, {
        agent: "build",
        model: "acme/vendor/m-1",
        added_by_host: ["A reminder."],
        mentions: ["explore"],
      });
      assert.deepEqual(
        blocksOf(read, 0).map(({ block_type, content_text, metadata }) => [block_type, content_text, metadata]),
        [
          ["text", "Look.", {}],
          [
            "image",
            null,
            { media_type: "image/png", filename: "dot.png", path: "ses_1/attachments/dot.png", bytes: 8 },
          ],
          ["document", null, { media_type: "text/plain", url: "file:///x/a.txt" }],
        ],
      );
    });

    test("reasoning, text and calls of one message are one answer, with the usage of its model call", async () => {
      const read = await readSource(source, text(ENTRIES));
      const answer = read.messages[1];
      assert.ok(answer);
      assert.deepEqual(
        blocksOf(read, 1).map((block) => [
          block.block_type,
          block.source_uuid,
          block.thinking_text ?? block.content_text,
        ]),
        [
          ["thinking", "prt_1", "Hm."],
          ["text", "prt_2", "I look."],
          ["tool_use", "prt_3", null],
        ],
      );
      assert.deepEqual([answer.provider, answer.model], ["acme", "vendor/m-1"]);
      assert.deepEqual([answer.tokens_in, answer.tokens_out, answer.cache_read, answer.cache_write], [100, 15, 3, 2]);
      assert.equal(answer.cost_usd, 0.5);
      assert.deepEqual(answer.metadata, {
        agent: "build",
        reasoning_tokens: 5,
        stop_reason: "tool-calls",
        cost_is_recorded: true,
      });
      const call = blocksOf(read, 1)[2];
      assert.deepEqual([call?.tool_name, call?.tool_use_id, call?.tool_input], ["task", "call_1", { prompt: "p" }]);
      assert.equal(call?.metadata["subagent_session_id"], "ses_child");
    });

    test("a result is a message of its own", async () => {
      const read = await readSource(source, text(ENTRIES));
      const [result, picture] = blocksOf(read, 2);
      assert.equal(read.messages[2]?.user_kind, "tool_result");
      assert.deepEqual(
        [result?.block_type, result?.tool_result_id, result?.result_text, result?.status, result?.is_error],
        ["tool_result", "call_1", '{"found":2}', "completed", false],
      );
      assert.deepEqual(result?.metadata["details"], { exit: 0 });
      assert.equal(result?.metadata["title"], "Looked");
      assert.equal(picture?.block_type, "image");
    });

    test("events are system messages, but for usage", async () => {
      const { messages, blocks } = await readSource(source, text(ENTRIES));
      const events = messages.filter(({ message_type }) => message_type === "system");
      assert.deepEqual(
        events.map(({ metadata }) => metadata),
        [{ subtype: "title" }, { subtype: "permission asked", data: { permission: "bash" } }],
      );
      assert.equal(blocks.at(-1)?.content_text, "bash ls");
    });

    const endings: [string, Partial<TranscriptEntry>, string, boolean][] = [
      ["completed", { status: "completed" }, "completed", false],
      ["without a status", {}, "completed", false],
      ["failed", { status: "error" }, "error", true],
      ["interrupted", { status: "interrupted" }, "interrupted", false],
      ["rejected", { status: "rejected" }, "rejected", true],
    ];
    for (const [what, fields, status, isError] of endings) {
      test(`a call that is ${what}`, async () => {
        const call = { messageID: "m", partID: "p", tool: "bash", callID: "c", input: {}, timestamp: at(1) };
        const { blocks } = await readSource(
          source,
          text([
            { type: "tool_use", ...call },
            Object.assign({ type: "tool_result" as const, ...call, output: "x" }, fields),
          ]),
        );
        assert.deepEqual(
          blocks.map((block) => [block.status, block.is_error]),
          [
            [status, null],
            [status, isError],
          ],
        );
      });
    }

    test("a call without a result is pending", async () => {
      const call = { messageID: "m", partID: "p", tool: "bash", callID: "c", input: {}, timestamp: at(1) };
      const { blocks } = await readSource(source, text([{ type: "tool_use", ...call }]));
      assert.deepEqual(
        blocks.map(({ status }) => status),
        ["pending"],
      );
    });

    test("the model calls of one message are added up, each once", async () => {
      const of = { timestamp: at(1), messageID: "m", name: "usage", type: "session_event" } as const;
      const usage = (partID: string, input: number, output: number, cost: number): TranscriptEntry => ({
        ...of,
        partID,
        data: { tokens: { input, output }, cost },
      });
      const last: TranscriptEntry = {
        type: "assistant",
        timestamp: at(2),
        messageID: "m",
        partID: "d",
        content: "x",
      };
      const { messages } = await readSource(
        source,
        text([
          usage("a", 10, 0, 1),
          usage("b", 10, 20, 2),
          usage("c", 10, 0, 4),
          last,
          usage("e", 1, 1, 1),
          usage("a", 10, 0, 1),
        ]),
      );
      assert.equal(messages.length, 1);
      assert.deepEqual([messages[0]?.tokens_in, messages[0]?.tokens_out, messages[0]?.cost_usd], [31, 21, 8]);
    });

    test("a message that the host alone wrote is meta", async () => {
      const parts = [{ type: "text", text: "Go on.", synthetic: true }];
      const { messages, blocks } = await readSource(
        source,
        text([{ type: "user", timestamp: at(1), content: "", parts }]),
      );
      assert.equal(messages[0]?.user_kind, "meta");
      assert.equal(blocks[0]?.content_text, "Go on.");
    });

    test("a command that hands its prompt on is a human's", async () => {
      const parts = [{ type: "subtask", command: "review", agent: "explore", prompt: "Review." }];
      const { messages } = await readSource(source, text([{ type: "user", timestamp: at(1), content: "", parts }]));
      assert.equal(messages[0]?.user_kind, "human");
      assert.deepEqual([messages[0]?.metadata.origin, messages[0]?.metadata.command], ["command", "/review"]);
    });

    describe("a text in pieces", () => {
      const piece = (content: string, more: Partial<TranscriptEntry> = {}): TranscriptEntry =>
        Object.assign({ type: "assistant" as const, ...answer, partID: "prt_1", content }, more);
      const call: TranscriptEntry = { type: "tool_use", ...answer, partID: "prt_2", tool: "x", callID: "c", input: {} };
      const texts = async (...entries: TranscriptEntry[]): Promise<unknown[]> =>
        (await readSource(source, text(entries))).blocks.map((block) => block.content_text ?? block.tool_name);

      test("is one block where it began", async () => {
        assert.deepEqual(await texts(piece("Hel"), call, piece("lo", { continues: "append" })), ["Hello", "x"]);
        assert.deepEqual(await texts(piece("Hel"), call, piece("Bye", { continues: "replace" })), ["Bye", "x"]);
      });

      test("is as whole as its last piece says", async () => {
        const read = await readSource(
          source,
          text([piece("Hel", { interrupted: true }), piece("lo", { continues: "append" })]),
        );
        assert.equal(read.messages[0]?.metadata.interrupted, undefined);
      });

      test("stays in pieces that are too far apart, and says so", async () => {
        const between = Array.from({ length: 1_000 }, (_, n): TranscriptEntry => ({ ...call, partID: `prt_x${n}` }));
        const read = await readSource(source, text([piece("Hel"), ...between, piece("lo", { continues: "append" })]));
        const pieces = read.blocks.filter(({ block_type }) => block_type === "text");
        assert.deepEqual(
          pieces.map(({ content_text, source_uuid, metadata }) => [content_text, source_uuid, metadata["continues"]]),
          [
            ["Hel", "prt_1", undefined],
            ["lo", "prt_1", "append"],
          ],
        );
      });
    });
  });
}
