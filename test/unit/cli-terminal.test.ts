import assert from "node:assert/strict";
import fc from "fast-check";
import stringWidth from "string-width";
import { guardJson, guardOutput, neutralBlock, neutralLine } from "../../src/neutral-text.ts";
import { type Column, table } from "../../src/cli/terminal/table.ts";
import { cut, pad, widthOf } from "../../src/cli/terminal/width.ts";
import { describe, test } from "../support/runner.ts";

const ESC = "\u001b";
const CONTROLS = /[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/;

/** Texts with much of what a terminal would act on. */
const hostile = fc
  .array(
    fc.oneof(
      fc.string({ unit: "binary", maxLength: 8 }),
      fc.constantFrom(
        ESC,
        `${ESC}[`,
        `${ESC}]0;`,
        "\u0007",
        `${ESC}\\`,
        "\u009b",
        "\u009d",
        "31m",
        "2J",
        "\r",
        "\n",
        "\t",
        "\0",
        "\u202e",
        "\u200f",
        "\u2066",
      ),
    ),
    { maxLength: 20 },
  )
  .map((parts) => parts.join(""));

describe("text for a terminal", () => {
  for (const [name, text, shown] of [
    ["colours", `${ESC}[1;31mred${ESC}[0m`, "red"],
    ["cursor movement and erasing", `a${ESC}[2J${ESC}[10;10Hb`, "ab"],
    ["the window's title", `a${ESC}]0;title\u0007b`, "ab"],
    ["a link", `${ESC}]8;;https://x.test${ESC}\\here${ESC}]8;;${ESC}\\`, "here"],
    ["the clipboard", `${ESC}]52;c;aGk=\u0007`, ""],
    ["a device control string", `a${ESC}Pq#0${ESC}\\b`, "ab"],
    ["a sequence without end", `a${ESC}]0;title`, "a␛]0;title"],
    ["eight-bit sequences", "a\u009b31mb", "ab"],
    ["other controls", "bell\u0007 back\b del\u007f", "bell␇ back␈ del␡"],
    ["line ends", "a\r\nb\rc", "a\nb\nc"],
    ["a turned reading direction", "a\u202eb", "a\ufffdb"],
    ["plain text", "tab\tä 漢 😀\n", "tab\tä 漢 😀\n"],
  ] as const) {
    test(name, () => assert.equal(neutralBlock(text), shown));
  }

  test("no control character is left in any text, and neutral text is unchanged", () => {
    fc.assert(
      fc.property(hostile, (text) => {
        const block = neutralBlock(text);
        assert.doesNotMatch(block, CONTROLS);
        assert.equal(neutralBlock(block), block);
        assert.doesNotMatch(neutralLine(text), /[\n\t]|\s\s|^\s|\s$/);
        assert.doesNotMatch(guardOutput(text, false), CONTROLS);
        assert.doesNotMatch(guardOutput(text, true).replace(/\x1b\[\d\d?m/g, ""), CONTROLS);
      }),
    );
  });

  test("a text full of beginnings of sequences takes linear time", () => {
    for (const beginning of [
      "\u009d",
      "\u0090",
      "\u009b",
      `${ESC}]`,
      `${ESC}P`,
      `${ESC}[`,
      `${ESC}(`,
      `${ESC}]${ESC}`,
    ]) {
      // Half a million characters: with a quadratic expression this does not end within the test's time.
      const shown = neutralBlock(beginning.repeat(500_000));
      assert.doesNotMatch(shown, CONTROLS);
    }
  });

  test("the program's colours pass, a colour that hides text does not", () => {
    assert.equal(guardOutput(`${ESC}[31mred${ESC}[39m${ESC}[8mhidden`, true), `${ESC}[31mred${ESC}[39m␛[8mhidden`);
    assert.equal(guardOutput(`${ESC}[31mred`, false), "␛[31mred");
  });

  test("guarded JSON is the same value without raw control characters", () => {
    fc.assert(
      fc.property(hostile, (text) => {
        const json = guardJson(JSON.stringify({ text }, null, 2));
        assert.doesNotMatch(json, CONTROLS);
        assert.deepEqual(JSON.parse(json), { text });
      }),
    );
  });
});

describe("widths", () => {
  test("wide characters take two columns, combining ones none", () => {
    assert.deepEqual(["abc", "漢字", "e\u0301", "👩‍👩‍👧"].map(widthOf), [3, 4, 1, 2]);
  });

  for (const [text, columns, shown] of [
    ["short", 10, "short"],
    ["exactly ten", 11, "exactly ten"],
    ["a longer line", 8, "a longe…"],
    ["ends at a space", 8, "ends at…"],
    ["漢字漢字", 5, "漢字…"],
    ["漢字", 4, "漢字"],
    ["anything", Infinity, "anything"],
  ] as const) {
    test(`"${text}" cut to ${columns}`, () => assert.equal(cut(text, columns), shown));
  }

  const line = fc.string({ unit: "grapheme", maxLength: 60 }).map((text) => neutralLine(text));

  test("nothing cut or padded is wider than asked, and nothing that fits is changed", () => {
    fc.assert(
      fc.property(line, fc.integer({ min: 1, max: 40 }), (text, columns) => {
        assert.ok(stringWidth(cut(text, columns)) <= columns);
        if (stringWidth(text) <= columns) assert.equal(cut(text, columns), text);
        assert.ok(stringWidth(pad(cut(text, columns), columns)) === columns);
      }),
    );
  });

  test("the shortcut for plain text gives the width that the library computes", () => {
    const latin = fc.string({ unit: fc.integer({ min: 0x20, max: 0x25ff }).map((code) => String.fromCharCode(code)) });
    fc.assert(
      fc.property(fc.oneof(latin, fc.string({ unit: "binary" })), (text) => {
        const neutral = neutralLine(text);
        assert.equal(widthOf(neutral), stringWidth(neutral));
      }),
      { numRuns: 2_000 },
    );
  });

  test("a line of plain characters is cut at the same column as one with wide characters", () => {
    fc.assert(
      fc.property(
        fc.string({ maxLength: 30 }).map((text) => neutralLine(text)),
        fc.integer({ min: 0, max: 30 }),
        (text, columns) => {
          // Wide at the end, so that it is not plain, and too far out to be shown.
          const other = cut(`${text}${".".repeat(40)}漢`, columns);
          if (text.length > columns) assert.equal(cut(text, columns), other);
        },
      ),
    );
  });
});

describe("tables", () => {
  const columns: Column<readonly string[]>[] = [
    { head: "ID", cell: ([id = ""]) => id },
    { head: "COUNT", cell: ([, times = ""]) => times, align: "right", drop: 1 },
    { head: "PLACE", cell: ([, , place = ""]) => place, drop: 2 },
    { head: "TITLE", cell: ([, , , title = ""]) => title, flexible: true },
  ];
  const rows = [
    ["one", "5", "Rome", "A title that is rather long for a narrow terminal"],
    ["two", "1,234", "Ålesund", "漢字のタイトル"],
  ];

  test("unlimited", () => {
    assert.equal(
      table(columns, rows, Infinity),
      [
        "ID   COUNT  PLACE    TITLE",
        "one      5  Rome     A title that is rather long for a narrow terminal",
        "two  1,234  Ålesund  漢字のタイトル",
        "",
      ].join("\n"),
    );
  });

  test("narrower: the title is cut, then columns are left out", () => {
    assert.equal(
      table(columns, rows, 46),
      "ID   COUNT  PLACE    TITLE\none      5  Rome     A title that is rather l…\ntwo  1,234  Ålesund  漢字のタイトル\n",
    );
    assert.equal(
      table(columns, rows, 36),
      "ID   COUNT  TITLE\none      5  A title that is rather…\ntwo  1,234  漢字のタイトル\n",
    );
    assert.equal(table(columns, rows, 28), "ID   TITLE\none  A title that is rather…\ntwo  漢字のタイトル\n");
  });

  test("no line is wider than the terminal", () => {
    const cell = fc.string({ unit: "grapheme", maxLength: 12 }).map((text) => neutralLine(text));
    fc.assert(
      fc.property(
        fc.array(fc.tuple(cell, cell, cell, cell), { maxLength: 4 }),
        fc.integer({ min: 30, max: 80 }),
        (cells, room) => {
          for (const line of table(columns, cells, room).split("\n")) assert.ok(stringWidth(line) <= room, line);
        },
      ),
    );
  });
});
