/**
 * The plugin in the real Claude Code, against a scripted model: validated, installed, its hooks, its MCP server. Needs
 * `dist/` and `npm install --prefix test/agents`; skipped without.
 */
import assert from "node:assert/strict";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { delimiter, join } from "node:path";
import { z } from "zod";
import { openStore } from "../../src/store/open-store.ts";
import { startRegistry } from "../support/host/local-registry.ts";
import { spawnProgram, type Finished, type Running } from "../support/host/process.ts";
import { eventually } from "../support/recording/eventually.ts";
import { REPOSITORY } from "../support/repository.ts";
import { afterAll, beforeAll, describe, test } from "../support/runner.ts";
import { makeTempDir, removeTempDirs } from "../support/temp-dir.ts";

const BIN = join(REPOSITORY, "test/agents/node_modules/.bin");
const CLAUDE = join(BIN, "claude");
const MAIN = join(REPOSITORY, "dist/cli/main.js");
const NODE = join(REPOSITORY, "node_modules/.bin/node");
const TOOL = "mcp__plugin_opencode-transcripts_transcripts__list_sessions";
const MINUTES = 60_000;

type Block = { type: "text"; text: string } | { type: "tool_use"; id: string; name: string; input: unknown };

let calls = 0;
const call = (name: string, input: unknown): Block => ({ type: "tool_use", id: `toolu_${++calls}`, name, input });

/** Answers to the last message of a request, by a word in it. */
const ANSWERS: readonly [word: string, answer: () => Block[]][] = [
  ["tool_result", () => [{ type: "text", text: "The quokka was found." }]],
  ["scenario:lookup", () => [{ type: "text", text: "I look it up." }, call(TOOL, {})]],
  ["scenario:slow", () => [call("Bash", { command: "touch started; sleep 60", description: "Waits" })]],
];

const Asked = z.object({ stream: z.boolean().default(false), model: z.string(), messages: z.array(z.unknown()) });

let answers = 0;

/** Returns an answer as JSON or as a stream, in the form of Anthropic's API. */
function answerTo(body: string): { type: string; text: string } {
  const { stream, model, messages } = Asked.parse(JSON.parse(body));
  const last = JSON.stringify(messages.at(-1));
  const content = ANSWERS.find(([word]) => last.includes(word))?.[1]() ?? [{ type: "text", text: "Hello." }];
  const isCall = content.some(({ type }) => type === "tool_use");
  const stop = { stop_reason: isCall ? "tool_use" : "end_turn", stop_sequence: null };
  const usage = { input_tokens: 10, output_tokens: 5, cache_read_input_tokens: 0, cache_creation_input_tokens: 0 };
  const message = { id: `msg_${++answers}`, type: "message", role: "assistant", model, usage };
  if (!stream) return { type: "application/json", text: JSON.stringify({ ...message, content, ...stop }) };
  const events = [
    { type: "message_start", message: { ...message, content: [], stop_reason: null, stop_sequence: null } },
    ...content.flatMap((block, index) => {
      const isText = block.type === "text";
      const delta = isText
        ? { type: "text_delta", text: block.text }
        : { type: "input_json_delta", partial_json: JSON.stringify(block.input) };
      const empty = isText ? { ...block, text: "" } : { ...block, input: {} };
      return [
        { type: "content_block_start", index, content_block: empty },
        { type: "content_block_delta", index, delta },
        { type: "content_block_stop", index },
      ];
    }),
    { type: "message_delta", delta: stop, usage },
    { type: "message_stop" },
  ];
  const text = events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join("");
  return { type: "text/event-stream", text };
}

function startModel(): Promise<Server> {
  const server = createServer((request, response) => {
    let body = "";
    request.setEncoding("utf8").on("data", (piece: string) => (body += piece));
    request.on("end", () => {
      // It also looks whether anything answers here.
      if (body === "") return response.writeHead(404).end();
      const isCount = request.url?.includes("count_tokens") === true;
      const answer = isCount ? { type: "application/json", text: '{"input_tokens":10}' } : answerTo(body);
      response.writeHead(200, { "content-type": answer.type }).end(answer.text);
    });
  });
  return new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(server)));
}

const Line = z.looseObject({
  type: z.string(),
  subtype: z.string().optional(),
  plugins: z.unknown(),
  skills: z.unknown(),
  mcp_servers: z.unknown(),
  session_id: z.string().optional(),
});

const linesOf = (printed: string): z.infer<typeof Line>[] =>
  printed
    .split("\n")
    .filter(Boolean)
    .map((line) => Line.parse(JSON.parse(line)));

if (!existsSync(CLAUDE)) {
  test.skipIf("npm install --prefix test/agents installs it")("sessions of Claude Code", () => undefined);
} else {
  let model: Server;
  let env: Record<string, string> = {};
  let home = "";
  let project = "";

  beforeAll(async () => {
    model = await startModel();
    home = makeTempDir();
    project = join(home, "project");
    mkdirSync(project);
    const address = model.address();
    assert(address !== null && typeof address === "object");
    env = {
      PATH: [BIN, join(REPOSITORY, "node_modules/.bin"), process.env["PATH"]].join(delimiter),
      HOME: home,
      TERM: "dumb",
      ANTHROPIC_BASE_URL: `http://127.0.0.1:${address.port}`,
      ANTHROPIC_API_KEY: "none",
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
      DISABLE_AUTOUPDATER: "1",
    };
    trust(home);
  });
  /** Answers the questions of a first start. */
  const trust = (at: string): void =>
    writeFileSync(
      join(at, ".claude.json"),
      JSON.stringify({
        hasCompletedOnboarding: true,
        customApiKeyResponses: { approved: ["none"], rejected: [] },
        projects: { [project]: { hasTrustDialogAccepted: true } },
      }),
    );
  afterAll(() => {
    model.closeAllConnections();
    model.close();
    removeTempDirs();
  });

  const run = (program: string, args: readonly string[], more: Record<string, string> = {}): Running =>
    spawnProgram(program, args, { cwd: project, env: { ...env, ...more } });

  const prompt = (text: string, args: readonly string[] = [], more: Record<string, string> = {}): Running => {
    const output = ["--output-format", "stream-json", "--verbose", "--include-hook-events"];
    const tools = ["--model", "claude-sonnet-4-5", "--allowedTools", TOOL, "Bash"];
    return run(CLAUDE, ["-p", text, ...args, ...output, ...tools], more);
  };

  /** Asserts that hooks ran and that nothing of them is in the output or in the session's file. */
  function assertQuiet({ code, stdout, stderr }: Finished, ...events: readonly string[]): void {
    assert.deepEqual([code, stderr], [0, ""], stdout);
    const ended = linesOf(stdout).filter(({ subtype }) => subtype === "hook_response");
    for (const { exit_code, output } of ended) assert.deepEqual([exit_code, output], [0, ""]);
    const names = ended.map(({ hook_event: event }) => event);
    for (const event of events) assert.ok(names.includes(event), `${event} is not among ${names.join()}`);
  }

  /** Texts of a session in the store; undefined if it is not there. Writes nothing. */
  async function stored(sessionId: string): Promise<string | undefined> {
    if (!existsSync(join(home, ".local/share/opencode-transcripts/transcripts.db"))) return undefined;
    const store = await openStore({ env: {}, home }, { readOnly: true });
    try {
      const session = await store.session(sessionId);
      if (session === undefined || session.state.revision === 0) return undefined;
      return (await store.blocks(sessionId)).map(({ content }) => content).join("\n");
    } finally {
      await store.close();
    }
  }

  const sessionIn = (printed: string): string => linesOf(printed).find(({ session_id: id }) => id)?.session_id ?? "";

  describe("the plugin in Claude Code", () => {
    test(
      "is valid, and is installed by init, again if it is there",
      async () => {
        const { code, stdout } = await run(CLAUDE, ["plugin", "validate", REPOSITORY]).finished;
        assert.deepEqual([code, /Validation passed\n/.test(stdout)], [0, true], stdout);
        const first = await run(NODE, [MAIN, "init", "--claude-code"]).finished;
        assert.equal(first.code, 0, first.stderr);
        assert.match(first.stdout, /ran claude plugin install opencode-transcripts@opencode-transcripts\n/);
        const laid = join(home, ".local/share/opencode-transcripts/claude-code");
        const again = await run(CLAUDE, ["plugin", "validate", join(laid, ".claude-plugin/plugin.json")]).finished;
        assert.equal(again.code, 0, again.stdout);
        const second = await run(NODE, [MAIN, "init", "--claude-code"]).finished;
        assert.equal(second.code, 0, second.stderr);
        assert.match(second.stdout, /ran claude plugin uninstall .*\n.*\nran claude plugin install /);
      },
      2 * MINUTES,
    );

    test(
      "has the session in the store after the turn, and its tools answer",
      async () => {
        const finished = await prompt("scenario:lookup please").finished;
        assertQuiet(finished, "SessionStart", "Stop");
        const id = sessionIn(finished.stdout);
        await eventually(async () => (await stored(id))?.includes("The quokka was found.") === true);
        const begin = linesOf(finished.stdout).find(({ subtype }) => subtype === "init");
        const { plugins, skills, mcp_servers: servers } = Line.parse(begin);
        assert.match(JSON.stringify(plugins), /"opencode-transcripts"/);
        assert.match(JSON.stringify(skills), /"opencode-transcripts:transcripts"/);
        assert.match(
          JSON.stringify(servers),
          /^\[\{"name":"plugin:opencode-transcripts:transcripts",[^{]*"status":"connected"/,
        );
        const result = finished.stdout.split("\n").find((line) => line.includes('"tool_result"')) ?? "";
        assert.match(result, /Sessions 1 to 1, newest first/);
        const [folder = ""] = readdirSync(join(home, ".claude/projects"));
        const file = readFileSync(join(home, ".claude/projects", folder, `${id}.jsonl`), "utf8");
        // Newer versions note that hooks ran after the turn.
        for (const { type, subtype, ...line } of linesOf(file)) {
          assert.doesNotMatch(JSON.stringify(line["attachment"] ?? {}), /^\{"type":"hook_/);
          if (!JSON.stringify(line).includes("index-session")) continue;
          const { hasOutput, hookErrors } = line;
          assert.deepEqual([type, subtype, hasOutput, hookErrors], ["system", "stop_hook_summary", false, []]);
        }
      },
      2 * MINUTES,
    );

    test(
      "comes from the registry where the repository was added as a marketplace, and its tools answer",
      async () => {
        const registry = await startRegistry();
        const other = { HOME: makeTempDir(), npm_config_registry: registry.url };
        trust(other.HOME);
        try {
          for (const args of [
            ["marketplace", "add", REPOSITORY],
            ["install", "opencode-transcripts@opencode-transcripts"],
          ]) {
            const { code, stdout, stderr } = await run(CLAUDE, ["plugin", ...args], other).finished;
            assert.equal(code, 0, stdout + stderr);
          }
          const finished = await prompt("scenario:lookup please", [], other).finished;
          assertQuiet(finished, "SessionStart", "Stop");
          const result = finished.stdout.split("\n").find((line) => line.includes('"tool_result"')) ?? "";
          assert.match(result, /newest first|No session matches/);
        } finally {
          registry.close();
        }
      },
      2 * MINUTES,
    );

    test(
      "runs the hook before a compaction",
      async () => {
        // The output does not mention this hook, so its shell writes down what it gets.
        const bin = join(home, "bin");
        const log = join(home, "hooks.jsonl");
        mkdirSync(bin);
        writeFileSync(join(bin, "sh"), `#!/bin/sh\ntee -a '${log}' | /bin/sh "$@"\n`, { mode: 0o755 });
        const first = await prompt("scenario:lookup please").finished;
        const resumed = ["--resume", sessionIn(first.stdout)];
        const more = { PATH: [bin, env["PATH"]].join(delimiter) };
        assertQuiet(await prompt("/compact", resumed, more).finished, "SessionStart");
        assert.match(readFileSync(log, "utf8"), /"hook_event_name":"PreCompact"/);
      },
      2 * MINUTES,
    );

    test(
      "adds an interrupted session when the next one starts",
      async () => {
        const running = prompt("scenario:slow please");
        await eventually(() => existsSync(join(project, "started")));
        const { stdout } = await running.stop("SIGINT");
        const id = sessionIn(stdout);
        assert.equal(await stored(id), undefined);
        assertQuiet(await prompt("Good evening").finished, "SessionStart", "Stop");
        await eventually(async () => (await stored(id))?.includes("scenario:slow please") === true);
      },
      2 * MINUTES,
    );

    test(
      "says nothing where nothing can be written, and where Node is too old",
      async () => {
        const file = join(home, "file");
        writeFileSync(file, "");
        assertQuiet(await prompt("Good night", [], { XDG_DATA_HOME: file }).finished, "SessionStart", "Stop");
        const { code } = await run(CLAUDE, ["plugin", "disable", "opencode-transcripts@opencode-transcripts"]).finished;
        assert.equal(code, 0);
        const noNode = { PATH: "/usr/bin:/bin", CLAUDE_CODE_SHELL: "/bin/sh" };
        assertQuiet(await prompt("Good night", ["--plugin-dir", REPOSITORY], noNode).finished, "SessionStart", "Stop");
      },
      2 * MINUTES,
    );
  });
}
