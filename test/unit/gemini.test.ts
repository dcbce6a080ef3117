/** Gemini CLI: what is special about its files, one test for each trap. The sessions are in `test/fixtures/sessions/gemini-cli`. */
import assert from "node:assert/strict";
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { hash } from "node:crypto";
import { join } from "node:path";
import { parseTranscript } from "../../src/agents/parse-input.ts";
import type { ParseResult } from "../../src/parse/model.ts";
import { isPrompt } from "../../src/parse/turns.ts";
import { runCli } from "../support/cli/run-cli.ts";
import { CORPUS } from "../support/parse/session-files.ts";
import { REPOSITORY } from "../support/repository.ts";
import { NO_SHARED } from "../support/shared.ts";
import { afterAll, describe, test } from "../support/runner.ts";
import { makeTempDir, removeTempDirs } from "../support/temp-dir.ts";

afterAll(removeTempDirs);

const FIXTURES = join(REPOSITORY, "test/fixtures/sessions/gemini-cli");
const PARENT = "66143847-6fb6-46cb-8343-436e51646ed3";
const CHILD = "f643aa92-e9ac-4dc0-bdb3-711ae84eb2ca";
const REWOUND = "ca28c1ad-71ff-409f-bd58-7f61ce1fc818";
const OLD = "5d350b0b-a276-45db-97be-074ae664f11c";

/** Returns the path of a scenario's session. */
function pathOf(scenario: string): string {
  const folder = join(FIXTURES, scenario, "chats");
  return join(folder, readdirSync(folder).find((name) => name.startsWith("session-")) ?? "");
}

const contentOf = (scenario: string): string => readFileSync(pathOf(scenario), "utf8");
const parsed = (scenario: string): Promise<ParseResult> => parseTranscript("s", contentOf(scenario));

const ends = ({ tool_calls }: ParseResult) =>
  tool_calls.map(({ tool_name, status, exit_code, is_error }) => [tool_name, status, exit_code, is_error]);
const tokens = ({ stats: { tokens_in, cache_read, tokens_out } }: ParseResult) => [tokens_in, cache_read, tokens_out];

/** Returns the texts of prompts or answers that are in the conversation. */
function texts({ messages, content_blocks }: ParseResult, type: "prompts" | "answers"): string[] {
  const isMeant = (message: ParseResult["messages"][number]): boolean =>
    type === "prompts" ? isPrompt(message) : message.message_type === "assistant";
  const isCurrent = ({ metadata }: ParseResult["messages"][number]): boolean => metadata.superseded !== true;
  const ids = new Set(messages.filter((each) => isMeant(each) && isCurrent(each)).map(({ id }) => id));
  return content_blocks.flatMap(({ message_id, content_text }) =>
    content_text !== null && ids.has(message_id) ? [content_text] : [],
  );
}

/** Returns a home folder with sessions where the agent keeps them. */
function homeWith(...scenarios: string[]): string {
  const home = makeTempDir();
  for (const scenario of scenarios)
    cpSync(join(FIXTURES, scenario), join(home, ".gemini/tmp", scenario), { recursive: true });
  return home;
}

async function rowsOf(home: string, ...args: string[]): Promise<Record<string, unknown>[]> {
  const { stdout } = await runCli(["list", "--json", ...args], { home });
  const lines = stdout.split("\n").filter((line) => line !== "");
  return lines.map((line): Record<string, unknown> => JSON.parse(line));
}

describe("Gemini CLI", () => {
  test("a command that failed is a success with an exit code in its text", async () => {
    assert.deepEqual(ends(await parsed("tools")), [
      ["run_shell_command", "error", 3, false],
      ["read_file", "error", null, true],
      ["run_shell_command", "completed", null, false],
    ]);
  });

  test("an exit code quoted in a file or an output does not count", async () => {
    const quoted = contentOf("tools")
      .replaceAll("Output: one\\nExit Code: 3", "Output: Exit Code: 4\\nno more")
      .replaceAll("File not found: /home/agent/w/gemini-tools/project/missing.txt", "\\nExit Code: 5");
    assert.deepEqual(
      ends(await parseTranscript("s", quoted)).map(([, , code]) => code),
      [null, null, null],
    );
  });

  test("a record that is written again, with calls, is one answer with its usage once", async () => {
    const read = await parsed("tools");
    assert.deepEqual(texts(read, "answers"), ["I will look at three things.", "One worked, the others failed."]);
    assert.equal(read.stats.tool_use_count, 3);
    assert.deepEqual(tokens(read), [2003, 30, 43]);
  });

  test("prompts are what was typed, not context and results", async () => {
    const read = await parsed("tools");
    assert.deepEqual(texts(read, "prompts"), ["Please do scenario-tools."]);
    assert.equal(read.metadata.cwd, "/home/agent/w/gemini-tools/project");
    assert.equal(read.metadata.sessionId, "4dc2af27-415b-48e3-96f5-f0ab08783b5e");
  });

  test("thoughts count as output besides the answer, and tokens of tools as input", async () => {
    const read = await parsed("rewind");
    assert.deepEqual(tokens(read), [1000 + 510 + 7 + 1020, 500, 211 + 135 + 1]);
    const think = await parsed("think");
    assert.deepEqual(
      think.content_blocks.flatMap(({ thinking_text }) => thinking_text ?? []),
      ["First I weigh the options.", "The check passed."],
    );
  });

  test("messages that resuming writes again, without tokens, are copies", async () => {
    const read = await parsed("resume");
    assert.deepEqual(texts(read, "prompts"), ["Please do scenario-plain.", "Please do scenario-resume."]);
    assert.deepEqual(texts(read, "answers"), ["The answer is forty-two.", "I remember.", "Resumed fine."]);
    assert.deepEqual(tokens(read), [3006, 60, 66]);
    assert.equal(read.messages.find(({ message_type }) => message_type === "assistant")?.model, "gemini-2.5-flash");
  });

  test("a compaction replaces the messages, and what was said before stays", async () => {
    const read = await parsed("compact");
    assert.deepEqual(texts(read, "prompts"), ["Please do scenario-long.", "Please do scenario-plain."]);
    assert.deepEqual(texts(read, "answers"), [
      "Working a lot.",
      "Second look.",
      "Long work done.",
      "The answer is forty-two.",
    ]);
    assert.equal(read.messages.filter(({ metadata }) => metadata.origin === "compact_summary").length, 1);
    // Those that it keeps are copies with new ids.
    const tty = await parsed("tty");
    assert.deepEqual(texts(tty, "prompts"), ["Please do scenario-tools.", "Please do scenario-abort."]);
    assert.equal(texts(tty, "answers").length, 3);
  });

  test("a message that only a list has is read from it", async () => {
    const [head = "", ...rest] = contentOf("resume").trimEnd().split("\n");
    const damaged = [head, ...rest.filter((line) => !line.startsWith('{"id":"ce7cbe93'))].join("\n");
    assert.deepEqual(texts(await parseTranscript("s", damaged), "prompts").toSorted(), [
      "Please do scenario-plain.",
      "Please do scenario-resume.",
    ]);
  });

  test("messages after a rewind are superseded, keep their usage, and a list brings some back", async () => {
    const read = await parsed("rewind");
    assert.deepEqual(texts(read, "prompts"), [
      "Reply with exactly the word: one",
      "Reply with exactly the word: three",
      "!echo hello",
    ]);
    assert.deepEqual(texts(read, "answers"), ["one", "three"]);
    assert.equal(read.messages.filter(({ metadata }) => metadata.superseded).length, 3);
    // The program also goes back to the results of calls, which keeps the calls.
    const result =
      /^\{"id":"([^"]+)"[^\n]*"type":"user","content":\[\{"functionResponse"/m.exec(contentOf("tools"))?.[1] ?? "";
    const toResult = await parseTranscript("s", `${contentOf("tools")}{"$rewindTo":"${result}"}\n`);
    assert.deepEqual(texts(toResult, "answers"), ["I will look at three things."]);
    assert.deepEqual([toResult.stats.tool_use_count, toResult.stats.tool_error_count], [3, 2]);
    // An id that is not in the file: all messages are dropped.
    const all = contentOf("rewind").replace(/"\$rewindTo":"[^"]+"/, '"$rewindTo":"00000000-unknown"');
    assert.deepEqual(texts(await parseTranscript("s", all), "answers"), ["one", "three"]);
    const none = all.split("\n").filter((line) => !line.startsWith('{"$set":{"messages"'));
    assert.deepEqual(texts(await parseTranscript("s", none.join("\n")), "answers"), ["three"]);
  });

  test("a command of the user, errors and a stop are not prompts for the model", async () => {
    const { messages, metadata } = await parsed("rewind");
    assert.deepEqual(
      messages.flatMap(({ metadata: { origin, command, subtype } }) =>
        origin === undefined && subtype === undefined ? [] : [[origin ?? subtype, command]],
      ),
      [
        ["command", "!echo hello"],
        ["command_output", undefined],
        ["error", undefined],
      ],
    );
    assert.equal(metadata.title, "Words one to three");
    const tty = await parsed("tty");
    assert.ok(tty.messages.some(({ metadata: { origin } }) => origin === "interruption"));
    assert.deepEqual(ends(tty).at(-1)?.slice(0, 2), ["run_shell_command", "interrupted"]);
  });

  test("an older file is one document", async () => {
    const read = await parsed("old");
    assert.equal(read.format, "gemini-cli-document");
    assert.deepEqual(texts(read, "prompts"), ["Why does the build fail?"]);
    assert.deepEqual(ends(read), [
      ["run_shell_command", "error", 1, false],
      ["run_shell_command", "rejected", null, false],
      ["search_file_content", "pending", null, null],
    ]);
    assert.deepEqual(tokens(read), [1800, 100, 60]);
    assert.deepEqual(read.errors, []);
    const onOneLine = await parseTranscript("s", JSON.stringify(JSON.parse(contentOf("old"))));
    assert.deepEqual(ends(onOneLine), ends(read));
  });

  test("of a document that is cut off, the messages before are read", async () => {
    const text = contentOf("old");
    const read = await parseTranscript("s", text.slice(0, text.indexOf('"a3"')));
    assert.equal(read.metadata.sessionId, OLD);
    assert.equal(read.stats.tool_use_count, 3);
    assert.deepEqual(
      read.errors.map(({ code }) => code),
      ["torn_line"],
    );
  });

  test("resuming may leave a file with the same id and only the context: the session is the other one", async () => {
    const home = homeWith("compact");
    const folder = join(home, ".gemini/tmp/compact/chats");
    const beginning = contentOf("compact").split("\n").slice(0, 2).join("\n");
    writeFileSync(join(folder, "session-2026-11-22T12-24-c011b9a5.jsonl"), `${beginning}\n`);
    const rows = await rowsOf(home);
    assert.deepEqual(
      rows.map(({ session_id }) => session_id),
      ["c011b9a5-4f59-47ca-9c01-bc1020d45d42"],
    );
    assert.match((await runCli(["show", "c011b9a5"], { home })).stdout, /scenario-long/);
  });

  test("two files with one id and no message in common are two sessions: after /clear, the id stays", async () => {
    const home = homeWith("old");
    const messages = [
      { id: "b1", timestamp: "2025-12-01T10:00:00.000Z", type: "user", content: "Which shoes are waterproof?" },
      {
        id: "b2",
        timestamp: "2025-12-01T10:00:05.000Z",
        type: "gemini",
        content: "The red ones.",
        tokens: { input: 100, output: 10, cached: 0, thoughts: 0, tool: 0, total: 110 },
        model: "gemini-2.5-pro",
      },
    ];
    const path = join(home, ".gemini/tmp/old/chats/session-2025-12-01T09-59-5d350b0b.json");
    writeFileSync(path, JSON.stringify({ ...JSON.parse(contentOf("old")), messages }));
    for (const indexed of [false, true]) {
      if (indexed) await runCli(["index"], { home });
      const rows = await rowsOf(home);
      assert.deepEqual(
        rows.map(({ session_id, prompt }) => [session_id, prompt]),
        [
          [OLD, "Which shoes are waterproof?"],
          [OLD, "Why does the build fail?"],
        ],
      );
      const { total, prompts } = JSON.parse((await runCli(["stats", "--json"], { home })).stdout);
      assert.deepEqual([prompts, total.tokens_in, total.tokens_out], [2, 1900, 70]);
      assert.match((await runCli(["find", "waterproof"], { home })).stdout, new RegExp(`transcripts show ${path}`));
      assert.match((await runCli(["show", OLD], { home })).stdout, /build fail/);
    }
    // The forgotten one does not come back as one whose file is gone.
    rmSync(join(home, ".gemini/tmp/old/chats/session-2025-12-01T09-00-5d350b0b.json"));
    assert.match((await runCli(["forget", path, "--yes"], { home })).stderr, /removed 1 session/);
    assert.deepEqual(
      (await rowsOf(home)).map(({ prompt }) => prompt),
      ["Why does the build fail?"],
    );
  });

  test("a document that was resumed is the journal of the same name", async () => {
    const home = homeWith("old");
    const name = "session-2025-12-01T09-00-5d350b0b.jsonl";
    const { messages, ...head } = JSON.parse(contentOf("old"));
    const more = { id: "a5", timestamp: "2026-06-01T09:00:00.000Z", type: "user", content: [{ text: "And now?" }] };
    const lines = [head, ...messages, more].map((each: unknown) => `${JSON.stringify(each)}\n`);
    writeFileSync(join(home, ".gemini/tmp/old/chats", name), lines.join(""));
    assert.equal((await rowsOf(home)).length, 1);
    assert.match((await runCli(["show", OLD], { home })).stdout, /build fail[^]*And now\?/);
  });

  test("the folder of an older session is in projects.json, by its name or hash", async () => {
    for (const name of ["shop", hash("sha256", "/home/mia/shop")]) {
      const home = homeWith("old");
      cpSync(join(home, ".gemini/tmp/old"), join(home, ".gemini/tmp", name), { recursive: true });
      rmSync(join(home, ".gemini/tmp/old"), { recursive: true });
      rmSync(join(home, ".gemini/tmp", name, ".project_root"));
      writeFileSync(join(home, ".gemini/projects.json"), JSON.stringify({ projects: { "/home/mia/shop": "shop" } }));
      assert.deepEqual(
        (await rowsOf(home, "--project", "/home/mia/shop")).map(({ project }) => project),
        ["/home/mia/shop"],
      );
      assert.match((await runCli(["stats", "--by", "project", "--json"], { home })).stdout, /"\/home\/mia\/shop"/);
    }
  });

  test("commands find its sessions, subagents as their children", async () => {
    const home = homeWith("tools", "sub", "rewind", "edit");
    const run = (...args: string[]) => runCli(args, { home });
    const rows = await rowsOf(home, "--subagents", "--agent", "gemini-cli");
    assert.equal(rows.length, 5);
    assert.equal(rows.find(({ session_id }) => session_id === CHILD)?.["parent_session_id"], PARENT);
    for (const indexed of [false, true]) {
      if (indexed) await run("index");
      assert.match((await run("show", CHILD)).stdout, /scenario-child now[^]*Child at work/);
      const { rows: nodes } = JSON.parse((await run("stats", PARENT, "--by", "session", "--json")).stdout);
      assert.deepEqual(
        nodes.map(({ key, tokens_out }: Record<string, unknown>) => [key, tokens_out]),
        [
          [PARENT, 45],
          [CHILD, 45],
        ],
      );
      assert.match((await run("find", "from-child")).stdout, new RegExp(CHILD));
      assert.match((await run("errors", "4dc2af27")).stdout, /Exit Code: 3/);
      assert.match((await run("find", "--file", "app.js")).stdout, /489774ea/);
      assert.doesNotMatch((await run("show", REWOUND)).stdout, /word: two/);
    }
    assert.match((await run("changes", "489774ea")).stdout, /-const one = 1\n\+const two = 2/);
  });

  test("a session is resumed by its id, in its folder", async () => {
    const home = homeWith("sub");
    writeFileSync(join(home, ".gemini/tmp/sub/.project_root"), home);
    const rows = await rowsOf(home, "--subagents");
    assert.deepEqual(
      new Map(rows.map(({ session_id, resume }) => [session_id, resume])),
      new Map([
        [PARENT, `cd ${home} && gemini --resume ${PARENT}`],
        [CHILD, null],
      ]),
    );
  });

  test("sessions are deleted after 30 days, or as the settings say", async () => {
    const home = homeWith("tools");
    const days = async (sessionRetention?: unknown): Promise<unknown[]> => {
      mkdirSync(join(home, ".gemini"), { recursive: true });
      writeFileSync(join(home, ".gemini/settings.json"), JSON.stringify({ general: { sessionRetention } }));
      const { gemini } = await import("../../src/agents/gemini/gemini.ts");
      const rules = (await gemini.retention?.({ env: {}, home, cwd: home })) ?? [];
      return rules.map((rule) => [rule.days, rule.isDefault]);
    };
    assert.deepEqual(await days(), [[30, true]]);
    assert.deepEqual(await days({ enabled: true, maxAge: "2w" }), [[14, false]]);
    assert.deepEqual(await days({ enabled: false }), []);
  });

  test.skipIf(CORPUS === undefined && NO_SHARED)("real files are read without errors: the corpus", async () => {
    assert.ok(CORPUS !== undefined);
    const folder = join(CORPUS, "gemini-cli");
    const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".jsonl"));
    for (const file of files) {
      const { errors, lines, format } = await parseTranscript("s", readFileSync(join(folder, file)));
      assert.deepEqual([format, errors, lines.unknown], ["gemini-cli", [], 0], file);
    }
  });
});
