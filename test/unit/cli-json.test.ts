/** The output of `--json` matches its schema in docs/schemas. */
import assert from "node:assert/strict";
import { copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { writeCliDocs } from "../../scripts/cli-docs.ts";
import { DEFINITIONS } from "../../src/cli/command-definitions.ts";
import { SCHEMAS } from "../../src/cli/output-schemas.ts";
import {
  encodeJsonlEntry,
  encodeJsonlHeader,
  encodeMarkdownEntry,
  encodeMarkdownHeader,
  type TranscriptEntry,
} from "../../src/transcript/format/formats.ts";
import { at, sampleSession, SESSION, storeSession } from "../support/cli/claude-lines.ts";
import { jsonLines, runCli } from "../support/cli/run-cli.ts";
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
  ["errors", "SESSION", "--json", "--locate", "--fixes"],
  ["tail", "SESSION", "--json"],
  ["export", "SESSION", "--json"],
];

const ON_HOME: readonly string[][] = [
  ["init", "--json"],
  ["init", "--json", "--dry-run"],
  ["list", "--json", "--subagents"],
  ["find", "the", "--json"],
  ["find", "e", "--json", "--limit", "50"],
  ["doctor", "--json"],
  ["stats", "--all", "--json", "--by", "project"],
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
    tokens: { input: 5, output: 6 },
    cost: 0.01,
  },
];

function transcript(format: "markdown" | "jsonl"): string {
  const header = { version: 1, sessionID: `ses_${format}`, title: "Listing", created: at(0) } as const;
  const options = { filePath: `ses_${format}.md`, maxInlineChars: 5_000 };
  const [encodeHeader, encodeEntry] =
    format === "markdown" ? [encodeMarkdownHeader, encodeMarkdownEntry] : [encodeJsonlHeader, encodeJsonlEntry];
  return encodeHeader(header, options) + ENTRIES.map((entry) => encodeEntry(entry, options)).join("");
}

/** Runs a command and holds each object that it prints against the schema; how many there were. */
async function check(home: string, argv: readonly string[]): Promise<number> {
  const [name = ""] = argv;
  const { stdout, exitCode, stderr } = await runCli(argv, { home });
  assert.ok(exitCode < 2, `${argv.join(" ")}: ${stderr}`);
  const options = DEFINITIONS.find((each) => each.name === name)?.options ?? [];
  const isObject = options.some(({ json }) => json === "object");
  const objects = isObject ? (stdout === "" ? [] : [JSON.parse(stdout)]) : jsonLines(stdout);
  const schema = new Map<string, z.ZodType>(Object.entries(SCHEMAS)).get(name);
  assert.ok(schema, name);
  for (const object of objects) {
    const problem: string | undefined = schema?.safeParse(object).error?.message;
    assert.equal(problem, undefined, `${argv.join(" ")}: ${problem} ${JSON.stringify(object).slice(0, 500)}`);
    const [first] = Object.entries(z.record(z.string(), z.unknown()).parse(object));
    assert.deepEqual(first, name === "errors" ? ["tool_name", first?.[1]] : ["version", 1]);
  }
  return objects.length;
}

describe("JSON of the commands", () => {
  test("each command that has JSON has a schema, and no other", () => {
    const named = DEFINITIONS.filter(({ options }) => options.some(({ json }) => json)).map(({ name }) => name);
    assert.deepEqual(named.toSorted(), Object.keys(SCHEMAS).toSorted());
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

test("docs/cli and docs/schemas are up to date (if not: node scripts/cli-docs.ts)", async () => {
  const made = makeTempDir();
  await writeCliDocs(made);
  for (const part of ["cli", "schemas"]) {
    const names = readdirSync(join(REPOSITORY, "docs", part)).toSorted();
    assert.deepEqual(names, readdirSync(join(made, part)).toSorted());
    for (const name of names)
      assert.equal(
        readFileSync(join(REPOSITORY, "docs", part, name), "utf8"),
        readFileSync(join(made, part, name), "utf8"),
      );
  }
}, 60_000);
