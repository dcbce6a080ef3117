import { renderToString } from "preact-render-to-string";
import { gist } from "../../src/render/html/page-texts.tsx";
import { oneLine } from "../../src/neutral-text.ts";
import { callTarget, toolInput } from "../../src/render/html/tool-input.tsx";
import { describe, test } from "../support/runner.ts";
import assert from "node:assert/strict";

function inputText(input: unknown, tool = "Some"): string {
  const made = toolInput(tool, input, 7);
  return made === null ? "" : renderToString(made);
}

function diffText(before: string, after: string): string {
  const html = inputText({ file_path: "a", old_string: before, new_string: after }, "Edit");
  return html.replace(/^.*<pre[^>]*>|<\/pre>.*$/gs, "").replace(/<\/?span[^>]*>/g, "");
}

describe("the subject of a call", () => {
  const cases: [tool: string, input: unknown, target: string][] = [
    ["Bash", { command: "npm test", description: "Run the tests" }, "npm test"],
    ["Read", { description: "Run", file_path: "/home/me/project/src/a.ts" }, "src/a.ts"],
    ["read", { filePath: "/home/me/project-2/a.ts" }, "/home/me/project-2/a.ts"],
    ["list", { path: "/home/me/project" }, "/home/me/project"],
    ["Grep", { path: "src", pattern: "a.*b" }, "a.*b"],
    ["shell", { command: ["git", "log"] }, "git log"],
    ["Bash", { command: "a\n  b" }, "a b"],
    ["Some", { only: "this" }, "this"],
    ["Some", { url: "https://a.example", query: "b" }, "b"],
    [
      "apply_patch",
      { patchText: "*** Begin Patch\n*** Update File: /home/me/project/a.ts\n*** Add File: b.ts\n+x" },
      "a.ts, b.ts",
    ],
    ["patch", { patchText: "--- a/x.ts\n+++ b/x.ts\n@@ -1 +1 @@\n-a\n+b" }, "x.ts"],
    ["Some", "as it stands", "as it stands"],
    ["Some", null, ""],
    ["Some", [1], ""],
    ["Bash", { command: "x".repeat(500) }, `${"x".repeat(199)}…`],
  ];
  for (const [tool, input, target] of cases) {
    test(JSON.stringify(input).slice(0, 60), () => assert.equal(callTarget(tool, input, "/home/me/project"), target));
  }
});

describe("the input of a call", () => {
  test("short values are on the same line as their name", () => {
    assert.equal(
      inputText({ path: "a", limit: 3, all: false, none: null })
        .replace(/<[^>]+>/g, " ")
        .replace(/\s+/g, " ")
        .trim(),
      "path a limit 3 all false none null",
    );
  });
  test("an edit is shown as what it changes", () => {
    const html = inputText({ file_path: "a", old_string: "b\nc", new_string: "b\nd" }, "Edit");
    assert.ok(html.includes("<del>-c\n</del><ins>+d\n</ins>"), html);
    assert.ok(!html.includes("old_string"), html);
  });
  test("several edits in one call, too", () => {
    const edits = [
      { oldString: "a", newString: "b" },
      { oldString: "c", newString: "d" },
    ];
    assert.equal(inputText({ filePath: "x", edits }, "multiedit").match(/<ins>/g)?.length, 2);
  });
  test("a patch is shown as one", () => {
    const html = inputText({ patchText: "*** Begin Patch\n*** Update File: a\n-b\n+c\n*** End Patch" }, "patch");
    assert.ok(html.includes("<del>-b\n</del><ins>+c\n</ins>"), html);
  });
  test("a list of tasks is a list", () => {
    const html = inputText({
      todos: [
        { content: "a", status: "completed" },
        { content: "b", status: "in_progress" },
      ],
    });
    assert.ok(html.includes("☑ a") && html.includes("☐ b") && html.includes("(in progress)"), html);
  });
  test("anything else is JSON", () => {
    assert.ok(inputText({ list: [1, { a: "<b>" }] }).includes("&lt;b>"), inputText({ list: [1, { a: "<b>" }] }));
    assert.equal(inputText({}), "");
    assert.equal(inputText(null), "");
    assert.ok(inputText("text").includes("text"));
  });
  test("a very long value is cut, with a note where the rest is", () => {
    const html = inputText({ content: "line\n".repeat(100_000) });
    assert.ok(html.length < 210_000, `${html.length}`);
    assert.ok(html.includes("The whole text is in line 7 of the session file."), html.slice(-200));
  });
});

describe("what an edit changes", () => {
  test("equal lines surround the difference", () => {
    assert.equal(diffText("a\nb\nc", "a\nB\nc"), " a\n<del>-b\n</del><ins>+B\n</ins> c\n");
  });
  test("far apart changes have a mark between them", () => {
    const middle = "x\n".repeat(30);
    const html = diffText(`a\n${middle}b`, `A\n${middle}B`);
    assert.equal(html.match(/⋯/g)?.length, 1);
  });
  test("texts that have nothing in common take no long search", () => {
    const before = Array.from({ length: 4_000 }, (_, line) => `before ${line}`).join("\n");
    const after = Array.from({ length: 4_000 }, (_, line) => `after ${line}`).join("\n");
    assert.equal(diffText(before, after).match(/<ins>/g)?.length, 4_000);
  });
  test("no text on one side", () => assert.equal(diffText("", "a"), "<ins>+a\n</ins>"));
});

describe("pieces of texts", () => {
  test("half a character is never left", () => {
    assert.equal(oneLine("a😀😀", 3), "a…");
  });
  test("a word is left out rather than cut, if it is short", () => {
    assert.equal(oneLine("one two three four", 16), "one two three…");
    assert.equal(oneLine(`one ${"x".repeat(20)}`, 10), "one xxxxx…");
  });
  test("an error with an uninformative first line is shown with its second", () => {
    assert.equal(gist("Exit code 1\n\n  FAIL a.test.ts\nmore", 100), "Exit code 1: FAIL a.test.ts");
    assert.equal(
      gist("File has not been read yet. Read it first.\nmore", 100),
      "File has not been read yet. Read it first.",
    );
    assert.equal(gist("", 100), "");
  });
});
