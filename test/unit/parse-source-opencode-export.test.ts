import assert from "node:assert/strict";
import { parseTranscript } from "../../src/agents/parse-input.ts";
import type { ParsedContentBlock, TranscriptMessage } from "../../src/parse/model.ts";
import { opencodeExport } from "../../src/agents/opencode/opencode-export.ts";
import { madeExport } from "../support/parse/opencode-session.ts";
import { readSource, type SourceReading } from "../support/parse/source.ts";
import { describe, test } from "../support/runner.ts";

type Part = Record<string, unknown>;

const INFO = { id: "ses_1", title: "t", directory: "/x", version: "1.18.33", time: { created: 1_767_000_000_000 } };
const ZERO = { input: 0, output: 0, reasoning: 0, cache: { read: 0, write: 0 } };

const exportOf = (...messages: object[]): string => JSON.stringify({ info: INFO, messages }, null, 2);
const answer = (parts: Part[], more: object = {}): object => ({
  info: {
    id: "msg_2",
    sessionID: "ses_1",
    role: "assistant",
    providerID: "acme",
    modelID: "m1",
    parentID: "msg_1",
    path: { cwd: "/x/y" },
    finish: "stop",
    time: { created: 1_767_000_001_000, completed: 1_767_000_009_000 },
    tokens: ZERO,
    cost: 0,
    ...more,
  },
  parts: parts.map((part, at) => ({ id: `prt_${at}`, messageID: "msg_2", sessionID: "ses_1", ...part })),
});
const prompt = (parts: Part[]): object => ({
  info: { id: "msg_1", sessionID: "ses_1", role: "user", time: { created: 1_767_000_000_500 } },
  parts: parts.map((part, at) => ({ id: `prt_u${at}`, ...part })),
});
const step = (input: number, output: number, cost: number): Part => ({
  type: "step-finish",
  cost,
  tokens: { ...ZERO, input, output },
});

const read = (...messages: object[]): Promise<SourceReading> => readSource(opencodeExport, exportOf(...messages));

async function only(...messages: object[]): Promise<{ message: TranscriptMessage; blocks: ParsedContentBlock[] }> {
  const { messages: found, blocks } = await read(...messages);
  assert.equal(found.length, 1);
  const [message] = found;
  assert.ok(message);
  return { message, blocks };
}

describe("an answer in an export", () => {
  test("has the host's description", async () => {
    const { message } = await only(answer([{ type: "text", text: "Hi." }]));
    assert.deepEqual(
      [message.source_id, message.model, message.provider, message.cwd, message.parent_uuid, message.timestamp],
      ["msg_2", "m1", "acme", "/x/y", "msg_1", "2025-12-29T09:20:01.000Z"],
    );
    assert.equal(message.metadata.stop_reason, "stop");
  });

  test("that took several model calls has the tokens of all of them: the host's own count is that of the last", async () => {
    const { message } = await only(
      answer([step(10, 1, 0.1), { type: "text", text: "x" }, step(20, 2, 0.2)], {
        tokens: { ...ZERO, input: 20, output: 2 },
        cost: 0.3,
      }),
    );
    assert.deepEqual([message.tokens_in, message.tokens_out], [30, 3]);
    assert.ok(Math.abs((message.cost_usd ?? 0) - 0.3) < 1e-9);
  });

  test("without steps has the tokens of the message", async () => {
    const { message } = await only(
      answer([{ type: "text", text: "x" }], {
        tokens: { input: 5, output: 6, reasoning: 7, cache: { read: 8, write: 9 } },
        cost: 0.5,
      }),
    );
    assert.deepEqual([message.tokens_in, message.tokens_out, message.cache_read, message.cache_write], [5, 13, 8, 9]);
    assert.equal(message.cost_usd, 0.5);
  });

  test("has reasoning once in its output, wherever the host counted it: the total says where", async () => {
    for (const [tokens, out] of [
      [{ total: 300, input: 0, output: 0, reasoning: 300 }, 300],
      [{ total: 1_500, input: 1_000, output: 200, reasoning: 300 }, 500],
      [{ total: 1_200, input: 1_000, output: 200, reasoning: 150 }, 200],
      [{ total: 1_260, input: 1_000, output: 200, reasoning: 150, cache: { read: 50, write: 10 } }, 200],
      [{ total: 1_410, input: 1_000, output: 200, reasoning: 150, cache: { read: 50, write: 10 } }, 350],
      [{ input: 1_000, output: 200, reasoning: 150 }, 350],
    ] as const) {
      const { message } = await only(
        answer([
          { type: "text", text: "x" },
          { type: "step-finish", tokens },
        ]),
      );
      assert.equal(message.tokens_out, out, JSON.stringify(tokens));
      assert.equal(message.metadata.reasoning_tokens, tokens.reasoning);
    }
  });

  test("in a subagent's session is a subagent's, and its prompts are not the person's", async () => {
    const messages = [prompt([{ type: "text", text: "Count." }]), answer([{ type: "text", text: "5" }])];
    for (const [parentID, prompts] of [
      [undefined, 1],
      ["ses_0", 0],
    ] as const) {
      const { stats } = await parseTranscript("s", JSON.stringify({ info: { ...INFO, parentID }, messages }));
      assert.deepEqual([stats.user_messages, stats.human_messages], [1, prompts]);
    }
  });

  test("that never began is none", async () => {
    assert.deepEqual((await read(answer([{ type: "step-start" }]))).messages, []);
  });

  test("for which a subscription recorded 0 has the cost of the price table, marked as an estimate", async () => {
    for (const providerID of ["anthropic", "github-copilot"]) {
      const parts = [{ type: "text", text: "x" }, step(1_000_000, 0, 0)];
      const input = exportOf(answer(parts, { providerID, modelID: "claude-opus-4.8" }));
      const { messages, stats } = await parseTranscript("ses_1", input);
      assert.equal(messages[0]?.cost_usd, 5, providerID);
      assert.equal(messages[0].metadata.cost_is_estimate, true);
      assert.equal(messages[0].metadata.cost_is_recorded, undefined);
      assert.deepEqual([stats.cost_estimate_usd, stats.cost_is_estimate], [5, true]);
      assert.equal(stats.models["claude-opus-4.8"]?.cost_is_estimate, true);
    }
  });

  test("for which the host recorded 0 costs nothing if the model has no price: it is free", async () => {
    const input = exportOf(answer([{ type: "text", text: "x" }, step(10, 1, 0)]));
    const { messages, stats } = await parseTranscript("ses_1", input);
    assert.equal(messages[0]?.cost_usd, 0);
    assert.equal(messages[0].metadata.cost_is_recorded, true);
    assert.equal(messages[0].metadata.cost_is_estimate, undefined);
    assert.deepEqual([stats.cost_is_estimate, stats.unpriced_models], [false, []]);
  });

  test("a cost that the host recorded is kept, whatever the price table says", async () => {
    const input = exportOf(answer([step(1_000_000, 0, 0.25)], { providerID: "anthropic", modelID: "claude-opus-4-8" }));
    const { messages, stats } = await parseTranscript("ses_1", input);
    assert.equal(messages[0]?.cost_usd, 0.25);
    assert.equal(stats.cost_is_estimate, false);
  });

  test("that the model could not give states the reason", async () => {
    const error = {
      name: "APIError",
      data: { message: "Overloaded", statusCode: 529, isRetryable: true, responseHeaders: {} },
    };
    const details = { name: "APIError", statusCode: 529, isRetryable: true };
    for (const parts of [[], [{ type: "text", text: "I be" }]]) {
      const { messages, blocks } = await read(answer(parts, { error, finish: undefined }));
      const [message, event] = messages;
      assert.equal(message?.metadata.is_api_error, true);
      assert.deepEqual(message.metadata["error"], { ...details, message: "Overloaded" });
      assert.deepEqual([event?.metadata.subtype, event?.metadata["data"]], ["error", details]);
      assert.equal(blocks.at(-1)?.content_text, "The answer ended with an error: Overloaded");
    }
  });

  test("that the user stopped is interrupted, and no error of the model", async () => {
    const error = { name: "MessageAbortedError", data: { message: "Aborted" } };
    const call = { type: "tool", tool: "bash", callID: "c", state: { status: "running", input: {} } };
    for (const part of [{ type: "text", text: "I be" }, call]) {
      const { messages, blocks } = await read(answer([part], { error }));
      assert.equal(messages[0]?.metadata.interrupted, true);
      assert.equal(messages[0].metadata.is_api_error, undefined);
      assert.equal(blocks.at(-1)?.content_text, "The answer was aborted.");
    }
  });

  for (const status of ["pending", "running"]) {
    test(`whose call is ${status} has no result for it`, async () => {
      const call = { type: "tool", tool: "bash", callID: "c", state: { status, input: { command: "ls" } } };
      const { blocks } = await only(answer([call]));
      assert.deepEqual(
        blocks.map((block) => [block.block_type, block.status, block.tool_input]),
        [["tool_use", "pending", { command: "ls" }]],
      );
    });
  }

  test("whose call was stopped says so", async () => {
    const state = { status: "error", input: {}, error: "Tool execution aborted", metadata: { interrupted: true } };
    const { blocks } = await read(answer([{ type: "tool", tool: "bash", callID: "c", state }]));
    assert.deepEqual(
      blocks.map((block) => block.status),
      ["interrupted", "interrupted"],
    );
  });

  test("says where the whole of an output is that the host cut", async () => {
    const state = {
      status: "completed",
      input: {},
      output: "The beginning",
      metadata: { truncated: true, outputPath: "/tmp/whole", output: "The beginning" },
    };
    const { blocks } = await read(answer([{ type: "tool", tool: "bash", callID: "c", state }]));
    assert.equal(blocks[1]?.metadata.persisted_output_path, "/tmp/whole");
    assert.deepEqual(blocks[1]?.metadata["details"], { truncated: true, outputPath: "/tmp/whole" });
  });

  test("whose reasoning the provider kept to itself says so", async () => {
    const { blocks } = await only(
      answer([{ type: "reasoning", text: "", metadata: { openai: { reasoningEncryptedContent: "x" } } }]),
    );
    assert.deepEqual(
      blocks.map((block) => [block.block_type, block.thinking_text, block.metadata.withheld]),
      [["thinking", "", true]],
    );
  });

  test("keeps parts of a type that is not known", async () => {
    const { blocks } = await only(answer([{ type: "hologram", depth: 3 }]));
    assert.equal(blocks[0]?.block_type, "unknown");
    assert.equal(blocks[0]?.metadata.type, "hologram");
    assert.match(JSON.stringify(blocks[0]?.metadata.raw), /"depth":3/);
  });

  test("of any shape at all is read", async () => {
    const odd = [null, 1, "x", [], {}, { type: 7 }, { type: "tool" }, { type: "tool", state: { status: "completed" } }];
    for (const parts of [undefined, null, "x", odd]) {
      for (const info of [
        { role: "assistant" },
        { role: "user" },
        { role: "assistant", time: 7, tokens: [], error: null },
      ]) {
        const { errors } = await read({ info, parts });
        assert.deepEqual(errors, []);
      }
    }
  });
});

describe("a user's message in an export", () => {
  test("has files by their address; bytes are counted, not copied", async () => {
    const { blocks } = await only(
      prompt([
        { type: "text", text: "Look." },
        { type: "file", mime: "image/png", filename: "a.png", url: "data:image/png;base64,AAAAAAA=" },
        { type: "file", mime: "text/plain", filename: "b.txt", url: "file:///b.txt" },
      ]),
    );
    assert.deepEqual(
      blocks.map(({ block_type, metadata }) => [block_type, metadata]),
      [
        ["text", {}],
        ["image", { media_type: "image/png", filename: "a.png", bytes: 5 }],
        ["document", { media_type: "text/plain", filename: "b.txt", url: "file:///b.txt" }],
      ],
    );
  });

  test("that only marks a compaction is an event", async () => {
    const { message, blocks } = await only(prompt([{ type: "compaction", auto: true }]));
    assert.equal(message.message_type, "system");
    assert.equal(message.metadata.subtype, "compaction");
    assert.match(blocks[0]?.content_text ?? "", /summarized \(automatic\)/);
  });
});

describe("an export is detected", () => {
  const yes: Record<string, string> = {
    "pretty-printed": madeExport("pretty").slice(0, 65_536),
    "on one line": madeExport("plain"),
    "with a byte order mark": `\ufeff${madeExport("plain")}`,
    "behind the note that the host prints": `Exporting session: ses_1\n${madeExport("plain")}`,
    "cut off within its info": '{\n  "info": {\n    "id": "ses_1",\n    "slug": "x',
    "with other fields first": '{"version":1,"info":{"id":"ses_1"},"messages":[]}',
    "of a session without messages": '{"info":{"id":"x"},"messages":[]}',
  };
  for (const [what, head] of Object.entries(yes)) test(what, () => assert.equal(opencodeExport.detect(head), true));
});

describe("no export is", () => {
  const no: Record<string, string> = {
    "a session of Claude Code":
      '{"parentUuid":null,"sessionId":"s","type":"user","message":{"content":"{\\"info\\":{\\"id\\":\\"ses_1\\"}}"}}\n',
    "stream-json": '{"type":"system","subtype":"init","session_id":"ses_1"}\n',
    "a transcript of ours": '{"format":"opencode-transcripts/jsonl","version":1,"sessionID":"ses_1"}\n',
    "an OpenAPI document": '{"openapi":"3.1.0","info":{"title":"x","version":"1"},"messages":{}}',
    "a list of events": '[{"type":"message.updated","properties":{"info":{"id":"ses_1"}}}]',
    "other JSON with info": '{"info":{"name":"x"},"messages":["a","b"]}',
    "other JSON with an id": '{"info":{"id":"x"},"messages":[{"role":"user","content":"x"}]}',
    "an empty object": "{}",
    nothing: "",
    text: "Exporting session: nothing came",
  };
  for (const [what, head] of Object.entries(no)) test(what, () => assert.equal(opencodeExport.detect(head), false));
});
