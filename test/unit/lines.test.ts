import assert from "node:assert/strict";
import { LineSplitter, type RawLine } from "../../src/transcript/format/lines.ts";
import { collectGarbage } from "../support/parse/garbage.ts";
import { describe, test } from "../support/runner.ts";

/** Line, offset, content (or its size if that is all that is kept), and whether a line end follows. */
type Short = [line: number, offset: number, content: string | number, ended: boolean];

function split(chunks: readonly (string | Uint8Array)[], maxLineBytes = 1_000): Short[] {
  const splitter = new LineSplitter(maxLineBytes);
  const lines: RawLine[] = chunks.flatMap((chunk) => splitter.push(Buffer.from(chunk)));
  const last = splitter.end();
  return [...lines, ...(last ? [last] : [])].map(({ line, offset, bytes, ended }) => [
    line,
    offset,
    typeof bytes === "number" ? bytes : bytes.toString("utf8"),
    ended,
  ]);
}

describe("lines", () => {
  const cases: [name: string, chunks: readonly (string | Uint8Array)[], lines: Short[]][] = [
    ["of an empty input: none", [], []],
    ["of empty chunks: none", ["", ""], []],
    ["of one line end: an empty one", ["\n"], [[1, 0, "", true]]],
    [
      "that are empty count",
      ["\n\na\n"],
      [
        [1, 0, "", true],
        [2, 1, "", true],
        [3, 2, "a", true],
      ],
    ],
    [
      "need no end",
      ["a\nbc"],
      [
        [1, 0, "a", true],
        [2, 2, "bc", false],
      ],
    ],
    [
      "are not ended by a carriage return, which belongs to them",
      ["a\r\nb\rc\n"],
      [
        [1, 0, "a\r", true],
        [2, 3, "b\rc", true],
      ],
    ],
    ["are not ended by other separators", ["a\u2028b\u0085c\n"], [[1, 0, "a\u2028b\u0085c", true]]],
    [
      "span chunks",
      ["a", "b", "\n", "c"],
      [
        [1, 0, "ab", true],
        [2, 3, "c", false],
      ],
    ],
    ["are cut within a character", [Uint8Array.of(0xc3), Uint8Array.of(0xa9, 10)], [[1, 0, "é", true]]],
    [
      "have offsets in bytes",
      ["é😀\nx"],
      [
        [1, 0, "é😀", true],
        [2, 7, "x", false],
      ],
    ],
  ];
  for (const [name, chunks, lines] of cases) test(name, () => assert.deepEqual(split(chunks), lines));

  test("at the limit are kept, over it only their size, and the next one is whole", () => {
    const input = `${"a".repeat(10)}\n${"b".repeat(11)}\nc\n`;
    const lines: Short[] = [
      [1, 0, "a".repeat(10), true],
      [2, 11, 11, true],
      [3, 23, "c", true],
    ];
    assert.deepEqual(split([input], 10), lines);
    assert.deepEqual(split([...input], 10), lines);
  });

  test("are whole if the caller reuses its chunk", () => {
    const splitter = new LineSplitter(100);
    const chunk = Buffer.from("first ha");
    assert.deepEqual(splitter.push(chunk), []);
    chunk.write("lf\nrest.");
    const lines = splitter.push(chunk).map(({ bytes }) => bytes.toString());
    assert.deepEqual(lines, ["first half"]);
  });

  test("over the limit at the end of the input have their size too", () => {
    assert.deepEqual(split(["aaa", "bbb"], 5), [[1, 0, 6, false]]);
  });

  test("over the limit are not held", async () => {
    const splitter = new LineSplitter(100);
    const chunks: WeakRef<ArrayBuffer>[] = [];
    for (let n = 0; n < 64; n += 1) {
      const chunk = new Uint8Array(1 << 20);
      chunks.push(new WeakRef(chunk.buffer));
      assert.deepEqual(splitter.push(chunk), []);
    }
    await collectGarbage();
    const alive = chunks.filter((chunk) => chunk.deref() !== undefined).length;
    assert.ok(alive < 8, `${alive} of 64 chunks are held`);
    assert.deepEqual(splitter.end(), { line: 1, offset: 0, bytes: 64 << 20, ended: false });
  });
});
