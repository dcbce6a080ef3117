import assert from "node:assert/strict";
import { findFixes } from "../support/fixes.ts";
import { bash, CWD, done, failed, makeSession, type MadeCall, type Turn } from "../support/made-session.ts";
import { describe, test } from "../support/runner.ts";

const NOT_READ = "File has not been read yet. Read it first before writing to it.";
const NOT_FOUND = "String to replace not found in file.";
const NO_FILE = "File does not exist.";
const BAD_INPUT =
  "InputValidationError: Task failed due to the following issue:\nThe required parameter `prompt` is missing";

const ok = (command: string, result?: string): MadeCall => done("Bash", bash(command), result);
const bad = (command: string, result?: string): MadeCall => failed("Bash", bash(command), result);
const edit = (file_path: string, old_string: string, new_string: string): object => ({
  file_path,
  old_string,
  new_string,
});

/** One call a message, in order. */
const inOrder = (calls: readonly MadeCall[]): Turn[] => calls.map((call) => ({ calls: [call] }));

/** The place of the fix of the first call among the others, or null. */
function fixAmong(calls: readonly MadeCall[]): number | null {
  const { messages, blocks, calls: all } = makeSession(inOrder(calls));
  const fix = findFixes(messages, blocks, all)[0]?.fix ?? null;
  return fix === null ? null : all.indexOf(fix);
}

/** The first call failed; the number says which of the calls is its fix, counted from 0. */
const cases: Record<string, [string, MadeCall[], number | null][]> = {
  files: [
    [
      "an edit of a file that was not read is fixed by the edit, not by the read",
      [
        failed("Edit", edit("a.ts", "x", "y"), NOT_READ),
        done("Read", { file_path: "a.ts" }),
        done("Edit", edit("a.ts", "x", "y")),
      ],
      2,
    ],
    [
      "relative and absolute paths are the same file",
      [failed("Read", { file_path: "src/a.ts" }, "EACCES"), done("Read", { file_path: `${CWD}/src/./a.ts` })],
      1,
    ],
    [
      "opencode's fields",
      [
        failed("edit", { filePath: "/p/a.ts", oldString: "x one", newString: "y one" }, NOT_FOUND),
        done("edit", { filePath: "/p/a.ts", oldString: "x  one", newString: "y one" }),
      ],
      1,
    ],
    [
      "an edit that another tool makes",
      [
        failed("Edit", edit("a.ts", "let total = 1", "let total = 2"), NOT_FOUND),
        done("Write", { file_path: "a.ts", content: "// all\nlet total = 2\nlet other = 3" }),
      ],
      1,
    ],
    [
      "a write through the shell",
      [
        failed("Write", { file_path: "/p/a.md", content: "# Title of it" }, NOT_READ),
        ok("cat > /p/a.md <<'EOF'\n# Title of it\nEOF"),
      ],
      1,
    ],
    ["an edit with sed", [failed("Edit", edit("a.ts", "foo", "bar"), NOT_FOUND), ok("sed -i 's/foo/bar/' a.ts")], 1],
    [
      "of two changes of the file the one that was wanted",
      [
        failed("Edit", edit("a.ts", "function sum(a, b)", "function sum(a, b, c)"), NOT_FOUND),
        done("Edit", edit("a.ts", "import z from 'z'", "import y from 'y'")),
        done("Edit", edit("a.ts", "export function sum(a, b)", "export function sum(a, b, c)")),
      ],
      2,
    ],
    [
      "another file is no fix",
      [failed("Edit", edit("a.ts", "x", "y"), NOT_FOUND), done("Edit", edit("b.ts", "x", "y"))],
      null,
    ],
    [
      "a write does not mend a read",
      [failed("Read", { file_path: "a.ts" }, NO_FILE), done("Write", { file_path: "a.ts", content: "" })],
      null,
    ],
    [
      "a file that is too large is read in part",
      [
        failed("Read", { file_path: "a.log" }, "File content exceeds maximum allowed tokens"),
        done("Read", { file_path: "a.log", offset: 1, limit: 100 }),
      ],
      1,
    ],
    [
      "or with another tool",
      [failed("Read", { file_path: "a.log" }, "File content exceeds maximum allowed tokens"), ok("head -n 100 a.log")],
      1,
    ],
    [
      "a notebook",
      [
        failed("NotebookEdit", { notebook_path: "/p/a.ipynb", new_source: "print(1)" }, NOT_READ),
        done("NotebookEdit", { notebook_path: "/p/a.ipynb", new_source: "print(1)" }),
      ],
      1,
    ],
    [
      "a patch",
      [
        failed(
          "apply_patch",
          { patchText: "*** Begin Patch\n*** Update File: a.ts\n-x one\n+y one\n*** End Patch" },
          "Failed to find expected lines",
        ),
        done("apply_patch", { patchText: "*** Begin Patch\n*** Update File: a.ts\n- x one\n+ y one\n*** End Patch" }),
      ],
      1,
    ],
    [
      "a patch that is an edit in the end",
      [
        failed(
          "apply_patch",
          { patchText: "*** Begin Patch\n*** Update File: a.ts\n-x one\n+y one\n*** End Patch" },
          "Failed to find expected lines",
        ),
        done("edit", { filePath: "a.ts", oldString: "x one", newString: "y one" }),
      ],
      1,
    ],
    [
      "windows paths",
      [failed("Read", { file_path: "C:\\p\\a.ts" }, "EACCES"), done("Read", { file_path: "C:/p/a.ts" })],
      1,
    ],
  ],
  commands: [
    ["the same again", [bad("npm test"), done("Edit", edit("a.ts", "x", "y")), ok("npm test")], 2],
    ["a test of one package, then with a selection", [bad("go test ./foo"), ok("go test ./foo -run TestX -v")], 1],
    ["a test of one package, then of all", [bad("go test ./foo"), ok("go test ./...")], 1],
    ["another package", [bad("go test ./foo"), ok("go test ./bar")], null],
    ["another selection", [bad("go test ./foo -run TestAdd"), ok("go test ./foo -run Parse")], null],
    ["another subcommand", [bad("git push origin main"), ok("git pull origin main")], null],
    [
      "a push with its branch",
      [bad("git push", "fatal: The current branch has no upstream branch."), ok("git push -u origin feature/x")],
      1,
    ],
    [
      "a commit with another message",
      [bad('git commit -m "Add a"', "husky - pre-commit hook failed"), ok('git commit -m "Add a and tests"')],
      1,
    ],
    [
      "a prefix of cd, assignments, wrappers and pipes",
      [bad("npm run build"), ok("cd /work/app && CI=1 timeout 60 npm run build 2>&1 | tail -20")],
      1,
    ],
    [
      "a pipe that hides the exit code, with a failure in the output",
      [
        bad("npm run build"),
        ok("npm run build 2>&1 | tail -5", "src/a.ts(1,1): error TS2304: Cannot find name"),
        ok("npm run build"),
      ],
      2,
    ],
    [
      "a pipe that shows the earlier error again",
      [
        bad("make all", "ld: symbol(s) not found for architecture arm64"),
        ok("make all | tail -3", "ld: symbol(s) not found for architecture arm64"),
        ok("make all"),
      ],
      2,
    ],
    [
      "`|| true` with a failure in the output",
      [
        bad("npx tsc --noEmit"),
        ok("npx tsc --noEmit || true", "Found 3 errors in 2 files."),
        ok("npx tsc --noEmit", ""),
      ],
      2,
    ],
    [
      "`;` behind the command",
      [
        bad("cargo test"),
        ok("cargo test; echo done", "test result: FAILED. 1 passed; 2 failed\ndone"),
        ok("cargo test"),
      ],
      2,
    ],
    ["another runner of the same script", [bad("npm run lint", "npm: command not found"), ok("pnpm lint")], 1],
    [
      "a script that is run through npx or a path",
      [bad("tsc -p tsconfig.json", "tsc: command not found"), ok("npx tsc -p tsconfig.json")],
      1,
    ],
    ["another python", [bad("python run.py --fast", "python: command not found"), ok("python3 run.py --fast")], 1],
    [
      "a module",
      [bad("pytest tests/test_a.py", "pytest: command not found"), ok("python -m pytest tests/test_a.py")],
      1,
    ],
    [
      "a script without permission",
      [bad("./deploy.sh prod", "Permission denied"), ok("chmod +x deploy.sh && ./deploy.sh prod")],
      1,
    ],
    ["a script through the shell", [bad("./deploy.sh prod", "Permission denied"), ok("bash deploy.sh prod")], 1],
    ["a wrong flag", [bad("gh pr diff 104 --stat", "unknown flag: --stat"), ok("gh pr diff 104 --name-only")], 1],
    [
      "a missing folder that is made",
      [
        bad("ls -la types/", "ls: cannot access 'types/': No such file or directory"),
        ok("mkdir -p types && ls -la types/", "a"),
      ],
      1,
    ],
    [
      "a missing folder that is only said to be missing",
      [
        bad("ls types", "ls: cannot access 'types': No such file or directory"),
        ok("ls types 2>/dev/null || echo 'no types here'", "no types here"),
      ],
      null,
    ],
    [
      "the first part of a chain is not enough if the last comes soon",
      [bad("go build -o app . && ./app serve"), ok("go build -o app ."), ok("./app serve")],
      2,
    ],
    [
      "a part that did not decide",
      [bad("git stash; go test ./a; git stash pop", "No stash entries found."), ok("go test ./a")],
      null,
    ],
    [
      "code in a flag that is about something else",
      [bad('python3 -c "import os; print(os.uname())"'), ok('python3 -c "from math import pi; assert pi > 3"')],
      null,
    ],
    [
      "quotes that the shell could not read",
      [
        bad('grep -n "func (c" $(go env ROOT)/a.go', "(eval):1: parse error near `('"),
        ok('grep -n "func (c" "$(go env ROOT)/a.go"', "1:func (c"),
      ],
      1,
    ],
    ["bash -c", [bad("bash -c 'cargo build --release'"), ok("cargo build --release")], 1],
    [
      "a package that is installed by its other name",
      [bad("npm install left-pad", "E404"), ok("npm install right-pad")],
      null,
    ],
    ["another manager", [bad("npm install zod", "ERESOLVE"), ok("pnpm add zod")], 1],
    [
      "docker compose",
      [bad("docker compose up -d db", "Cannot connect to the Docker daemon"), ok("docker compose up -d db")],
      1,
    ],
    [
      "a command as a list",
      [
        failed("shell", { command: ["bash", "-lc", "cargo test"] }),
        done("shell", { command: ["bash", "-lc", "cargo test -- --nocapture"] }),
      ],
      1,
    ],
    ["what only looks alike", [bad("node scripts/build.js"), ok("node scripts/serve.js")], null],
    [
      "a search without a hit, much later with one",
      [
        bad("grep -rn oldName src", "Exit code 1"),
        ...Array.from({ length: 20 }, (_, n) => ok(`touch ${n}`)),
        ok("grep -rn oldName src", "src/a.ts:1:oldName"),
      ],
      null,
    ],
    [
      "curl",
      [
        bad("curl -s http://localhost:3000/api/health", "Connection refused"),
        ok("sleep 2; curl -s http://localhost:3000/api/health", "ok"),
      ],
      1,
    ],
    [
      "a rebase that stopped at a conflict is continued",
      [
        bad(
          "git rebase origin/main",
          "Exit code 1\nCONFLICT (content): Merge conflict in notes.md\nerror: could not apply 1a2b3c4",
        ),
        done("Edit", edit("notes.md", "<<<<<<<", "")),
        ok("git add notes.md && git rebase --continue", "Successfully rebased and updated refs/heads/topic."),
      ],
      2,
    ],
    [
      "a merge that stopped at a conflict is committed",
      [
        bad("git merge main", "Exit code 1\nCONFLICT (content): Merge conflict in notes.md\nAutomatic merge failed"),
        ok("git add -A && git commit --no-edit", "[topic 9f8e7d6] Merge branch 'main' into topic"),
      ],
      1,
    ],
    [
      "another commit does not end a rebase",
      [
        bad(
          "git rebase origin/main",
          "Exit code 1\nCONFLICT (content): Merge conflict in notes.md\nerror: could not apply 1a2b3c4",
        ),
        ok("git commit -m wip", "[detached HEAD 5c6d7e8] wip"),
      ],
      null,
    ],
    [
      "options with a plus sign are settings",
      [
        bad(
          "dig example.org @10.0.0.1 +short +timeout=2",
          "Exit code 9\n;; connection timed out; no servers could be reached",
        ),
        ok("dig example.org @10.0.0.1 +short +timeout=9", "192.0.2.7"),
      ],
      1,
    ],
  ],
  searches: [
    [
      "a pattern that is no expression",
      [
        failed("Grep", { pattern: "foo(bar", path: "src" }, "regex parse error: unclosed group"),
        done("Grep", { pattern: "foo\\(bar", path: "src" }),
      ],
      1,
    ],
    [
      "with the shell",
      [
        failed("Grep", { pattern: "status", path: "src" }, "rg: not installed"),
        ok("grep -rn status src", "src/a.ts:1: status"),
      ],
      1,
    ],
    [
      "another pattern",
      [
        failed("Grep", { pattern: "status", path: "src" }, "timed out"),
        done("Grep", { pattern: "colour", path: "src" }),
      ],
      null,
    ],
  ],
  "only the same thing done well": [
    ...(
      [
        ["help", "gh pr merge --squash 12", "gh pr merge --help"],
        ["short help", "gh pr merge 12", "gh pr merge -h"],
        ["a version", "docker build .", "docker build --version"],
        ["a rehearsal", "kubectl apply -f a.yaml", "kubectl apply -f a.yaml --dry-run"],
        ["how things stand", "systemctl restart nginx", "systemctl status nginx"],
        ["a listing", "docker compose up -d", "docker compose ps"],
        ["a log", "docker compose up web", "docker compose logs web"],
        ["another search behind a pipe", "ps aux | grep nginx", "ps aux | grep redis"],
        ["another host", "ssh root@a.example 'ls /var/log'", "ssh root@b.example 'ls /var/log'"],
        ["another command there", "ssh a.example 'systemctl restart web'", "ssh a.example 'df -h /var'"],
        ["another cmdlet", 'powershell -Command "Get-Service Spooler"', 'powershell -Command "Get-Item C:/Spooler"'],
        [
          "another PowerShell program",
          "powershell '& \"C:/a/gpg.exe\" --import'",
          "powershell '& \"C:/a/gpg.exe\" --list-keys'",
        ],
        ["another command in cmd", "cmd /c 'mklink a b'", "cmd /c 'dir a b'"],
        ["a part of the command", "go build ./... && go test ./...", "go build ./..."],
        ["the last part of a chain", "mise run fmt && mise run lint", "mise run lint"],
        ["another script", "bun run build", "bun run lint"],
      ] as const
    ).map(([name, failure, later]): [string, MadeCall[], null] => [
      `not ${name}`,
      [bad(failure, "Exit code 1"), ok(later)],
      null,
    ]),
    ...(
      [
        [
          "of the same cmdlet",
          'powershell -Command "Get-Service Spooler"',
          'pwsh -c "Get-Service Spooler | Select-Object Name"',
        ],
        [
          "of PowerShell without -Command",
          "powershell 'Get-Service Spooler'",
          "powershell 'Get-Service Spooler | Out-String'",
        ],
        ["in cmd", "cmd /c 'npm run build'", "npm run build"],
        ["of help as well", "gh pr merge --help", "gh pr merge --help | head"],
        ["of an inspection as well", "docker compose ps web", "docker compose ps web -a"],
      ] as const
    ).map(([name, failure, later]): [string, MadeCall[], number] => [
      `a command ${name}`,
      [bad(failure, "Exit code 2\nIt is broken."), ok(later)],
      1,
    ]),
    [
      "not what ends well and prints the same error",
      [
        bad("python check.py a.json", "Exit code 1\nschema error: the name is missing in a.json"),
        ok("python check.py a.json -v", "schema error: the name is missing in a.json"),
        ok("python check.py a.json --all", "fine"),
      ],
      2,
    ],
    [
      "of two successes with other options the identical call",
      [
        bad("bun tsc -b --noEmit"),
        ok("rm -rf .next"),
        ok("bun tsc --noEmit"),
        ok("bun tsc -b"),
        ok("bun tsc -b --noEmit"),
      ],
      4,
    ],
    [
      "a call with more options at once, though the same call comes later",
      [bad("git push"), ok("git push -u"), ok("touch a"), ok("git push")],
      1,
    ],
    [
      "another program on the same things, where the first is not installed",
      [
        bad("docker-compose -f deploy/a.yaml up", "Exit code 127\n/bin/bash: docker-compose: command not found"),
        ok("docker compose -f deploy/a.yaml up"),
      ],
      1,
    ],
    [
      "not another program where it is",
      [bad("diff one/a.txt two/a.txt", "Exit code 1\n< a"), ok("cp one/a.txt two/a.txt")],
      null,
    ],
    [
      "not another change of the same file",
      [
        failed("Edit", edit("a.ts", "function sum(a, b)", "function sum(a, b, c)"), NOT_FOUND),
        done("Edit", edit("a.ts", "import z from 'z'", "import y from 'y'")),
      ],
      null,
    ],
    [
      "not another page of the same site, though asked the same",
      [
        failed("WebFetch", { url: "https://a.example/api", prompt: "List the limits of the API" }, "timed out"),
        done("WebFetch", { url: "https://a.example/guide/x", prompt: "List the limits of the API" }),
      ],
      null,
    ],
    [
      "not another page of it, asked something else",
      [
        failed("WebFetch", { url: "https://a.example/api", prompt: "List the limits of the API" }, "timed out"),
        done("WebFetch", { url: "https://a.example/guide/x", prompt: "Who wrote it" }),
      ],
      null,
    ],
  ],
  "the web": [
    [
      "the same address",
      [
        failed("WebFetch", { url: "https://example.org/a/", prompt: "p" }, "timeout"),
        done("WebFetch", { url: "https://example.org/a", prompt: "q" }),
      ],
      1,
    ],
    [
      "another host",
      [
        failed("WebFetch", { url: "https://example.org/docs" }, "404"),
        done("WebFetch", { url: "https://example.com/docs" }),
      ],
      null,
    ],
  ],
  "other tools": [
    [
      "an input that was refused",
      [
        failed("Task", { subagent_type: "general", description: "Analyze project structure" }, BAD_INPUT),
        done("Task", {
          subagent_type: "general",
          description: "Analyze current project structure",
          prompt: "Look at it",
        }),
      ],
      1,
    ],
    [
      "an input that was refused, with a call for something else first",
      [
        failed("Task", { subagent_type: "general", description: "Analyze project structure" }, BAD_INPUT),
        done("Task", { subagent_type: "general", description: "Check the package", prompt: "Look at it" }),
        done("Task", { subagent_type: "general", description: "Analyze project structure", prompt: "Look at it" }),
      ],
      2,
    ],
    [
      "an MCP tool with most of its input",
      [
        failed("mcp__db__query", { database: "main", sql: "select id from user" }, "no such table: user"),
        done("mcp__db__query", { database: "main", sql: "select id from users" }),
      ],
      1,
    ],
    [
      "an MCP tool for something else",
      [failed("mcp__issues__get", { owner: "a", number: 12 }), done("mcp__issues__get", { owner: "b", number: 99 })],
      null,
    ],
    [
      "another tool of the same server",
      [failed("mcp__issues__get", { number: 12 }), done("mcp__issues__list", { number: 12 })],
      null,
    ],
    ["a tool without input", [failed("ExitPlanMode", {}), done("ExitPlanMode", {})], 1],
    ["an input that is no object", [failed("odd", "abc def"), done("odd", "abc def")], 1],
  ],
};

describe("findFixes", () => {
  for (const [family, list] of Object.entries(cases)) {
    describe(family, () => {
      for (const [name, calls, expected] of list) test(name, () => assert.equal(fixAmong(calls), expected));
    });
  }
});
