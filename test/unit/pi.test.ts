/** pi: what is special about its files, one test for each trap. The sessions are in `test/fixtures/sessions/pi`. */
import assert from "node:assert/strict";
import { cpSync, readdirSync, readFileSync, renameSync } from "node:fs";
import { dirname, join } from "node:path";
import { parseTranscript } from "../../src/agents/parse-input.ts";
import type { ParseResult } from "../../src/parse/model.ts";
import { isPrompt } from "../../src/parse/turns.ts";
import { usageOf } from "../../src/parse/usage-ledger.ts";
import { runCli } from "../support/cli/run-cli.ts";
import { REPOSITORY } from "../support/repository.ts";
import { afterAll, describe, test } from "../support/runner.ts";
import { makeTempDir, removeTempDirs } from "../support/temp-dir.ts";

afterAll(removeTempDirs);

const FIXTURES = join(REPOSITORY, "test/fixtures/sessions/pi");

function textOf(scenario: string, at = 0): string {
  const files = readdirSync(join(FIXTURES, scenario), { recursive: true, encoding: "utf8" });
  const name = files.filter((file) => file.endsWith(".jsonl")).toSorted()[at] ?? "";
  return readFileSync(join(FIXTURES, scenario, name), "utf8");
}

const parsed = (scenario: string, at = 0): Promise<ParseResult> => parseTranscript("s", textOf(scenario, at));

/** Returns the prompts and answers that are part of the conversation. */
const said = ({ messages, content_blocks }: ParseResult): string[] => {
  const current = messages.filter(({ metadata }) => metadata.superseded !== true);
  const ids = new Set(
    current.filter((each) => isPrompt(each) || each.message_type === "assistant").map(({ id }) => id),
  );
  return content_blocks.flatMap(({ message_id, content_text }) =>
    content_text !== null && ids.has(message_id) ? [content_text] : [],
  );
};

const ends = ({ tool_calls }: ParseResult) =>
  tool_calls.map(({ tool_name, status, exit_code, is_error }) => [tool_name, status, exit_code, is_error]);

function homeWith(...scenarios: string[]): string {
  const home = makeTempDir();
  for (const scenario of scenarios)
    cpSync(join(FIXTURES, scenario), join(home, ".pi/agent/sessions"), { recursive: true });
  return home;
}

const TREE = "01a40000-0000-7000-8000-0000000000aa";

describe("pi", () => {
  test("a session is found whatever its file is called", async () => {
    const home = homeWith("tree");
    const folder = join(home, ".pi/agent/sessions");
    const names = readdirSync(folder, { recursive: true, encoding: "utf8" });
    const path = names.find((name) => name.endsWith(".jsonl")) ?? "";
    renameSync(join(folder, path), join(folder, dirname(path), "notes.jsonl"));
    const { stdout } = await runCli(["list", "--json"], { home });
    assert.match(stdout, /notes\.jsonl/);
  });

  test("of a tree, the branch of the last entry is the conversation; the others are superseded, and were paid for", async () => {
    const read = await parsed("tree");
    assert.deepEqual(said(read), [
      "Where are the prices?",
      "I will search.",
      "Nowhere.",
      "Write them to prices.csv.",
      "Done.",
    ]);
    const { human_messages, tool_use_count, tokens_in, tokens_out, cost_estimate_usd } = read.stats;
    assert.deepEqual([human_messages, tool_use_count, tokens_in, tokens_out], [2, 3, 1600, 160]);
    assert.ok(Math.abs((cost_estimate_usd ?? 0) - 0.018) < 1e-9);
  });

  test("a damaged line of a tree costs that line", async () => {
    const lines = textOf("tree").split("\n");
    const whole = await parsed("tree");
    for (const at of [2, 5, 12]) {
      const damaged = lines.map((line, n) => (n === at ? line.slice(0, 40) : line)).join("\n");
      const read = await parseTranscript("s", damaged);
      const lost = whole.content_blocks.filter(({ line_number }) => line_number === at + 1);
      const missing = said(whole).filter((text) => !said(read).includes(text));
      assert.deepEqual(
        missing,
        lost.flatMap(({ content_text }) => content_text ?? []),
      );
    }
  });

  test("a file of the first version has no ids, and is all one conversation", async () => {
    const read = await parsed("first");
    assert.deepEqual(said(read), ["Hello", "Hi."]);
    assert.deepEqual(read.errors, []);
  });

  test("the host marks any exit code as a failure; that of a search that found nothing is none", async () => {
    assert.deepEqual(ends(await parsed("tree")).slice(0, 2), [
      ["bash", "completed", 1, true],
      ["read", "error", null, true],
    ]);
    assert.deepEqual(ends(await parsed("tools")), [
      ["bash", "error", 3, true],
      ["read", "error", null, true],
      ["bash", "completed", null, false],
    ]);
  });

  test("a call that the user stopped is interrupted, and its answer cut off", async () => {
    const read = await parsed("interrupt");
    assert.deepEqual(ends(read), [["bash", "interrupted", null, true]]);
    assert.ok(read.messages.some(({ metadata }) => metadata.interrupted === true));
  });

  test("the user's own command is no call, and a name is the title", async () => {
    const { messages, metadata } = await parsed("tty");
    const commands = messages.flatMap(({ metadata: { command } }) => command ?? []);
    assert.deepEqual(commands, ["!echo from-bang"]);
    assert.equal(metadata.title, "My title");
  });

  test("a summary of a compaction is not typed", async () => {
    const { messages } = await parsed("compact");
    assert.equal(messages.filter(({ metadata }) => metadata.origin === "compact_summary").length, 1);
    assert.deepEqual(messages.filter(isPrompt).length, 2);
  });

  test("a request of the program's own is usage without a message, once in all copies", async () => {
    const before = await parsed("tools");
    const usage = { input: 100, output: 7, cacheRead: 900, cacheWrite: 0, cost: { total: 0.5 } };
    const parentId = /"id":"(\w+)"/.exec(textOf("tools").trimEnd().split("\n").at(-1) ?? "")?.[1];
    const place = { id: "0000aaaa", parentId, timestamp: "2026-11-22T13:00:00.000Z" };
    const entry = { type: "usage", ...place, kind: "cache_warm", provider: "acme", model: "acme-1", usage };
    const edit = {
      type: "context_edit",
      ...place,
      id: "0000aaab",
      parentId: "0000aaaa",
      targetId: "x",
      replacement: null,
    };
    const read = await parseTranscript("s", `${textOf("tools")}${JSON.stringify(entry)}\n${JSON.stringify(edit)}\n`);
    assert.deepEqual(read.errors, []);
    assert.equal(read.stats.tokens_in, before.stats.tokens_in + 100);
    assert.equal(read.stats.tokens_out, before.stats.tokens_out + 7);
    assert.equal(read.stats.models["acme-1"]?.cost_usd, 0.5);
    assert.equal(read.stats.assistant_messages, before.stats.assistant_messages);
    assert.equal(usageOf(read.messages.at(-1) ?? assert.fail()).key, "0000aaaa/usage\n2026-11-22T13:00:00.000Z");
  });

  test("entries of unknown types and roles are counted", async () => {
    const more = [
      { type: "teleport", id: "1", parentId: null, timestamp: "2026-05-28T07:00:00.000Z" },
      { type: "message", id: "2", parentId: "1", timestamp: "2026-05-28T07:00:00.000Z", message: { role: "oracle" } },
    ];
    const text = `${textOf("first")}${more.map((each) => JSON.stringify(each)).join("\n")}\n`;
    const { unknown_lines } = await parseTranscript("s", text);
    assert.deepEqual(
      unknown_lines.map(({ type }) => type),
      ["teleport", "message of oracle"],
    );
  });

  test("copies in a fork count once, whether their entries keep ids and times or not", async () => {
    const both = homeWith("fork");
    const stats = async (home: string) => JSON.parse((await runCli(["stats", "--json"], { home })).stdout);
    const { sessions, prompts, total, repeated_messages } = await stats(both);
    assert.deepEqual([sessions, prompts, total.messages, repeated_messages], [2, 2, 3, 1]);
    const original = await parsed("fork");
    const restamped = textOf("fork")
      .replaceAll("2026-11-22T12:21:51", "2026-11-23T09:00:00")
      .replaceAll('"ad27efc6"', '"00000001"');
    const copy = await parseTranscript("s", restamped);
    const keyOf = ({ messages }: ParseResult) => messages.map(({ metadata }) => metadata.copy_key);
    assert.deepEqual(keyOf(copy), keyOf(original));
  });

  test("commands find its sessions; what was taken back is shown on request, from the file and from the store", async () => {
    const home = homeWith("tree", "tools", "first");
    const run = (...args: string[]) => runCli(args, { home });
    assert.match((await run("list", "--agent", "pi")).stdout, /Where are the prices\?/);
    for (const indexed of [false, true]) {
      if (indexed) await run("index");
      const shown = (await run("show", TREE)).stdout;
      assert.match(shown, /Nowhere\.[^]*Write them to prices\.csv/);
      assert.doesNotMatch(shown, /wrong\.csv\./);
      const all = (await run("show", TREE, "--superseded")).stdout;
      assert.match(all, /superseded\nWrite them to the wrong file\.[^]*Write them to prices\.csv/);
      const found = (await run("find", "in wrong.csv")).stdout;
      assert.match(found, /superseded/);
      assert.match((await run("find", "--file", "prices.csv")).stdout, new RegExp(TREE));
      assert.match((await run("changes", TREE)).stdout, /prices\.csv/);
      assert.match((await run("errors", TREE)).stdout, /ENOENT/);
      const { total } = JSON.parse((await run("stats", TREE, "--json")).stdout);
      assert.deepEqual([total.tokens_in, total.tokens_out], [1600, 160]);
    }
  });

  test("indexing again, after the branch changed, moves the label", async () => {
    const home = homeWith("tree");
    const path = join(
      home,
      ".pi/agent/sessions/--home-mia-shop--",
      readdirSync(join(home, ".pi/agent/sessions/--home-mia-shop--"))[0] ?? "",
    );
    const run = (...args: string[]) => runCli(args, { home });
    await run("index");
    const last = textOf("tree")
      .split("\n")
      .find((line) => line.includes("in wrong.csv"));
    const parent: unknown = JSON.parse(last ?? "").id;
    const back = { type: "message", id: "b0000000", parentId: parent, timestamp: "2026-05-28T07:00:00.000Z" };
    const message = { role: "user", content: [{ type: "text", text: "Keep it there." }], timestamp: 1779960000000 };
    const { appendFileSync } = await import("node:fs");
    appendFileSync(path, `${JSON.stringify({ ...back, message })}\n`);
    await run("index");
    assert.doesNotMatch((await run("find", "in wrong.csv")).stdout, /superseded/);
    assert.match((await run("find", "Write them to prices")).stdout, /superseded/);
  });

  test("PI_CODING_AGENT_DIR names its folder", async () => {
    const home = makeTempDir();
    cpSync(join(FIXTURES, "tools"), join(home, "elsewhere/sessions"), { recursive: true });
    const { stdout } = await runCli(["list"], { home, env: { PI_CODING_AGENT_DIR: join(home, "elsewhere") } });
    assert.match(stdout, /scenario-tools/);
  });
});
