/** `transcripts changes`: what a session did to files. */
import assert from "node:assert/strict";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  encodeMarkdownEntry,
  encodeMarkdownHeader,
  type TranscriptEntry,
} from "../../src/transcript/format/formats.ts";
import { at, calls, result, SESSION, storeSession, user } from "../support/cli/claude-lines.ts";
import { rowsOf } from "../support/cli/json-output.ts";
import { runCli } from "../support/cli/run-cli.ts";
import { afterAll, describe, test } from "../support/runner.ts";
import { makeTempDir, removeTempDirs } from "../support/temp-dir.ts";

afterAll(removeTempDirs);

let second = 0;

function call(tool: string, input: unknown, isError = false): string {
  second += 2;
  const id = `call_${second}`;
  return calls(tool, id, input, second) + result(id, isError ? "no" : "done", second + 1, isError);
}

const LINES = [
  user("Add tax", 0),
  call("Write", { file_path: "/work/shop/tax.mjs", content: "export const tax = 2;\nexport const rate = 1;\n" }),
  call("Edit", { file_path: "/work/shop/tax.mjs", old_string: "rate = 1", new_string: "rate = 3" }),
  call("Edit", { file_path: "/work/shop/price.mjs", old_string: "price = 1", new_string: "price = 2" }, true),
  call("MultiEdit", {
    file_path: "/work/shop/price.mjs",
    edits: [
      { old_string: "price = 1;", new_string: "price = 10;" },
      { old_string: "a", new_string: "b" },
    ],
  }),
  call("Bash", { command: "cd lib && sed -i 's/a/b/' sum.mjs && npm test > out.log 2>&1 | tail -3" }),
  call("Bash", { command: "echo x > /work/shop/tax.mjs" }),
  call("Edit", { file_path: "/work/shop/tax.mjs", old_string: "x", new_string: "y" }),
  call("Bash", { command: "git stash pop && ls" }),
  call("Bash", { command: "rm -rf build", description: "fails" }, true),
  call("Read", { file_path: "/work/shop/menu.mjs" }),
];

function homeWith(lines: readonly string[]): string {
  const home = makeTempDir();
  storeSession(home, lines.join(""));
  return home;
}

async function changes(home: string, ...options: string[]): Promise<string> {
  const { stdout, exitCode, stderr } = await runCli(["changes", SESSION, ...options], { home });
  assert.equal(exitCode, 0, stderr);
  return stdout;
}

const EXPECTED = `--- a/tax.mjs
+++ b/tax.mjs
@@ [2] Write: the whole file @@
+export const tax = 2;
+export const rate = 1;
@@ -1,2 +1,2 @@ [4] Edit
 export const tax = 2;
-export const rate = 1;
+export const rate = 3;
@@ [12] Bash: echo x > /work/shop/tax.mjs @@
@@ [14] Edit @@
-x
+y

--- a/price.mjs
+++ b/price.mjs
@@ [8] MultiEdit @@
-price = 1;
+price = 10;
@@ [8] MultiEdit @@
-a
+b

--- a/lib/sum.mjs
+++ b/lib/sum.mjs
@@ [10] Bash: sed -i 's/a/b/' sum.mjs @@

--- a/lib/out.log
+++ b/lib/out.log
@@ [10] Bash: npm test > out.log 2>&1 @@

Commands whose files are not known
[16] Bash: git stash pop

`;

describe("transcripts changes", () => {
  test("shows one diff for each file, in order, without calls that failed", async () => {
    assert.equal(await changes(homeWith(LINES)), EXPECTED);
  });

  test("prints the same for a session whose file is gone", async () => {
    const home = homeWith(LINES);
    await runCli(["index"], { home });
    rmSync(join(home, ".claude"), { recursive: true });
    assert.equal(await changes(home), EXPECTED);
  });

  test("shows one file by a part of its path, and says if it was not changed", async () => {
    const home = homeWith(LINES);
    assert.match(await changes(home, "--file", "sum.mjs"), /^--- a\/lib\/sum\.mjs\n[^]*sed -i[^\n]*\n\n$/);
    const { exitCode, stderr } = await runCli(["changes", SESSION, "--file", "menu.mjs"], { home });
    assert.equal(exitCode, 1);
    assert.match(stderr, /menu\.mjs was not changed/);
  });

  test("gives each file as JSON, with its calls", async () => {
    const rows = rowsOf("changes", await changes(homeWith(LINES), "--json"));
    assert.deepEqual(
      rows.map(({ path, changes: all }) => [path, all.map(({ kind, line_number: line }) => `${kind} ${line}`)]),
      [
        ["/work/shop/tax.mjs", ["written 2", "edited 4", "command 12", "edited 14"]],
        ["/work/shop/price.mjs", ["edited 8", "edited 8"]],
        ["/work/shop/lib/sum.mjs", ["command 10"]],
        ["/work/shop/lib/out.log", ["command 10"]],
        [null, ["command 16"]],
      ],
    );
  });

  test("includes the changes of subagents, in the order of time, with their name", async () => {
    const home = homeWith([
      user("Add tax", 0),
      calls("Agent", "spawn", { description: "Edit", prompt: "Edit it" }, 1),
      result("spawn", "done", 30),
      calls("Edit", "late", { file_path: "/work/shop/a.ts", old_string: "2", new_string: "3" }, 40),
      result("late", "done", 41),
    ]);
    const own = [
      calls("Edit", "inner", { file_path: "/work/shop/a.ts", old_string: "1", new_string: "2" }, 10),
      result("inner", "done", 11),
    ].join("");
    const inner = own.replaceAll('"type":"assistant"', '"type":"assistant","isSidechain":true,"agentId":"abc"');
    storeSession(home, inner, { id: "agent-abc", project: `-work-shop/${SESSION}/subagents` });
    assert.match(await changes(home), /@@ \[1 of abc\] Edit @@\n-1\n\+2\n@@ \[4\] Edit @@\n-2\n\+3\n/);
  });

  test("shows a patch of a transcript, with files that it adds, moves and deletes", async () => {
    const patchText = [
      "*** Begin Patch",
      "*** Add File: new.py",
      "+one",
      "*** Update File: old.py",
      "*** Move to: moved.py",
      "@@ def f():",
      "-  return 1",
      "+  return 2",
      "*** Delete File: gone.py",
      "*** End Patch",
    ].join("\n");
    const common = { tool: "apply_patch", callID: "c1", input: { patchText } };
    const entries: TranscriptEntry[] = [
      { type: "user", timestamp: at(0), content: "Patch it", parts: [] },
      { type: "tool_use", timestamp: at(1), ...common },
      { type: "tool_result", timestamp: at(2), ...common, output: "ok", status: "completed" },
    ];
    const home = makeTempDir();
    const path = join(home, "ses_1.md");
    const header = { version: 1, sessionID: "ses_1", directory: "/work/shop", created: at(0) } as const;
    const options = { filePath: "ses_1.md", maxInlineChars: 5_000 };
    writeFileSync(
      path,
      encodeMarkdownHeader(header, options) + entries.map((each) => encodeMarkdownEntry(each, options)).join(""),
    );
    const { stdout } = await runCli(["changes", path], { home });
    assert.equal(
      stdout.replaceAll(/\[\d+\]/g, "[n]"),
      [
        "--- a/new.py\n+++ b/new.py\n@@ [n] apply_patch: the whole file @@\n+one\n",
        "--- a/old.py\n+++ b/old.py\n@@ [n] apply_patch: moved to moved.py @@\n@@ [n] apply_patch: def f(): @@\n-  return 1\n+  return 2\n",
        "--- a/gone.py\n+++ /dev/null\n@@ [n] apply_patch: deleted @@\n\n",
      ].join("\n"),
    );
  });

  test("says that a session changed nothing", async () => {
    const { exitCode, stdout, stderr } = await runCli(["changes", SESSION], { home: homeWith([user("Hi", 0)]) });
    assert.deepEqual([exitCode, stdout], [1, ""]);
    assert.match(stderr, /no file was changed/);
  });
});
