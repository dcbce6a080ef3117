/** Qwen Code: what is special about its files, one test for each trap. The sessions are in `test/fixtures/sessions/qwen`. */
import assert from "node:assert/strict";
import { cpSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseTranscript } from "../../src/agents/parse-input.ts";
import type { ParseResult, TranscriptMessage } from "../../src/parse/model.ts";
import { isPrompt } from "../../src/parse/turns.ts";
import { runCli } from "../support/cli/run-cli.ts";
import { REPOSITORY } from "../support/repository.ts";
import { afterAll, describe, test } from "../support/runner.ts";
import { makeTempDir, removeTempDirs } from "../support/temp-dir.ts";

afterAll(removeTempDirs);

const FIXTURES = join(REPOSITORY, "test/fixtures/sessions/qwen");

function textOf(scenario: string, at = 0): string {
  const files = readdirSync(join(FIXTURES, scenario), { recursive: true, encoding: "utf8" });
  const name = files.filter((file) => file.endsWith(".jsonl")).toSorted()[at] ?? "";
  return readFileSync(join(FIXTURES, scenario, name), "utf8");
}

const parsed = (scenario: string, at = 0): Promise<ParseResult> => parseTranscript("s", textOf(scenario, at));

const textsOf = (
  { messages, content_blocks }: ParseResult,
  isMeant: (message: TranscriptMessage) => boolean,
): string[] => {
  const ids = new Set(messages.filter(isMeant).map(({ id }) => id));
  return content_blocks.flatMap(({ message_id, content_text }) =>
    content_text !== null && ids.has(message_id) ? [content_text] : [],
  );
};
const isCurrent = ({ metadata }: TranscriptMessage): boolean => metadata.superseded !== true;
const promptsOf = (read: ParseResult) =>
  textsOf(read, (each) => isPrompt(each) && isCurrent(each) && each.metadata.origin !== "command");
const answersOf = (read: ParseResult) => textsOf(read, (each) => each.message_type === "assistant" && isCurrent(each));
const ends = ({ tool_calls }: ParseResult) =>
  tool_calls.map(({ tool_name, status, exit_code, is_error }) => [tool_name, status, exit_code, is_error]);
const tokens = ({ stats: { tokens_in, cache_read, cache_write, tokens_out } }: ParseResult) => [
  tokens_in,
  cache_read,
  cache_write,
  tokens_out,
];

function homeWith(...scenarios: string[]): string {
  const home = makeTempDir();
  for (const scenario of scenarios) cpSync(join(FIXTURES, scenario), join(home, ".qwen/projects"), { recursive: true });
  return home;
}

const TREE = "0c0ffee0-0000-4000-8000-000000000001";
const PARENT = "d197c783-6605-497c-b411-44c9283c7447";
const CHILD = "agent-general-purpose-call_qwen_sub_1a";

describe("Qwen Code", () => {
  test("the usage of an answer is recorded twice, and counts once", async () => {
    const read = await parsed("tools");
    assert.deepEqual(tokens(read), [2003, 30, 0, 43]);
    assert.equal(read.messages.filter(({ tokens_out }) => tokens_out !== null).length, 2);
    const answers = read.messages.filter(({ message_type }) => message_type === "assistant");
    assert.deepEqual(
      answers.map(({ tokens_out }) => tokens_out),
      [21, 22],
    );
  });

  test("a server that gives an id again has answered twice", async () => {
    const text = textOf("tools").replaceAll("chatcmpl-qwen_tools_2", "chatcmpl-qwen_tools_1");
    assert.deepEqual(tokens(await parseTranscript("s", text)), [2003, 30, 0, 43]);
    const home = homeWith("fork", "tools", "plain");
    for (const path of readdirSync(join(home, ".qwen/projects"), { recursive: true, encoding: "utf8" })) {
      if (!path.endsWith(".jsonl")) continue;
      const file = join(home, ".qwen/projects", path);
      writeFileSync(file, readFileSync(file, "utf8").replaceAll(/chatcmpl-qwen_\w+/g, "chatcmpl-1"));
    }
    const { total } = JSON.parse((await runCli(["stats", "--json"], { home })).stdout);
    assert.deepEqual([total.tokens_in, total.tokens_out], [4010 + 2003 + 2003, 90 + 43 + 43]);
  });

  test("usage counts once without telemetry, or with telemetry after the answer", async () => {
    const lines = textOf("tools").split("\n");
    const without = lines.filter((line) => !line.includes("api_response")).join("\n");
    assert.deepEqual(tokens(await parseTranscript("s", without)), [2003, 30, 0, 43]);
    const [telemetry, rest] = [true, false].map((is) => lines.filter((line) => line.includes("api_response") === is));
    const after = [...(rest ?? []), ...(telemetry ?? [])].filter((line) => line !== "").join("\n");
    assert.deepEqual(tokens(await parseTranscript("s", after)), [2003, 30, 0, 43]);
  });

  test("the agent that remembers is in the telemetry only: its usage counts, and it is no prompt and no answer", async () => {
    const read = await parsed("plain");
    assert.deepEqual(promptsOf(read), ["Please do scenario-plain."]);
    assert.deepEqual(answersOf(read), ["The answer is forty-two."]);
    assert.deepEqual(tokens(read), [2003, 30, 0, 43]);
  });

  test("of a tree, the branch after a rewind is the conversation; the other is superseded, and was paid for", async () => {
    const read = await parsed("tree");
    assert.deepEqual(promptsOf(read), ["Where are the prices?", "Write them to prices.csv.", "With names."]);
    assert.deepEqual(answersOf(read), ["I will search.", "Nowhere.", "Done."]);
    const left = textsOf(read, ({ metadata }) => metadata.superseded === true);
    assert.deepEqual(left, ["Write them to the wrong file.", "In wrong.csv."]);
    // The thoughts of one answer are beside its output; the last usage is that of the agent that remembers.
    assert.deepEqual(tokens(read), [80 + 200 + 300 + 400 + 500 + 500, 20, 0, 10 + 20 + 30 + 45 + 50 + 50]);
  });

  test("a damaged line of a tree costs that line", async () => {
    const whole = await parsed("tree");
    const lines = textOf("tree").split("\n");
    for (const at of [2, 4, 13]) {
      const damaged = lines.map((line, n) => (n === at ? line.slice(0, 40) : line)).join("\n");
      const read = await parseTranscript("s", damaged);
      const lost = whole.content_blocks.flatMap(({ line_number, content_text }) =>
        line_number === at + 1 && content_text !== null ? [content_text] : [],
      );
      const missing = [...promptsOf(whole), ...answersOf(whole)].filter(
        (text) => ![...promptsOf(read), ...answersOf(read)].includes(text),
      );
      assert.deepEqual(missing, lost);
    }
  });

  test("only what was typed is a prompt: no context of a hook, no notification, no output of a command", async () => {
    const { messages, metadata } = await parsed("tree");
    const origins = messages
      .filter(({ message_type }) => message_type === "user")
      .flatMap(({ metadata: { origin } }) => origin ?? []);
    assert.deepEqual(origins, ["notification", "queued", "notification", "command", "command_output"]);
    assert.deepEqual(
      messages.flatMap(({ metadata: { command } }) => command ?? []),
      ["/stats"],
    );
    assert.equal(metadata.title, "Prices");
  });

  test("what was said aloud is a prompt", async () => {
    const text = textOf("plain").replace('"type":"user",', '"type":"user","subtype":"realtime_message",');
    assert.deepEqual(promptsOf(await parseTranscript("s", text)), ["Please do scenario-plain."]);
  });

  test("one answer in two records is one message", async () => {
    const { messages, content_blocks } = await parsed("tree");
    const first = messages.find(({ message_type }) => message_type === "assistant");
    const types = content_blocks
      .filter(({ message_id }) => message_id === first?.id)
      .map(({ block_type }) => block_type);
    assert.deepEqual(types, ["thinking", "text", "tool_use"]);
  });

  test("the host marks any exit code as a failure; that of a search that found nothing is none", async () => {
    assert.deepEqual(ends(await parsed("tools")), [
      ["run_shell_command", "error", 3, true],
      ["read_file", "error", null, true],
      ["run_shell_command", "completed", 0, false],
    ]);
    assert.deepEqual(ends(await parsed("tree")), [
      ["run_shell_command", "completed", 1, true],
      ["write_file", "rejected", null, true],
      ["replace", "completed", null, false],
      ["mystery", "error", null, true],
    ]);
  });

  test("a call that the user stopped is interrupted, and a failed request is told", async () => {
    assert.deepEqual(ends(await parsed("abort")), [["run_shell_command", "interrupted", null, true]]);
    const errors = textsOf(await parsed("tree"), ({ metadata }) => metadata.subtype === "error");
    assert.deepEqual(errors, ["503 overloaded"]);
  });

  test("thinking is a block of its own", async () => {
    const { content_blocks, messages } = await parsed("think");
    assert.deepEqual(
      content_blocks.flatMap(({ thinking_text }) => thinking_text ?? []),
      ["First I weigh the options.", "The check passed."],
    );
    assert.ok(messages.some(({ metadata }) => metadata["reasoning_tokens"] === 3));
  });

  test("a compaction has a summary and usage, and repeats no message", async () => {
    const read = await parsed("compact");
    assert.equal(read.messages.filter(({ metadata }) => metadata.origin === "compact_summary").length, 1);
    assert.deepEqual(promptsOf(read), ["Please do scenario-tools.", "Please do scenario-plain."]);
    assert.deepEqual(tokens(read), [5015, 150, 0, 115]);
  });

  test("a record that says nothing is no message", async () => {
    const record = { uuid: "1", parentUuid: null, sessionId: "s", timestamp: "2026-08-17T12:00:00.000Z" };
    const empty = [
      { ...record, type: "user", provenance: "real_user", message: { role: "user", parts: [] } },
      { ...record, type: "tool_result", provenance: "tool_result", message: { role: "user", parts: [] } },
    ];
    const { messages, errors } = await parseTranscript("s", empty.map((each) => JSON.stringify(each)).join("\n"));
    assert.deepEqual([messages, errors], [[], []]);
  });

  test("records of unknown types are counted", async () => {
    const record = { uuid: "1", parentUuid: null, sessionId: "s", timestamp: "2026-08-17T12:00:00.000Z" };
    const more = [
      { ...record, type: "system", subtype: "teleport" },
      { ...record, type: "oracle" },
    ];
    const text = `${textOf("plain")}${more.map((each) => JSON.stringify(each)).join("\n")}\n`;
    const { unknown_lines } = await parseTranscript("s", text);
    assert.deepEqual(
      unknown_lines.map(({ type }) => type),
      ["teleport", "oracle"],
    );
  });

  test("a subagent is a child of its session, whose telemetry has its usage", async () => {
    const home = homeWith("sub");
    const { stdout } = await runCli(["list", "--subagents", "--json"], { home });
    assert.match(stdout, new RegExp(`"session_id":"${CHILD}".*"parent_session_id":"${PARENT}"`));
    const { content_blocks } = await parsed("sub");
    const links = content_blocks.flatMap(({ metadata }) => metadata["subagent_id"] ?? []);
    assert.deepEqual(links, [CHILD.slice("agent-".length)]);
    const child = await parsed("sub", 1);
    assert.deepEqual([child.metadata.parentSessionId, child.metadata.sessionId], [PARENT, CHILD]);
    assert.deepEqual(ends(child), [["run_shell_command", "completed", 0, false]]);
    assert.deepEqual(tokens(child), [0, 0, 0, 0]);
    assert.deepEqual(tokens(await parsed("sub")), [4010, 100, 0, 90]);
    const { total } = JSON.parse((await runCli(["stats", "--json"], { home })).stdout);
    assert.deepEqual([total.tokens_in, total.cache_read, total.tokens_out], [4010, 100, 90]);
    assert.match((await runCli(["show", PARENT], { home })).stdout, /scenario-sub/);
    assert.match((await runCli(["show", CHILD], { home })).stdout, /Child result: seven/);
  });

  test("copies in a fork count once", async () => {
    const home = homeWith("fork");
    const { sessions, prompts, total } = JSON.parse((await runCli(["stats", "--json"], { home })).stdout);
    assert.deepEqual([sessions, prompts, total.tokens_in, total.tokens_out], [2, 2, 4010, 90]);
  });

  test("commands find its sessions; what was taken back is shown on request, from the file and from the store", async () => {
    const home = homeWith("tree", "tools");
    const run = (...args: string[]) => runCli(args, { home });
    assert.match((await run("list", "--agent", "qwen-code")).stdout, /Where are the prices\?|Prices/);
    for (const indexed of [false, true]) {
      if (indexed) await run("index");
      const shown = (await run("show", TREE)).stdout;
      assert.match(shown, /Nowhere\.[^]*Write them to prices\.csv/);
      assert.doesNotMatch(shown, /wrong\.csv\./);
      assert.match((await run("show", TREE, "--superseded")).stdout, /superseded\nWrite them to the wrong file\./);
      assert.match((await run("find", "--file", "prices.csv")).stdout, new RegExp(TREE));
      assert.match((await run("changes", TREE)).stdout, /prices\.csv/);
      assert.match((await run("errors", TREE)).stdout, /not found in registry/);
      const { total } = JSON.parse((await run("stats", TREE, "--json")).stdout);
      assert.deepEqual([total.tokens_in, total.tokens_out], [1980, 205]);
    }
  });

  test("QWEN_HOME names its folder, and QWEN_RUNTIME_DIR goes before it", async () => {
    const home = makeTempDir();
    cpSync(join(FIXTURES, "tools"), join(home, "elsewhere/projects"), { recursive: true });
    const listed = async (env: Record<string, string>) => (await runCli(["list"], { home, env })).stdout;
    const elsewhere = join(home, "elsewhere");
    assert.match(await listed({ QWEN_HOME: elsewhere }), /scenario-tools/);
    assert.match(await listed({ QWEN_HOME: join(home, "none"), QWEN_RUNTIME_DIR: elsewhere }), /scenario-tools/);
  });
});
