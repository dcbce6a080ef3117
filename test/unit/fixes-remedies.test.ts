/** What fixed a failed call: the edits and commands that made the difference, and what changed in the call. */
import assert from "node:assert/strict";
import { findFixes } from "../support/fixes.ts";
import type { ToolFix } from "../../src/fixes/find-fixes.ts";
import { bash, done, failed, makeSession, type MadeCall } from "../support/made-session.ts";
import { describe, test } from "../support/runner.ts";

const NOT_READ = "File has not been read yet. Read it first before writing to it.";
const edit = (file_path: string, old_string = "old text", new_string = "new text"): MadeCall =>
  done("Edit", { file_path, old_string, new_string });
const ok = (command: string, result?: string): MadeCall => done("Bash", bash(command), result);
const bad = (command: string, result: string): MadeCall => failed("Bash", bash(command), result);

function fixOf(calls: readonly MadeCall[]): { fix: ToolFix; steps: number[] } {
  const made = makeSession(calls.map((call) => ({ calls: [call] })));
  const [fix] = findFixes(made.messages, made.blocks, made.calls);
  assert.ok(fix?.fix, "not fixed");
  return { fix, steps: fix.steps.map(({ call }) => made.calls.indexOf(call)) };
}

const TYPES = "Exit code 2\nsrc/cart.ts(3,5): error TS2322: Type 'string' is not assignable to type 'number'.";
const TESTS =
  "Exit code 1\nnot ok 1 - adds up the prices\n  location: '/work/app/price.test.mjs:4:1'\n  expected: 3, actual: 21";

/** The first call failed; the places of the steps are counted from it. */
const cases: Record<string, [name: string, calls: MadeCall[], steps: number[]][]> = {
  "the edits of what the failure was about": [
    [
      "a file that the error names, not another one",
      [
        bad("npx tsc --noEmit", TYPES),
        edit("/work/app/README.md"),
        edit("src/menu.ts"),
        edit("src/cart.ts"),
        ok("npx tsc --noEmit"),
      ],
      [3],
    ],
    [
      "the code that a failed test of the same folder tests",
      [bad("node --test", TESTS), edit("/work/app/price.mjs"), ok("node --test")],
      [1],
    ],
    [
      "not one outside of the folder that the command works on",
      [bad("node --test", TESTS), edit("/work/other/price.mjs"), edit("/work/app/price.mjs"), ok("node --test")],
      [2],
    ],
    [
      "a patch, and an edit by a program",
      [
        bad("npx tsc --noEmit", TYPES),
        done("apply_patch", { input: "*** Begin Patch\n*** Update File: src/cart.ts\n-a\n+b\n*** End Patch" }),
        ok("sed -i 's/string/number/' src/cart.ts"),
        ok("npx tsc --noEmit"),
      ],
      [1, 2],
    ],
    [
      "those after the last attempt that had the same error",
      [
        bad("npx tsc --noEmit", TYPES),
        edit("src/cart.ts", "first idea"),
        bad("npx tsc --noEmit", TYPES),
        edit("src/cart.ts", "second idea"),
        ok("npx tsc --noEmit"),
      ],
      [3],
    ],
    [
      "those before an attempt that failed for another reason",
      [
        bad("npx tsc --noEmit", TYPES),
        edit("src/cart.ts"),
        bad("npx tsc --noEmit", "Exit code 2\nsrc/menu.ts(1,1): error TS2304: Cannot find name 'price'."),
        edit("src/menu.ts"),
        ok("npx tsc --noEmit"),
      ],
      [1],
    ],
    [
      "none where the surroundings were wrong",
      [
        bad("npm test", "ERR_PNPM_UNSUPPORTED_ENGINE  Unsupported environment (bad pnpm and/or Node.js version)"),
        edit("/work/app/src/cart.ts"),
        ok("nvm use 20 && npm test"),
      ],
      [],
    ],
    [
      "none where git refuses a push",
      [
        bad(
          "git push",
          "fatal: The current branch cart has no upstream branch.\n\n    git push --set-upstream origin cart",
        ),
        edit("/work/app/src/cart.ts"),
        ok("git push"),
      ],
      [],
    ],
    [
      "also of the configuration of the program",
      [
        bad("golangci-lint run", "Exit code 1\nstats.go:3:5: error is not wrapped (wrapcheck)"),
        edit("/work/app/.golangci.yaml"),
        edit("/work/app/stats.go"),
        edit("/work/app/menu.go"),
        ok("golangci-lint run"),
      ],
      [1, 2],
    ],
    [
      "of a dependency, which is then installed",
      [
        bad("mix test", "Exit code 2\nPlease add to your mix.exs: {:lazy_html, only: :test}"),
        edit("/work/app/mix.exs"),
        ok("mix deps.get"),
        ok("mix test"),
      ],
      [1, 2],
    ],
    [
      "none where what runs the call failed",
      [bad("npm test", "Command failed: cygpath -u"), edit("/work/app/src/cart.ts"), ok("npm test")],
      [],
    ],
  ],
  "the commands that did something about it": [
    [
      "a missing package is installed",
      [
        bad("node app.mjs", "Error: Cannot find package 'zod'"),
        ok("git log -1"),
        ok("npm install zod"),
        ok("node app.mjs"),
      ],
      [2],
    ],
    [
      "the one that is missing rather than others",
      [
        bad("gitleaks version", "command not found: gitleaks"),
        ok("brew install bfg"),
        ok("brew install gitleaks"),
        ok("gitleaks version"),
      ],
      [2],
    ],
    [
      "the way into the right folder",
      [
        bad("git remote -v", "fatal: not a git repository (or any of the parent directories): .git"),
        ok("cd /work/app && pwd"),
        ok("ls"),
        ok("git remote -v"),
      ],
      [1],
    ],
    [
      "a service is started",
      [
        bad("npm run seed", "Error: connect ECONNREFUSED 127.0.0.1:5432"),
        edit("/work/app/src/cart.ts"),
        ok("docker compose up -d db"),
        ok("npm run seed"),
      ],
      [2],
    ],
    [
      "a formatter mends what lint found, and a check mends nothing",
      [
        bad("bun run lint", "Exit code 1\nsrc/a.ts format\n  Formatter would have printed the following content:"),
        ok("bun run lint:fix"),
        ok("bun test src/a.test.ts"),
        ok("bun run lint"),
      ],
      [1],
    ],
    [
      "a file that is in the way is removed, by its whole path too",
      [
        bad("erk check", "[FAIL] .erk/impl-context/ still present (should be removed before submission)"),
        ok("ls /work/app/.erk/impl-context"),
        ok("rm -rf /work/app/.erk/impl-context/"),
        ok("git pull --rebase origin main"),
        ok("erk check"),
      ],
      [2],
    ],
    [
      "what the error recommends",
      [
        bad(
          "npx playwright test",
          "Executable doesn't exist\nPlease run the following command: npx playwright install",
        ),
        edit("/work/app/README.md"),
        ok("npx playwright install"),
        ok("npx playwright test"),
      ],
      [2],
    ],
    [
      "the only command between the two",
      [bad("./deploy.sh", "Error: the region is not set"), ok("./set-region.sh eu"), ok("./deploy.sh")],
      [1],
    ],
    [
      "on another machine too, where one of several calls changed something",
      [
        bad("dig a.example @10.0.0.1", "connection timed out; no servers could be reached"),
        ok("ssh root@10.0.0.1 'nft list chain inet fw4 input'"),
        ok("ssh root@10.0.0.1 '/etc/init.d/dnsmasq restart'"),
        ok("dig a.example @10.0.0.1"),
      ],
      [2],
    ],
    ["nothing that only looks", [bad("./deploy.sh", "Error: it is busy"), ok("ps aux"), ok("./deploy.sh")], []],
  ],
  "an edit that was refused": [
    [
      "the file is read, then the same call is made",
      [
        failed("Edit", { file_path: "a.ts", old_string: "x", new_string: "y" }, NOT_READ),
        done("Read", { file_path: "a.ts" }),
        edit("a.ts", "x", "y"),
      ],
      [1],
    ],
    [
      "other edits of the file are none",
      [
        failed("Edit", { file_path: "a.ts", old_string: "x", new_string: "y" }, NOT_READ),
        done("Read", { file_path: "a.ts" }),
        edit("a.ts", "first line", "another line"),
        edit("a.ts", "x", "y"),
      ],
      [1],
    ],
    [
      "another file that is read is none",
      [
        failed("Edit", { file_path: "a.ts", old_string: "x", new_string: "y" }, NOT_READ),
        done("Read", { file_path: "b.ts" }),
        edit("a.ts", "x", "y"),
      ],
      [],
    ],
  ],
};

describe("what fixed a failed call", () => {
  for (const [family, list] of Object.entries(cases)) {
    describe(family, () => {
      for (const [name, calls, steps] of list) test(name, () => assert.deepEqual(fixOf(calls).steps, steps));
    });
  }

  test("an edit is shown as its diff", () => {
    const { fix } = fixOf([
      bad("node --test", TESTS),
      edit("/work/app/price.mjs", "const sum =\n  a + b;\nexport", "const sum =\n  Number(a) + Number(b);\nexport"),
      ok("node --test"),
    ]);
    assert.deepEqual(
      fix.steps.map(({ diff }) => diff),
      [" const sum =\n-  a + b;\n+  Number(a) + Number(b);\n export"],
    );
  });
});

describe("calls that made no difference", () => {
  test("a command that is still running has not passed", () => {
    const running = "Chunk ID: 1f6b3c\nWall time: 30.0014 seconds\nProcess running with session ID 86689\nOutput:\n";
    const run = { cmd: "go test ./..." };
    const { fix } = fixOf([
      failed("exec_command", run, "Process exited with code 1\nOutput:\n--- FAIL: TestSum"),
      done("exec_command", run, running),
      done("exec_command", run, "Process exited with code 0\nOutput:\nok"),
    ]);
    assert.match(fix.fix?.result_text ?? "", /exited with code 0/);
  });

  test("a look for a program, and another try that failed", () => {
    const missing = "zsh:1: command not found: go";
    const { fix, steps } = fixOf([
      bad("go run ./cmd/app", missing),
      ok("command -v mise || true", "/bin/mise"),
      ok("mise tasks"),
      bad("cd cmd && go run ./app", missing),
      ok("mise exec -- go run ./cmd/app"),
    ]);
    assert.deepEqual(steps, []);
    assert.equal(fix.diff, "-go run ./cmd/app\n+mise exec -- go run ./cmd/app");
  });
});

describe("a command in the wrong folder", () => {
  test("is fixed by the right folder, not by what was done in between", () => {
    const status = (workdir: string): object => ({ cmd: "git status --short", workdir });
    const { fix, steps } = fixOf([
      failed("exec_command", status("/work/a"), "fatal: not a git repository (or any of the parent directories): .git"),
      done("exec_command", { cmd: "tracker create --title plan", workdir: "/work/b" }),
      done("exec_command", status("/work/b")),
    ]);
    assert.deepEqual([steps, fix.diff], [[], "-/work/a\n+/work/b"]);
  });

  test("a look at the configuration is no remedy", () => {
    const { fix, steps } = fixOf([
      bad("git fetch origin", "fatal: repository 'https://a.example/x.git/' not found"),
      ok("git config --show-origin --get-regexp '^remote' || true"),
      ok("git remote set-url origin https://a.example/y.git && git fetch origin"),
    ]);
    assert.deepEqual(steps, []);
    assert.match(fix.diff, /set-url/);
  });
});

describe("what changed in the call", () => {
  const changed = (before: MadeCall, after: MadeCall, ...between: MadeCall[]): string =>
    fixOf([before, ...between, after]).fix.diff;

  test("shows a flag that was refused", () => {
    const [before, after] = ["gh pr diff 104 --stat", "gh pr diff 104 --name-only"];
    assert.equal(changed(bad(before, "unknown flag: --stat"), ok(after)), `-${before}\n+${after}`);
  });

  for (const [name, before, after] of [
    ["a description", { command: "make", description: "Builds" }, { command: "make", description: "Builds again" }],
    ["a time limit", { command: "make", timeout: 1_000 }, { command: "make", timeout: 9_000 }],
    ["one of the command", { command: "dig a.example +timeout=3" }, { command: "dig a.example +timeout=9" }],
    ["what is done with the output", { command: "make 2>&1" }, { command: "make 2>&1 | tail -20" }],
  ] as const) {
    test(`not ${name}`, () => assert.equal(changed(failed("Bash", before, "It broke"), done("Bash", after)), ""));
  }

  test("shows a description that was demanded", () => {
    const refusal = 'The bash tool was called with invalid arguments: SchemaError(Missing key\n  at ["description"]).';
    const after = done("bash", { command: "ls src", description: "Lists" });
    assert.equal(changed(failed("bash", { command: "ls src" }, refusal), after), "@@ description\n+Lists");
  });

  test("shows a limit only if the error is about it", () => {
    const before = { file_path: "a.ts", limit: 5 };
    const after = done("Read", { file_path: "a.ts", limit: 10 });
    assert.equal(changed(failed("Read", before, "The server is gone"), after), "");
    assert.equal(changed(failed("Read", before, "Limit is too small"), after), "-5\n+10");
  });

  test("not another look besides the same command", () => {
    assert.equal(changed(bad("./deploy.sh", "Error: it is busy"), ok("git log -1 && ./deploy.sh")), "");
    assert.match(changed(bad("./deploy.sh", "Error: it is busy"), ok("cd web && ./deploy.sh")), /^-/);
  });

  test("not where what runs the call failed", () => {
    assert.equal(changed(bad("ls src", "Command failed: cygpath -u"), ok("ls -la src")), "");
  });

  test("not an edit that is another one than the failed one, where what runs it failed", () => {
    const before = { file_path: "a.md", old_string: "the old address of the server", new_string: "the new one" };
    const made = makeSession([
      { calls: [failed("Edit", before, "Command failed: cygpath -u")] },
      { calls: [edit("a.md", "old address of the server, all of it", "new one of the server")] },
    ]);
    assert.equal(findFixes(made.messages, made.blocks, made.calls)[0]?.fix, null);
  });

  test("what the command is allowed to do", () => {
    const command = { cmd: "gh auth status", yield_time_ms: 1_000 };
    const after = { cmd: "gh auth status", yield_time_ms: 30_000, sandbox_permissions: "require_escalated" };
    assert.equal(
      changed(failed("exec_command", command, "The token in default is invalid."), done("exec_command", after)),
      "@@ sandbox_permissions\n+require_escalated",
    );
  });

  test("not where an edit made the difference", () => {
    assert.equal(changed(bad("node --test", TESTS), ok("node --test --watch=no"), edit("/work/app/price.mjs")), "");
  });

  test("not between two tools", () => {
    const input = { file_path: "a.ts", old_string: "let total = 1", new_string: "let total = 2" };
    const write = done("Write", { file_path: "a.ts", content: "let total = 2\nlet other = 3" });
    assert.equal(changed(failed("Edit", input, "String to replace not found in file."), write), "");
  });

  test("of an edit only the text that it replaces", () => {
    const before = { file_path: "a.ts", old_string: "function sum(a, b)", new_string: "function sum(a, b, c)" };
    const after = edit("a.ts", "export function sum(a, b)", "export function sum(a, b, c)");
    assert.equal(
      changed(failed("Edit", before, "String to replace not found in file."), after),
      "-function sum(a, b)\n+export function sum(a, b)",
    );
  });

  test("a long text is cut, and says so", () => {
    const lines = (word: string): string => Array.from({ length: 2_000 }, (_, at) => `${word} ${at}`).join("\n");
    const text = changed(
      failed("mcp__notes__save", { title: "a", body: lines("one") }, "timeout"),
      done("mcp__notes__save", { title: "a", body: `${lines("one")}\n${lines("two")}` }),
    );
    assert.match(text, /\n … \d{4} more lines$/);
  });
});
