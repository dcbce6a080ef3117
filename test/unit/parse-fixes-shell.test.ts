import assert from "node:assert/strict";
import { plainCommands } from "../../src/calls/shell-commands.ts";
import { describe, test } from "../support/runner.ts";

/** Each command as `program words`, with `!` if its success is known, and its role unless it is final. */
const commands = (line: string): string[] =>
  plainCommands(line).map(({ program, words, assured, role }) =>
    [
      `${assured ? "!" : "?"}${program}`,
      ...words.map(({ text }) => text),
      ...(role === "final" ? [] : [`(${role})`]),
    ].join(" "),
  );

describe("plainCommands", () => {
  const lines: [string, string, string[]][] = [
    ["a command", "go test ./...", ["!go test ./..."]],
    ["what stands before it", "cd a && FOO=1 sudo -E timeout 60 /usr/bin/time -p go test", ["!go test"]],
    ["what stands behind it", "go test 2>&1 | tail -5 | tee log", ["?go test"]],
    ["a chain", "a && b && c", ["!a (before)", "!b (before)", "!c"]],
    ["alternatives", "a || b", ["?a", "?b"]],
    ["a list", "a; b", ["?a (apart)", "!b"]],
    ["a list that stops at failures", "set -e; a; b", ["!a (before)", "!b"]],
    ["a pipe that does", "set -o pipefail; a | tail", ["!a"]],
    ["in the background", "a & b", ["?a (apart)", "!b"]],
    ["only bystanders", "cd a", ["!cd a"]],
    ["a report behind it", "npm test; echo $?", ["?run script test"]],
    ["what feeds it", "yes | apt-get install jq", ["!apt-get install jq"]],
    ["what it is fed by xargs", "find . -name a | xargs -r grep b", ["!grep b"]],
    ["a shell in a shell", "bash -lc 'cd a && make b'", ["!make b"]],
    [
      "runners",
      "npx vitest run; uv run pytest a; bundle exec rspec",
      ["?vitest run (apart)", "?pytest a (apart)", "!rspec"],
    ],
    [
      "scripts of a package",
      "npm run build; yarn build; npm t; bun run x",
      ["?run script build (apart)", "?run script build (apart)", "?run script test (apart)", "!run script x"],
    ],
    [
      "installing",
      "npm i -D a; pnpm add a; yarn",
      ["?install packages -D a (apart)", "?install packages a (apart)", "!install packages"],
    ],
    [
      "scripts of an interpreter",
      "python3.12 a/b.py -x; node c.mjs; sh d.sh",
      ["?b.py -x (apart)", "?c.mjs (apart)", "!d.sh"],
    ],
    ["modules of python", "python3 -m pytest a", ["!pytest a"]],
    ["code is no script", "python3 -c 'x.py'", ["!python -c x.py"]],
    ["a loop", "for f in *.ts; do tsc $f; done", ["?tsc $f"]],
    ["nothing", "", []],
  ];
  for (const [name, line, expected] of lines) {
    test(name, () => assert.deepEqual(commands(line), expected));
  }

  test("shells in shells are opened a few times only", () => {
    assert.deepEqual(commands(`bash -c "${"sh -c '".repeat(100)}`), ["!sh"]);
  });
});
