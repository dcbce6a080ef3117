import assert from "node:assert/strict";
import fc from "fast-check";
import { estimatedLikeness, likeness, signatureOf } from "../../src/snippets/likeness.ts";
import { LineWindow } from "../../src/snippets/section/line-window.ts";
import type { Piece } from "../../src/snippets/section/pieces.ts";
import { sectionText } from "../../src/snippets/section/section-text.ts";
import { readIsoDate } from "../../src/snippets/iso-date.ts";
import { describe, test } from "../support/runner.ts";

async function* chunked(bytes: Buffer, sizes: readonly number[]): AsyncGenerator<Uint8Array> {
  let at = 0;
  for (let turn = 0; at < bytes.length; turn++) {
    const size = sizes[turn % sizes.length] ?? 1;
    yield Uint8Array.from(bytes.subarray(at, at + size));
    at += size;
  }
}

describe("sections", () => {
  test("a window of lines is the same however the input is cut, and other lines are empty", async () => {
    const lines = fc.array(fc.string({ maxLength: 12, unit: fc.constantFrom("a", "é", "🦜", " ", "\r") }), {
      minLength: 1,
      maxLength: 60,
    });
    await fc.assert(
      fc.asyncProperty(
        lines,
        fc.boolean(),
        fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1 }),
        fc.nat(70),
        fc.nat(10),
        async (lines, ends, sizes, from, more) => {
          const text = lines.join("\n") + (ends ? "\n" : "");
          const [start, end] = [from + 1, from + 1 + more];
          const window = new LineWindow(start, end);
          const kept: Uint8Array[] = [];
          for await (const chunk of window.of(chunked(Buffer.from(text), sizes))) kept.push(chunk);
          const got = Buffer.concat(kept).toString().split("\n");
          const all = text.split("\n");
          const count = text === "" ? 0 : all.length - (text.endsWith("\n") ? 1 : 0);
          assert.equal(Math.min(window.lines, count), count >= end ? window.lines : count);
          for (const [at, line] of all.entries()) {
            const number = at + 1;
            if (number <= 20 ? number <= end : number >= start && number <= end) assert.equal(got[at] ?? "", line);
            else if (number < start) assert.equal(got[at] ?? "", "");
          }
          assert.ok(got.length <= Math.max(end + 1, 1));
        },
      ),
    );
  });

  test("whatever the pieces are, the text fits, and says what is left out", () => {
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
      fc.property(fc.array(piece, { maxLength: 120 }), (pieces) => {
        const { text, entriesLeftOut } = sectionText("Session s, line 1.", pieces);
        assert.ok(Buffer.byteLength(text) <= 10_240, String(Buffer.byteLength(text)));
        assert.equal(text.includes(` of ${pieces.length} entries left out …]`), entriesLeftOut > 0);
      }),
      { numRuns: 60 },
    );
  });
});

describe("likeness", () => {
  const content = fc.array(fc.constantFrom("pool", "test", "error", "because", "file", "cache", "1", "é"), {
    maxLength: 200,
  });

  test("is 1 for the same words, never above, and the same both ways; an estimate comes near", () => {
    fc.assert(
      fc.property(content, content, (a, b) => {
        const [first, second] = [a.join(" "), b.join(" ")];
        const exact = likeness(first, second);
        assert.equal(likeness(first, first), 1);
        assert.ok(exact >= 0 && exact <= 1);
        assert.equal(exact, likeness(second, first));
        if (a.length === 0 || b.length === 0) return;
        const estimate = estimatedLikeness(signatureOf(first), signatureOf(second));
        assert.ok(Math.abs(estimate - exact) <= 0.35, `${estimate} for ${exact}`);
      }),
    );
  });
});

describe("dates", () => {
  test("every date that is written as ISO 8601 is read back, and no other day is made of one", () => {
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
