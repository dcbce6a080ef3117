/** Content that is not a readable session is refused, with the agent's name if it is known. */
import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { parseTranscript } from "../../src/agents/parse-input.ts";
import { says, storeSession, user } from "../support/cli/claude-lines.ts";
import { runCli } from "../support/cli/run-cli.ts";
import { afterAll, describe, test } from "../support/runner.ts";
import { makeTempDir, removeTempDirs } from "../support/temp-dir.ts";
import { machineAt } from "../support/tools/tool-calls.ts";
import { sqliteWriter } from "./sessions-machine.ts";

afterAll(removeTempDirs);

const ID = "5d350b0b-a276-45db-97be-074ae664f11c";
const TIME = "2026-11-01T10:00:00.000Z";
const lines = (...records: readonly unknown[]): string => records.map((each) => `${JSON.stringify(each)}\n`).join("");

/** The beginnings of other agents' files, and the names that they are refused by. */
const FOREIGN: readonly (readonly [agent: string, form: string, text: string])[] = [
  ["codex exec --json", "what it prints", lines({ type: "thread.started", thread_id: ID }, { type: "turn.started" })],
  [
    "gemini --output-format stream-json",
    "what it prints",
    lines({ type: "init", timestamp: TIME, session_id: ID, model: "gemini-2.5-pro" }),
  ],
  [
    "Gemini CLI's list of prompts",
    "logs.json",
    JSON.stringify([{ sessionId: ID, messageId: 0, type: "user", message: "Hi", timestamp: TIME }], null, 2),
  ],
  [
    "Qwen Code's list of usage",
    "records",
    lines({ version: 1, sessionId: ID, timestamp: 1, project: "/w", durationMs: 5, models: {}, tools: {} }),
  ],
  [
    "Goose",
    "a session",
    lines(
      { working_dir: "/w", description: "Hi", message_count: 1 },
      { role: "user", created: 1_750_000_000, content: [{ type: "text", text: "Hi" }] },
    ),
  ],
  ["Aider", "a history", "\n# aider chat started at 2026-11-01 10:00:00\n\n#### fix it\n\nDone.\n"],
  ["Amp", "a thread", JSON.stringify({ v: 3, id: "T-0a1b2c3d-4e5f", created: 1, messages: [] })],
  [
    "Cline",
    "messages",
    JSON.stringify({ version: 1, messages: [{ id: "m", role: "user", modelInfo: { id: "x" }, metrics: {}, ts: 1 }] }),
  ],
  ["Cline", "a task", JSON.stringify([{ ts: 1_750_000_000_000, type: "say", say: "text", text: "Hi" }])],
];

/** Inputs that no agent writes. */
const STRANGE: readonly (readonly [what: string, text: string | Uint8Array])[] = [
  ["a list of users", "root:x:0:0:root:/root:/bin/bash\ndaemon:x:1:1:daemon:/usr/sbin:/usr/sbin/nologin\n"],
  ["bytes", Uint8Array.from({ length: 4_096 }, (_, at) => (at * 7_919) % 256)],
  ["some JSON", '{"name":"shop","version":"1.0.0"}\n'],
  ["JSON lines that name sessions", lines({ sessionId: ID, display: "Hi" }, { sessionId: ID, display: "Ho" })],
  ["notes", "# Notes\n\n- buy milk\n"],
];

const COMMANDS: readonly (readonly string[])[] = [
  ["show"],
  ["show", "--json"],
  ["stats"],
  ["timeline"],
  ["entries"],
  ["errors"],
  ["errors", "--fixes"],
  ["tail"],
  ["export", "-o", "page.html"],
  ["snippets suggest"],
];

function fileWith(content: string | Uint8Array): string {
  const path = join(makeTempDir(), "session.jsonl");
  writeFileSync(path, content);
  return path;
}

async function refused(content: string | Uint8Array, expected: RegExp): Promise<void> {
  const home = makeTempDir();
  const path = fileWith(content);
  for (const [command = "", ...options] of COMMANDS) {
    for (const argument of [path, "-"]) {
      const stdin = argument === "-" && typeof content === "string" ? content : "";
      if (argument === "-" && typeof content !== "string") continue;
      const argv = [...command.split(" "), argument, ...options];
      const { exitCode, stdout, stderr } = await runCli(argv, { home, stdin });
      assert.deepEqual([exitCode, stdout], [2, ""], `${argv.join(" ")}: ${stderr}`);
      assert.match(stderr, expected, argv.join(" "));
    }
  }
}

describe("every command refuses", () => {
  for (const [agent, form, text] of FOREIGN) {
    test(`${form} of ${agent}, by name`, () =>
      refused(text, new RegExp(` is a session of ${agent}, which cannot be read yet`)));
  }
  for (const [what, content] of STRANGE) {
    test(what, () => refused(content, / is not a session of any known agent/));
  }
  test("what is empty", () => refused("", / is empty\./));
  test("what is white space", () => refused("\n \n", / is empty\./));

  test("a database of another agent, by name", async () => {
    for (const [agent, schema] of [
      ["Goose", "CREATE TABLE usage_ledger (id INTEGER)"],
      ["Crush", "CREATE TABLE sessions (id TEXT, summary_message_id TEXT)"],
      ["Cursor", "CREATE TABLE cursorDiskKV (key TEXT, value BLOB)"],
    ] as const) {
      const path = join(makeTempDir(), "sessions.db");
      const database = await sqliteWriter(path);
      database.exec(schema);
      database.close();
      const { exitCode, stderr } = await runCli(["stats", path], { home: makeTempDir() });
      assert.deepEqual(
        [exitCode, stderr.includes(`is a session of ${agent}, which cannot be read yet`)],
        [2, true],
        stderr,
      );
    }
  });

  test("a foreign file where Claude Code keeps its own, and counts it", async () => {
    const home = makeTempDir();
    const own = storeSession(home, user("Hello", 0) + says("Hi", 1));
    for (const [at, [, , text]] of FOREIGN.entries()) writeFileSync(join(own, "..", `${at}.jsonl`), text);
    const { stdout, stderr } = await runCli(["stats", "--json"], { home });
    assert.equal(JSON.parse(stdout).sessions, 1);
    assert.equal(JSON.parse(stdout).unreadable, FOREIGN.length, stderr);
    const found = await runCli(["find", "Hi", "--json"], { home });
    assert.equal(found.stdout.trim().split("\n").length, 1, found.stdout);
    assert.match(found.stderr, new RegExp(String.raw`searched 1 session \(1 updated\), ${FOREIGN.length} unreadable`));
  });
});

test("tools refuse them too", async () => {
  const machine = machineAt(makeTempDir());
  try {
    for (const [agent, , text] of FOREIGN) {
      const path = fileWith(text);
      for (const [tool, given] of [
        ["read_session", { session: path }],
        ["list_errors", { session: path }],
        ["extract_snippet", { session_id: path, snippet_type: "learning_pattern", title: "x", source_line_start: 1 }],
      ] as const) {
        const answer = await machine.call(tool, given);
        assert.equal(answer.isError, true, `${tool} ${agent}: ${answer.text}`);
        assert.ok(answer.text.includes(`is a session of ${agent}, which cannot be read yet`), answer.text);
      }
    }
  } finally {
    await machine.close();
  }
});

test("the library reads nothing of them, and says why of each line", async () => {
  for (const [agent, , text] of FOREIGN) {
    const { format, messages, errors, lines: account } = await parseTranscript("s", text);
    assert.deepEqual([format, messages.length, account.failed], [null, 0, account.total]);
    assert.ok(errors.every(({ code, reason }) => code === "unsupported_agent" && reason.includes(agent)));
    assert.equal(errors.length, account.total);
  }
});

test("doctor names the places of agents that cannot be read, and exits with 0", async () => {
  const home = makeTempDir();
  const places = [
    ["Goose", ".local/share/goose/sessions/sessions.db"],
    ["Crush", ".crush/crush.db"],
    ["Cline", ".cline/data/sessions/1/1.json"],
    ["Cursor", ".cursor/chats/a/b/store.db"],
    ["Factory Droid", ".factory/sessions/-w/a.jsonl"],
    ["Amp", ".local/share/amp/threads/T-1.json"],
    ["Aider", ".aider.chat.history.md"],
  ] as const;
  for (const [, path] of places) {
    mkdirSync(join(home, dirname(path)), { recursive: true });
    writeFileSync(join(home, path), "");
  }
  const { stdout, exitCode } = await runCli(["doctor"], { home });
  assert.equal(exitCode, 0, stdout);
  for (const [agent] of places) assert.match(stdout, new RegExp(`: sessions of ${agent}, which cannot be read yet`));
  const { unsupported } = JSON.parse((await runCli(["doctor", "--json"], { home })).stdout);
  assert.deepEqual(
    new Set(unsupported.map((each: { agent: string }) => each.agent)),
    new Set(places.map(([agent]) => agent)),
  );
});

test("a session whose beginning is damaged is still read", async () => {
  for (const damage of ["\0".repeat(100_000), `{"type":"us${"x".repeat(300_000)}\n`, "not JSON\n".repeat(60)]) {
    const { exitCode, stdout } = await runCli(["show", fileWith(`${damage}\n${user("Hello", 0)}${says("Hi", 1)}`)], {
      home: makeTempDir(),
    });
    assert.equal(exitCode, 0);
    assert.match(stdout, /Hello[^]*Hi/);
  }
});
