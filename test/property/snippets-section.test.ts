import { sectionText } from "../../src/snippets/excerpt.ts";
import { readIsoDate } from "../../src/snippets/snippet-input.ts";
import { likeness, shinglesOf } from "../../src/snippets/near-duplicates.ts";
import type { Piece } from "../../src/snippets/section.ts";
import { describe, runs, test } from "../support/runner.ts";
import assert from "node:assert/strict";
import fc from "fast-check";

describe("sections", () => {
  test("any pieces fit, and the text says what was left out", () => {
    const word = fc.string({ unit: "grapheme", maxLength: 40 });
    const text = fc.tuple(word, fc.integer({ min: 0, max: 400 })).map(([unit, times]) => unit.repeat(times));
    const piece: fc.Arbitrary<Piece> = fc.record({
      kind: fc.constantFrom("user", "assistant", "thinking", "call", "result", "program"),
      line: fc.nat(),
      timestamp: fc.constant(null),
      isSubagent: fc.boolean(),
      tool: fc.option(word),
      status: fc.constantFrom(null, "completed", "error", "rejected", "interrupted"),
      entry: fc.constant(null),
      texts: fc.array(
        fc.record({
          key: fc.option(word),
          text: fc.oneof(
            text.map((head) => ({ head, tail: "", missing: 0 })),
            fc
              .tuple(text, text, fc.integer({ min: 1, max: 1e9 }))
              .map(([head, tail, missing]) => ({ head, tail, missing })),
          ),
        }),
        { maxLength: 5 },
      ),
    });
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 120 }), fc.constantFrom(0, 0, 1, 700), (pieces, passed) => {
        const { text, entriesLeftOut } = sectionText("Session s, line 1.", pieces, passed);
        assert.ok(entriesLeftOut >= passed);
        assert.ok(Buffer.byteLength(text) <= 10_240, String(Buffer.byteLength(text)));
        assert.equal(text.includes(` of ${pieces.length + passed} entries left out …]`), entriesLeftOut > 0);
      }),
      { numRuns: runs(60) },
    );
  });
});

describe("likeness", () => {
  const content = fc.array(fc.constantFrom("pool", "test", "error", "because", "file", "cache", "1", "é"), {
    maxLength: 200,
  });

  test("is 1 for the same words, never above, and the same both ways", () => {
    fc.assert(
      fc.property(content, content, (a, b) => {
        const [first, second] = [shinglesOf(a.join(" ")), shinglesOf(b.join(" "))];
        const share = likeness(first, second);
        assert.equal(likeness(first, first), a.length === 0 ? 0 : 1);
        assert.ok(share >= 0 && share <= 1);
        assert.equal(share, likeness(second, first));
      }),
    );
  });
});

describe("dates", () => {
  test("every ISO 8601 date is parsed back to the same day", () => {
    fc.assert(
      fc.property(
        fc.date({ min: new Date("0001-01-01"), max: new Date("9999-12-31"), noInvalidDate: true }),
        (date) => {
          assert.deepEqual(readIsoDate(date.toISOString(), "start"), date);
          const day = date.toISOString().slice(0, 10);
          assert.equal(readIsoDate(day, "start")?.toISOString(), `${day}T00:00:00.000Z`);
          assert.equal(readIsoDate(day, "end")?.toISOString(), `${day}T23:59:59.999Z`);
        },
      ),
    );
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 9999 }),
        fc.integer({ min: 0, max: 14 }),
        fc.integer({ min: 0, max: 33 }),
        (year, month, day) => {
          const two = (value: number): string => String(value).padStart(2, "0");
          const text = `${String(year).padStart(4, "0")}-${two(month)}-${two(day)}`;
          const read = readIsoDate(text, "start");
          if (read !== undefined) assert.equal(read.toISOString().slice(0, 10), text);
        },
      ),
    );
  });
});
