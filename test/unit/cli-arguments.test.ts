import assert from "node:assert/strict";
import type { RunnableCommand } from "../../src/cli/command.ts";
import { allCommands, commandsFor } from "../../src/cli/commands/all-commands.ts";
import { parseArguments } from "../../src/cli/program.ts";
import { readDate } from "../../src/parse/read-date.ts";
import { runExamples } from "../../scripts/cli-docs.ts";
import { runCli } from "../support/cli/run-cli.ts";
import { afterAll, describe, test } from "../support/runner.ts";
import { makeTempDir, removeTempDirs } from "../support/temp-dir.ts";

afterAll(removeTempDirs);

const NOW = new Date(2026, 2, 10, 15, 30);
const home = makeTempDir();
/** Examples that end only with their client, need a file, a desktop, a build or a database of a team, or name a session. */
const NOT_RUN = /^(?:serve|archive|mcp|push|tail -f)|--open|--team|0a1b2c3d| < /;

async function helpOf(...argv: string[]): Promise<string> {
  const { stdout, exitCode } = await runCli(argv, { home });
  assert.equal(exitCode, 0, argv.join(" "));
  return stdout;
}

/** Runs the test for each command, by its words. */
async function eachCommand(work: (words: string[], definition: RunnableCommand["definition"]) => Promise<void>) {
  for (const { runnable } of await allCommands()) {
    const name = runnable.definition.name();
    if ("parsed" in runnable) await work([name], runnable.definition);
    else for (const { definition } of runnable.commands) await work([name, definition.name()], definition);
  }
}

test("the help of the program lists all commands and loads none of them, since loading all is slow", async () => {
  const listed = await commandsFor(["--help"]);
  assert.ok(listed.every(({ loaded }) => loaded === undefined));
  const all = (await allCommands()).map(({ runnable }) => runnable.definition);
  const linesOf = (definitions: typeof all): string[] =>
    definitions.map((each) => `${each.helpGroup()} ${each.name()}: ${each.summary()}`);
  assert.deepEqual(linesOf(listed.map(({ definition }) => definition)), linesOf(all));
});

describe("arguments", () => {
  test("words after -- may be a command", async () => {
    assert.match((await runCli(["--", "show", "-"], { home })).stderr, /^transcripts: Standard input is empty/);
  });

  test("a session may be -, and a term may begin with a dash after --", async () => {
    assert.match((await runCli(["show", "-"], { home })).stderr, /^transcripts: Standard input is empty/);
    assert.match((await runCli(["find", "--limit", "3", "--", "--json"], { home })).stderr, /^no sessions found/m);
  });

  for (const [argv, says] of [
    [["shw", "x"], /unknown command 'shw'\n\(Did you mean show\?\)/],
    [["search", "x"], /unknown command 'search'\n\(Did you mean find\?\)\nRun/],
    [["sessions"], /\(Did you mean list\?\)/],
    [["ls"], /\(Did you mean list\?\)/],
    [["grep", "x"], /\(Did you mean find\?\)/],
    [["cost"], /\(Did you mean stats\?\)/],
    [["show", "x", "--jsn"], /unknown option '--jsn'\n\(Did you mean --json\?\)/],
    [["show"], /missing required argument 'SESSION'/],
    [["show", "a", "b"], /too many arguments/],
    [["show", "x", "--last", "0"], /--last.*whole number above 0/],
    [["serve", "--port", "65536"], /--port.*Give a number up to 65535/],
    [["show", "x", "--last", "-3"], /--last/],
    [["list", "--agent", "slack"], /"slack" is not an agent .* Use one of claude-code, opencode, kilo/],
    [["list", "--agent", "goose"], /Sessions of Goose cannot be read yet\. Use one of claude-code/],
    [["find", "x", "--agent", "factory-droid"], /Sessions of Factory Droid cannot be read yet/],
    [["find", "x", "--role", "cat"], /Allowed choices are user, assistant, tool/],
    [["completion", "csh"], /Allowed choices are bash, zsh, fish/],
    [["show", "x", "--last"], /argument missing/],
  ] as const) {
    test(`wrong: ${argv.join(" ")}`, async () => {
      const { stderr, exitCode } = await runCli(argv, { home });
      assert.equal(exitCode, 2);
      assert.match(stderr, says);
      assert.match(stderr, /^transcripts: /);
      assert.match(stderr, /Run `transcripts .*--help`/);
    });
  }

  test("refuses help for an unknown command, and --help after one", async () => {
    for (const [argv, where] of [
      [["help", "nope"], ""],
      [["nope", "--help"], ""],
      [["help", "snippets", "nope"], "snippets "],
    ] as const) {
      const { exitCode, stdout, stderr } = await runCli(argv, { home });
      assert.deepEqual([exitCode, stdout], [2, ""]);
      assert.equal(stderr, `transcripts: unknown command 'nope'\nRun \`transcripts ${where}--help\` for usage.\n`);
    }
  });

  test("no arguments print the help, with commands in groups", async () => {
    const help = await helpOf();
    assert.equal(help, await helpOf("--help"));
    for (const group of ["All sessions:", "One session:", "Keeping and sharing:", "Setting up:"])
      assert.ok(help.includes(`\n${group}\n`), group);
  });

  test("the help of each command has its options, arguments and examples", () =>
    eachCommand(async (words, { options, registeredArguments }) => {
      const help = await helpOf(...words, "--help");
      for (const { flags } of options) assert.ok(help.includes(flags), `${words.join(" ")} ${flags}`);
      for (const argument of registeredArguments) assert.ok(help.includes(argument.name()), words.join(" "));
      assert.match(help, /\nExamples:\n  transcripts /);
      assert.equal(help, await helpOf("help", ...words));
    }));

  test("the examples of help run as they are written", async () => {
    const commands: string[] = [];
    await eachCommand(async (words) => {
      const [, examples = ""] = (await helpOf(...words, "--help")).split("\nExamples:\n");
      for (const [, line = ""] of examples.matchAll(/^  transcripts (.*)$/gm)) {
        const [own = ""] = line.split(/ [|><] /);
        const argv = [...own.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, plain = ""]) => quoted ?? plain);
        assert.equal((await parseArguments(argv, 80)).kind, "command", line);
        if (!NOT_RUN.test(line)) commands.push(own);
      }
    });
    assert.ok(commands.length > 50);
    for (const [command, output] of await runExamples(commands))
      assert.doesNotMatch(output, /^transcripts: /m, command);
  });

  test("no line of the help is wider than the terminal", async () => {
    const { stdout } = await runCli(["show", "--help"], { home, env: { COLUMNS: "60" } });
    const [beforeExamples = ""] = stdout.split("\nExamples:");
    assert.notEqual(beforeExamples, "");
    for (const line of beforeExamples.split("\n")) assert.ok(line.length <= 60, line);
  });
});

describe("dates", () => {
  for (const [text, date] of [
    ["today", new Date(2026, 2, 10)],
    ["yesterday", new Date(2026, 2, 9)],
    ["12h", new Date(2026, 2, 10, 3, 30)],
    ["2026-01-31", new Date(2026, 0, 31)],
    ["2026-01-31T10:00", new Date(2026, 0, 31, 10)],
    ["2026-01-31T10:00:00Z", new Date(Date.UTC(2026, 0, 31, 10))],
    ["2026-01-31T10:00:00+02:00", new Date(Date.UTC(2026, 0, 31, 8))],
    ["", undefined],
    ["now", undefined],
    ["3", undefined],
    ["3x", undefined],
    ["2026-13-01", undefined],
    ["2026-02-30", undefined],
    ["2026-1-1", undefined],
    ["2026-01-31T25:00", undefined],
  ] as const) {
    test(`"${text}"`, () => {
      assert.deepEqual(readDate(text, NOW), date);
    });
  }

  test("days and weeks are counted back from now", () => {
    assert.equal(NOW.getTime() - (readDate("7d", NOW)?.getTime() ?? 0), 7 * 86_400_000);
    assert.deepEqual(readDate("2w", NOW), readDate("14d", NOW));
  });
});
