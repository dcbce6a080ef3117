/**
 * Fixes that are given as advice (`transcripts fixes`, find_fixes): labelled cases whose wrong answers were once given.
 * Outputs are those of the real programs.
 */
import assert from "node:assert/strict";
import { findFixes } from "../support/fixes.ts";
import { bash, done, failed, makeSession, type MadeCall } from "../support/made-session.ts";
import { describe, test } from "../support/runner.ts";

type Run = (command: string, output?: string) => MadeCall;
/** Shell tools of Claude Code, opencode, Gemini CLI and Codex, old and new. */
const SHELLS: Record<string, (command: string) => [tool: string, input: unknown]> = {
  claude: (command) => ["Bash", bash(command)],
  opencode: (command) => ["bash", { command, description: "Runs it" }],
  gemini: (command) => ["run_shell_command", { command, directory: "/work/app" }],
  codex: (command) => ["shell", { command: ["bash", "-lc", command], workdir: "/work/app" }],
  exec: (command) => ["exec_command", { cmd: command }],
};
const bad = (shell: keyof typeof SHELLS, command: string, output: string): MadeCall => {
  const [tool, input] = SHELLS[shell]?.(command) ?? ["Bash", bash(command)];
  return failed(tool, input, output);
};
const runs =
  (shell: keyof typeof SHELLS): Run =>
  (command, output) => {
    const [tool, input] = SHELLS[shell]?.(command) ?? ["Bash", bash(command)];
    return done(tool, input, output);
  };
const claude = runs("claude");
const opencode = runs("opencode");
const gemini = runs("gemini");
const codex = runs("codex");
const exec = runs("exec");

const MODIFIED = "<tool_use_error>File has been modified since read. Read it again.</tool_use_error>";
const edit = (old: string, text: string): object => ({ file_path: "/p/style.css", old_string: old, new_string: text });
const patch = (...lines: string[]): object => ({
  input: ["*** Begin Patch", "*** Update File: src/cart.ts", "@@", ...lines, "*** End Patch"].join("\n"),
});

/** Returns the place of the call that is advice for the first, counted from 0, or null. */
function adviceAmong(calls: readonly MadeCall[]): number | null {
  const { messages, blocks, calls: all } = makeSession(calls.map((call) => ({ calls: [call] })));
  const fix = findFixes(messages, blocks, all)[0]?.fix ?? null;
  return fix === null ? null : all.indexOf(fix);
}

const cases: Record<string, [name: string, calls: MadeCall[], advice: number | null][]> = {
  "the part of the line that failed is run again": [
    [
      "git add, where only the commit is run later",
      [
        bad(
          "claude",
          'git add docs/api.md && git commit -m "Describe the API"',
          "Exit code 128\nfatal: pathspec 'docs/api.md' did not match any files",
        ),
        claude(
          'git commit -m "Describe the API" -a',
          "[main 3f2a1bc] Describe the API\n 1 file changed, 2 insertions(+)",
        ),
      ],
      null,
    ],
    [
      "git add, which is run again",
      [
        bad(
          "codex",
          "git add docs/api.md && git commit -m 'Describe the API'",
          "fatal: pathspec 'docs/api.md' did not match any files",
        ),
        codex("git commit -am 'Describe the API'", "[main 3f2a1bc] Describe the API"),
        codex("git add ./docs/api.md", ""),
      ],
      2,
    ],
    [
      "the push after a commit that went well",
      [
        bad(
          "opencode",
          'git add -A && git commit -m "Fix the cache" && git push',
          "[main 9c81d2e] Fix the cache\n 2 files changed, 10 insertions(+)\nTo github.com:a/b.git\n ! [rejected]        main -> main (fetch first)\nerror: failed to push some refs to 'github.com:a/b.git'",
        ),
        opencode('git commit --amend -m "Fix the cache"', "[main 1c81d2e] Fix the cache"),
        opencode("git pull --rebase", "Successfully rebased"),
        opencode("git push", "To github.com:a/b.git\n   1..2  main -> main"),
      ],
      3,
    ],
    [
      "the commit that a hook refused, not the push that went on later alone",
      [
        bad(
          "claude",
          'git commit -m "Fix the cache" && git push',
          "Exit code 1\nhusky - pre-commit script failed (code 1)",
        ),
        claude("git push", "Everything up-to-date"),
      ],
      null,
    ],
    [
      "a commit that a hook refused in its own words, not the push that went on later alone",
      [
        bad("claude", 'git commit -m "Fix the cache" && git push', "Exit code 1\nThe changelog has no entry for this."),
        claude("git push", "Everything up-to-date"),
      ],
      null,
    ],
    [
      "a build, where only what follows it is run later",
      [
        bad(
          "gemini",
          "npm run build && npm run test:e2e",
          '> shop@1.0.0 build\n> vite build\n\nerror during build:\nCould not resolve entry module "index.html".',
        ),
        gemini("npm run test:e2e", "> shop@1.0.0 test:e2e\n> playwright test\n\n3 passed"),
        gemini("npm run build", "> shop@1.0.0 build\n> vite build\n\nbuilt in 2s"),
      ],
      2,
    ],
    [
      "the tests after a build that went well",
      [
        bad(
          "gemini",
          "npm run build && npm run test:e2e",
          "> shop@1.0.0 build\n> vite build\n\nbuilt in 2s\n\n> shop@1.0.0 test:e2e\n> playwright test\n\n1 failed",
        ),
        gemini("npm run build", "> shop@1.0.0 build\n> vite build\n\nbuilt in 2s"),
        gemini("npm run test:e2e", "> shop@1.0.0 test:e2e\n> playwright test\n\n3 passed"),
      ],
      2,
    ],
    [
      "the type check, where the lint alone passes",
      [
        bad(
          "claude",
          "npx tsc --noEmit && npx eslint src",
          "Exit code 2\nsrc/a.ts(3,5): error TS2345: Argument of type 'string' is not assignable",
        ),
        claude("npx eslint src", ""),
      ],
      null,
    ],
    [
      "a compiler before the program that it makes",
      [
        bad(
          "exec",
          "cargo build --release && ./target/release/app --check",
          "error[E0308]: mismatched types\n --> src/main.rs:4:5",
        ),
        exec("./target/release/app --check", "all fine"),
        exec("cargo build --release", "   Compiling app\n    Finished"),
      ],
      2,
    ],
    [
      "the program after the compiler",
      [
        bad(
          "exec",
          "go build -o app ./cmd/app && ./app serve --once",
          "panic: runtime error: invalid memory address or nil pointer dereference\ngoroutine 1 [running]:\nmain.main()",
        ),
        exec("go build -o app ./cmd/app", ""),
        exec("./app serve --once", "served"),
      ],
      2,
    ],
    [
      "a copy before a start",
      [
        bad(
          "opencode",
          "cp config.sample.yml config.yml && docker compose up -d",
          "cp: cannot stat 'config.sample.yml': No such file or directory",
        ),
        opencode("docker compose up -d", "Container app-db-1  Started"),
      ],
      null,
    ],
    [
      "what is piped: the command that the error names",
      [
        bad(
          "claude",
          "kubectl get pods -n shop | jq '.items'",
          "Exit code 5\njq: parse error: Invalid numeric literal at line 1, column 5",
        ),
        claude("kubectl get pods -n shop", "NAME READY\nweb 1/1"),
        claude("kubectl get pods -n shop -o json | jq '.items'", "[]"),
      ],
      2,
    ],
    [
      "what is piped: a script that got nothing, where it reads another page later",
      [
        bad(
          "claude",
          "curl -s http://localhost:3000/api/orders | python3 -c 'import json,sys; print(len(json.load(sys.stdin)))'",
          "Exit code 1\nTraceback (most recent call last):\njson.decoder.JSONDecodeError: Expecting value: line 1 column 1 (char 0)",
        ),
        claude(
          "curl -s http://localhost:3000/health/live | python3 -c 'import json,sys; print(len(json.load(sys.stdin)))'",
          "2",
        ),
      ],
      null,
    ],
    [
      "what is listed: the command that the error names",
      [
        bad(
          "claude",
          "pytest tests/test_cart.py -q; ls reports",
          "Exit code 2\n=========== FAILURES ===========\nE   assert 3 == 2\n1 failed\nls: cannot access 'reports': No such file or directory",
        ),
        claude("mkdir -p reports && ls reports", "a.xml"),
      ],
      null,
    ],
    [
      "installing before testing",
      [
        bad(
          "codex",
          "pip install -r requirements.txt && pytest -q",
          "ERROR: Could not find a version that satisfies the requirement flaskk==2.0\nERROR: No matching distribution found for flaskk==2.0",
        ),
        codex("pytest -q", "12 passed in 0.41s"),
        codex("pip install -r requirements.txt", "Successfully installed flask-2.0"),
      ],
      2,
    ],
    [
      "a check that says nothing of its own may be any part",
      [
        bad("claude", "./scripts/check.sh && ./scripts/publish.sh", "Exit code 1\nThe state is not clean."),
        claude("./scripts/publish.sh", "published"),
      ],
      null,
    ],
    [
      "of which the whole is run again",
      [
        bad("claude", "./scripts/check.sh && ./scripts/publish.sh", "Exit code 1\nThe state is not clean."),
        claude("git stash"),
        claude("./scripts/check.sh && ./scripts/publish.sh --now", "published"),
      ],
      2,
    ],
    [
      "before a pipe: the command whose end can be that of the line",
      [
        bad("claude", "make lint && make test | tail -3", "Exit code 2\n3 files differ"),
        claude("make test | tail -3", "12 passed"),
        claude("make lint", ""),
      ],
      2,
    ],
    [
      "before a pipe: both, if the line was stopped",
      [
        bad("claude", "make lint && make test | tail -3", "Exit code 143\nCommand timed out after 2m 0s"),
        claude("make lint && timeout 600 make test | tail -3", "12 passed"),
      ],
      1,
    ],
    [
      "the script that bun names",
      [
        bad(
          "claude",
          "bun run lint && bun run types",
          'Exit code 1\n$ biome check\nerror: script "lint" exited with code 1',
        ),
        claude("bun run types", "$ tsc --noEmit"),
        claude("bun run lint", "$ biome check\nChecked 9 files."),
      ],
      2,
    ],
    [
      "what git could not move",
      [
        bad(
          "claude",
          'git mv src/a.go src/b.go && git status --short | grep "b.go"',
          "Exit code 128\nfatal: not under version control, source=src/a.go, destination=src/b.go",
        ),
        claude('git status --short | grep "b.go"', "?? src/b.go"),
      ],
      null,
    ],
    [
      "not what only shows the text that a filter could not read",
      [
        bad(
          "claude",
          "curl -s https://api.example.org/users | jq '.[0].name'",
          "Exit code 5\njq: parse error: Invalid numeric literal at line 1, column 10",
        ),
        claude("curl -s https://api.example.org/users | head -20", "<!DOCTYPE html>"),
      ],
      null,
    ],
    [
      "not another search, where the first found nothing",
      [
        bad("claude", 'ssh root@router "opkg list-installed | grep -i tor"', "Exit code 1\nWelcome to the router"),
        claude('ssh root@router "opkg list-installed | grep -i dns"', "dnsmasq - 2.90"),
      ],
      null,
    ],
  ],
  "a success that prints a failure is none": [
    [
      "but one that repeats warnings of the failure, without what it ended with",
      [
        bad(
          "claude",
          'git commit -m "Add a parser"',
          'Exit code 1\nwarning: could not read the error catalogue\n1 test failed\nerror: script "test" exited with code 1\nhusky - pre-commit script failed (code 1)',
        ),
        claude(
          'git commit -m "Add a parser"',
          "warning: could not read the error catalogue\n[main 4d5e6f7] Add a parser\n 1 file changed",
        ),
      ],
      1,
    ],
    [
      "a report of the exit code after the command",
      [
        bad("opencode", "./check.sh", "3 files differ"),
        opencode("./check.sh; printf '\\nEXIT:%s\\n' $?", "3 files\n\nEXIT:1"),
      ],
      null,
    ],
    [
      "the same findings at places in files",
      [
        bad("claude", "go vet ./...", "Exit code 1\nstore/map.go:20:5: possible misuse of unsafe.Pointer"),
        claude(
          "git stash && go vet ./... | tail -5; git stash pop",
          "store/map.go:20:5: possible misuse of unsafe.Pointer",
        ),
      ],
      null,
    ],
    ...(
      [
        [
          "the same error at another time and place",
          "make deploy",
          "[12:01:07] deploy: connection to 10.0.0.4:22 refused by the host",
          "make deploy 2>&1 | tail -2",
          "[12:09:44] deploy: connection to 10.0.0.9:22 refused by the host",
        ],
        [
          "npm",
          "npm test",
          "AssertionError: expected 3 to be 2",
          "npm test 2>&1 | tail -3",
          "npm error Lifecycle script `test` failed with error:\nnpm error code 1",
        ],
        [
          "Maven",
          "mvn -q verify",
          "[ERROR] cannot find symbol",
          "mvn -q verify | tail -4",
          "[INFO] BUILD FAILURE\n[ERROR] Failed to execute goal",
        ],
        [
          "Gradle",
          "./gradlew check",
          "FAILURE: Build failed with an exception.",
          "./gradlew check | tail -3",
          "BUILD FAILED in 3s\n2 actionable tasks: 2 executed",
        ],
        [
          "Python, of which only the end is shown",
          "python train.py",
          "Traceback (most recent call last):\nKeyError: 'lr'",
          "python train.py 2>&1 | tail -1",
          "ValueError: the shape is wrong",
        ],
        [
          "gcc",
          "gcc -o a a.c",
          "a.c:3:5: error: expected ';'",
          "gcc -o a a.c || true",
          "a.c:9:1: error: unknown type name 'foo'",
        ],
        ["mocha", "npx mocha", "  1 failing", "npx mocha || true", "  4 passing (20ms)\n  2 failing"],
        [
          "an exit code that is printed",
          "./run.sh a",
          "It is broken.",
          './run.sh a; echo "exit: $?"',
          "It is still broken.\nexit: 3",
        ],
        [
          "a count of the errors",
          "npx tsc --noEmit",
          "src/a.ts(1,1): error TS2304: Cannot find name 'x'.",
          "npx tsc --noEmit | grep 'error TS' | wc -l",
          "12",
        ],
        [
          "a crash",
          "./app serve",
          "Segmentation fault (core dumped)",
          "./app serve | head -5",
          "starting\nSegmentation fault (core dumped)",
        ],
        [
          "a script that never fails",
          "node check.js",
          "Error: connect ECONNREFUSED 127.0.0.1:5432 (attempt 3)",
          "node check.js",
          "Error: connect ECONNREFUSED 127.0.0.1:5433 (attempt 1)",
        ],
      ] as const
    ).flatMap(([name, command, error, later, output]): [string, MadeCall[], number][] => [
      [name, [bad("claude", command, `Exit code 1\n${error}`), claude(later, output), claude(command, "fine")], 2],
      [`${name}, in Gemini CLI`, [bad("gemini", command, error), gemini(later, output), gemini(command, "fine")], 2],
    ]),
    ...(
      [
        [
          "no failures",
          "npx jest",
          "Tests:       2 failed, 3 passed, 5 total",
          "npx jest 2>&1 | tail -4",
          "Tests:       0 failed, 5 passed, 5 total",
        ],
        [
          "nothing",
          "npx tsc --noEmit",
          "src/a.ts(1,1): error TS2304: Cannot find name 'x'.",
          "npx tsc --noEmit 2>&1 | head -20",
          "",
        ],
        [
          "no errors to count",
          "npx tsc --noEmit",
          "src/a.ts(1,1): error TS2304: Cannot find name 'x'.",
          "npx tsc --noEmit | grep 'error TS' | wc -l",
          "0",
        ],
        [
          "tests with errors in their names",
          "go test ./...",
          "--- FAIL: TestErrorMessage (0.01s)\nFAIL\texample.org/a\t0.1s",
          "go test ./... 2>&1 | tail -3",
          "ok  \texample.org/a\t0.1s\nok  \texample.org/errors\t0.2s",
        ],
        [
          "a file about errors",
          "cat notes.md",
          "cat: notes.md: Permission denied",
          "sudo cat notes.md | head -20",
          "# Notes\nError: this is what users see\n3 errors in all",
        ],
      ] as const
    ).flatMap(([name, command, error, later, output]): [string, MadeCall[], number][] => [
      [`one that prints ${name}`, [bad("codex", command, error), codex(later, output)], 1],
    ]),
  ],
  "a success with other arguments is none": [
    ...(
      [
        [
          "another command of the group",
          "gh pr merge 12 --squash",
          "GraphQL: Pull Request is not mergeable",
          "gh pr close 12",
        ],
        [
          "another command for the same remote",
          "git remote add origin git@github.com:a/b.git",
          "error: remote origin already exists.",
          "git remote rename origin upstream",
        ],
        [
          "another command of compose",
          "docker compose up web",
          "Error response from daemon: port is already allocated",
          "docker compose build web",
        ],
        [
          "another file to the same place",
          "cp a.txt dist/out",
          "cp: cannot create regular file 'dist/out/a.txt': Permission denied",
          "cp b.txt dist/out",
        ],
        [
          "another branch",
          "git push origin main",
          "remote: Permission to a/b.git denied to c.",
          "git push origin topic",
        ],
        [
          "another package",
          "pip install --upgrade numpy",
          "error: subprocess-exited-with-error",
          "pip install requests",
        ],
        [
          "another package for all",
          "npm ci",
          "npm error code EUSAGE\nnpm error `npm ci` can only install with an existing package-lock.json",
          "npm install -g pnpm",
        ],
        [
          "another package of the tests",
          "go test ./...",
          "--- FAIL: TestSum (0.00s)\n    sum_test.go:9: got 3\nFAIL\texample.org/app/sum\t0.1s",
          "go test ./parse/...",
        ],
        [
          "another file of the tests",
          "npx vitest run",
          " FAIL  test/cart.test.ts > adds\nAssertionError: expected 3 to be 2",
          "npx vitest run test/login.test.ts",
        ],
        [
          "another test by its name",
          "pytest -q",
          "FAILED tests/test_cart.py::test_add - assert 3 == 2",
          "pytest -q -k test_login",
        ],
        [
          "another file in code",
          'python3 -c \'import json; print(json.load(open("a/cart.json"))["id"])\'',
          "KeyError: 'id'",
          'python3 -c \'import json; print(json.load(open("a/user.json"))["id"])\'',
        ],
        [
          "another service than the one that failed",
          "docker compose up web",
          'Container app-web-1 Error\ndependency failed to start: container app-web-1 is unhealthy\nservice "web" has exited',
          "docker compose up api",
        ],
        [
          "another suite than the one that failed",
          "npm test cart",
          " FAIL  cart > adds\nAssertionError: expected 3 to be 2",
          "npm test user",
        ],
        [
          "another place for the same file",
          "kubectl apply -f deploy/cart.yaml -n staging",
          'error when creating "deploy/cart.yaml": the server is currently unable to handle the request',
          "kubectl apply -f deploy/cart.yaml -n development",
        ],
        [
          "another value of an option",
          "helm upgrade cart ./chart --namespace=staging",
          "Error: UPGRADE FAILED: timed out waiting for the condition",
          "helm upgrade cart ./chart --namespace=development",
        ],
        ["another folder", "rm -rf build", "rm: cannot remove 'build': Permission denied", "rm -rf cache"],
        [
          "another name that the error only mentions",
          "kubectl rollout status deployment/cart",
          'error: deployment "cart" exceeded its progress deadline',
          "kubectl rollout status deployment/user",
        ],
        [
          "another branch than the one with conflicts",
          "git merge feature-a",
          "CONFLICT (content): Merge conflict in a.ts\nAutomatic merge of feature-a failed",
          "git merge feature-b",
        ],
        [
          "another configuration",
          "docker build -f deploy/api.Dockerfile .",
          "ERROR: failed to solve: process did not complete",
          "docker build -f deploy/web.Dockerfile .",
        ],
      ] as const
    ).flatMap(([name, command, error, later]): [string, MadeCall[], number | null][] => [
      [name, [bad("opencode", command, error), opencode(later, "done")], null],
      [`${name}, and then the right one`, [bad("exec", command, error), exec(later, "done"), exec(command, "done")], 2],
    ]),
    ...(
      [
        [
          "the right name of the branch",
          "git push origin main",
          "error: src refspec main does not match any",
          "git push origin master",
        ],
        [
          "the test that failed",
          "go test ./...",
          "--- FAIL: TestSum (0.00s)\nFAIL\texample.org/app/sum\t0.1s",
          "go test ./sum",
        ],
        [
          "the file that failed",
          "npx vitest run",
          " FAIL  test/cart.test.ts > adds\nAssertionError: expected 3 to be 2",
          "npx vitest run test/cart.test.ts",
        ],
        [
          "the test by its name",
          "pytest -q",
          "FAILED tests/test_cart.py::test_add - assert 3 == 2",
          "pytest -q -k test_add",
        ],
        [
          "fewer files, of which one failed",
          "npx eslint src/a.ts src/b.ts",
          "/work/app/src/a.ts\n  1:1  error  'x' is not defined\n✖ 1 problem",
          "npx eslint src/a.ts",
        ],
        ["one more option", "pip install numpy", "error: externally-managed-environment", "pip install --user numpy"],
        [
          "the upstream branch",
          "git push",
          "fatal: The current branch topic has no upstream branch.",
          "git push --set-upstream origin topic",
        ],
      ] as const
    ).map(([name, command, error, later]): [string, MadeCall[], number] => [
      `but ${name} is`,
      [bad("claude", command, `Exit code 1\n${error}`), claude(later, "done")],
      1,
    ]),
    [
      "another page that is not missing",
      [
        failed(
          "WebFetch",
          { url: "https://a.example/docs/guide/install", prompt: "How to install" },
          "timeout of 60000ms",
        ),
        done("WebFetch", { url: "https://a.example/docs/guide/limits", prompt: "Which limits" }),
      ],
      null,
    ],
    [
      "another file of a server's tool",
      [
        failed("mcp__git__get_file", { owner: "a", repo: "b", path: "src/cart.ts" }, "rate limit exceeded"),
        done("mcp__git__get_file", { owner: "a", repo: "b", path: "src/user.ts" }),
        done("mcp__git__get_file", { owner: "a", repo: "b", path: "src/cart.ts" }),
      ],
      2,
    ],
    [
      "the output of another task",
      [
        failed("TaskOutput", { task_id: "a12", block: true }, "No task found with ID: a12"),
        done("TaskOutput", { task_id: "b34", block: true }),
      ],
      null,
    ],
    [
      "but not a value that the error refused",
      [
        failed(
          "Task",
          { subagent_type: "reviewer", description: "Review", prompt: "Review the diff of the cart" },
          "Agent type 'reviewer' not found. Available agents: general-purpose, code-review",
        ),
        done("Task", { subagent_type: "code-review", description: "Review", prompt: "Review the diff of the cart" }),
      ],
      1,
    ],
    [
      "but not a field that the error refused",
      [
        failed(
          "mcp__tracker__save_issue",
          { title: "The cart loses items", team: "shop", parentId: "SHOP-12" },
          "Argument Validation Error - parentId must be a UUID.",
        ),
        done("mcp__tracker__save_issue", {
          title: "The cart loses items",
          team: "shop",
          parentId: "6f0c2f0e-52cf-4d5e-9d53-2f4f5f6d7a11",
        }),
      ],
      1,
    ],
    [
      "the check without the part that failed, and then the whole check",
      [
        bad("claude", "cargo test", "Exit code 101\ntest result: FAILED. 8 passed; 1 failed"),
        claude("cargo test -- --skip config", "test result: ok. 8 passed; 0 failed; 1 filtered out"),
        claude("cargo test", "test result: ok. 9 passed; 0 failed"),
      ],
      2,
    ],
    [
      "a check of which a search shows only some lines",
      [
        bad("claude", "make lint", "Exit code 2\nheader.c: no licence\nheader.c: tabs\nmake: *** [lint] Error 1"),
        claude("make lint 2>&1 | grep licence", "All files have a licence."),
        claude("make lint 2>&1 | tail -2", "nothing to complain about"),
      ],
      2,
    ],
    [
      "the tests of another part, by a bare word",
      [
        bad("codex", "cargo test", "test cart::tests::adds ... FAILED\ntest result: FAILED. 8 passed; 1 failed"),
        codex("cargo test invoice", "test result: ok. 3 passed; 0 failed; 6 filtered out"),
        codex("cargo test cart", "test result: ok. 4 passed; 0 failed; 5 filtered out"),
      ],
      2,
    ],
    [
      "another selection, also if the error says that something was not found",
      [
        bad("gemini", "pytest -k cart", "FAILED tests/test_cart.py::test_add - KeyError: item not found"),
        gemini("pytest -k invoice", "2 passed"),
        gemini("pytest -k cart", "3 passed"),
      ],
      2,
    ],
    [
      "one of two files whose tests failed",
      [
        bad(
          "claude",
          "npx vitest run",
          "Exit code 1\n FAIL  test/cart.test.ts > adds\n FAIL  test/user.test.ts > signs in",
        ),
        claude("npx vitest run test/cart.test.ts", "Tests  4 passed (4)"),
        claude("npx vitest run test/user.test.ts test/cart.test.ts", "Tests  7 passed (7)"),
      ],
      2,
    ],
    [
      "an edit of another place with many of the same words",
      [
        failed(
          "Edit",
          edit(
            ".cart-row {\n  margin: 2px;\n  color: red;\n}",
            ".cart-row, .list-row {\n  margin: 2px;\n  color: red;\n}",
          ),
          MODIFIED,
        ),
        done("Edit", edit(".cart {", ".cart, .list {")),
        done("Edit", edit(".cart-row {\n  margin: 2px;", ".cart-row, .list-row {\n  margin: 2px;")),
      ],
      2,
    ],
    [
      "a patch of another place with many of the same words",
      [
        failed(
          "apply_patch",
          patch("-const cart = load(cartPath);", "+const cart = await load(cartPath);"),
          "Failed to find expected lines",
        ),
        done("apply_patch", patch("-  save(cart, cartPath);", "+  await save(cart, cartPath);")),
        done("apply_patch", patch("-  const cart = load(cartPath);", "+  const cart = await load(cartPath);")),
      ],
      2,
    ],
    [
      "a program that says that another one is missing",
      [
        bad("opencode", "command -v tool; tool --version", "zsh: command not found: tool"),
        opencode("sh -c 'tool --version; uname'", "tool binary is missing. Reinstall it.\nDarwin"),
        opencode("command -v tool; tool --version", "/usr/bin/tool\n2.1"),
      ],
      2,
    ],
  ],
};

describe("advice", () => {
  for (const [family, list] of Object.entries(cases)) {
    describe(family, () => {
      for (const [name, calls, expected] of list) test(name, () => assert.equal(adviceAmong(calls), expected));
    });
  }
});
