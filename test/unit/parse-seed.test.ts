/** The parser's contract, test by test: simple conversations in, rows for a database out. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { ParsedContentBlock, ParseResult } from "../../src/parse/model.ts";
import type { ParseOptions } from "../../src/parse/parse-options.ts";
import { parseTranscript } from "../../src/agents/parse-input.ts";
import { answer, file, text, thinking, toolResult, toolUse, usage, userText } from "../support/parse/claude-lines.ts";
import { REPOSITORY } from "../support/repository.ts";
import { describe, test } from "../support/runner.ts";

const parsed = (input: string, options?: ParseOptions): Promise<ParseResult> => parseTranscript("S1", input, options);
const blocksOf = ({ messages, content_blocks }: ParseResult, ordinal: number): ParsedContentBlock[] =>
  content_blocks.filter(({ message_id }) => message_id === messages[ordinal]?.id);
const SAMPLE = readFileSync(join(REPOSITORY, "test/fixtures/sample-transcript.jsonl"), "utf8");

describe("the result of a parse", () => {
  test("1: a simple conversation has two messages, two blocks, ordinals 0 and 1", async () => {
    const result = await parsed(file(userText("Hello"), answer("msg_1", [text("Hi")])));
    assert.deepEqual(
      result.messages.map(({ message_type, ordinal }) => [message_type, ordinal]),
      [
        ["user", 0],
        ["assistant", 1],
      ],
    );
    assert.deepEqual(
      result.content_blocks.map(({ block_type, content_text, block_order }) => [block_type, content_text, block_order]),
      [
        ["text", "Hello", 0],
        ["text", "Hi", 0],
      ],
    );
    assert.ok([...result.messages, ...result.content_blocks].every(({ session_id }) => session_id === "S1"));
    const ids = [...result.messages, ...result.content_blocks].map(({ id }) => id);
    assert.ok(ids.every((id) => /^[0-9A-HJKMNP-TV-Z]{26}$/.test(id)));
    assert.equal(new Set(ids).size, 4);
    assert.deepEqual(ids.slice(0, 2), ids.slice(0, 2).toSorted());
  });

  test("2: an answer on three lines is one message with three blocks", async () => {
    const lines = [[thinking("Hm.")], [text("I look.")], [toolUse("toolu_1", "Read", { file_path: "/a" })]];
    const result = await parsed(file(userText("Go"), ...lines.map((content) => answer("msg_1", content))));
    assert.equal(result.messages.length, 2);
    const [, message] = result.messages;
    assert.deepEqual(
      blocksOf(result, 1).map(({ block_type, block_order, line_number }) => [block_type, block_order, line_number]),
      [
        ["thinking", 0, 2],
        ["text", 1, 3],
        ["tool_use", 2, 4],
      ],
    );
    assert.equal(message?.has_thinking, true);
    assert.equal(message?.has_text, true);
    assert.equal(message?.has_tool_use, true);
    assert.equal(message?.has_tool_result, false);
  });

  test("3: a call and its result have the same id", async () => {
    const input = file(answer("msg_1", [toolUse("toolu_1", "Bash", { command: "ls" })]), toolResult("toolu_1", "a.ts"));
    const result = await parsed(input);
    const [use, answered] = result.content_blocks;
    assert.equal(use?.tool_use_id, "toolu_1");
    assert.equal(use?.tool_name, "Bash");
    assert.deepEqual(use?.tool_input, { command: "ls" });
    assert.equal(answered?.tool_result_id, "toolu_1");
    assert.equal(answered?.result_text, "a.ts");
    assert.equal(answered?.is_error, false);
    assert.equal(result.messages[1]?.has_tool_result, true);
    assert.equal(result.messages[1]?.user_kind, "tool_result");
    assert.deepEqual(
      result.tool_calls.map(({ tool_name, status, matched_by }) => [tool_name, status, matched_by]),
      [["Bash", "completed", "id"]],
    );
  });

  test("4: tokens are those of the answer, and a user message has none", async () => {
    const result = await parsed(file(userText("Go"), answer("msg_1", [text("a")], usage(10, 20, 300, 40))));
    const [user, assistant] = result.messages;
    assert.deepEqual(
      [assistant?.tokens_in, assistant?.tokens_out, assistant?.cache_read, assistant?.cache_write],
      [10, 20, 300, 40],
    );
    assert.deepEqual(
      [user?.tokens_in, user?.tokens_out, user?.cache_read, user?.cache_write],
      [null, null, null, null],
    );
  });

  test("4, corrected: of the lines of an answer the last usage counts; the first is half, a sum twice the true one", async () => {
    const outputs = [4, 120, 480];
    const lines = outputs.map((output, at) => answer("msg_1", [text(`${at}`)], usage(10, output, 300, 40)));
    const { stats, messages } = await parsed(file(...lines));
    const read = { input: stats.tokens_in, output: stats.tokens_out, cacheRead: stats.cache_read };
    assert.deepEqual(read, { input: 10, output: 480, cacheRead: 300 });
    assert.equal(messages[0]?.tokens_out, 480);
    // The two other readings of the same lines, for comparison: each call was billed once, at its end.
    assert.notEqual(outputs[0], stats.tokens_out);
    assert.notEqual(
      outputs.reduce((sum, output) => sum + output),
      stats.tokens_out,
    );
    assert.equal(outputs.map(() => 10).reduce((sum, input) => sum + input) / stats.tokens_in, 3);
  });

  test("5: cost at the flat prices", async () => {
    const input = file(answer("msg_1", [text("a")], usage(1_000_000, 100_000, 2_000_000, 400_000)));
    const { stats, messages } = await parsed(input, { pricing: "flat" });
    assert.ok(Math.abs((messages[0]?.cost_usd ?? 0) - 6.6) < 0.001);
    assert.ok(Math.abs((stats.cost_estimate_usd ?? 0) - 6.6) < 0.001);
  });

  test("5, corrected: cost by model; a model without a price is named and its cost is unknown", async () => {
    const input = file(
      answer("msg_1", [text("a")], { ...usage(100_000, 0), model: "claude-opus-4-5-20251101" }),
      answer("msg_2", [text("b")], { ...usage(100_000, 0), model: "claude-sonnet-4-5-20250929" }),
      answer("msg_3", [text("c")], { ...usage(100_000, 0), model: "model-from-the-moon" }),
    );
    const { stats, messages } = await parsed(input);
    const [opus, sonnet, moon] = messages.map(({ cost_usd }) => cost_usd);
    // The same tokens of Opus cost more than one of Sonnet, which a flat price cannot say.
    assert.ok((opus ?? 0) > (sonnet ?? 0) && (sonnet ?? 0) > 0);
    assert.equal(moon, null);
    assert.deepEqual(stats.unpriced_models, ["model-from-the-moon"]);
    assert.equal(stats.cost_estimate_usd, (opus ?? 0) + (sonnet ?? 0));
    assert.equal(stats.models["model-from-the-moon"]?.cost_usd, null);
  });

  test("6: an empty transcript has no messages, no errors and sums of zero", async () => {
    const result = await parsed("");
    assert.deepEqual([result.messages, result.content_blocks, result.errors, result.tool_calls], [[], [], [], []]);
    assert.equal(result.format, null);
    const {
      models,
      tools,
      redactions,
      unpriced_models,
      initial_prompt,
      tokens_out_is_lower_bound,
      cost_is_estimate,
      ...sums
    } = result.stats;
    assert.deepEqual([models, tools, redactions, unpriced_models, initial_prompt], [{}, {}, {}, [], null]);
    assert.deepEqual([tokens_out_is_lower_bound, cost_is_estimate], [false, false]);
    assert.deepEqual([...new Set(Object.values(sums))], [0]);
    assert.equal(result.lines.total, 0);
  });

  test("7: a malformed line is an error, and the lines around it are read", async () => {
    const heard: [number, string][] = [];
    const input = file(userText("one"), '{"type":"user","mess', userText("two"));
    const result = await parsed(input, { onLineError: (line, error) => heard.push([line, error]) });
    assert.equal(result.messages.length, 2);
    assert.equal(result.errors.length, 1);
    assert.equal(result.errors[0]?.line_number, 2);
    assert.equal(result.errors[0]?.byte_offset, Buffer.byteLength(input.split("\n")[0] ?? "") + 1);
    assert.deepEqual(heard, [[2, result.errors[0]?.reason]]);
  });

  test("8: lines that are not conversation produce no messages, and are counted by type", async () => {
    const result = await parsed(
      file('{"type":"progress","data":{"type":"hook_progress"}}', '{"type":"file-history-snapshot","snapshot":{}}'),
    );
    assert.deepEqual([result.messages, result.errors], [[], []]);
    assert.deepEqual(result.lines.skipped, { progress: 1, "file-history-snapshot": 1 });
  });

  test("9: a large result is cut to the limit, between characters, and says so", async () => {
    const whole = "ä".repeat(200_000);
    const result = await parsed(file(toolResult("toolu_1", whole)));
    const [block] = result.content_blocks;
    assert.equal(Buffer.byteLength(block?.result_text ?? ""), 256 * 1024);
    assert.ok(whole.startsWith(block?.result_text ?? "?"));
    assert.deepEqual(block?.metadata, { truncated: true, original_bytes: 400_000 });
    const odd = await parsed(file(toolResult("toolu_1", whole)), { maxInlineContentBytes: 1_001 });
    assert.equal(odd.content_blocks[0]?.result_text, "ä".repeat(500));
    const exact = await parsed(file(toolResult("toolu_1", "ä".repeat(500))), { maxInlineContentBytes: 1_000 });
    assert.deepEqual([exact.content_blocks[0]?.result_text?.length, exact.content_blocks[0]?.metadata], [500, {}]);
  });

  test("10: the initial prompt is the first that a person wrote, from its heading on, cut after 1,000 characters", async () => {
    const first = await parsed(file(userText("Fix the build."), userText("Thanks")));
    assert.equal(first.stats.initial_prompt, "Fix the build.");
    const long = await parsed(file(userText("x".repeat(1_200))));
    assert.equal(long.stats.initial_prompt, `${"x".repeat(1_000)}...`);
    assert.equal((await parsed(file(userText("x".repeat(1_000))))).stats.initial_prompt, "x".repeat(1_000));
    const plan = await parsed(
      file(userText("Implement the following plan:\n\n# Plan: Release binaries\n\n## Context")),
    );
    assert.equal(plan.stats.initial_prompt, "Plan: Release binaries\n\n## Context");
    const list = "Do this:\n- build\n# Notes";
    assert.equal((await parsed(file(userText(list)))).stats.initial_prompt, list);
  });

  test("10, corrected: text added by the program is not the prompt", async () => {
    const result = await parsed(
      file(
        userText("Caveat: the messages below were generated by the user", { isMeta: true }),
        userText("<command-name>/clear</command-name>\n<command-args></command-args>"),
        userText("<local-command-stdout></local-command-stdout>"),
        userText("Fix the build."),
      ),
    );
    assert.equal(result.stats.initial_prompt, "Fix the build.");
    assert.deepEqual(
      result.messages.map(({ user_kind, metadata }) => [user_kind, metadata.origin ?? null, metadata.command ?? null]),
      [
        ["meta", null, null],
        ["human", "command", "/clear"],
        ["meta", "command_output", null],
        ["human", null, null],
      ],
    );
  });

  test("11: a summary is a message of its own", async () => {
    const result = await parsed(file('{"type":"summary","summary":"Fixing the build","leafUuid":"u1"}'));
    assert.equal(result.messages[0]?.message_type, "summary");
    assert.equal(result.content_blocks[0]?.content_text, "Fixing the build");
    assert.equal(result.messages[0]?.timestamp, null);
  });

  test("12: the duration is that from the first to the last time", async () => {
    const at = (timestamp: string): string => userText("x", { timestamp });
    const result = await parsed(file(at("2026-03-02T09:00:00.000Z"), at("2026-03-02T09:30:00.000Z")));
    assert.equal(result.stats.duration_ms, 1_800_000);
    const backwards = await parsed(
      file(at("2026-03-02T09:10:00.000Z"), at("2026-03-02T09:30:00.000Z"), at("2026-03-02T09:20:00.000Z")),
    );
    assert.equal(backwards.stats.duration_ms, 1_200_000);
    assert.equal(backwards.metadata.lastTimestamp, "2026-03-02T09:30:00.000Z");
  });

  test("13: subagents are counted, under each name that the tool has had", async () => {
    const calls = ["Task", "Agent", "Read"].map((name, at) => toolUse(`toolu_${at}`, name, { prompt: "go" }));
    const { stats } = await parsed(file(answer("msg_1", calls)));
    assert.equal(stats.subagent_count, 2);
    assert.equal(stats.tool_use_count, 3);
    assert.equal(stats.tool_pending_count, 3);
  });
});

describe("a realistic session", () => {
  test("has the messages, blocks, calls and sums that were put into it", async () => {
    const { messages, content_blocks, tool_calls, stats, errors, lines, metadata, format } = await parsed(SAMPLE);
    assert.equal(format, "claude-code");
    assert.deepEqual(
      messages.map(({ message_type, ordinal }) => [message_type, ordinal]),
      ["user", "assistant", "user", "assistant", "user", "assistant"].map((type, at) => [type, at]),
    );
    assert.equal(content_blocks.length, 8);
    assert.deepEqual(
      tool_calls.map(({ tool_name, status, error }) => [tool_name, status, error]),
      [
        ["Bash", "error", "Exit code 1\nforecast.test.ts: expected 21 but got 12"],
        ["Read", "completed", null],
      ],
    );
    assert.deepEqual(
      [stats.tokens_in, stats.tokens_out, stats.cache_read, stats.cache_write],
      [36, 221, 54_000, 7_200],
    );
    assert.equal(stats.duration_ms, 1_800_000);
    assert.equal(stats.tool_error_count, 1);
    assert.deepEqual(stats.tools, { Bash: { calls: 1, errors: 1 }, Read: { calls: 1, errors: 0 } });
    assert.deepEqual(errors, []);
    assert.deepEqual(lines, {
      total: 10,
      used: 8,
      blank: 0,
      unknown: 0,
      failed: 0,
      skipped: { "file-history-snapshot": 1, progress: 1 },
    });
    assert.deepEqual(metadata, {
      sessionId: "6f0c9d0e-3c5b-4f43-9e0a-8f3f7f1f2a10",
      parentSessionId: null,
      agentId: null,
      title: null,
      cwd: "/home/ada/weather",
      version: "2.1.120",
      gitBranch: "main",
      firstTimestamp: "2026-03-02T09:00:00.000Z",
      lastTimestamp: "2026-03-02T09:30:00.000Z",
    });
  });

  test("returns the same from a stream of small pieces", async () => {
    let next = 0;
    const generateId = (): string => `${(next += 1)}`;
    const whole = await parsed(SAMPLE, { generateId });
    next = 0;
    const bytes = Buffer.from(SAMPLE);
    const stream = new ReadableStream<Uint8Array>({
      start(controller) {
        for (let at = 0; at < bytes.length; at += 7) controller.enqueue(bytes.subarray(at, at + 7));
        controller.close();
      },
    });
    assert.deepEqual(await parseTranscript("S1", stream, { generateId }), whole);
  });
});

describe("edge cases of the contract", () => {
  test("an answer with text for content is one text block, and one without content has no blocks", async () => {
    const result = await parsed(file(answer("msg_1", "Just text"), answer("msg_2", null), userText("x")));
    assert.equal(blocksOf(result, 0)[0]?.content_text, "Just text");
    const { has_text, has_thinking, has_tool_use, has_tool_result } = result.messages[1] ?? {};
    assert.deepEqual([has_text, has_thinking, has_tool_use, has_tool_result], [false, false, false, false]);
  });

  test("a line over the limit is passed over with an error", async () => {
    const result = await parsed(file(userText("a"), userText("x".repeat(5 * 1024 * 1024)), userText("b")));
    assert.equal(result.messages.length, 2);
    assert.match(result.errors[0]?.reason ?? "", /^Line exceeds max size/);
    assert.equal(result.errors[0]?.code, "line_too_long");
  });

  test("a signal stops it, and the part read so far is returned", async () => {
    const controller = new AbortController();
    const lines = [userText("a"), "broken", userText("b")];
    const result = await parsed(file(...lines), { signal: controller.signal, onLineError: () => controller.abort() });
    assert.equal(result.aborted, true);
    assert.equal(result.messages.length, 1);
    const none = await parsed(file(...lines), { signal: AbortSignal.abort() });
    assert.deepEqual([none.aborted, none.messages.length, none.lines.total], [true, 0, 0]);
  });

  test("an unknown type is kept and counted, and is not a message", async () => {
    const result = await parsed(file(userText("a"), '{"type":"hologram","data":1}'));
    assert.equal(result.messages.length, 1);
    assert.equal(result.lines.unknown, 1);
    assert.deepEqual(
      result.unknown_lines.map(({ type, raw, line_number }) => [type, raw, line_number]),
      [["hologram", { type: "hologram", data: 1 }, 2]],
    );
    assert.equal(result.errors[0]?.code, "unknown_type");
  });

  test("an unknown block is kept", async () => {
    const block = { type: "hologram", frames: 3 };
    const [found] = (await parsed(file(answer("msg_1", [block])))).content_blocks;
    assert.equal(found?.block_type, "unknown");
    assert.deepEqual(found?.metadata, { type: "hologram", raw: block });
  });
});
