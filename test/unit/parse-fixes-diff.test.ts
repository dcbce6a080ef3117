import assert from "node:assert/strict";
import { diffText, inputChanges } from "../../src/fixes/input-diff.ts";
import { describe, test } from "../support/runner.ts";

describe("inputChanges", () => {
  const cases: [string, unknown, unknown, ReturnType<typeof inputChanges>][] = [
    ["equal inputs", { a: [1, { b: null }] }, { a: [1, { b: null }] }, []],
    ["a changed field", { a: 1, b: 2 }, { a: 1, b: 3 }, [{ path: "b", before: 2, after: 3 }]],
    ["a field more", {}, { a: null }, [{ path: "a", before: undefined, after: null }]],
    ["a field less", { a: "x" }, {}, [{ path: "a", before: "x", after: undefined }]],
    ["fields within", { e: [{ o: "1" }] }, { e: [{ o: "2" }] }, [{ path: "e[0].o", before: "1", after: "2" }]],
    ["an item more", { e: [1] }, { e: [1, 2] }, [{ path: "e[1]", before: undefined, after: 2 }]],
    ["another type", { a: "1" }, { a: 1 }, [{ path: "a", before: "1", after: 1 }]],
    ["an object in place of a list", { a: [] }, { a: {} }, [{ path: "a", before: [], after: {} }]],
    ["names that are no words", { "a b": 1 }, { "a b": 2 }, [{ path: '["a b"]', before: 1, after: 2 }]],
    ["inputs that are no objects", "a", null, [{ path: "", before: "a", after: null }]],
    ["names that objects have anyway", {}, { constructor: 1 }, [{ path: "constructor", before: undefined, after: 1 }]],
  ];
  for (const [name, before, after, expected] of cases) {
    test(name, () => assert.deepEqual(inputChanges(before, after), expected));
  }
});

describe("diffText", () => {
  const between = (before: unknown, after: unknown): string => diffText(inputChanges(before, after), "A", "B");

  test("is empty without changes", () => assert.equal(between({ a: 1 }, { a: 1 }), ""));

  test("shows short values whole", () => {
    assert.equal(between({ a: "x", b: 1 }, { a: "y" }), "--- A\n+++ B\n@@ a @@\n-x\n+y\n@@ b @@\n-1");
  });

  test("shows long texts with the lines around a change", () => {
    const lines = Array.from({ length: 9 }, (_, n) => `line ${n}`);
    const changed = lines.with(4, "new");
    assert.equal(
      between({ text: lines.join("\n") }, { text: changed.join("\n") }),
      "--- A\n+++ B\n@@ text -3,5 +3,5 @@\n line 2\n line 3\n-line 4\n+new\n line 5\n line 6",
    );
  });

  test("cuts a difference that is too long to read, and says so", () => {
    const text = between({ text: "" }, { text: "x\n".repeat(1_000) });
    assert.ok(text.split("\n").length < 410);
    assert.match(text, /\(\d+ more lines\)$/);
  });
});
