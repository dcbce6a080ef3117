/** Reading message by message, whatever the window, gives in the end what reading all at once gives. */
import assert from "node:assert/strict";
import fc from "fast-check";
import type { TranscriptStats } from "../../src/parse/model.ts";
import { readTranscript } from "../../src/parse/read-transcript.ts";
import { correlateToolCalls } from "../../src/parse/tool-calls.ts";
import { anyLines } from "../support/parse/any-lines.ts";
import { applyAmendments } from "../support/parse/apply-amendments.ts";
import { cuts, pieces } from "../support/parse/chunks.ts";
import { countingIds, parsedWithCounts, without } from "../support/parse/counting-ids.ts";
import { damagedBytes } from "../support/parse/damage.ts";
import { describe, test } from "../support/runner.ts";

/** What the stream knows as well as the whole: how calls end is sure only once all of them and all results are there. */
function sums(stats: TranscriptStats): unknown {
  const known = without(stats, "tools", "tool_pending_count");
  // Costs are added up in another order.
  return JSON.parse(JSON.stringify(known), (_, value: unknown) =>
    typeof value === "number" ? Number(value.toPrecision(10)) : value,
  );
}

const anyBytes = damagedBytes(anyLines(40).map((lines) => Buffer.from(lines.map((line) => `${line}\n`).join(""))));
const windows = fc.oneof(fc.integer({ min: 0, max: 20 }), fc.constantFrom(256, Number.POSITIVE_INFINITY));

describe("a session read message by message", () => {
  test("is that of the whole parse, with any window and any chunks", async () => {
    await fc.assert(
      fc.asyncProperty(anyBytes, cuts, windows, fc.boolean(), async (bytes, places, windowLines, agentProgress) => {
        const whole = await parsedWithCounts(bytes, { agentProgress });
        const read = await applyAmendments(pieces(bytes, places), {
          windowLines,
          agentProgress,
          generateId: countingIds(),
        });
        const calls = correlateToolCalls(read.messages, read.blocks);
        assert.deepEqual(read.messages, whole.messages);
        assert.deepEqual(read.blocks, whole.content_blocks);
        assert.deepEqual(calls, whole.tool_calls);
        const { source, errors, error_count: count, lines, unknown_lines: unknown, metadata } = read.summary;
        assert.deepEqual(
          { source, errors, count, lines, unknown, metadata },
          {
            source: whole.source,
            errors: whole.errors,
            count: whole.errors.length,
            lines: whole.lines,
            unknown: whole.unknown_lines,
            metadata: whole.metadata,
          },
        );
        assert.deepEqual(sums(read.summary.stats), sums(whole.stats));
      }),
      { numRuns: 200 },
    );
  });

  test("has no summary before it is read", () => {
    assert.throws(() => readTranscript("S", "").summary(), /Iterate over the reader first/);
  });
});
