import { Clock } from "../../src/render/html/view.ts";
import { showUnseen } from "../../src/render/html/page-writer.ts";
import { compact, counted, dollars, duration } from "../../src/quantities.ts";
import { describe, test } from "../support/runner.ts";
import assert from "node:assert/strict";

describe("quantities", () => {
  const cases: [shown: string, expected: string][] = [
    [counted(1, "call"), "1 call"],
    [counted(12_345, "call"), "12,345 calls"],
    [compact(999), "999"],
    [compact(4_770_000), "4.77M"],
    [dollars(0), "$0"],
    [dollars(0.004_21), "$0.0042"],
    [dollars(1.5), "$1.50"],
    [dollars(1_234), "$1,234"],
    [duration(-5), "0 s"],
    [duration(4_230), "4.2 s"],
    [duration(59_900), "59 s"],
    [duration(200_000), "3 min 20 s"],
    [duration(3_600_000), "1 h"],
    [duration(4_320_000), "1 h 12 min"],
    [duration(190_800_000), "2 d 5 h"],
  ];
  for (const [shown, expected] of cases) test(expected, () => assert.equal(shown, expected));
});

describe("times", () => {
  const time = "2030-01-02T23:04:05.678Z";
  test("in UTC", () => {
    const clock = new Clock("UTC");
    assert.deepEqual([clock.time(time), clock.dateAndTime(time)], ["23:04:05", "2 Jan 2030, 23:04"]);
    assert.equal(clock.time("2030-01-02T00:00:00Z"), "00:00:00");
  });
  test("in another zone", () => assert.equal(new Clock("Asia/Tokyo").dateAndTime(time), "3 Jan 2030, 08:04"));
  test("anything that is not a time is unchanged", () => {
    const clock = new Clock("UTC");
    assert.deepEqual([clock.time("soon"), clock.dateAndTime("soon")], ["soon", "soon"]);
  });
  test("there is no such zone", () => assert.throws(() => new Clock("Moon/Crater"), RangeError));
});

describe("characters that cannot be seen", () => {
  const cases: [text: string, shown: string][] = [
    ["a\u202eb\u2069", "a‹U+202E›b‹U+2069›"],
    ["\u0000\u001b\u007f\u0085", "␀␛␡‹U+0085›"],
    ["\u{e0041}", "‹U+E0041›"],
    ["\ud800", "\ufffd"],
    ["tab\tline\r\n", "tab\tline\r\n"],
    ["👩‍👩‍👧 עברית é", "👩‍👩‍👧 עברית é"],
  ];
  for (const [text, shown] of cases) test(shown, () => assert.equal(showUnseen(text), shown));
});
