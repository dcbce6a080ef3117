/** Reading block by block gives in the end what reading all at once gives. */
import assert from "node:assert/strict";
import fc from "fast-check";
import { readTranscript } from "../../src/agents/parse-input.ts";
import { correlateToolCalls } from "../../src/parse/tool-calls.ts";
import { anyLines } from "../support/parse/any-lines.ts";
import { cuts, pieces } from "../support/parse/chunks.ts";
import { countingIds, parsedWithCounts } from "../support/parse/counting-ids.ts";
import { damagedBytes } from "../support/parse/damage.ts";
import { readBlocks } from "../support/parse/read-blocks.ts";
import { describe, runs, test } from "../support/runner.ts";

const anyBytes = damagedBytes(anyLines(40).map((lines) => Buffer.from(lines.map((line) => `${line}\n`).join(""))));

describe("a session read block by block", () => {
  test("equals the whole parse, with any chunks", async () => {
    await fc.assert(
      fc.asyncProperty(anyBytes, cuts, async (bytes, places) => {
        const whole = await parsedWithCounts(bytes);
        const read = await readBlocks(pieces(bytes, places), { generateId: countingIds() });
        const calls = correlateToolCalls(read.messages, read.blocks);
        assert.deepEqual(read.messages, whole.messages);
        assert.deepEqual(read.blocks, whole.content_blocks);
        assert.deepEqual(calls, whole.tool_calls);
        const { format, errors, error_count: count, lines, unknown_lines: unknown, metadata } = read.summary;
        assert.deepEqual(
          { format, errors, count, lines, unknown, metadata },
          {
            format: whole.format,
            errors: whole.errors,
            count: whole.errors.length,
            lines: whole.lines,
            unknown: whole.unknown_lines,
            metadata: whole.metadata,
          },
        );
        assert.deepEqual(read.summary.stats, whole.stats);
      }),
      { numRuns: runs(200) },
    );
  });

  test("has no summary before it is read", () => {
    assert.throws(() => readTranscript("S", "").summary(), /Iterate over the reader first/);
  });
});
