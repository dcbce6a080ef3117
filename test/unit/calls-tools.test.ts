/** Tables of tools: what a call did, by the names and inputs of each agent. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { filesOfCall } from "../../src/agents/all-tools.ts";
import { claudeTools } from "../../src/agents/claude-code/claude-tools.ts";
import { copilotTools } from "../../src/agents/copilot/copilot-tools.ts";
import { parseTranscript } from "../../src/agents/parse-input.ts";
import { opencodeTools } from "../../src/agents/opencode/opencode-tools.ts";
import { toolTable, type Action } from "../../src/calls/tools.ts";
import { REPOSITORY } from "../support/repository.ts";
import { describe, test } from "../support/runner.ts";

/** Tools of an agent that is not here yet. */
const others = toolTable({ edit: ["apply_patch", "edit"], run: ["shell"], todo: ["write_todos"] }, (name) =>
  name.startsWith("mcp_"),
);

const PATCH = [
  "*** Begin Patch",
  "*** Add File: new.py",
  "+one",
  "+two",
  "*** Update File: old.py",
  "*** Move to: moved.py",
  "@@ def f():",
  "-  return 1",
  "+  return 2",
  "*** Delete File: gone.py",
  "*** End Patch",
  "",
].join("\n");

const PATCHED: Action = {
  kind: "write",
  edits: [
    { path: "new.py", how: "write", content: "one\ntwo\n" },
    { path: "old.py", how: "patch", lines: ["@@ def f():", "-  return 1", "+  return 2"], movedTo: "moved.py" },
    { path: "gone.py", how: "delete" },
  ],
};

const DIFF = [
  "diff --git a/src/a.ts b/src/a.ts",
  "index 1..2 100644",
  "--- a/src/a.ts",
  "+++ b/src/a.ts",
  "@@ -1 +1 @@",
  "-a",
  "+b",
  "--- /dev/null",
  "+++ b/c.txt\t2026-01-01",
  "@@ -0,0 +1 @@",
  "+c",
].join("\n");

describe("tables of tools", () => {
  test("Claude Code", () => {
    assert.deepEqual(claudeTools("Read", { file_path: "/a.ts", offset: 3 }), { kind: "read", paths: ["/a.ts"] });
    assert.deepEqual(claudeTools("Bash", { command: "ls" }), { kind: "run", line: "ls", folder: null });
    assert.deepEqual(claudeTools("Edit", { file_path: "/a", old_string: "x", new_string: "" }), {
      kind: "write",
      edits: [{ path: "/a", how: "replace", before: "x", after: "" }],
    });
    assert.deepEqual(
      claudeTools("MultiEdit", {
        file_path: "/a",
        edits: [
          { old_string: "x", new_string: "y" },
          { old_string: "y", new_string: "z" },
        ],
      }),
      {
        kind: "write",
        edits: [
          { path: "/a", how: "replace", before: "x", after: "y" },
          { path: "/a", how: "replace", before: "y", after: "z" },
        ],
      },
    );
    assert.equal(claudeTools("mcp__github__create_issue", {}).kind, "mcp");
    assert.equal(claudeTools("Task", {}).kind, "subagent");
    assert.equal(claudeTools("NoSuchTool", {}).kind, "other");
    assert.equal(claudeTools(null, null).kind, "other");
  });

  test("opencode 1.x and 2.x name a file differently", () => {
    assert.deepEqual(opencodeTools("read", { filePath: "/a" }), opencodeTools("read", { path: "/a" }));
    assert.deepEqual(opencodeTools("apply_patch", { patchText: PATCH }), PATCHED);
    assert.deepEqual(opencodeTools("shell", { command: "ls", workdir: "/p" }), {
      kind: "run",
      line: "ls",
      folder: "/p",
    });
  });

  test("other agents can add tools", () => {
    assert.deepEqual(others("apply_patch", PATCH), PATCHED);
    assert.deepEqual(others("apply_patch", { input: PATCH }), PATCHED);
    assert.deepEqual(others("shell", { command: ["bash", "-lc", "echo 'a b'"], workdir: "/p" }), {
      kind: "run",
      line: String.raw`bash -lc 'echo '\''a b'\'''`,
      folder: "/p",
    });
    const editor = "str_replace_editor";
    assert.deepEqual(copilotTools(editor, { command: "view", path: "/a" }), { kind: "read", paths: ["/a"] });
    assert.deepEqual(copilotTools(editor, { command: "insert", path: "/a", new_str: "x", insert_line: 2 }), {
      kind: "write",
      edits: [{ path: "/a", how: "insert", content: "x" }],
    });
    assert.deepEqual(others("edit", { path: "/a", edits: [{ oldText: "x", newText: "y" }] }), {
      kind: "write",
      edits: [{ path: "/a", how: "replace", before: "x", after: "y" }],
    });
    assert.equal(others("mcp_fixture_ok", {}).kind, "mcp");
  });

  test("a unified diff, of git or not, has the files of its parts", () => {
    assert.deepEqual(others("apply_patch", DIFF), {
      kind: "write",
      edits: [
        { path: "src/a.ts", how: "patch", lines: ["@@ -1 +1 @@", "-a", "+b"] },
        { path: "c.txt", how: "patch", lines: ["@@ -0,0 +1 @@", "+c"] },
      ],
    });
  });

  test("inputs without details have the kind of their tool", () => {
    for (const input of [null, undefined, "", 7, [], {}, { file_path: 7 }, { file_path: "" }]) {
      assert.deepEqual(claudeTools("Write", input), { kind: "write", edits: [] });
      assert.deepEqual(claudeTools("Read", input), { kind: "read", paths: [] });
      assert.deepEqual(claudeTools("Bash", input), { kind: "run", line: null, folder: null });
      assert.deepEqual(opencodeTools("patch", input), { kind: "write", edits: [] });
    }
    // A call that was cut still names its file.
    assert.deepEqual(claudeTools("Edit", { file_path: "/a" }), {
      kind: "write",
      edits: [{ path: "/a", how: "patch", lines: [] }],
    });
  });
});

describe("files of a command line", () => {
  const cases: [line: string, read: string, written: string][] = [
    ["cat a.txt | grep x > b.txt", "a.txt", "b.txt"],
    ["echo x >> log 2> /dev/null; make 2>&1 | tee -a out.log", "", "log out.log"],
    ["sed -i 's/a/b/' a.ts b.ts && sed -n 1,3p c.ts", "c.ts", "a.ts b.ts"],
    ["sed -i -e s/a/b/ a.ts", "", "a.ts"],
    ["mv a.ts src/ && cp b.ts c.ts", "b.ts", "a.ts src/a.ts c.ts"],
    ["rm -rf a.ts; touch b.ts; ln -s a c", "", "a.ts b.ts a c"],
    ["git checkout main && git checkout -- a.ts", "a.ts", ""],
    ["npx prettier --write src/a.ts && prettier --check b.ts", "src/a.ts b.ts", ""],
    ["cd lib && make -C ../build/x > out.txt", "build/x", "lib/out.txt"],
    ["python3 -m pytest test/a.py", "test/a.py", ""],
    ["apply_patch <<'E'\n*** Begin Patch\n*** Update File: a.py\n-a\n+b\n*** End Patch\nE", "", "a.py"],
    ["bash -lc 'echo x > a.txt'", "", "a.txt"],
    ["echo 'x > y.txt'; grep -rn 'a.b' src", "src", ""],
  ];
  for (const [line, read, written] of cases) {
    test(line, () => {
      const found = filesOfCall("Bash", { command: line }, null);
      const names = (paths: readonly { full: string }[]): string => paths.map(({ full }) => full).join(" ");
      assert.deepEqual([names(found.read), names(found.written)], [read, written]);
    });
  }
});

describe("subagents are counted by the tools of their agent", () => {
  for (const path of [
    "codex/subagent/rollout-2026-09-21T14-46-40-01a0c46e-f080-7000-8000-000000000003.jsonl",
    "copilot/sub/20befbff-9e24-4541-964f-c5c3b70c472c/events.jsonl",
  ]) {
    test(path, async () => {
      const file = readFileSync(join(REPOSITORY, "test/fixtures/sessions", path), "utf8");
      assert.equal((await parseTranscript("s", file)).stats.subagent_count, 1);
    });
  }
});
