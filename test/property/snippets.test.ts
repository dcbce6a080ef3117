import { readDate } from "../../src/parse/read-date.ts";
import { textLikeness } from "../../src/fixes/likeness.ts";
import { describe, test } from "../support/runner.ts";
import assert from "node:assert/strict";
import fc from "fast-check";

describe("likeness", () => {
  const content = fc.array(fc.constantFrom("pool", "test", "error", "because", "file", "cache", "1", "é"), {
    maxLength: 200,
  });

  test("is 1 for the same words, never above, and symmetric", () => {
    fc.assert(
      fc.property(content, content, (a, b) => {
        const [first, second] = [a.join(" "), b.join(" ")];
        const share = textLikeness(first, second);
        assert.equal(textLikeness(first, first), 1);
        assert.ok(share >= 0 && share <= 1);
        assert.equal(share, textLikeness(second, first));
      }),
    );
  });
});

describe("dates", () => {
  const now = new Date();

  test("every ISO 8601 date is parsed back to the same time or day, and no other day is made of one that does not exist", () => {
    fc.assert(
      fc.property(fc.date({ min: new Date("0001-01-01"), max: new Date("9999-12-31"), noInvalidDate: true }), (date) =>
        assert.deepEqual(readDate(date.toISOString(), now), date),
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
          const read = readDate(text, now);
          if (read !== undefined) assert.deepEqual([read.getMonth() + 1, read.getDate()], [month, day]);
        },
      ),
    );
  });
});
