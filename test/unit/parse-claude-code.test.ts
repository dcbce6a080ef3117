/** Claude Code's files beyond the simple case. */
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ParseResult } from "../../src/parse/model.ts";
import type { ParseOptions } from "../../src/parse/parse-options.ts";
import { parseTranscript } from "../../src/agents/parse-input.ts";
import { saidIn, turnsOf } from "../../src/parse/turns.ts";
import { UsageLedger, usageOf } from "../../src/parse/usage-ledger.ts";
import { answerStats } from "../../src/parse/statistics.ts";
import { figuresOf } from "../../src/sessions/read-figures.ts";
import { fileRef } from "../../src/sessions/file-ref.ts";
import { answer, file, text, thinking, toolResult, toolUse, usage, userText } from "../support/parse/claude-lines.ts";
import { describe, test } from "../support/runner.ts";
import { makeTempDir } from "../support/temp-dir.ts";

const parsed = (lines: readonly string[], options?: ParseOptions): Promise<ParseResult> =>
  parseTranscript("S1", file(...lines), { pricing: "flat", ...options });
const texts = ({ content_blocks }: ParseResult): (string | null)[] =>
  content_blocks.map(({ content_text }) => content_text);

describe("the lines of an answer", () => {
  test("belong together although other lines are between them", async () => {
    const result = await parsed([
      answer("msg_1", [toolUse("toolu_1", "Read")], usage(1, 5)),
      answer("msg_2", [text("from a subagent")], usage(1, 7), { isSidechain: true, agentId: "a1" }),
      toolResult("toolu_1", "one"),
      answer("msg_1", [toolUse("toolu_2", "Read")], usage(1, 50)),
      toolResult("toolu_2", "two"),
      answer("msg_2", [text("and more of it")], usage(1, 70), { isSidechain: true, agentId: "a1" }),
    ]);
    assert.deepEqual(
      result.messages.map(({ source_id, message_type, tokens_out, is_sidechain, agent_id, line_number }) => [
        source_id ?? message_type,
        tokens_out,
        is_sidechain,
        agent_id,
        line_number,
      ]),
      [
        ["msg_1", 50, false, null, 1],
        ["msg_2", 70, true, "a1", 2],
        ["user", null, false, null, 3],
        ["user", null, false, null, 5],
      ],
    );
    assert.equal(result.stats.tokens_out, 120);
    assert.deepEqual(
      result.tool_calls.map(({ status }) => status),
      ["completed", "completed"],
    );
  });

  test("count once when the output does not grow evenly: the largest holds", async () => {
    const outputs = [3, 90, 12];
    const { stats } = await parsed(outputs.map((output) => answer("msg_1", [text(`${output}`)], usage(10, output))));
    assert.deepEqual([stats.tokens_in, stats.tokens_out], [10, 90]);
  });

  test("may repeat everything said before; each block is returned once", async () => {
    const said = [thinking("a"), text("b"), toolUse("toolu_1", "Bash", { command: "ls" })];
    const result = await parsed(said.map((_, at) => answer("msg_1", said.slice(0, at + 1))));
    assert.deepEqual(
      result.content_blocks.map(({ block_type }) => block_type),
      ["thinking", "text", "tool_use"],
    );
  });

  test("may hold the same text twice on one line", async () => {
    assert.deepEqual(texts(await parsed([answer("msg_1", [text("again"), text("again")])])), ["again", "again"]);
  });

  test("without an id are messages of their own", async () => {
    const line = (value: string): string => JSON.stringify({ type: "assistant", message: { content: [text(value)] } });
    assert.equal((await parsed([line("a"), line("b")])).messages.length, 2);
  });
});

describe("a session that was recorded into its own file again", () => {
  const lines = [
    userText("Go"),
    answer("msg_1", [toolUse("toolu_1", "Bash", { command: "ls" })], usage(10, 20)),
    toolResult("toolu_1", "a.ts"),
    answer("msg_2", [text("Done.")], usage(10, 5)),
  ];
  const renamed = (line: string, at: number): string => line.replace(/"uuid":"[^"]*"/, `"uuid":"again-${at}"`);

  test("line by line is read once, and the repeats are counted", async () => {
    const once = await parsed(lines);
    const twice = await parsed([...lines, ...lines]);
    assert.deepEqual(twice.stats, once.stats);
    assert.deepEqual(texts(twice), texts(once));
    assert.deepEqual(twice.lines, { ...once.lines, total: 8, skipped: { duplicate: 4 } });
  });

  test("is read once in a large file too", async () => {
    const large = Array.from({ length: 5 }, (_, at) => userText(`${at}${" ".repeat(2 ** 21)}`));
    const result = await parsed([...lines, ...large, ...lines, ...large]);
    assert.equal(result.messages.length, 9);
    assert.equal(result.lines.skipped["duplicate"], 9);
  });

  test("under new uuids repeats no answer, call or result", async () => {
    const { stats, tool_calls, lines: account } = await parsed([...lines, ...lines.slice(1).map(renamed)]);
    assert.deepEqual([stats.assistant_messages, stats.tool_use_count, stats.tokens_out], [2, 1, 25]);
    assert.equal(tool_calls.length, 1);
    assert.equal(account.skipped["duplicate"], 3, "all but the prompt, which is not repeated");
  });

  test("keeps the calls of a provider that restarts their numbering in each answer", async () => {
    const call = (id: string): string => answer(id, [toolUse("call_0", "Bash", { command: "date" })]);
    const result = toolResult("call_0", "ok");
    const { tool_calls } = await parsed([call("msg_1"), result, call("msg_2"), renamed(result, 0)]);
    assert.deepEqual(
      tool_calls.map(({ status }) => status),
      ["completed", "completed"],
    );
  });

  test("keeps a record with a known uuid and different content", async () => {
    const shared = { uuid: "u1" };
    assert.deepEqual(texts(await parsed([userText("one", shared), userText("two", shared)])), ["one", "two"]);
  });

  test("keeps a second result that differs", async () => {
    const result = await parsed([...lines.slice(0, 3), toolResult("toolu_1", "b.ts")]);
    assert.deepEqual(
      result.content_blocks.map(({ result_text }) => result_text).filter((found) => found !== null),
      ["a.ts", "b.ts"],
    );
  });
});

describe("an id that comes again", () => {
  const at = (minute: number): Record<string, unknown> => ({ timestamp: `2026-03-02T09:0${minute}:00.000Z` });
  const answers = ({ messages }: ParseResult): unknown =>
    messages
      .filter(({ message_type }) => message_type === "assistant")
      .map(({ line_number, tokens_out }) => [line_number, tokens_out]);

  test("from a gateway that gives every answer the same one: each answer is a message of its own", async () => {
    const stop = (stop_reason: string, output: number) => ({ ...usage(100, output), stop_reason });
    const result = await parsed([
      userText("One?", at(1)),
      answer("ocgo", [toolUse("toolu_1", "Bash", { command: "a" })], stop("tool_use", 11), at(2)),
      toolResult("toolu_1", "ok", at(3)),
      answer("ocgo", [text("Done.")], stop("end_turn", 21), at(4)),
      userText("Two?", at(5)),
      answer("ocgo", [text("Done.")], stop("end_turn", 21), at(6)),
    ]);
    assert.deepEqual(answers(result), [
      [2, 11],
      [4, 21],
      [6, 21],
    ]);
    assert.deepEqual(
      texts(result).filter((said) => said !== null),
      ["One?", "Done.", "Two?", "Done."],
    );
    assert.equal(result.stats.tokens_in, 300);
  });

  test("without stop reasons: what follows a prompt or a result is another answer", async () => {
    const result = await parsed([
      userText("One?", at(1)),
      answer("x", [thinking("hm", "a")], usage(100, 1), at(2)),
      answer("x", [toolUse("toolu_1", "Bash")], usage(100, 11), at(3)),
      toolResult("toolu_1", "ok", at(4)),
      answer("x", [text("It is.")], usage(100, 21), at(5)),
      userText("Two?", at(6)),
      answer("x", [text("It is.")], usage(100, 21), at(7)),
    ]);
    assert.deepEqual(answers(result), [
      [2, 11],
      [5, 21],
      [7, 21],
    ]);
  });

  test("of an answer whose first lines have a different input and no output yet: the last line counts", async () => {
    const result = await parsed([
      userText("One?", at(1)),
      answer("x", [toolUse("toolu_1", "Bash")], usage(24_000, 0), at(2)),
      toolResult("toolu_1", "ok", at(3)),
      answer("x", [toolUse("toolu_2", "Bash")], { ...usage(6, 134, 0, 26_000), stop_reason: "tool_use" }, at(4)),
      toolResult("toolu_2", "ok", at(5)),
      answer("x", [thinking("hm", "a")], usage(24_100, 0), at(6)),
      answer("x", [text("It is.")], { ...usage(7, 20, 26_000), stop_reason: "end_turn" }, at(7)),
    ]);
    assert.deepEqual(answers(result), [
      [2, 134],
      [6, 20],
    ]);
    assert.deepEqual([result.stats.tokens_in, result.stats.cache_write], [13, 26_000]);
  });

  test("replaced in an export, that of the request too: each answer counts", async () => {
    const pieces = (minute: number, said: string): string[] => {
      const rest = { ...at(minute), requestId: "REDACTED" };
      const counted = { ...usage(100 * minute, 21), stop_reason: "end_turn" };
      return [answer("REDACTED", [thinking("hm")], counted, rest), answer("REDACTED", [text(said)], counted, rest)];
    };
    const lines = [userText("One?", at(1)), ...pieces(2, "Yes."), userText("Two?", at(3)), ...pieces(4, "No.")];
    const { messages } = await parsed(lines);
    const ledger = new UsageLedger("UTC");
    for (const id of ["original", "fork"]) {
      const usages = messages.filter(({ message_type }) => message_type === "assistant").map(usageOf);
      ledger.add({ id, project: null, agent: "claude-code" }, usages);
    }
    assert.deepEqual([ledger.total().messages, ledger.total().tokens_out], [2, 42]);
  });

  test("in copies with new uuids and times, and the same id of the request: they count once", async () => {
    const said = { ...usage(100, 21), stop_reason: "end_turn" };
    const lines = [1, 5].flatMap((minute) => [
      userText("One?", at(minute)),
      answer("msg_1", [thinking("hm")], said, { ...at(minute + 1), requestId: "req_1" }),
      answer("msg_1", [text("Yes.")], said, { ...at(minute + 2), requestId: "req_1" }),
    ]);
    const ledger = new UsageLedger("UTC");
    const { messages } = await parsed(lines);
    const usages = messages.filter(({ message_type }) => message_type === "assistant").map(usageOf);
    ledger.add({ id: "resumed", project: null, agent: "claude-code" }, usages);
    assert.equal(ledger.total().messages, 1);
  });

  test("that is missing or empty: the pieces of an answer, which repeat its usage, are one message", async () => {
    for (const id of [undefined, ""]) {
      const piece = (block: Record<string, unknown>, minute: number, parentUuid: string): string => {
        const rest = { ...at(minute), uuid: `u-${minute}`, parentUuid };
        return answer("x", [block], { ...usage(100, 21), id, stop_reason: "end_turn" }, rest);
      };
      const result = await parsed([
        userText("One?", { uuid: "u-0" }),
        piece(thinking("hm"), 1, "u-0"),
        piece(text("Yes."), 2, "u-1"),
        userText("Two?", { ...at(3), uuid: "u-3" }),
        piece(text("Yes."), 4, "u-3"),
      ]);
      assert.deepEqual(answers(result), [
        [2, 21],
        [5, 21],
      ]);
    }
  });

  test("with another request id or other input tokens is another answer", async () => {
    const lines = [
      answer("x", [text("a")], usage(100, 5), { ...at(1), requestId: "req_1" }),
      answer("x", [text("b")], usage(100, 5), { ...at(2), requestId: "req_2" }),
      answer("x", [text("c")], usage(300, 5), { ...at(3), requestId: "req_2" }),
    ];
    assert.equal((await parsed(lines)).stats.assistant_messages, 3);
  });

  test("in a line whose parent is one of its lines continues it, whatever is between", async () => {
    const [one, two] = [answer("msg_1", [thinking("a")], {}, { uuid: "u-1" }), userText("And also this.")];
    const three = answer("msg_1", [text("b")], {}, { parentUuid: "u-1" });
    assert.equal((await parsed([one, two, three])).stats.assistant_messages, 1);
  });

  test("with what was said before, at the same time, is a repeat", async () => {
    const lines = [
      userText("One?", at(1)),
      answer("msg_1", [text("Yes.")], { ...usage(5, 7), stop_reason: "end_turn" }, at(2)),
      userText("Two?", at(3)),
      answer("msg_2", [text("No.")], { ...usage(5, 9), stop_reason: "end_turn" }, at(4)),
    ];
    const replay = lines.map((line, n) => line.replace(/"uuid":"[^"]*"/, `"uuid":"again-${n}"`));
    const { stats } = await parsed([...lines, ...replay]);
    assert.deepEqual([stats.assistant_messages, stats.tokens_out], [2, 16]);
  });
});

test("a record that a newer version wrote again is one record, whatever else is on its line", async () => {
  const lines = [userText("Go", { uuid: "u-1" }), answer("msg_1", [text("Done.")], usage(1, 2), { uuid: "u-2" })];
  const again = lines.map((line) =>
    JSON.stringify({ ...JSON.parse(line), version: "2.1.260", gitBranch: "feature", parentUuid: "u-0", slug: "x" }),
  );
  const { stats, lines: account } = await parsed([...lines, ...again]);
  assert.deepEqual([stats.human_messages, stats.assistant_messages, stats.tokens_out], [1, 1, 2]);
  assert.deepEqual(account.skipped, { duplicate: 2 });
});

describe("content that is not shown as empty", () => {
  test("thinking that was withheld, each piece of it, and thinking that was encrypted", async () => {
    const withheld = [thinking("", "sig-one"), thinking("", "sig-two")];
    const hidden = { type: "redacted_thinking", data: "AAAA" };
    const result = await parsed([...withheld, hidden].map((block) => answer("msg_1", [block])));
    assert.deepEqual(
      result.content_blocks.map(({ block_type, metadata }) => [block_type, metadata.withheld]),
      [
        ["thinking", true],
        ["thinking", true],
        ["redacted_thinking", true],
      ],
    );
    assert.deepEqual([result.stats.thinking_blocks, result.stats.withheld_thinking_blocks], [3, 3]);
    assert.equal(result.messages[0]?.has_thinking, true);
  });

  test("calls that were rejected, interrupted, failed, or never answered", async () => {
    const no = "The user doesn't want to proceed with this tool use. The tool use was rejected.";
    const names = ["rejected", "interrupted", "error", "completed", "pending"];
    const result = await parsed([
      answer(
        "msg_1",
        names.map((name) => toolUse(name, "Bash", { command: name })),
      ),
      toolResult("rejected", no, { toolUseResult: "User rejected tool use" }, { is_error: true }),
      toolResult("interrupted", "[Request interrupted by user for tool use]", {}, { is_error: true }),
      toolResult("error", "<tool_use_error>No such file</tool_use_error>", {}, { is_error: true }),
      toolResult("completed", "<tool_use_error> is what an error begins with", {}, { is_error: false }),
    ]);
    assert.deepEqual(
      result.tool_calls.map(({ status }) => status),
      names,
    );
    assert.equal(result.tool_calls[2]?.error, "No such file");
    const { tool_error_count, tool_rejected_count, tool_interrupted_count, tool_pending_count } = result.stats;
    assert.deepEqual([tool_error_count, tool_rejected_count, tool_interrupted_count, tool_pending_count], [1, 1, 1, 1]);
    assert.deepEqual(result.stats.tools, { Bash: { calls: 5, errors: 1 } });
    // Each call says so itself too.
    assert.deepEqual(
      result.content_blocks.filter(({ block_type }) => block_type === "tool_use").map(({ status }) => status),
      names,
    );
  });

  test("a call that was not run because another of the message failed is no failure", async () => {
    const calls = ["Sibling tool call errored", "Cancelled: parallel tool call Bash(npm test) errored"];
    const result = await parsed([
      answer(
        "msg_1",
        calls.map((text) => toolUse(text, "Read", { file_path: "a.md" })),
      ),
      ...calls.map((text) => toolResult(text, `<tool_use_error>${text}</tool_use_error>`, {}, { is_error: true })),
    ]);
    assert.deepEqual(
      result.tool_calls.map(({ status }) => status),
      ["interrupted", "interrupted"],
    );
    assert.equal(result.stats.tool_error_count, 0);
  });

  test("results that are lists, images, references, objects or nothing", async () => {
    const image = { type: "image", source: { type: "base64", media_type: "image/png", data: "AAAA" } };
    const contents = [
      [
        { type: "text", text: "a" },
        { type: "text", text: "b" },
      ],
      [image],
      [{ type: "tool_reference", tool_name: "WebFetch" }],
      { status: "ok" },
      null,
    ];
    const result = await parsed(contents.map((content, at) => toolResult(`toolu_${at}`, content)));
    assert.deepEqual(
      result.content_blocks.map(({ result_text }) => result_text),
      ["a\nb", "[image image/png]", "[tool reference WebFetch]", '{"status":"ok"}', null],
    );
    assert.equal(result.content_blocks[1]?.metadata["images"], 1);
  });

  test("a result of which the rest lies in a file", async () => {
    const kept = { toolUseResult: { stdout: "", persistedOutputPath: "/tmp/out.txt" } };
    const [block] = (await parsed([toolResult("t", "<persisted-output>\nfirst lines", kept)])).content_blocks;
    assert.equal(block?.metadata.persisted_output_path, "/tmp/out.txt");
  });

  test("images and documents of a message, without their bytes", async () => {
    const source = { type: "base64", media_type: "image/png", data: "AAAA" };
    const content = [
      { type: "image", source },
      { type: "document", source: { ...source, media_type: "application/pdf" } },
    ];
    const result = await parsed([userText(content)]);
    assert.deepEqual(
      result.content_blocks.map(({ block_type, metadata }) => [block_type, metadata.media_type]),
      [
        ["image", "image/png"],
        ["document", "application/pdf"],
      ],
    );
    assert.ok(!JSON.stringify(result.content_blocks).includes("AAAA"));
  });
});

describe("user lines", () => {
  const compact = { isCompactSummary: true, isVisibleInTranscriptOnly: true };
  const attachment = (commandMode: string): string =>
    JSON.stringify({ type: "attachment", attachment: { type: "queued_command", prompt: "And the docs", commandMode } });

  for (const [what, line, kind, origin] of [
    ["typed", userText("Hi", { permissionMode: "default" }), "human", undefined],
    ["a result", toolResult("t", "x"), "tool_result", undefined],
    ["an injection", userText("Caveat", { isMeta: true }), "meta", undefined],
    ["a compaction's summary", userText("This session is continued", compact), "meta", "compact_summary"],
    ["an interruption", userText("[Request interrupted by user]"), "meta", "interruption"],
    ["a slash command", userText("<command-message>review</command-message>"), "human", "command"],
    ["a shell line", userText("<bash-input>git status</bash-input>"), "human", "command"],
    ["a shell line's output", userText("<bash-stdout>clean</bash-stdout>"), "meta", "command_output"],
    ["a notice", userText("<task-notification>done</task-notification>"), "meta", "notification"],
    [
      "another agent's word",
      userText('<teammate-message teammate_id="lead">Go</teammate-message>'),
      "meta",
      "teammate",
    ],
    ["a reminder", userText([text("<system-reminder>Open file</system-reminder>")]), "meta", undefined],
    [
      "a reminder and a prompt",
      userText([text("<system-reminder>x</system-reminder>"), text("Go")]),
      "human",
      undefined,
    ],
    ["without a message", '{"type":"user","sessionId":"S"}', "meta", undefined],
    ["typed while the model was busy", attachment("prompt"), "human", "queued"],
    ["a notice while the model was busy", attachment("task-notification"), "meta", "notification"],
  ] as const) {
    test(`${what}: ${kind}`, async () => {
      const [message] = (await parsed([line])).messages;
      assert.equal(message?.message_type, "user");
      assert.deepEqual([message?.user_kind, message?.metadata.origin], [kind, origin]);
    });
  }

  test("other attachments are not messages", async () => {
    const { messages, lines } = await parsed(['{"type":"attachment","attachment":{"type":"todo_reminder"}}']);
    assert.deepEqual([messages.length, lines.skipped], [0, { attachment: 1 }]);
  });
});

test("records without conversation are known and skipped, without damage", async () => {
  const sessionId = "S1";
  const records = [
    { type: "cost-state", sessionId, totalCostUSD: 13.75, modelUsage: { m: { inputTokens: 20, costUSD: 13.75 } } },
    { type: "continued-in", sessionId, successorSessionId: "S2" },
    { type: "history-suppression", sessionId, cause: "restored_owner_mismatch", timestamp: "2026-09-20T10:00:04.000Z" },
    { type: "artifact-autoreact-ledger", v: 1, sessionId, artifacts: {} },
    { type: "artifact-comment-monitor", v: 1, sessionId, artifacts: {} },
    { type: "api-request", sessionId, id: "r", shapeHash: "h", params: {}, keep: 0, tail: ["h"] },
    { type: "api-request-blob", sessionId, hash: "h", message: { role: "user", content: "a" } },
    { type: "derived-from", v: 1, sessionId, sessions: [{ type: "unknown", id: null, via: "import" }] },
    { type: "tools-used", sessionId, tools: ["Bash"] },
  ];
  const conversation = [userText("a"), answer("msg_1", [text("x")], usage(1, 2))];
  const plain = await parsed(conversation);
  const { messages, stats, errors, unknown_lines, lines } = await parsed([
    ...conversation,
    ...records.map((record) => JSON.stringify(record)),
  ]);
  assert.deepEqual([errors, unknown_lines], [[], []]);
  assert.deepEqual(lines.skipped, Object.fromEntries(records.map(({ type }) => [type, 1])));
  assert.deepEqual([messages.length, stats.tokens_out, stats.cost_estimate_usd], [2, 2, plain.stats.cost_estimate_usd]);
});

describe("the cost of an answer", () => {
  const M = 1_000_000;
  const iteration = (type: string, input: number, output: number, more: object = {}): object => ({
    type,
    input_tokens: input,
    output_tokens: output,
    cache_read_input_tokens: 0,
    cache_creation_input_tokens: 0,
    ...more,
  });

  /** The same from the full parse and from the figures that `stats` and `list` show. */
  async function costOf(used: object, model: string): Promise<{ cost: number | null; out: number }> {
    const whole = { service_tier: "standard", cache_read_input_tokens: 0, cache_creation_input_tokens: 0, ...used };
    const input = file(userText("a"), answer("msg_1", [text("x")], { usage: whole, model }));
    const { messages, stats } = await parseTranscript("s-1", input);
    const path = join(makeTempDir(), "session.jsonl");
    writeFileSync(path, input);
    const figures = await figuresOf(await fileRef(path));
    assert.equal(answerStats(figures.usage).cost_estimate_usd, stats.cost_estimate_usd);
    assert.deepEqual(
      figures.usage.map(({ costUsd }) => costUsd),
      [messages[1]?.cost_usd],
    );
    return { cost: stats.cost_estimate_usd, out: stats.tokens_out };
  }

  test("of a model with the size of its context in the name is that of the model, and counted with it", async () => {
    const model = "claude-opus-4-6";
    const input = file(
      userText("a"),
      answer("msg_1", [text("x")], { usage: { input_tokens: M, output_tokens: 0 }, model }),
      answer("msg_2", [text("y")], { usage: { input_tokens: M, output_tokens: 0 }, model: `${model}[1m]` }),
    );
    const { messages, stats } = await parseTranscript("s-1", input);
    const [, first, second] = messages;
    assert.ok((first?.cost_usd ?? 0) > 0);
    assert.equal(second?.cost_usd, first?.cost_usd);
    assert.deepEqual(
      Object.entries(stats.models).map(([name, sums]) => [name, sums.messages, sums.tokens_in]),
      [[model, 2, 2 * M]],
    );
    const ledger = new UsageLedger("UTC");
    ledger.add({ id: "s-1", project: null }, messages.slice(1).map(usageOf));
    assert.deepEqual(
      ledger.rows("model").map(({ key, messages: answers }) => [key, answers]),
      [[model, 2]],
    );
  });

  test("fast mode, a batch, a region, searches and an hour in the cache are charged", async () => {
    const used = { input_tokens: M, output_tokens: M };
    const cost = async (more: object): Promise<number | null> =>
      (await costOf({ ...used, ...more }, "claude-opus-4-8")).cost;
    assert.equal(await cost({ speed: "standard", inference_geo: "not_available" }), 30);
    assert.equal(await cost({ speed: "fast" }), 60);
    assert.equal(await cost({ service_tier: "batch" }), 15);
    assert.equal((await cost({ inference_geo: "us" }))?.toFixed(6), "33.000000");
    assert.equal(await cost({ server_tool_use: { web_search_requests: 100, web_fetch_requests: 7 } }), 31);
    const written = { ephemeral_5m_input_tokens: M, ephemeral_1h_input_tokens: M };
    assert.equal(await cost({ cache_creation_input_tokens: 2 * M, cache_creation: written }), 30 + 6.25 + 10);
  });

  test("a compaction and an advisor are charged beside the answer, each as its own model", async () => {
    const iterations = [
      iteration("compaction", M, 0),
      iteration("message", 0, M),
      iteration("advisor_message", 0, M, { model: "claude-fable-5" }),
    ];
    const used = { input_tokens: 0, output_tokens: M, iterations };
    assert.deepEqual(await costOf(used, "claude-opus-4-8"), { cost: 5 + 25 + 50, out: 2 * M });
  });

  test("an attempt that was declined is listed and not charged", async () => {
    const iterations = [
      iteration("message", M, 0, { model: "claude-fable-5" }),
      iteration("fallback_message", M, M, { model: "claude-opus-4-8" }),
    ];
    const used = { input_tokens: M, output_tokens: M, iterations };
    assert.deepEqual(await costOf(used, "claude-opus-4-8"), { cost: 30, out: M });
  });

  test("steps of a price go by the input of each model call, not by their sum", async () => {
    const model = "claude-sonnet-4-5-20250929";
    const plain = await costOf({ input_tokens: 150_000, output_tokens: 10 }, model);
    const iterations = [iteration("message", 150_000, 10), iteration("message", 150_000, 10)];
    const both = await costOf({ input_tokens: 300_000, output_tokens: 20, iterations }, model);
    assert.equal(both.cost, 2 * (plain.cost ?? Number.NaN));
  });
});

describe("documents and tools of the provider", () => {
  const base64 = "JVBERi0xLjQK".repeat(50);
  const blocks = ({ content_blocks }: ParseResult): unknown =>
    content_blocks.map(({ block_type, content_text, result_text }) => [block_type, content_text ?? result_text]);

  test("documents of text are texts, those of bytes are not", async () => {
    const document = (source: object): object => ({ type: "document", source });
    const result = await parsed([
      userText([
        document({ type: "text", media_type: "text/plain", data: "A plain text." }),
        document({ type: "content", content: [text("An inner text.")] }),
        document({ type: "base64", media_type: "application/pdf", data: base64 }),
      ]),
    ]);
    assert.deepEqual(blocks(result), [
      ["document", "A plain text."],
      ["document", "An inner text."],
      ["document", null],
    ]);
  });

  test("base64 in a result or an unknown block is no text", async () => {
    const pdf = { type: "document", source: { type: "base64", media_type: "application/pdf", data: base64 } };
    const result = await parsed([
      toolResult("toolu_1", [
        pdf,
        { type: "audio", data: base64, mimeType: "audio/wav" },
        { type: "new", blob: base64 },
      ]),
      toolResult("toolu_2", [
        { type: "resource", resource: { uri: "file:///a", blob: base64 } },
        { image: pdf.source },
      ]),
      answer("msg_1", [{ type: "new_kind", source: pdf.source, encrypted_content: base64 }]),
    ]);
    assert.ok(!JSON.stringify(result.content_blocks).includes("JVBERi0xLjQK"));
    assert.match(result.content_blocks[0]?.result_text ?? "", /^\[document application\/pdf\]\n\[audio audio\/wav\]\n/);
    assert.match(result.content_blocks[1]?.result_text ?? "", /^\[resource file:\/\/\/a\]\n/);
  });

  test("results of the provider's tools belong to their calls, and failures count", async () => {
    const call = (id: string, name: string): object => ({ type: "server_tool_use", id, name, input: {} });
    const end = (kind: string, id: string, content: unknown, more: object = {}): object => ({
      type: `${kind}_tool_result`,
      tool_use_id: id,
      content,
      ...more,
    });
    const result = await parsed([
      answer("msg_1", [
        call("s_1", "advisor"),
        end("advisor", "s_1", { type: "advisor_result", text: "Begin in the north." }),
        call("s_2", "advisor"),
        end("advisor", "s_2", { type: "advisor_tool_result_error", error_code: "unavailable" }),
        call("s_3", "advisor"),
        end("advisor", "s_3", { type: "advisor_redacted_result", encrypted_content: base64 }),
        call("s_4", "web_search"),
        end("web_search", "s_4", [{ type: "web_search_result", title: "News", url: "https://example.com/n" }]),
        call("s_5", "bash_code_execution"),
        end("bash_code_execution", "s_5", {
          type: "bash_code_execution_result",
          stdout: "one",
          stderr: "two",
          return_code: 3,
        }),
        call("s_6", "echo"),
        end("mcp", "s_6", [text("broken")], { is_error: true }),
        text("Done."),
      ]),
    ]);
    assert.deepEqual(
      result.tool_calls.map(({ status, exit_code, result_text }) => [status, exit_code, result_text]),
      [
        ["completed", null, "Begin in the north."],
        ["error", null, "unavailable"],
        ["completed", null, "[withheld by the provider]"],
        ["completed", null, "News\nhttps://example.com/n"],
        ["error", 3, "one\ntwo"],
        ["error", null, "broken"],
      ],
    );
    assert.deepEqual([result.stats.tool_use_count, result.stats.tool_error_count], [6, 3]);
  });
});

describe("prompts typed while the model was busy", () => {
  const operation = (name: string, minute: number, content?: unknown): string =>
    JSON.stringify({
      type: "queue-operation",
      operation: name,
      timestamp: `2026-03-02T09:0${minute}:00.000Z`,
      sessionId: "S",
      ...(content === undefined ? {} : { content }),
    });
  const prompts = ({ messages, content_blocks }: ParseResult): unknown =>
    messages
      .filter(({ user_kind }) => user_kind === "human")
      .map(({ id, line_number }) => [
        line_number,
        content_blocks.find(({ message_id }) => message_id === id)?.content_text,
      ]);

  test("are in the queue only: those that the model got, not those taken back or sent later", async () => {
    const result = await parsed([
      userText("Sort the cherries"),
      operation("enqueue", 1, "by weight instead"),
      operation("enqueue", 1, "<task-notification>\n<task-id>b1</task-id>\n</task-notification>"),
      operation("remove", 2),
      operation("remove", 2),
      operation("enqueue", 3, "then count them"),
      operation("dequeue", 3),
      userText("then count them"),
      operation("enqueue", 4, "never mind"),
      operation("popAll", 4, "never mind"),
      operation("enqueue", 5, "too late"),
    ]);
    assert.deepEqual(prompts(result), [
      [1, "Sort the cherries"],
      [4, "by weight instead"],
      [8, "then count them"],
    ]);
    assert.equal(result.messages[1]?.metadata.origin, "queued");
  });

  test("are read once where an attachment has them too, before or after", async () => {
    const attachment = (prompt: string): string =>
      JSON.stringify({ type: "attachment", uuid: prompt, attachment: { type: "queued_command", prompt } });
    const result = await parsed([
      operation("enqueue", 1, "one"),
      operation("remove", 1),
      attachment("one"),
      operation("enqueue", 2, "two"),
      attachment("two"),
      operation("remove", 2),
    ]);
    assert.deepEqual(prompts(result), [
      [2, "one"],
      [5, "two"],
    ]);
  });

  test("are read once despite lines of an answer between two copies, and again if they were typed again", async () => {
    const attachment = JSON.stringify({
      type: "attachment",
      uuid: "a",
      attachment: { type: "queued_command", prompt: "one" },
    });
    const result = await parsed([
      operation("enqueue", 1, "one"),
      operation("remove", 1),
      answer("m1", [toolUse("t1", "Bash", { command: "ls" })]),
      toolResult("t1", "a"),
      attachment,
      answer("m2", [text("Done")]),
      userText("one"),
      // Written again, as after a compaction.
      attachment,
    ]);
    assert.deepEqual(prompts(result), [
      [2, "one"],
      [7, "one"],
    ]);
    assert.deepEqual([result.errors, result.lines.skipped["duplicate"]], [[], 2]);
  });

  test("do not include events of tasks, and come before notices if the line does not name the text", async () => {
    const notice = "<task-notification>\n<task-id>b1</task-id>\n</task-notification>";
    const event = JSON.stringify({ task_id: "b1", tool_use_id: "t1", description: "Build", task_type: "local_bash" });
    const result = await parsed([
      operation("enqueue", 1, event),
      operation("enqueue", 1, notice),
      operation("enqueue", 2, "by weight instead"),
      operation("remove", 2),
      answer("m1", [text("By weight")]),
      operation("remove", 3),
      operation("enqueue", 4, "then count them"),
      operation("dequeue", 4),
      userText("then count them"),
      operation("dequeue", 5),
      userText(notice),
    ]);
    assert.deepEqual(prompts(result), [
      [4, "by weight instead"],
      [9, "then count them"],
    ]);
    assert.deepEqual(
      result.messages.filter(({ user_kind }) => user_kind === "meta").map(({ metadata }) => metadata.origin),
      ["notification"],
    );
    assert.deepEqual(result.errors, []);
  });

  test("are what a person typed: no notices, feedback of hooks or messages of others", async () => {
    const queued = (prompt: unknown, more: object = {}): string =>
      JSON.stringify({
        type: "attachment",
        attachment: { type: "queued_command", commandMode: "prompt", prompt, ...more },
      });
    const result = await parsed([
      queued("<task-notification>\n<task-id>b2</task-id>\n</task-notification>"),
      queued("Stop hook feedback:\nPlease run the linter"),
      queued("Please run the linter", { isMeta: true }),
      queued("<system-reminder>\nThe date has changed.\n</system-reminder>"),
      queued("Status?", { origin: { kind: "coordinator" } }),
      userText("Status?", { origin: { kind: "peer" } }),
      userText('<cross-session-message from="s-2">Status?</cross-session-message>'),
      userText("Stop hook feedback:\n[check]: not done"),
      queued([text("and this picture"), { type: "image", source: {} }], { origin: { kind: "human" } }),
    ]);
    assert.deepEqual(prompts(result), [[9, "and this picture"]]);
    assert.equal(result.stats.human_messages, 1);
  });
});

describe("titles and prompts", () => {
  const title = (type: string, value: string): string =>
    JSON.stringify({ type, [type === "ai-title" ? "aiTitle" : "customTitle"]: value, sessionId: "S" });

  test("the name that the person gave wins over a later generated title, until it is taken back", async () => {
    const lines = [title("ai-title", "One"), title("custom-title", "Mine"), title("ai-title", "Two"), userText("Hi")];
    assert.equal((await parsed(lines)).metadata.title, "Mine");
    assert.equal((await parsed([...lines, title("custom-title", "")])).metadata.title, "Two");
    assert.equal((await parsed([...lines, title("custom-title", "Other")])).metadata.title, "Other");
  });

  test("tags of an editor are no part of a prompt", async () => {
    const file = "<ide_opened_file>The user opened x.ts</ide_opened_file>";
    const selection = "<ide_selection>The user selected <b>lines</b></ide_selection>";
    for (const content of [
      `${file}\n${selection}\nFix it`,
      [text(file), text("Fix it")],
      [text(`${selection} Fix it`)],
    ]) {
      const result = await parsed([userText(content)]);
      assert.equal(result.stats.initial_prompt, "Fix it");
      assert.deepEqual(
        turnsOf(result).map(({ prompt }) => prompt && saidIn(prompt)),
        ["Fix it"],
      );
    }
    assert.equal((await parsed([userText(file)])).stats.human_messages, 0);
  });
});

test("a session without a conversation has the id and the folder that its other lines name", async () => {
  const line = { type: "attachment", sessionId: "s-1", cwd: "/work/shop", attachment: { type: "skill_listing" } };
  const { metadata, lines } = await parsed([JSON.stringify({ type: "mode", mode: "normal" }), JSON.stringify(line)]);
  assert.deepEqual([metadata.sessionId, metadata.cwd, lines.used], ["s-1", "/work/shop", 0]);
});

describe("usage that is only a placeholder", () => {
  const stats = async (version: string, output: number, stop: string | null): Promise<boolean> => {
    const line = answer("msg_1", [text("a long answer")], { ...usage(5, output), stop_reason: stop }, { version });
    return (await parsed([line])).stats.tokens_out_is_lower_bound;
  };

  for (const [version, output, stop, lower] of [
    ["2.0.50", 80, null, true],
    ["2.1.69", 80, null, true],
    ["2.1.69", 80, "end_turn", false],
    ["2.1.70", 80, null, false],
    ["1.0.51", 80, null, false],
    ["1.0.51", 2, null, true],
    ["2.1.120", 2, "end_turn", false],
  ] as const) {
    test(`version ${version}, ${output} tokens, stop reason ${stop}: ${lower ? "a lower bound" : "the count"}`, async () => {
      assert.equal(await stats(version, output, stop), lower);
    });
  }

  test("a stop reason on the last line makes the count of the answer sure", async () => {
    const version = { version: "2.0.50" };
    const result = await parsed([
      answer("msg_1", [text("a")], usage(5, 1), version),
      answer("msg_1", [text("b")], { ...usage(5, 90), stop_reason: "end_turn" }, version),
    ]);
    assert.equal(result.stats.tokens_out_is_lower_bound, false);
    assert.equal(result.messages[0]?.metadata.stop_reason, "end_turn");
  });
});

describe("what progress lines copy of a subagent", () => {
  const inner = JSON.parse(answer("msg_sub", [text("found it")], usage(10, 20))) as unknown;
  const line = JSON.stringify({
    type: "progress",
    uuid: "p1",
    data: { type: "agent_progress", agentId: "a7", message: inner },
  });

  test("is left out, since the subagent's own file has it", async () => {
    const { messages, lines } = await parsed([line]);
    assert.deepEqual([messages.length, lines.skipped], [0, { progress: 1 }]);
  });
});

describe("stream-json", () => {
  const stream = [
    {
      type: "system",
      subtype: "init",
      session_id: "s-1",
      cwd: "/w",
      tools: ["Bash"],
      model: "m",
      claude_code_version: "2.1.99",
    },
    { type: "assistant", session_id: "s-1", parent_tool_use_id: null, message: { id: "m1", content: [text("Hi")] } },
    { type: "stream_event", session_id: "s-1", event: { type: "content_block_delta" } },
    {
      type: "assistant",
      session_id: "s-1",
      parent_tool_use_id: "toolu_9",
      message: { id: "m2", content: [text("sub")] },
    },
    { type: "result", subtype: "success", session_id: "s-1", result: "Hi", total_cost_usd: 0.1, usage: {} },
  ].map((line) => JSON.stringify(line));

  test("is distinguished from a session file, and read the same way", async () => {
    const { format, messages, metadata, lines } = await parsed(stream);
    assert.equal(format, "claude-stream");
    assert.deepEqual(
      messages.map(({ message_type, is_sidechain }) => [message_type, is_sidechain]),
      [
        ["system", false],
        ["assistant", false],
        ["assistant", true],
      ],
    );
    assert.deepEqual([metadata.sessionId, metadata.cwd, metadata.version], ["s-1", "/w", "2.1.99"]);
    assert.deepEqual(lines.skipped, { stream_event: 1, result: 1 });
  });

  test("has the counts and the cost of its result lines, which cover all turns so far", async () => {
    const line = (id: string, output: number): string =>
      JSON.stringify({
        type: "assistant",
        session_id: "s-1",
        uuid: `u-${id}`,
        message: { id, model: "claude-opus-5", content: [text(id)], usage: { input_tokens: 3, output_tokens: output } },
      });
    const result = (output: number, cost: number): string =>
      JSON.stringify({
        type: "result",
        subtype: "success",
        session_id: "s-1",
        uuid: `u-${cost}`,
        total_cost_usd: cost,
        usage: { input_tokens: 6, output_tokens: output },
      });
    const one = [line("msg_1", 1), line("msg_2", 2), result(700, 0.03)];
    const { stats, messages } = await parsed(one);
    assert.deepEqual(
      messages.map(({ tokens_out }) => tokens_out),
      [1, 699],
    );
    assert.deepEqual([stats.tokens_in, stats.tokens_out, stats.tokens_out_is_lower_bound], [6, 700, false]);
    assert.ok(Math.abs((stats.cost_estimate_usd ?? 0) - 0.03) < 1e-9);
    const two = (await parsed([...one, line("msg_3", 1), result(900, 0.05)])).stats;
    assert.equal(two.tokens_out, 900);
    assert.ok(Math.abs((two.cost_estimate_usd ?? 0) - 0.05) < 1e-9);
    assert.equal((await parsed(one.slice(0, 2))).stats.tokens_out_is_lower_bound, true);
    // Totals that are repeated, like any line, are not those of a later turn.
    const repeated = await parsed([...one, line("msg_3", 1), ...one, result(900, 0.05)]);
    assert.deepEqual(repeated.stats, two);
  });

  test("newer session files carry both spellings of the session's id", async () => {
    assert.equal((await parsed([userText("Hi", { session_id: "s-1" })])).format, "claude-code");
  });
});

test("prompts are what a person typed, to the main agent, without what the program put before it", async () => {
  const { stats } = await parsed([
    userText("Look into it", { isSidechain: true, agentId: "a1" }),
    userText([text("<system-reminder>An open file</system-reminder>"), text("Fix the build.")]),
  ]);
  assert.equal(stats.human_messages, 1);
  assert.equal(
    (await parsed([userText([text("<system-reminder>x</system-reminder>"), text("Go")])])).stats.initial_prompt,
    "Go",
  );
});

test("the title is the last that was given and that says something", async () => {
  const titles = ["First", "Second", " \r\n", ""].map((aiTitle) =>
    JSON.stringify({ type: "ai-title", aiTitle, sessionId: "s" }),
  );
  assert.equal((await parsed([...titles, userText("Hi")])).metadata.title, "Second");
});

test("a call is found through the line that its result names", async () => {
  const call = answer("msg_1", [toolUse("toolu_lost", "Bash", { command: "ls" })], {}, { uuid: "line-1" });
  const result = await parsed([call, toolResult("toolu_other", "x", { sourceToolAssistantUUID: "line-1" })]);
  assert.deepEqual(
    result.tool_calls.map(({ tool_name, status, matched_by }) => [tool_name, status, matched_by]),
    [["Bash", "completed", "source_uuid"]],
  );
  assert.equal(result.stats.tool_pending_count, 0);
});

test("a file is a subagent's if it begins so, not if a subagent speaks in it", async () => {
  const side = userText("Look", { isSidechain: true, agentId: "a1" });
  assert.equal((await parsed([side, userText("Hi")])).metadata.agentId, "a1");
  assert.equal((await parsed([userText("Hi"), side])).metadata.agentId, null);
});
