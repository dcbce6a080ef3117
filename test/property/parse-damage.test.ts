/** Laws of reading any file, however damaged. */
import assert from "node:assert/strict";
import fc from "fast-check";
import { parseTranscript } from "../../src/agents/parse-input.ts";
import { damaged, damages } from "../support/parse/damage.ts";
import { brokenInvariants } from "../support/parse/invariants.ts";
import { anyLines } from "../support/parse/any-lines.ts";
import { describe, runs, test } from "../support/runner.ts";

const file = (lines: readonly string[]): Buffer => Buffer.from(lines.map((line) => `${line}\n`).join(""));

describe("a file with damage anywhere", () => {
  test("is read without an exception, every line is accounted for, and the result is consistent", async () => {
    await fc.assert(
      fc.asyncProperty(anyLines(), damages, async (lines, done) => {
        const input = damaged(file(lines), done);
        assert.deepEqual(brokenInvariants(input, await parseTranscript("S", input)), []);
      }),
      { numRuns: runs(300) },
    );
  });

  test("also with copies of subagents in progress lines, small limits and flat prices", async () => {
    const options = { maxInlineContentBytes: 5, maxLineBytes: 400, pricing: "flat" } as const;
    await fc.assert(
      fc.asyncProperty(anyLines(), damages, async (lines, done) => {
        const input = damaged(file(lines), done);
        assert.deepEqual(brokenInvariants(input, await parseTranscript("S", input, options)), []);
      }),
      { numRuns: runs(150) },
    );
  });
});

describe("content that was never a session", () => {
  test("is parsed without an exception if it is random bytes", async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 400 }), async (input) => {
        assert.deepEqual(brokenInvariants(input, await parseTranscript("S", input)), []);
      }),
      { numRuns: runs(300) },
    );
  });

  test("is parsed without an exception if each line is a random JSON value", async () => {
    const key = fc.constantFrom("type", "message", "content", "uuid", "id", "usage", "input", "__proto__", "timestamp");
    const word = fc.constantFrom(
      "user",
      "assistant",
      "system",
      "summary",
      "tool_use",
      "tool_result",
      "text",
      "thinking",
    );
    const { value } = fc.letrec((tie) => ({
      value: fc.oneof({ depthSize: "medium" }, word, fc.jsonValue({ maxDepth: 1 }), tie("list"), tie("fields")),
      list: fc.array(tie("value"), { maxLength: 4 }),
      fields: fc.dictionary(key, tie("value"), { maxKeys: 8 }),
    }));
    await fc.assert(
      fc.asyncProperty(fc.array(value, { maxLength: 6 }), async (values) => {
        const input = file(values.map((each) => JSON.stringify(each) ?? ""));
        assert.deepEqual(brokenInvariants(input, await parseTranscript("S", input)), []);
      }),
      { numRuns: runs(300) },
    );
  });
});
