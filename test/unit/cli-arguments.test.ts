import assert from "node:assert/strict";
import { DEFINITIONS } from "../../src/cli/command-definitions.ts";
import { readArguments } from "../../src/cli/read-arguments.ts";
import { readDate } from "../../src/parse/read-date.ts";
import { describe, test } from "../support/runner.ts";

const NOW = new Date(2026, 2, 10, 15, 30);
const read = (...argv: string[]): ReturnType<typeof readArguments> => readArguments(argv, { columns: 80, now: NOW });

function wrong(...argv: string[]): string {
  const result = read(...argv);
  assert.equal(result.kind, "wrong");
  return result.kind === "wrong" ? result.message : "";
}

describe("arguments", () => {
  test("options come under their long name, as the definition says", () => {
    const result = read("list", "--recent", "5", "--since", "2026-01-31", "--today", "--project", "x");
    assert.equal(result.kind, "command");
    if (result.kind !== "command") return;
    assert.equal(result.definition.name, "list");
    assert.deepEqual(
      { ...result.options },
      { redact: true, recent: 5, since: new Date(2026, 0, 31), today: true, project: "x" },
    );
  });

  test("a session may be -, and a term may begin with a dash after --", () => {
    const show = read("show", "-");
    assert.deepEqual(show.kind === "command" && show.arguments, ["-"]);
    const find = read("find", "--limit", "3", "--", "--json");
    assert.deepEqual(find.kind === "command" && [find.arguments, find.options["limit"]], [["--json"], 3]);
  });

  for (const [argv, says] of [
    [["shw", "x"], /unknown command 'shw'\n\(Did you mean show\?\)/],
    [["show", "x", "--jsn"], /unknown option '--jsn'\n\(Did you mean --json\?\)/],
    [["show"], /missing required argument 'SESSION'/],
    [["show", "a", "b"], /too many arguments/],
    [["show", "x", "--last", "0"], /--last.*whole number above 0/],
    [["show", "x", "--last", "-3"], /--last/],
    [["list", "--since", "soon"], /--since.*Give a date such as/],
    [["list", "--since", "2026-02-31"], /--since.*Give a date such as/],
    [["list", "--agent", "slack"], /Allowed choices are claude-code, opencode, kilo/],
    [["find", "x", "--role", "cat"], /Allowed choices are user, assistant, tool/],
    [["completion", "csh"], /Allowed choices are bash, zsh, fish/],
    [["show", "x", "--last"], /argument missing/],
  ] as const) {
    test(`wrong: ${argv.join(" ")}`, () => {
      const message = wrong(...argv);
      assert.match(message, says);
      assert.match(message, /^transcripts: /);
      assert.match(message, /Run `transcripts .*--help`/);
    });
  }

  test("no arguments print the help", () => {
    const result = read();
    assert.equal(result.kind, "text");
    assert.deepEqual(result, read("--help"));
  });

  test("the help of each command has its options, arguments and examples", () => {
    for (const { name, options, arguments: args, examples } of DEFINITIONS) {
      const words = name.split(" ");
      const help = read(...words, "--help");
      assert.equal(help.kind, "text", name);
      if (help.kind !== "text") continue;
      for (const { flags } of options) assert.ok(help.text.includes(flags), `${name} ${flags}`);
      for (const argument of args) assert.ok(help.text.includes(argument.name), `${name} ${argument.name}`);
      for (const { command } of examples) assert.ok(help.text.includes(command), `${name} ${command}`);
      assert.deepEqual(help, read("help", ...words));
    }
  });

  test("every example is a command line that can be read", () => {
    for (const { examples } of DEFINITIONS) {
      for (const { command } of examples) {
        const [own = ""] = command.split(/ [|><] /);
        const argv = own
          .split(" ")
          .slice(1)
          .map((word) => word.replaceAll('"', ""));
        // A term in quotes was one argument.
        const joined = own.includes('"') ? ["find", "connection refused"] : argv;
        assert.equal(read(...joined).kind, "command", command);
      }
    }
  });

  test("no line of the help is wider than the terminal", () => {
    const help = readArguments(["show", "--help"], { columns: 60, now: NOW });
    const [beforeExamples = ""] = help.kind === "text" ? help.text.split("\nExamples:") : [];
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
