/** GitHub Copilot CLI: what is special about its files, one test for each trap. The sessions are in `test/fixtures/sessions/copilot`. */
import assert from "node:assert/strict";
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { parseTranscript } from "../../src/agents/parse-input.ts";
import type { ParseResult } from "../../src/parse/model.ts";
import { isPrompt } from "../../src/parse/turns.ts";
import { runCli } from "../support/cli/run-cli.ts";
import { REPOSITORY } from "../support/repository.ts";
import { afterAll, describe, test } from "../support/runner.ts";
import { makeTempDir, removeTempDirs } from "../support/temp-dir.ts";

afterAll(removeTempDirs);

const FIXTURES = join(REPOSITORY, "test/fixtures/sessions/copilot");

const idOf = (scenario: string): string => readdirSync(join(FIXTURES, scenario))[0] ?? "";
const eventsOf = (scenario: string): string =>
  readFileSync(join(FIXTURES, scenario, idOf(scenario), "events.jsonl"), "utf8");
const parsed = (scenario: string, part?: string): Promise<ParseResult> =>
  parseTranscript("s", eventsOf(scenario), part === undefined ? {} : { part });

const ends = ({ tool_calls }: ParseResult) =>
  tool_calls.map(({ tool_name, status, exit_code, is_error }) => [tool_name, status, exit_code, is_error]);
const tokens = ({ stats: { tokens_in, cache_read, cache_write, tokens_out } }: ParseResult) => [
  tokens_in,
  cache_read,
  cache_write,
  tokens_out,
];
const texts = ({ messages, content_blocks }: ParseResult, type: "prompts" | "answers"): string[] => {
  const isMeant = (message: ParseResult["messages"][number]): boolean =>
    type === "prompts" ? isPrompt(message) : message.message_type === "assistant";
  const ids = new Set(messages.filter(isMeant).map(({ id }) => id));
  return content_blocks.flatMap(({ message_id, content_text }) =>
    content_text !== null && ids.has(message_id) ? [content_text] : [],
  );
};

/** Returns a home folder with sessions where the agent keeps them. */
function homeWith(...scenarios: string[]): string {
  const home = makeTempDir();
  for (const scenario of scenarios)
    cpSync(join(FIXTURES, scenario), join(home, ".copilot/session-state"), { recursive: true });
  return home;
}

const SUBAGENT = "65de03d7-97ad-4ec2-acd4-6b78513db842";

describe("Copilot CLI", () => {
  test("a command that failed is a success with an exit code", async () => {
    assert.deepEqual(ends(await parsed("tools")), [
      ["bash", "error", 3, false],
      ["view", "error", null, true],
      ["bash", "completed", 0, false],
    ]);
    // Earlier versions have the exit code in the text only.
    assert.deepEqual(ends(await parsed("old"))[0], ["bash", "error", 1, false]);
  });

  test("a call in an answer and its start are one call", async () => {
    assert.equal((await parsed("tools")).stats.tool_use_count, 3);
  });

  test("the usage of an answer is in a record before it, and totals at the end add nothing", async () => {
    const read = await parsed("tools");
    assert.deepEqual(tokens(read), [2003, 30, 14, 43]);
    const used = read.messages.filter(({ tokens_in }) => tokens_in !== null);
    assert.deepEqual(
      used.map(({ message_type }) => message_type),
      ["assistant", "assistant"],
    );
  });

  test("a compaction is in no total and counts", async () => {
    const read = await parsed("compact");
    const compaction = read.messages.filter(({ metadata }) => metadata.subtype === "usage");
    assert.deepEqual(
      compaction.map(({ tokens_in, tokens_out }) => [tokens_in, tokens_out]),
      [[1003, 23]],
    );
    assert.equal(texts(read, "prompts").length, 2);
  });

  test("older files have outputs of answers, and totals that grow over resumes and include subagents", async () => {
    const read = await parsed("old");
    const child = await parsed("old", "call_b1");
    const [all, ofChild] = [tokens(read), tokens(child)];
    assert.deepEqual(
      all.map((count, at) => count + (ofChild[at] ?? 0)),
      [3500, 2500, 0, 270],
    );
    assert.equal(ofChild[3], 50);
  });

  test("the usage of a killed session is a lower bound: only the output of its answers is known", async () => {
    const killed = await parseTranscript("s", eventsOf("old").split("\n").slice(0, 6).join("\n"));
    assert.deepEqual(tokens(killed), [0, 0, 0, 150]);
    assert.equal(killed.stats.tokens_out_is_lower_bound, true);
    assert.equal((await parsed("old")).stats.tokens_out_is_lower_bound, false);
    // Killed after it was resumed: the answers before are in a total.
    const later = await parseTranscript("s", eventsOf("old").split("\n").slice(0, 12).join("\n"));
    assert.deepEqual(
      later.messages.flatMap(({ message_type, metadata }) =>
        message_type === "assistant" ? [metadata.tokens_out_is_lower_bound === true] : [],
      ),
      [false, false, true],
    );
    const home = homeWith("old");
    const path = join(home, ".copilot/session-state", idOf("old"), "events.jsonl");
    writeFileSync(path, `${eventsOf("old").split("\n").slice(0, 12).join("\n")}\n`);
    for (const command of ["list", "stats"]) assert.match((await runCli([command], { home })).stdout, />\$/);
  });

  test("a subagent in the file is a session of its own", async () => {
    const read = await parsed("sub");
    assert.deepEqual(texts(read, "prompts"), ["Please do scenario-sub."]);
    assert.deepEqual(texts(read, "answers"), ["I hand this over.", "The helper is done."]);
    assert.equal(
      read.content_blocks.find(({ block_type }) => block_type === "tool_result")?.metadata["subagent_id"],
      SUBAGENT,
    );
    const child = await parsed("sub", SUBAGENT);
    assert.deepEqual(texts(child, "prompts"), ["Please do scenario-child now."]);
    assert.deepEqual(texts(child, "answers"), ["Child at work.", "Child result: seven."]);
    assert.deepEqual([tokens(read)[3], tokens(child)[3]], [45, 45]);
    assert.equal(child.metadata.parentSessionId, idOf("sub"));
    assert.equal(child.stats.human_messages, 0);
  });

  test("the user's own command is no call", async () => {
    const { messages } = await parsed("old");
    assert.deepEqual(
      messages.flatMap(({ metadata: { command, origin } }) => (origin === undefined ? [] : [[origin, command]])),
      [
        ["command", "!echo hello"],
        ["command_output", undefined],
      ],
    );
  });

  test("calls that a kill or the user stopped are not failures", async () => {
    assert.deepEqual(
      ends(await parsed("kill"))
        .map(([, status]) => status)
        .at(0),
      "interrupted",
    );
    const aborted = await parsed("abort");
    assert.deepEqual(
      ends(aborted).map(([, status]) => status),
      ["pending"],
    );
    assert.ok(aborted.messages.some(({ metadata }) => metadata.origin === "interruption"));
  });

  test("texts for the model around a prompt are not shown", async () => {
    assert.deepEqual(texts(await parsed("tools"), "prompts"), ["Please do scenario-tools."]);
  });

  test("events of unknown types are counted", async () => {
    const event = {
      type: "session.teleported",
      data: { to: "mars" },
      id: "1",
      parentId: null,
      timestamp: "2026-11-22T12:24:30.032Z",
    };
    const { lines, unknown_lines } = await parseTranscript("s", `${eventsOf("tools")}${JSON.stringify(event)}\n`);
    assert.equal(lines.unknown, 1);
    assert.equal(unknown_lines[0]?.type, "session.teleported");
  });

  test("commands find its sessions, subagents as their children", async () => {
    const home = homeWith("tools", "sub", "old");
    const id = idOf("sub");
    writeFileSync(join(home, ".copilot/session-state", id, "workspace.yaml"), `id: ${id}\nname: 'Helper''s result'\n`);
    const run = (...args: string[]) => runCli(args, { home });
    const list = await run("list", "--json", "--subagents", "--agent", "copilot");
    const rows = list.stdout
      .trim()
      .split("\n")
      .map((line): Record<string, unknown> => JSON.parse(line));
    assert.deepEqual(
      new Map(rows.map(({ session_id, parent_session_id }) => [session_id, parent_session_id])),
      new Map([
        [SUBAGENT, id],
        ["call_b1", idOf("old")],
        [id, null],
        [idOf("old"), null],
        [idOf("tools"), null],
      ]),
    );
    assert.equal(rows.find(({ session_id }) => session_id === id)?.["title"], "Helper's result");
    for (const indexed of [false, true]) {
      if (indexed) await run("index");
      assert.equal(JSON.parse((await run("export", id, "--json", "-o", "-")).stdout).title, "Helper's result");
      assert.match((await run("show", SUBAGENT)).stdout, /scenario-child now[^]*Child result: seven/);
      const { rows: nodes, total } = JSON.parse((await run("stats", id, "--by", "session", "--json")).stdout);
      assert.deepEqual(
        nodes.map(({ key, tokens_out, with_subagents }: Record<string, Record<string, number>>) => [
          key,
          tokens_out,
          with_subagents?.["tokens_out"],
        ]),
        [
          [id, 45, 90],
          [SUBAGENT, 45, undefined],
        ],
      );
      assert.equal(total.tokens_out, 90);
      assert.match((await run("find", "from-child")).stdout, new RegExp(SUBAGENT));
      assert.match((await run("errors", idOf("tools"))).stdout, /completed with exit code 3/);
      assert.match((await run("find", "--file", "prices.csv")).stdout, /call_b1/);
    }
  });

  test("the path of a file that is gone means its session, not a subagent in it", async () => {
    const home = makeTempDir();
    // It comes after the id of the subagent.
    const id = `f${idOf("old").slice(1)}`;
    const path = join(home, ".copilot/session-state", id, "events.jsonl");
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, eventsOf("old").replaceAll(idOf("old"), id));
    await runCli(["index"], { home });
    rmSync(path);
    const { stdout } = await runCli(["timeline", path, "--json"], { home });
    assert.equal(JSON.parse(stdout.split("\n")[0] ?? "").session_id, id);
  });

  test("COPILOT_HOME names its folder", async () => {
    const home = makeTempDir();
    mkdirSync(join(home, "state"), { recursive: true });
    cpSync(join(FIXTURES, "tools"), join(home, "elsewhere/session-state"), { recursive: true });
    const { stdout } = await runCli(["list"], { home, env: { COPILOT_HOME: join(home, "elsewhere") } });
    assert.match(stdout, /scenario-tools/);
  });

  test("finds a session whose id a program chose, and takes the id of a moved file from its content", async () => {
    const home = homeWith("tools");
    const place = join(home, ".copilot/session-state");
    const own = eventsOf("tools").replaceAll(idOf("tools"), "review-mia-42");
    mkdirSync(join(place, "review-mia-42"));
    mkdirSync(join(home, "moved"));
    writeFileSync(join(place, "review-mia-42/events.jsonl"), own);
    writeFileSync(join(home, "moved/events.jsonl"), own);
    const listed = await runCli(["list", "--json"], { home });
    assert.ok(listed.stdout.includes('"review-mia-42"'), listed.stdout);
    const { stdout } = await runCli(["export", "moved/events.jsonl", "--json"], { home, cwd: home });
    assert.ok(stdout.includes('"session_id":"review-mia-42"'), stdout.slice(0, 300));
  });

  test("a session is resumed by its id, in its folder", async () => {
    const home = makeTempDir();
    const place = join(home, ".copilot/session-state", idOf("sub"));
    mkdirSync(place, { recursive: true });
    writeFileSync(join(place, "events.jsonl"), eventsOf("sub").replaceAll("/home/agent/w/copilot-sub/project", home));
    const { stdout } = await runCli(["list", "--subagents", "--json"], { home });
    const resumes = stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line).resume);
    assert.deepEqual(resumes, [`cd ${home} && copilot --resume=${idOf("sub")}`, null]);
  });
});
