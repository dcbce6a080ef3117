/** The skill teaches commands: each is copied from its pages and run. Needs `dist/`. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { chmodSync, copyFileSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { REPOSITORY } from "../support/repository.ts";
import { PlayedSession } from "../support/played-session.ts";
import { afterAll, beforeAll, describe, test } from "../support/runner.ts";
import { startSaving } from "../support/saving.ts";
import { commandsIn, SKILL_FOLDER, skillPages } from "../support/skill-commands.ts";
import { makeTempDir, removeTempDirs } from "../support/temp-dir.ts";

const SAMPLE = join(REPOSITORY, "test/fixtures/sample-transcript.jsonl");
const COPILOT = join(
  REPOSITORY,
  "test/fixtures/sessions/copilot/tools/c089aed3-430a-4e6e-be13-ad3821fda70e/events.jsonl",
);
const QWEN = join(
  REPOSITORY,
  "test/fixtures/sessions/qwen/tools/-home-agent-w-qwen-tools-project/chats/2d5c5b27-8dd5-471a-ac60-df7c8bbf161f.jsonl",
);
const GEMINI = join(
  REPOSITORY,
  "test/fixtures/sessions/gemini-cli/tools/chats/session-2026-11-22T12-22-4dc2af27.jsonl",
);
const CODEX = join(
  REPOSITORY,
  "test/fixtures/sessions/codex/tools/rollout-2026-09-21T14-13-20-01a0c450-6c00-7000-8000-000000000001.jsonl",
);
const PI = join(
  REPOSITORY,
  "test/fixtures/sessions/pi/tools/--home-agent-w-pi-tools-project--/2026-11-22T12-21-34-448Z_01a20334-6270-7568-8ba5-f26790014cbe.jsonl",
);
const SESSION = "ses_skill";
const MAIN = join(REPOSITORY, "dist/cli/main.js");
assert(existsSync(MAIN), "build the package first: npm run build");
let home = "";

beforeAll(async () => {
  home = makeTempDir();
  const bin = join(home, "bin");
  mkdirSync(bin);
  program(bin, "transcripts", MAIN);
  program(bin, "jq", join(REPOSITORY, "test/support/jq-child.ts"));
  const claude = join(home, ".claude/projects/-home-ada-weather");
  mkdirSync(claude, { recursive: true });
  copyFileSync(SAMPLE, join(claude, "6f0c9d0e-3c5b-4f43-9e0a-8f3f7f1f2a10.jsonl"));
  copyFileSync(SAMPLE, join(home, "session.jsonl"));
  await recordTranscripts(join(home, ".openfleet"));
  copyFileSync(join(home, `.openfleet/transcripts/${SESSION}.md`), join(home, "transcript.md"));
  copyFileSync(join(home, `.openfleet/transcripts/${SESSION}.jsonl`), join(home, "transcript.jsonl"));
  copyFileSync(COPILOT, join(home, "events.jsonl"));
  copyFileSync(QWEN, join(home, "chat.jsonl"));
  copyFileSync(GEMINI, join(home, "journal.jsonl"));
  copyFileSync(CODEX, join(home, "rollout.jsonl"));
  copyFileSync(PI, join(home, "tree.jsonl"));
  writeFileSync(join(home, "export.json"), JSON.stringify(exported(), null, 2));
});
afterAll(removeTempDirs);

/** A program of this repository, run by the Node that comes with it, whatever runs the tests. */
function program(folder: string, name: string, script: string): void {
  const path = join(folder, name);
  const node = join(REPOSITORY, "node_modules/.bin/node");
  writeFileSync(path, `#!/bin/sh\nexec ${JSON.stringify(node)} --no-warnings ${JSON.stringify(script)} "$@"\n`);
  chmodSync(path, 0o755);
}

async function recordTranscripts(dataFolder: string): Promise<void> {
  const failed = { status: "error", output: "Exit code 1: expected 21 but got 12" } as const;
  const bash = { tool: "bash", input: { command: "npm test" } };
  const edit = { tool: "edit", input: { filePath: "src/swap.ts", oldString: "b, a", newString: "a, b" } };
  const session = new PlayedSession(SESSION)
    .user("Why does the forecast swap digits?")
    .answer("I will run the tests.", [{ ...bash, end: failed }])
    .answer("", [{ ...edit, end: { status: "completed", output: "ok" } }])
    .answer("", [{ ...bash, end: { status: "completed", output: "ok" } }])
    .answer("It was `swap`.");
  await startSaving({ dataFolder, format: "both" }).record(session.records);
}

function exported(): unknown {
  const time = { created: 1_772_442_000_000, completed: 1_772_442_001_000 };
  const tokens = { input: 10, output: 5, reasoning: 0, cache: { read: 0, write: 0 } };
  const state = {
    status: "completed",
    input: { command: "ls" },
    output: "a.ts",
    title: "ls",
    metadata: {},
    time: { start: 1, end: 2 },
  };
  const message = (id: string, role: string, parts: readonly unknown[]): unknown => ({
    info: {
      id,
      role,
      sessionID: SESSION,
      time,
      ...(role === "user" ? {} : { modelID: "m", providerID: "p", tokens, cost: 0 }),
    },
    parts,
  });
  return {
    info: {
      id: SESSION,
      title: "List",
      version: "1.18.33",
      directory: "/w",
      time: { created: time.created, updated: time.completed },
    },
    messages: [
      message("msg_1", "user", [{ id: "prt_1", type: "text", text: "List the files" }]),
      message("msg_2", "assistant", [
        { id: "prt_2", type: "tool", tool: "bash", callID: "call_1", state },
        { id: "prt_3", type: "text", text: "There is a.ts." },
      ]),
    ],
  };
}

function run(command: string): { status: number | null; stdout: string; stderr: string } {
  const env = {
    HOME: home,
    PATH: [join(home, "bin"), dirname(process.execPath), process.env["PATH"]].join(delimiter),
    NO_COLOR: "1",
  };
  return spawnSync("sh", ["-c", command], { cwd: home, env, encoding: "utf8", input: "" });
}

for (const { name, text } of skillPages()) {
  describe(name, () => {
    for (const command of commandsIn(text)) {
      test(command, () => {
        const { status, stdout, stderr } = run(command);
        assert.equal(status, 0, `${stderr}${stdout}`);
        assert.notEqual(stdout.trim(), "", "it prints nothing");
        assert.doesNotMatch(stdout, /^(?:null\s*)+$/, "it asks for a field that there is not");
        assert.doesNotMatch(stderr, /\bat .*:\d+:\d+/, "a stack trace");
      });
    }

    test("links lead to files", () => {
      for (const [, target = ""] of text.matchAll(/\]\(((?!https?:)[^)#]+)\)/g)) {
        assert.ok(existsSync(join(SKILL_FOLDER, dirname(name), target)), target);
      }
    });
  });
}

test("the pages have the fields by which they are found", () => {
  const fields = (page: string): string[] =>
    (/^---\n([^]*?)\n---\n/.exec(page)?.[1] ?? "").split("\n").map((line) => line.slice(0, line.indexOf(":")));
  const pages = new Map(skillPages().map(({ name, text }) => [name, fields(text)]));
  assert.deepEqual(pages.get("SKILL.md"), ["name", "description", "keywords"]);
  assert.deepEqual(pages.get("references/transcript-format.md"), [
    "title",
    "description",
    "keywords",
    "file-type",
    "skill",
  ]);
});

test("the commands are many", () => {
  assert.ok(skillPages().flatMap(({ text }) => commandsIn(text)).length > 30);
});
