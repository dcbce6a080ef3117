/** The output of `--json` is as docs/json.md says. */
import assert from "node:assert/strict";
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { writeCliDocs } from "../../scripts/cli-docs.ts";
import { allCommands } from "../../src/cli/commands/all-commands.ts";
import {
  encodeJsonlEntry,
  encodeJsonlHeader,
  encodeMarkdownEntry,
  encodeMarkdownHeader,
  type TranscriptEntry,
} from "../../src/transcript/format/formats.ts";
import { at, sampleSession, SESSION, storeSession } from "../support/cli/claude-lines.ts";
import { isDocumented, outputOf, rowsOf } from "../support/cli/json-output.ts";
import { runCli } from "../support/cli/run-cli.ts";
import { SESSION_KINDS, testSessions } from "../support/parse/session-files.ts";
import { REPOSITORY } from "../support/repository.ts";
import { afterAll, describe, test } from "../support/runner.ts";
import { makeTempDir, removeTempDirs } from "../support/temp-dir.ts";

afterAll(removeTempDirs);

const COMMANDS: readonly string[][] = [
  ["show", "SESSION", "--json", "--with-tools", "--with-thinking"],
  ["show", "SESSION", "--json", "--summary"],
  ["stats", "SESSION", "--json"],
  ["stats", "SESSION", "--json", "--by", "session"],
  ["timeline", "SESSION", "--json"],
  ["entries", "SESSION"],
  ["errors", "SESSION", "--json"],
  ["errors", "SESSION", "--json", "--fixes"],
  ["tail", "SESSION", "--json"],
  ["export", "SESSION", "--json"],
];

const ON_HOME: readonly string[][] = [
  ["init", "--yes", "--json"],
  ["list", "--json", "--subagents"],
  ["find", "the", "--json"],
  ["find", "e", "--json", "--limit", "50"],
  ["fixes", "--json"],
  ["doctor", "--json"],
  ["stats", "--json", "--by", "project"],
];

const ENTRIES: readonly TranscriptEntry[] = [
  { type: "user", timestamp: at(0), content: "List it", parts: [] },
  { type: "tool_use", timestamp: at(1), tool: "bash", callID: "c1", input: { command: "ls" } },
  {
    type: "tool_result",
    timestamp: at(2),
    tool: "bash",
    callID: "c1",
    input: { command: "ls" },
    output: "no",
    status: "error",
  },
  {
    type: "assistant",
    timestamp: at(3),
    content: "It failed.",
    model: "acme/m-1",
    messageID: "msg_a",
  },
  {
    type: "session_event",
    timestamp: at(3),
    messageID: "msg_a",
    name: "usage",
    data: { model: "acme/m-1", tokens: { input: 5, output: 6 }, cost: 0.01 },
  },
];

function transcript(format: "markdown" | "jsonl"): string {
  const header = { version: 1, sessionID: `ses_${format}`, title: "Listing", created: at(0) } as const;
  const options = { filePath: `ses_${format}.md`, maxInlineChars: 5_000 };
  const [encodeHeader, encodeEntry] =
    format === "markdown" ? [encodeMarkdownHeader, encodeMarkdownEntry] : [encodeJsonlHeader, encodeJsonlEntry];
  return encodeHeader(header, options) + ENTRIES.map((entry) => encodeEntry(entry, options)).join("");
}

/** Runs a command and holds each object that it prints against docs/json.md; returns how many there were. */
async function check(home: string, argv: readonly string[]): Promise<number> {
  const [command = ""] = argv;
  const { stdout, exitCode, stderr } = await runCli(argv, { home });
  assert.ok(exitCode < 2, `${argv.join(" ")}: ${stderr}`);
  assert.ok(isDocumented(command), command);
  const isObject = stdout.startsWith("{\n") || (command === "export" && stdout !== "");
  const objects = isObject ? [outputOf(command, stdout)] : rowsOf(command, stdout);
  for (const object of objects) {
    const [first] = Object.entries(object);
    assert.deepEqual(first, command === "errors" ? ["tool_name", first?.[1]] : ["version", 1]);
  }
  return objects.length;
}

describe("JSON of the commands", () => {
  test("docs/json.md has each command with JSON, and no other", async () => {
    const named = (await allCommands()).flatMap(({ runnable }) => {
      const name = runnable.definition.name();
      const each = "parsed" in runnable ? [runnable.definition] : runnable.commands.map(({ definition }) => definition);
      const withJson = each.filter(({ options }) => options.some(({ long }) => long === "--json"));
      return withJson.map((definition) => ("parsed" in runnable ? name : `${name} ${definition.name()}`));
    });
    const page = readFileSync(join(REPOSITORY, "docs/json.md"), "utf8");
    assert.deepEqual([...page.matchAll(/^### (.*)$/gm)].map(([, name = ""]) => name).toSorted(), named.toSorted());
  });

  const home = makeTempDir();
  mkdirSync(join(home, ".git"));
  mkdirSync(join(home, ".openfleet/transcripts"), { recursive: true });
  storeSession(home, sampleSession());
  const sessions = { "claude-code": SESSION, markdown: "ses_markdown", jsonl: "ses_jsonl" };
  for (const format of ["markdown", "jsonl"] as const) {
    const extension = format === "markdown" ? "md" : "jsonl";
    writeFileSync(join(home, `.openfleet/transcripts/ses_${format}.${extension}`), transcript(format));
  }

  for (const argv of ON_HOME) {
    test(argv.join(" "), async () => assert.ok((await check(home, argv)) > 0));
  }

  for (const [source, session] of Object.entries(sessions)) {
    for (const argv of COMMANDS) {
      test(`${source}: ${argv.join(" ")}`, async () => {
        const named = argv.map((word) => (word === "SESSION" ? session : word));
        assert.ok((await check(home, named)) > 0);
      });
    }
  }

  testSessions("session files", SESSION_KINDS, async (files) => {
    const home = makeTempDir();
    mkdirSync(join(home, ".claude/projects/-w"), { recursive: true });
    for (const [at, { name, path }] of files.filter((_, index) => index % 6 === 0).entries()) {
      for (const argv of COMMANDS)
        await check(
          home,
          argv.map((word) => (word === "SESSION" ? path : word)),
        );
      if (name.startsWith("claude-code")) copyFileSync(path, join(home, `.claude/projects/-w/${at}.jsonl`));
    }
    for (const argv of ON_HOME) await check(home, argv);
  });
});

test("docs/cli.md is up to date (if not: bun scripts/cli-docs.ts)", async () => {
  const made = makeTempDir();
  await writeCliDocs(made);
  const [there, wanted] = [join(REPOSITORY, "docs/cli.md"), join(made, "cli.md")].map((path) =>
    readFileSync(path, "utf8"),
  );
  assert.ok(there === wanted, "bun scripts/cli-docs.ts");
});
