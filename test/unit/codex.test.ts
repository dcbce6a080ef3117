/** Codex: what is special about its files, one test for each trap. The sessions are in `test/fixtures/sessions/codex`. */
import assert from "node:assert/strict";
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import * as zlib from "node:zlib";
import { unpacked } from "../../src/places/zstd.ts";
import { codexTools } from "../../src/agents/codex/codex-tools.ts";
import type { ParseResult } from "../../src/parse/model.ts";
import { commandEffects } from "../../src/calls/touched-files.ts";
import { parseTranscript } from "../../src/agents/parse-input.ts";
import { isPrompt, saidIn, turnsOf } from "../../src/parse/turns.ts";
import { runCli } from "../support/cli/run-cli.ts";
import { REPOSITORY } from "../support/repository.ts";
import { afterAll, describe, test } from "../support/runner.ts";
import { makeTempDir, removeTempDirs } from "../support/temp-dir.ts";

afterAll(removeTempDirs);

const FIXTURES = join(REPOSITORY, "test/fixtures/sessions/codex");

function pathsOf(scenario: string): string[] {
  return readdirSync(join(FIXTURES, scenario))
    .toSorted()
    .map((name) => join(FIXTURES, scenario, name));
}

const textOf = (scenario: string, at = 0): string => readFileSync(pathsOf(scenario)[at] ?? "", "utf8");

const parsed = (scenario: string, at = 0): Promise<ParseResult> => parseTranscript("s", textOf(scenario, at));

const prompts = (read: ParseResult): string[] => texts(read, read.messages.filter(isPrompt));

function texts({ content_blocks }: ParseResult, messages: ParseResult["messages"]): string[] {
  const ids = new Set(messages.map(({ id }) => id));
  return content_blocks.flatMap(({ message_id, content_text }) =>
    content_text !== null && ids.has(message_id) ? [content_text] : [],
  );
}

const answers = (read: ParseResult): string[] =>
  texts(
    read,
    read.messages.filter(({ message_type }) => message_type === "assistant"),
  );

const ends = ({ tool_calls }: ParseResult) =>
  tool_calls.map(({ tool_name, status, exit_code, is_error }) => [tool_name, status, exit_code, is_error]);

const tokens = ({ stats: { tokens_in, cache_read, tokens_out } }: ParseResult) => [tokens_in, cache_read, tokens_out];

/** Returns records as lines. */
const lines = (...records: readonly unknown[]): string => records.map((each) => `${JSON.stringify(each)}\n`).join("");

const TIME = "2026-09-21T14:00:00.000Z";
const ID = "01a0c400-0000-7000-8000-0000000000aa";

const meta = (payload: object = {}) => ({
  timestamp: TIME,
  type: "session_meta",
  payload: { id: ID, cwd: "/home/mia/shop", cli_version: "0.130.0", ...payload },
});
const item = (payload: object) => ({ timestamp: TIME, type: "response_item", payload });
const event = (payload: object) => ({ timestamp: TIME, type: "event_msg", payload });
const message = (role: string, text: string) =>
  item({
    type: "message",
    role,
    content: [{ type: role === "assistant" ? "output_text" : "input_text", text }],
  });
const typed = (text: string) => [message("user", text), event({ type: "user_message", message: text })];
const counts = (input: number, output: number) => ({
  input_tokens: input,
  cached_input_tokens: 0,
  output_tokens: output,
  total_tokens: input + output,
});
const tokenCount = (total: object | null, last: object | null) =>
  event({
    type: "token_count",
    info: total === null ? null : { total_token_usage: total, last_token_usage: last },
    rate_limits: {},
  });
const ran = (id: string, name: string, input: unknown, output: unknown) => [
  item({ type: "function_call", name, arguments: JSON.stringify(input), call_id: id }),
  item({ type: "function_call_output", call_id: id, output }),
];

/** A home in which Codex has the sessions of some scenarios. */
function homeWith(...scenarios: readonly string[]): string {
  const home = makeTempDir();
  for (const path of scenarios.flatMap(pathsOf)) put(home, "sessions/2026/09/21", basename(path), readFileSync(path));
  return home;
}

function put(home: string, folder: string, name: string, content: string | Uint8Array): string {
  const path = join(home, ".codex", folder, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
  return path;
}

const run = (home: string, ...argv: readonly string[]) =>
  runCli(argv, { home, env: { XDG_DATA_HOME: join(home, "data"), NO_COLOR: "1" } });

async function jsonOf(home: string, ...argv: readonly string[]): Promise<Record<string, unknown>[]> {
  const { stdout, stderr } = await run(home, ...argv, "--json");
  assert.ok(stdout !== "", stderr);
  // Rows are on lines; sums are one document.
  if (stdout.startsWith("{\n")) return [JSON.parse(stdout)];
  return stdout.split("\n").flatMap((line) => (line === "" ? [] : [JSON.parse(line)]));
}

describe("the two families of records", () => {
  test("give each text, thought, call and result once", async () => {
    const read = await parsed("tools");
    assert.deepEqual(prompts(read), ["Check the shop."]);
    assert.deepEqual(answers(read), ["I look at the tests.", "The rate is fixed."]);
    assert.deepEqual(
      read.content_blocks.flatMap(({ thinking_text }) => thinking_text ?? []),
      ["The tests first."],
    );
    assert.equal(read.stats.tool_use_count, 9);
    assert.equal(read.content_blocks.filter(({ block_type }) => block_type === "tool_result").length, 9);
    assert.deepEqual(read.errors, []);
  });

  test("injected texts are not prompts; texts typed into an editor or a shell line are", async () => {
    assert.deepEqual(prompts(await parsed("legacy")), ["Fix the rate.", "!git status", "And the docs?"]);
    const { initial_prompt: prompt } = (await parsed("legacy")).stats;
    assert.equal(prompt, "Fix the rate.");
  });

  test("sections that an editor puts before a prompt are not part of it, unless the prompt quotes them", async () => {
    const request = "## My request for Codex:\nFix it.";
    const review = { type: "input_text", text: `[2] user: # Comments:\n\n${request}\n` };
    const around = ["[1] tool: ok\n", "[3] assistant: Done.\n"].map((text) => ({ type: "input_text", text }));
    const text = lines(
      meta(),
      ...["# Open files:", "\n# Comments:\n\n## 1\nNo.", "## Guidelines:"].flatMap((head) =>
        typed(`${head}\n\n${request}`),
      ),
      ...typed(`What is this?\n\n${request}`),
      item({ type: "message", role: "user", content: [around[0], review, around[1]] }),
      event({ type: "user_message", message: "" }),
    );
    const read = await parseTranscript("s", text);
    const asked = read.messages.filter(isPrompt).map(({ id }) => id);
    assert.deepEqual(
      asked.map((id) => read.content_blocks.flatMap((block) => (block.message_id === id ? block.content_text : []))),
      [
        ["Fix it."],
        ["Fix it."],
        ["Fix it."],
        [`What is this?\n\n${request}`],
        ["[1] tool: ok\n", `[2] user: # Comments:\n\n${request}\n`, "[3] assistant: Done.\n"],
      ],
    );
  });

  test("a text in the user's role that no event shows is not a prompt in a file with such events", async () => {
    const [bold, shown] = typed("<b>bold</b>");
    const text = lines(
      meta(),
      ...typed("Hello"),
      message("user", "Remember the goal."),
      bold,
      { type: "new", payload: {} },
      shown,
    );
    assert.deepEqual(prompts(await parseTranscript("s", text)), ["Hello", "<b>bold</b>"]);
    assert.deepEqual(prompts(await parseTranscript("s", lines(meta(), message("user", "Hello")))), ["Hello"]);
  });

  test("a part's own mark of its author decides", async () => {
    const content = [
      { type: "input_text", text: "<environment_context>pasted</environment_context>" },
      { type: "input_text", text: "An aside of the program" },
      { type: "input_image", image_url: "data:image/png;base64,iVBORw0KGgo=" },
    ];
    const marks = ["user", "harness", "user"].map((type) => ({ provenance: { type } }));
    const passed = { content_item_metadata: marks };
    const text = lines(
      meta(),
      item({ type: "message", role: "user", content, internal_chat_message_metadata_passthrough: passed }),
    );
    const read = await parseTranscript("s", text);
    assert.deepEqual(prompts(read), ["<environment_context>pasted</environment_context>"]);
    assert.deepEqual(
      read.messages.map(({ user_kind }) => user_kind),
      ["human", "meta", "human"],
    );
  });
});

describe("how calls ended", () => {
  test("is read from events, from frames around outputs, and from texts in their place", async () => {
    assert.deepEqual(ends(await parsed("tools")), [
      ["exec_command", "error", 2, true],
      // A search that found nothing, which Codex calls failed.
      ["exec_command", "completed", 1, true],
      ["exec_command", "completed", 0, false],
      ["apply_patch", "completed", 0, false],
      ["apply_patch", "error", null, true],
      ["mcp__wiki__search", "error", null, true],
      ["update_plan", "completed", null, false],
      ["teleport", "error", null, true],
      ["view_image", "completed", null, false],
    ]);
  });

  test("is read from JSON in versions of 2025, with the output", async () => {
    const read = await parsed("legacy");
    assert.deepEqual(ends(read), [
      ["shell", "error", 1, false],
      ["shell", "completed", 0, false],
      ["wiki__search", "error", null, true],
      ["shell", "rejected", null, false],
      ["web_search", "completed", null, false],
    ]);
    assert.equal(read.tool_calls[0]?.result_text, "1 failing\n");
  });

  test("an exit code that an output quotes is not the command's", async () => {
    const output = "Exit code: 0\nWall time: 0.1 seconds\nOutput:\nProcess exited with code 3\n";
    const read = await parseTranscript("s", lines(meta(), ...ran("c", "exec_command", { cmd: "cat log" }, output)));
    assert.deepEqual(ends(read), [["exec_command", "completed", 0, false]]);
  });

  test("a call that was stopped is interrupted, and one that was cut off pending", async () => {
    const text = lines(
      meta(),
      ...ran("a", "exec_command", { cmd: "sleep 60" }, "aborted by user after 1.6s"),
      ...ran("b", "exec_command", { cmd: "sleep 60" }, "Wall time: 1.6 seconds\naborted by user"),
      item({ type: "function_call", name: "exec_command", arguments: '{"cmd":"sleep 60"}', call_id: "c" }),
    );
    const read = await parseTranscript("s", text);
    assert.deepEqual(
      read.tool_calls.map(({ status }) => status),
      ["interrupted", "interrupted", "pending"],
    );
  });

  test("is read from the message that replaces the output", async () => {
    const command = "exec_command failed for `bash -lc 'make'`: ";
    const refused = 'CreateProcess { message: "Rejected(\\"rejected by user\\")" }';
    const said: [tool: string, output: string, status: string][] = [
      ["exec_command", `${command}SandboxDenied { message: "no" }`, "error"],
      ["exec_command", `${command}CreateProcess { message: "Rejected(\\"Too risky.\\")" }`, "error"],
      ["exec_command", `${command}${refused}`, "rejected"],
      ["exec", `Script failed\nOutput:\nScript error:\nexec_command failed: ${refused}`, "rejected"],
      ["exec_command", `Exit code: 0\nOutput:\n${command}${refused}`, "completed"],
      ["write_stdin", "write_stdin failed: stdin is closed for this session", "error"],
      ["write_stdin", "write_stdin failed: Unknown process id 7", "error"],
      ["spawn_agent", "collab spawn failed: agent thread limit reached (max 6)", "error"],
      ["close_agent", "agent with id 01a0 not found", "error"],
      ["wait_agent", "timeout_ms must be at least 10000", "error"],
      ["list_mcp_resources", "resources/list failed: unknown MCP server 'wiki'", "error"],
      ["view_image", "unable to locate image at `/w/a.png`: not found", "error"],
    ];
    const text = lines(meta(), ...said.flatMap(([tool, output], at) => ran(`c${at}`, tool, {}, output)));
    assert.deepEqual(
      (await parseTranscript("s", text)).tool_calls.map(({ status }) => status),
      said.map(([, , status]) => status),
    );
  });

  test("a command that fails after the model got its first output counts as failed, with its whole output", async () => {
    const running = (printed: string) =>
      `Chunk ID: 1a2b3c\nWall time: 1.0 seconds\nProcess running with session ID 7\nOutput:\n${printed}`;
    const ended = (id: string, line: string, exit_code: number, aggregated_output: string) =>
      event({ type: "exec_command_end", call_id: id, command: ["bash", "-lc", line], exit_code, aggregated_output });
    const text = lines(
      meta(),
      ...typed("Test it"),
      ...ran("a", "exec_command", { cmd: "npm test" }, running("start\n")),
      ...ran("b", "exec_command", { cmd: "npm run lint" }, running("host not found\n")),
      ...ran("c", "exec_command", { cmd: "rg vat" }, running("")),
      ...ran("d", "exec_command", { cmd: "npm run build" }, running("")),
      ...ran("e", "exec_command", { cmd: "npm start" }, running("listening\n")),
      ended("a", "npm test", 2, "start\nExit code: 0\n1 failing\n"),
      ended("b", "npm run lint", 128, "no answer\n"),
      ended("c", "rg vat", 1, ""),
      ended("d", "npm run build", 0, "built\n"),
    );
    const read = await parseTranscript("s", text);
    const calls = read.tool_calls.filter(({ superseded }) => superseded !== true);
    assert.deepEqual(
      calls.map(({ tool_use_id: id, status, exit_code, error }) => [id, status, exit_code, error]),
      [
        ["a", "error", 2, "start\nExit code: 0\n1 failing"],
        ["b", "error", 128, "host not found\n\nno answer"],
        ["c", "completed", null, null],
        ["d", "completed", null, null],
        ["e", "completed", null, null],
      ],
    );
    assert.deepEqual([read.stats.tool_use_count, read.stats.tool_error_count], [5, 2]);
  });

  test("a command that fails while the model waits for it fails once, with or without an event that says so", async () => {
    const running = "Chunk ID: 1a2b3c\nWall time: 1.0 seconds\nProcess running with session ID 7\nOutput:\nstart\n";
    const failed = "Chunk ID: 1a2b3d\nWall time: 1.0 seconds\nProcess exited with code 2\nOutput:\n1 failing\n";
    const waited = ran("w", "write_stdin", { session_id: 7, chars: "" }, failed);
    const end = event({
      type: "exec_command_end",
      call_id: "a",
      exit_code: 2,
      aggregated_output: "start\n1 failing\n",
    });
    for (const after of [waited, [end, ...waited], [...waited, end]]) {
      const text = lines(
        meta(),
        ...typed("Test it"),
        ...ran("a", "exec_command", { cmd: "npm test" }, running),
        ...after,
      );
      const { tool_calls: calls, stats } = await parseTranscript("s", text);
      assert.deepEqual(
        calls
          .filter(({ superseded }) => superseded !== true)
          .map(({ tool_use_id: id, status, exit_code, error }) => [
            id,
            status,
            exit_code,
            error?.replace("\n\n", "\n"),
          ]),
        [
          ["a", "error", 2, "start\n1 failing"],
          ["w", "completed", null, undefined],
        ],
      );
      assert.equal(stats.tool_error_count, 1);
    }
    const found = lines(
      meta(),
      ...ran("a", "exec_command", { cmd: "rg vat" }, running),
      ...ran("w", "write_stdin", { session_id: 7 }, failed.replace("code 2", "code 1")),
    );
    assert.equal((await parseTranscript("s", found)).stats.tool_error_count, 0);
  });

  test("an exit code at the start of an output does not overrule the event that a command ended with", async () => {
    const text = lines(
      meta(),
      item({ type: "function_call", name: "exec_command", arguments: '{"cmd":"cat log; false"}', call_id: "c" }),
      event({ type: "exec_command_end", call_id: "c", exit_code: 3, aggregated_output: "Exit code: 0\n" }),
      item({ type: "function_call_output", call_id: "c", output: "Exit code: 0\n" }),
    );
    assert.deepEqual(ends(await parseTranscript("s", text)), [["exec_command", "error", 3, false]]);
  });

  test("a search without an id is one call, which has ended", async () => {
    const search = (query: string) =>
      item({ type: "web_search_call", status: "completed", action: { type: "search", query } });
    const turn = (id: string) => event({ type: "task_started", turn_id: id });
    const text = lines(meta(), search("vat"), turn("one"), search("rate"), search("law"), turn("two"), search("more"));
    const { tool_calls: calls } = await parseTranscript("s", text);
    assert.deepEqual(
      calls.map(({ tool_input, status, use, result }) => [tool_input, status, use?.line_number, result?.line_number]),
      ["vat", "rate", "law", "more"].map((query, at) => {
        const line = [2, 4, 5, 7][at];
        return [{ type: "search", query }, "completed", line, line];
      }),
    );
    assert.equal(new Set(calls.map(({ tool_use_id: id }) => id)).size, 4);
  });

  test("a result of an older MCP server says itself that it failed", async () => {
    const output = JSON.stringify({ content: [{ type: "text", text: "closed" }], is_error: true });
    const read = await parseTranscript("s", lines(meta(), ...ran("c", "wiki__search", {}, output)));
    assert.deepEqual(ends(read), [["wiki__search", "error", null, true]]);
    assert.equal(read.tool_calls[0]?.result_text, "closed");
  });
});

describe("code mode", () => {
  test("has the calls that the code made besides its own, each with its own end", async () => {
    assert.deepEqual(ends(await parsed("code")), [
      ["exec", "completed", null, false],
      ["exec_command", "error", 2, true],
      ["apply_patch", "completed", null, false],
      ["mcp__wiki__search", "error", null, true],
      // A patch that does not apply has no event.
      ["exec", "error", null, true],
      ["exec", "interrupted", null, false],
      ["exec_command", "interrupted", -1, true],
    ]);
  });

  const code = (id: string, input: string, ...printed: readonly string[]) => [
    item({ type: "custom_tool_call", name: "exec", input, call_id: id }),
    item({
      type: "custom_tool_call_output",
      call_id: id,
      output: ["Script completed\nWall time 0.1 seconds\nOutput:\n", ...printed].map((text) => ({
        type: "input_text",
        text,
      })),
    }),
  ];
  const printedEnd = (exit_code: number) =>
    JSON.stringify({ chunk_id: "1a2b3c", wall_time_seconds: 0.5, exit_code, output: "…" });

  test("has failed if a command's exit code is only in its output", async () => {
    const search = 'const r = await tools.exec_command({"cmd":"rg \\"vat\\" ."}); text(JSON.stringify(r));';
    const text = lines(
      meta(),
      ...code("a", 'text(JSON.stringify(await tools.exec_command({cmd:"npm test"})));', printedEnd(1)),
      ...code("b", 'tools.exec_command({cmd:"ls"}); tools.exec_command({cmd:"rg vat"})', printedEnd(0), printedEnd(2)),
      ...code("c", search, printedEnd(1)),
      ...code("d", 'tools.exec_command({cmd:"npm test"})', printedEnd(0)),
      ...code("e", 'tools.exec_command({cmd:"cat log"})', `log: ${printedEnd(1)}`),
    );
    // A command that prints such a result has not failed.
    const shown = ran(
      "f",
      "exec_command",
      { cmd: "cat log" },
      `Exit code: 0\nOutput:\nScript completed\n${printedEnd(1)}`,
    );
    assert.deepEqual(ends(await parseTranscript("s", text + lines(...shown))), [
      ["exec", "error", 1, false],
      ["exec", "error", 2, false],
      ["exec", "completed", null, false],
      ["exec", "completed", null, false],
      ["exec", "completed", null, false],
      ["exec_command", "completed", 0, false],
    ]);
    const inner = { type: "CommandExecution", id: "exec-1", command: ["sh", "-c", "npm test"], exit_code: 1 };
    const [call, result] = code("a", 'tools.exec_command({cmd:"npm test"})', printedEnd(1));
    const ended = event({ type: "item_completed", item: { ...inner, status: "failed" } });
    assert.deepEqual(ends(await parseTranscript("s", lines(meta(), call, ended, result))), [
      ["exec", "completed", null, false],
      ["exec_command", "error", 1, true],
    ]);
  });

  test("has the calls that events of older versions show", async () => {
    const changes = { "/w/a.js": { type: "add", content: "a\n" } };
    const invocation = { server: "wiki", tool: "search", arguments: { q: "vat" } };
    const content = [{ type: "text", text: "closed" }];
    const text = lines(
      meta(),
      item({ type: "custom_tool_call", name: "exec", input: "…", call_id: "a" }),
      event({ type: "patch_apply_end", call_id: "exec-1", changes, stdout: "Done", stderr: "", success: true }),
      event({ type: "web_search_end", call_id: "exec-2", query: "vat", action: { type: "search", query: "vat" } }),
      event({ type: "mcp_tool_call_end", call_id: "exec-3", invocation, result: { Ok: { content, isError: true } } }),
      event({
        type: "exec_command_end",
        call_id: "exec-4",
        command: ["sh", "-c", "false"],
        cwd: "/home/mia/shop",
        exit_code: 1,
      }),
      item({ type: "custom_tool_call_output", call_id: "a", output: "Script completed\nOutput:\n" }),
    );
    const read = await parseTranscript("s", text);
    assert.deepEqual(
      read.tool_calls.map((call) => [call.tool_name, call.status, call.tool_input, call.result_text]),
      [
        ["exec", "completed", "…", ""],
        ["apply_patch", "completed", { changes }, "Done"],
        ["web_search", "completed", { type: "search", query: "vat" }, ""],
        ["mcp__wiki__search", "error", { q: "vat" }, "closed"],
        ["exec_command", "error", { cmd: "false" }, ""],
      ],
    );
    assert.equal(new Set(read.tool_calls.map(({ use }) => use?.message_ordinal)).size, 1);
  });

  test("a call that ends after its turn is in the answer that made it", async () => {
    const { tool_calls, messages } = await parsed("code");
    const [code, inner] = tool_calls.slice(-2).map(({ use }) => use?.message_ordinal);
    assert.equal(inner, code);
    assert.notEqual(messages.at(-1)?.ordinal, code);
  });
});

describe("usage", () => {
  test("is counted once for each model call, from records", async () => {
    assert.deepEqual(tokens(await parsed("tools")), [4000, 1400, 142]);
    assert.deepEqual(tokens(await parsed("code")), [7600, 1000, 99]);
  });

  test("of a compaction is counted, but not its repeated totals", async () => {
    const read = await parsed("compact");
    assert.deepEqual(tokens(read), [192_030, 70, 66]);
    assert.deepEqual(answers(read), ["Working.", "Long work done."]);
    const summary = read.messages.find(({ metadata }) => metadata.origin === "compact_summary");
    assert.deepEqual(texts(read, summary === undefined ? [] : [summary]), [
      "The person asked for work, and some was done.",
    ]);
  });

  test("in events is counted when the total changes", async () => {
    const text = lines(
      meta(),
      ...typed("Hello"),
      tokenCount(null, null),
      message("assistant", "Hi"),
      tokenCount(counts(100, 10), counts(100, 10)),
      tokenCount(counts(100, 10), counts(100, 10)),
      ...typed("More"),
      tokenCount(counts(100, 10), counts(100, 10)),
      message("assistant", "More"),
      tokenCount(counts(250, 30), counts(150, 20)),
      tokenCount(counts(250, 30), { ...counts(0, 0), total_tokens: 5_000 }),
    );
    assert.deepEqual(tokens(await parseTranscript("s", text)), [250, 0, 30]);
  });

  test("is complete when each resume repeats the session's head within a turn", async () => {
    const turn = (id: string, at: number) => [
      event({ type: "task_started", turn_id: id }),
      { timestamp: TIME, type: "turn_context", payload: { turn_id: id, model: "gpt-5.5" } },
      ...typed(`Prompt ${id}`),
      meta(),
      message("assistant", `Looking at ${id}`),
      tokenCount(counts(at * 100 - 50, at * 10 - 5), counts(50, 5)),
      { timestamp: TIME, type: "turn_context", payload: { turn_id: id, model: "gpt-5.5" } },
      message("assistant", `Answer ${id}`),
      tokenCount(counts(at * 100, at * 10), counts(50, 5)),
    ];
    const read = await parseTranscript("s", lines(meta(), ...turn("one", 1), ...turn("two", 2), ...turn("three", 3)));
    assert.deepEqual(tokens(read), [300, 0, 30]);
    assert.deepEqual(
      turnsOf(read).map(({ prompt, messages }) => [prompt && saidIn(prompt), messages.slice(1).map(saidIn)]),
      ["one", "two", "three"].map((id) => [`Prompt ${id}`, [`Looking at ${id}`, `Answer ${id}`]]),
    );
  });

  test("of a model call without other records is counted too", async () => {
    const usage = { type: "token_usage_record", timestamp: TIME, payload: { response_id: "r", usage: counts(70, 7) } };
    assert.deepEqual(tokens(await parseTranscript("s", lines(meta(), usage))), [70, 0, 7]);
  });
});

describe("forks", () => {
  test("by reference have their own turns and usage, and say where the others are", async () => {
    const read = await parsed("fork", 1);
    assert.deepEqual(prompts(read), ["And another one."]);
    assert.deepEqual(tokens(read), [900, 200, 11]);
    const [parent] = pathsOf("fork").map((path) => basename(path).slice(-42, -6));
    assert.match(texts(read, read.messages.slice(0, 1))[0] ?? "", new RegExp(`Forked from session ${parent}`));
  });

  test("by copy count once in all files, though the copies have new times", async () => {
    const [sums] = await jsonOf(homeWith("fork-copy"), "stats");
    const { total, prompts: asked, tool_calls, tool_errors } = sums ?? {};
    const { tokens_in, cache_read, tokens_out } = Object(total);
    assert.deepEqual([tokens_in, cache_read, tokens_out], [3300, 9300, 40]);
    assert.deepEqual([asked, tool_calls, tool_errors], [3, 1, 1]);
  });

  test("by reference count only their own turns, the rest in their parent", async () => {
    const [sums] = await jsonOf(homeWith("fork"), "stats");
    const { tokens_in, cache_read, tokens_out } = Object(sums?.["total"]);
    assert.deepEqual([tokens_in, cache_read, tokens_out], [1800, 300, 21]);
    assert.equal(sums?.["prompts"], 2);
  });
});

test("what was said aloud is said by the person and by the model", async () => {
  const spoken = (id: string, content: object) => ({
    timestamp: TIME,
    type: "realtime_item",
    payload: { id, realtime_session_id: "voice-1", ...content },
  });
  const read = await parseTranscript(
    "s",
    lines(
      meta(),
      spoken("1", { type: "realtime_session_started" }),
      spoken("2", { type: "transcript_segment", role: "user", text: "What is in the shop?" }),
      spoken("3", { type: "transcript_segment", role: "assistant", text: "Let me look." }),
      spoken("4", { type: "realtime_session_closed", outcome: "ended" }),
    ),
  );
  assert.deepEqual([prompts(read), answers(read), read.errors], [["What is in the shop?"], ["Let me look."], []]);
});

test("turns that the person took back stay, with a label, and count in usage only", async () => {
  const text = lines(
    meta(),
    ...typed("Keep this"),
    message("assistant", "Kept"),
    tokenCount(counts(100, 10), counts(100, 10)),
    ...typed("Drop this"),
    ...ran("c", "exec_command", { cmd: "ls" }, "Exit code: 0\nWall time: 0 seconds\nOutput:\na\n"),
    tokenCount(counts(250, 30), counts(150, 20)),
    // A command that the person ran begins no turn.
    message("user", "<user_shell_command>\n<command>\nls\n</command>\n<result>\na\n</result>\n</user_shell_command>"),
    event({ type: "thread_rolled_back", num_turns: 1 }),
    ...typed("Then this"),
  );
  const read = await parseTranscript("s", text);
  const dropped = read.messages.filter(({ metadata }) => metadata.superseded === true);
  assert.deepEqual(texts(read, dropped), ["Drop this", "!ls", "a"]);
  assert.equal(dropped.length, 5);
  assert.deepEqual([read.stats.human_messages, read.stats.tool_use_count], [2, 0]);
  assert.deepEqual(tokens(read), [250, 0, 30]);
});

describe("formats since 2025", () => {
  test("lines without an envelope have texts, calls and the folder, and no usage", async () => {
    const read = await parsed("bare");
    assert.deepEqual(prompts(read), ["Fix the rate."]);
    assert.deepEqual(answers(read), ["I run the tests.", "One test fails."]);
    assert.deepEqual(ends(read), [["shell", "error", 3, false]]);
    assert.equal(read.metadata.cwd, "/home/mia/shop");
    assert.equal(read.format, "codex");
    // Unknown, not zero.
    assert.equal(read.stats.cost_estimate_usd, null);
    assert.deepEqual(read.errors, []);
  });

  test("unknown lines, items and events are kept and counted", async () => {
    const text = lines(
      meta(),
      { timestamp: TIME, type: "hologram", payload: { a: 1 } },
      item({ type: "hologram_call" }),
      event({ type: "hologram_shown" }),
      ...typed("Hello"),
    );
    const read = await parseTranscript("s", text);
    assert.equal(read.lines.unknown, 3);
    assert.deepEqual(
      read.unknown_lines.map(({ type }) => type),
      ["hologram", "hologram_call", "hologram_shown"],
    );
    assert.deepEqual(prompts(read), ["Hello"]);
  });

  test("a compressed session is refused with the needed versions where the runtime cannot read it", async () => {
    const packed = (async function* () {
      yield new Uint8Array([0x28, 0xb5, 0x2f, 0xfd, 0]);
    })();
    const refusal = /rollout\.jsonl\.zst is compressed with zstd.*Node\.js 22\.15/s;
    await assert.rejects(
      async () => {
        for await (const _ of unpacked(packed, "rollout.jsonl.zst", null)) break;
      },
      (error: Error) => refusal.test(error.message),
    );
  });

  test.skipIf(zlib.zstdCompressSync === undefined && "this runtime has no zstd")(
    "a compressed session is read like any other, and a plain file beside it is newer",
    async () => {
      const home = makeTempDir();
      const [path = ""] = pathsOf("tools");
      const folder = "sessions/2026/09/21";
      put(home, folder, `${basename(path)}.zst`, zlib.zstdCompressSync(readFileSync(path)));
      const [session] = await jsonOf(home, "list");
      assert.equal(session?.["prompt"], "Check the shop.");
      const id = String(session?.["session_id"]);
      assert.match((await run(home, "show", id)).stdout, /The rate is fixed/);
      assert.match((await run(home, "find", "I look at the tests")).stdout, new RegExp(id.slice(0, 8)));
      put(home, folder, basename(path), `${readFileSync(path, "utf8")}${lines(message("assistant", "And more."))}`);
      assert.equal((await jsonOf(home, "list")).length, 1);
      assert.match((await run(home, "show", id)).stdout, /And more\./);
    },
  );
});

describe("sessions", () => {
  test("are found by date, archived or not, and in $CODEX_HOME", async () => {
    const home = homeWith("tools");
    const [path = ""] = pathsOf("code");
    put(home, "archived_sessions", basename(path), readFileSync(path));
    assert.equal((await jsonOf(home, "list", "--agent", "codex")).length, 2);
    const other = makeTempDir();
    cpSync(join(home, ".codex"), join(other, "elsewhere"), { recursive: true });
    const env = { CODEX_HOME: join(other, "elsewhere"), XDG_DATA_HOME: join(other, "data") };
    const { stdout } = await runCli(["list", "--json"], { home: other, env });
    assert.equal(stdout.trim().split("\n").length, 2);
  });

  test("are found in folders that a person made", async () => {
    const home = makeTempDir();
    const [path = ""] = pathsOf("tools");
    put(home, "sessions/finished/shop", basename(path), readFileSync(path));
    assert.equal((await jsonOf(home, "list", "--agent", "codex")).length, 1);
  });

  test("started by other sessions are their children, and not listed", async () => {
    const home = homeWith("subagent");
    const [parent, ...others] = await jsonOf(home, "list");
    assert.deepEqual(others, []);
    assert.equal(parent?.["prompt"], "Ask a helper.");
    const all = await jsonOf(home, "list", "--subagents");
    assert.deepEqual(
      all.map(({ parent_session_id }) => parent_session_id),
      [null, parent?.["session_id"]],
    );
    const { stdout } = await run(home, "show", String(parent?.["session_id"]), "--subagents");
    assert.match(stdout, /Count the files\.[^]*Seven files\./);
  });

  test("are resumed in the folder that they ran in", async () => {
    const home = makeTempDir();
    const [path = ""] = pathsOf("tools");
    put(home, "sessions/2026/09/21", basename(path), readFileSync(path, "utf8").replaceAll("/home/mia/shop", home));
    const [session] = await jsonOf(home, "list");
    assert.equal(session?.["resume"], `cd ${home} && codex resume ${String(session?.["session_id"])}`);
  });

  test("are of the project that they ran in", async () => {
    const home = homeWith("tools", "bare");
    assert.equal((await jsonOf(home, "list", "--project", "/home/mia/shop")).length, 2);
    assert.equal((await run(home, "list", "--project", "/home/mia/other")).exitCode, 1);
  });

  test("that were rewritten shorter keep what was indexed", async () => {
    const home = homeWith("tools");
    await run(home, "index");
    const [path = ""] = pathsOf("tools");
    const [head = "", ...rest] = readFileSync(path, "utf8").split("\n");
    const place = put(home, "sessions/2026/09/21", basename(path), [head, ...rest.slice(-6)].join("\n"));
    await run(home, "index");
    const { stdout } = await run(home, "find", "I look at the tests");
    assert.match(stdout, /I look at the tests/);
    rmSync(place);
    assert.match((await run(home, "find", "The rate is fixed")).stdout, /The rate is fixed/);
  });
});

describe("tools", () => {
  test("are known by what they do", () => {
    assert.deepEqual(codexTools("exec_command", { cmd: "ls", workdir: "/w" }), {
      kind: "run",
      line: "ls",
      folder: "/w",
    });
    assert.equal(codexTools("update_plan", {}).kind, "todo");
    assert.equal(codexTools("web_search", {}).kind, "web_search");
    assert.equal(codexTools("spawn_agent", {}).kind, "subagent");
    assert.equal(codexTools("mcp__wiki__search", {}).kind, "mcp");
    assert.deepEqual(codexTools("view_image", { path: "a.png" }), { kind: "read", paths: ["a.png"] });
    assert.equal(codexTools("wiki__search", {}).kind, "mcp");
    const deleted = { changes: { "/w/a": { type: "delete", content: "" } } };
    assert.deepEqual(codexTools("apply_patch", deleted), { kind: "write", edits: [{ path: "/w/a", how: "delete" }] });
  });

  test("change files by a patch, from code and as a command of the shell", async () => {
    const edits = async (scenario: string) =>
      (await parsed(scenario)).tool_calls.flatMap(({ tool_name, tool_input }) => {
        const action = codexTools(tool_name, tool_input);
        if (action.kind === "run") return commandEffects(action, null).flatMap((command) => command.edits);
        return action.kind === "write" ? action.edits : [];
      });
    const patch = { how: "patch", lines: ["@@", "-const vat = 19", "+const vat = 20"] };
    assert.deepEqual((await edits("tools"))[0], { path: "price.js", ...patch });
    assert.deepEqual(await edits("legacy"), [{ path: "price.js", ...patch }]);
    assert.deepEqual(await edits("code"), [{ path: "/home/mia/shop/new.js", how: "write", content: "fresh\n" }]);
  });
});
