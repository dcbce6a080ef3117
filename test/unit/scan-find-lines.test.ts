import assert from "node:assert/strict";
import fc from "fast-check";
import { errorMarks } from "../../src/scan/errors-marks.ts";
import { idSearch } from "../../src/scan/find-ids.ts";
import { LinePicker, type PickedLine } from "../../src/scan/find-lines.ts";
import { NeedleSearch, PatternSearch, rarestPlace, type ByteSearch } from "../../src/scan/find-search.ts";
import { describe, test } from "../support/runner.ts";

const ALL = Number.MAX_SAFE_INTEGER;

function picked(chunks: readonly Uint8Array[], search: ByteSearch, maxLineBytes = ALL): PickedLine[] {
  const picker = new LinePicker(search, maxLineBytes);
  return [...chunks.flatMap((chunk) => picker.push(chunk)), ...picker.end()];
}

function places(lines: readonly PickedLine[]): unknown[] {
  return lines.map(({ line, offset, bytes, ended }) => [line, offset, bytes.toString("latin1"), ended]);
}

/** The same, in the plainest way. */
function reference(text: string, isWanted: (line: string) => boolean): unknown[] {
  const lines = text.split("\n");
  let offset = 0;
  return lines.flatMap((line, index) => {
    const at = offset;
    offset += line.length + 1;
    const isLast = index === lines.length - 1;
    if (isLast && line === "") return [];
    return isWanted(line) ? [[index + 1, at, line, !isLast]] : [];
  });
}

describe("lines that a search picks", () => {
  test("are those that match, with their numbers and offsets, however the input is cut", () => {
    const line = fc.string({ unit: fc.constantFrom("a", "b", "x", '"', " ", "\0"), maxLength: 12 });
    fc.assert(
      fc.property(fc.array(line), fc.array(fc.nat(40)), fc.boolean(), (lines, cuts, isEnded) => {
        const text = lines.join("\n") + (isEnded ? "\n" : "");
        const bytes = Buffer.from(text);
        const ends = [...cuts.map((cut) => Math.min(cut, bytes.length)), bytes.length].toSorted((a, b) => a - b);
        const chunks = ends.map((end, index) => bytes.subarray(ends[index - 1] ?? 0, end));
        const expected = reference(text, (each) => each.includes("ab") || each.includes("\0"));
        assert.deepEqual(places(picked(chunks, new PatternSearch(/ab/g))), expected);
        const needle = { text: "ab", confirms: () => true };
        assert.deepEqual(places(picked(chunks, new NeedleSearch([needle]))), expected);
      }),
      { numRuns: 500 },
    );
  });

  test("are found beyond a window and after very long lines", () => {
    const long = "y".repeat(200_000);
    const text = `${long}\nab\n${long}ab\n${"z\n".repeat(70_000)}ab`;
    const lines = picked([Buffer.from(text)], new PatternSearch(/ab/g)).map(({ line, bytes }) => [line, bytes.length]);
    assert.deepEqual(lines, [
      [2, 2],
      [3, 200_002],
      [70_004, 2],
    ]);
  });

  test("are none that are too long, in one chunk or in several", () => {
    const text = `${"a".repeat(100)}\nab\n${"ab".repeat(60)}\nab`;
    const whole = Buffer.from(text);
    const bytewise = [...whole].map((byte) => Buffer.from([byte]));
    for (const chunks of [[whole], bytewise]) {
      assert.deepEqual(places(picked(chunks, new PatternSearch(/ab/g), 50)), [
        [2, 101, "ab", true],
        [4, 225, "ab", false],
      ]);
    }
  });

  test("are whole if a chunk changes before the next one brings the rest of its last line", () => {
    const chunk = Buffer.from("ab\nxx");
    const picker = new LinePicker(new PatternSearch(/ab/g), ALL);
    assert.deepEqual(places(picker.push(chunk)), [[1, 0, "ab", true]]);
    chunk.fill("q");
    assert.deepEqual(places(picker.push(Buffer.from("ab\n"))), [[2, 3, "xxab", true]]);
  });
});

describe("the search for ids", () => {
  const found = (text: string, ...ids: string[]): number[] => {
    const search = idSearch(new Set(ids));
    assert.ok(search);
    return picked([Buffer.from(text)], search).map(({ line }) => line);
  };

  test("finds whole ids as texts of their own", () => {
    const text =
      '{"id":"toolu_01A"}\n{"id":"toolu_01AB"}\n{"id": "toolu_01B"}\n{"x":"a toolu_01A"}\n{"x":"\\"toolu_01A\\""}\n';
    assert.deepEqual(found(text, "toolu_01A", "toolu_01B"), [1, 3]);
  });

  test("finds ids of several kinds at once", () => {
    const text = '"call_9"\n"toolu_7"\n"functions.bash:0"\n"functions_bash:0"\n';
    assert.deepEqual(found(text, "call_9", "toolu_7", "functions.bash:0"), [1, 2, 3]);
  });

  test("gives up where JSON may write an id in another way, or where there are too many kinds", () => {
    assert.equal(idSearch(new Set(['a"bcd'])), undefined);
    assert.equal(idSearch(new Set(["né-id"])), undefined);
    assert.equal(idSearch(new Set(Array.from({ length: 40 }, (_, index) => `${index + 10}-long-id`))), undefined);
  });

  test("begins with the rarest character", () => {
    assert.equal(rarestPlace("toolu_01"), 5);
    assert.equal(rarestPlace("eeQe"), 2);
  });
});

describe("marks of errors", () => {
  const isPicked = (line: string): boolean => picked([Buffer.from(`${line}\n`)], errorMarks()).length === 1;

  test("are what a failed result has", () => {
    assert.ok(isPicked('{"is_error":true}'));
    assert.ok(isPicked('{"is_error" \t: true}'));
    assert.ok(isPicked("<tool_use_error>no</tool_use_error>"));
    assert.ok(isPicked("\\u003ctool_use_error\\u003e"));
    assert.ok(isPicked('{"toolUseResult":"Error: no"}'));
    assert.ok(isPicked('{"toolUseResult" : "Error: no"}'));
  });

  test("are not what others have", () => {
    for (const line of [
      '{"is_error":false}',
      '{"is_error":"true"}',
      '{"x":"Error: no"}',
      '{"is_error"',
      "my_error",
      '"Error: ',
    ])
      assert.equal(isPicked(line), false, line);
  });
});
