/** Each kind of damage: what is said of it, where, and what is kept. */
import assert from "node:assert/strict";
import type { ParseResult } from "../../src/parse/model.ts";
import type { ParseOptions } from "../../src/parse/parse-options.ts";
import { answer, text, usage, userText } from "../support/parse/claude-lines.ts";
import { read, said, told, type Told } from "../support/parse/told.ts";
import { describe, test } from "../support/runner.ts";

const bytesOf = (value: string): number => Buffer.byteLength(value);

const one = userText("one");
const two = userText("two");
const three = userText("three");
/** Where the second line begins if `one` is the first. */
const second = bytesOf(one) + 1;
const ODD_ENDS = ["a\\", 'b\\\\"', '}{"\\'];
const torn = two.slice(0, 55);

describe("a line with damage", () => {
  interface Case {
    name: string;
    input: string | Uint8Array;
    errors: Told[];
    texts: string[];
    lines: Partial<ParseResult["lines"]>;
    options?: ParseOptions;
  }
  const cases: Case[] = [
    {
      name: "is not JSON: only that line is lost",
      input: `${one}\nnot json\n${three}\n`,
      errors: [["invalid_json", 2, second, false]],
      texts: ["one", "three"],
      lines: { total: 3, used: 2, failed: 1 },
    },
    {
      name: "is an object that never closes: it alone is lost",
      input: `${one}\n${torn}\n${three}\n`,
      errors: [["invalid_json", 2, second, false]],
      texts: ["one", "three"],
      lines: { total: 3, used: 2, failed: 1 },
    },
    {
      name: "has an escape that JSON does not know: it stands for itself",
      input: `${one}\n${userText("a MARK b\\n").replace("MARK", String.raw`\[x\] \d \' \u12`)}\n${three}\n`,
      errors: [["unknown_escape", 2, second, true]],
      texts: ["one", String.raw`a \[x\] \d \' \u12 b\n`, "three"],
      lines: { total: 3, used: 3, failed: 0 },
    },
    {
      name: "has two objects: both are used",
      input: `${one}\n${two}${three}\n`,
      errors: [["glued_objects", 2, second, true]],
      texts: ["one", "two", "three"],
      lines: { total: 2, used: 2, failed: 0 },
    },
    {
      name: "has three objects with white space between: all are used",
      input: `${one} \t${two}\r${three}\n`,
      errors: [["glued_objects", 1, 0, true]],
      texts: ["one", "two", "three"],
      lines: { total: 1, used: 1 },
    },
    {
      name: "has objects whose texts end with quotes and backslashes: all are used",
      input: `${ODD_ENDS.map((each) => userText(each)).join("")}\n`,
      errors: [["glued_objects", 1, 0, true]],
      texts: ODD_ENDS,
      lines: { total: 1, used: 1 },
    },
    {
      name: "is torn, and a whole object follows: that is used",
      input: `${one}\n${torn}${three}\n`,
      errors: [["partly_lost", 2, second, false]],
      texts: ["one", "three"],
      lines: { total: 2, used: 2, failed: 0 },
    },
    {
      name: "is an object with garbage after it: the object is used",
      input: `${one}\n${two}%%%\n${three}\n`,
      errors: [["partly_lost", 2, second, false]],
      texts: ["one", "two", "three"],
      lines: { total: 3, used: 3, failed: 0 },
    },
    {
      name: "is two writers at once: what one of them wrote between the halves of the other is used",
      input: `${torn}${three}${two.slice(torn.length)}\n`,
      errors: [["partly_lost", 1, 0, false]],
      texts: ["three"],
      lines: { total: 1, used: 1 },
    },
    {
      name: "has objects with garbage between them: each is used",
      input: `${one}%%${two}%%${three}\n`,
      errors: [["partly_lost", 1, 0, false]],
      texts: ["one", "two", "three"],
      lines: { total: 1, used: 1 },
    },
    {
      name: "has lost its beginning: a record that stood inside of it is none of its own",
      input: `{"ty%","data":{"type":"agent_progress","message":${two},"agentId":"a"},"uuid":"u"}\n${three}\n`,
      errors: [["invalid_json", 1, 0, false]],
      texts: ["three"],
      lines: { total: 2, used: 1, failed: 1 },
    },
    {
      name: "is the last and torn",
      input: `${one}\n${torn}`,
      errors: [["torn_line", 2, second, false]],
      texts: ["one"],
      lines: { total: 2, used: 1, failed: 1 },
    },
    {
      name: "is a record with another glued to it that is torn",
      input: `${one}\n${two}${three.slice(0, 50)}`,
      errors: [["partly_lost", 2, second, false]],
      texts: ["one", "two"],
      lines: { total: 2, used: 2 },
    },
    {
      name: "has NUL bytes before an object: they are left out",
      input: `${one}\n\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0${two}\n`,
      errors: [["nul_bytes", 2, second, true]],
      texts: ["one", "two"],
      lines: { total: 2, used: 2 },
    },
    {
      name: "has NUL bytes in place of the line end",
      input: `${one}\0${two}\n`,
      errors: [
        ["nul_bytes", 1, 0, true],
        ["glued_objects", 1, 0, true],
      ],
      texts: ["one", "two"],
      lines: { total: 1, used: 1 },
    },
    {
      name: "is nothing but NUL bytes, as a crash leaves them",
      input: `${one}\n${"\0".repeat(4_096)}\n${three}\n${"\0".repeat(512)}`,
      errors: [
        ["nul_bytes", 2, second, false],
        ["nul_bytes", 4, second + 4_097 + bytesOf(three) + 1, false],
      ],
      texts: ["one", "three"],
      lines: { total: 4, used: 2, failed: 2, blank: 0 },
    },
    {
      name: "begins with a byte order mark, at the start of the file or where two were put together",
      input: `\ufeff${one}\n\ufeff${two}\n`,
      errors: [
        ["byte_order_mark", 1, 0, true],
        ["byte_order_mark", 2, second + 3, true],
      ],
      texts: ["one", "two"],
      lines: { total: 2, used: 2 },
    },
    {
      name: "has bytes that are not UTF-8: they are replaced",
      input: Buffer.concat([Buffer.from(`${one}\n`), Buffer.from(userText("a#b").replace("#", "\xff"), "latin1")]),
      errors: [["invalid_utf8", 2, second, true]],
      texts: ["one", "a\ufffdb"],
      lines: { total: 2, used: 2 },
    },
    {
      name: "has half a character where it was torn",
      input: Buffer.from(`${one}\n${userText("é").slice(0, -3)}`).subarray(0, -1),
      errors: [
        ["invalid_utf8", 2, second, true],
        ["torn_line", 2, second, false],
      ],
      texts: ["one"],
      lines: { total: 2, used: 1, failed: 1 },
    },
    {
      name: "has the replacement character, rightly",
      input: `${userText("a\ufffdb")}\n`,
      errors: [],
      texts: ["a\ufffdb"],
      lines: { total: 1, used: 1 },
    },
    {
      name: "has half of a surrogate pair, escaped: it is kept",
      input: `${one.replace("one", String.raw`\ud83d`)}\n${two.replace("two", String.raw`\ud83d\ude00`)}\n`,
      errors: [],
      texts: ["\ud83d", "😀"],
      lines: { total: 2, used: 2 },
    },
    {
      name: "ends with a carriage return and a line feed",
      input: `${one}\r\n\r\n${two}\r\n`,
      errors: [],
      texts: ["one", "two"],
      lines: { total: 3, used: 2, blank: 1 },
    },
    {
      name: "has other line separators in its text",
      input: `${userText("a\u2028b\u2029c\u0085d")}\n`,
      errors: [],
      texts: ["a\u2028b\u2029c\u0085d"],
      lines: { total: 1, used: 1 },
    },
    {
      name: "is all of a file whose lines end with carriage returns alone",
      input: `${one}\r${two}\r`,
      errors: [["glued_objects", 1, 0, true]],
      texts: ["one", "two"],
      lines: { total: 1, used: 1 },
    },
    {
      name: "is JSON but no object",
      input: `[1]\n"text"\n12\nnull\ntrue\n${one}\n`,
      errors: [0, 4, 11, 14, 19].map((offset, n): Told => ["not_a_record", n + 1, offset, false]),
      texts: ["one"],
      lines: { total: 6, used: 1, failed: 5 },
    },
    {
      name: "is an object without a type",
      input: `{}\n{"type":7}\n${one}\n`,
      errors: [
        ["not_a_record", 1, 0, false],
        ["not_a_record", 2, 3, false],
      ],
      texts: ["one"],
      lines: { total: 3, used: 1, failed: 2 },
    },
    {
      name: "has an object without a type glued to a record",
      input: `${one}{}\n`,
      errors: [
        ["glued_objects", 1, 0, true],
        ["not_a_record", 1, 0, false],
      ],
      texts: ["one"],
      lines: { total: 1, used: 1, failed: 0 },
    },
    {
      name: "is over the limit, at it, or under it",
      input: `${one}\n${userText("x".repeat(500))}\n${two}`,
      errors: [["line_too_long", 2, second, false]],
      texts: ["one", "two"],
      lines: { total: 3, used: 2, failed: 1 },
      options: { maxLineBytes: bytesOf(one) },
    },
    {
      name: "is empty or white space",
      input: `\n${one}\n   \t \n\n${two}`,
      errors: [],
      texts: ["one", "two"],
      lines: { total: 5, used: 2, blank: 3 },
    },
  ];
  for (const { name, input, errors, texts, lines, options } of cases) {
    test(name, async () => {
      const result = await read(input, options);
      assert.deepEqual(told(result), errors);
      assert.deepEqual(said(result), texts);
      assert.deepEqual({ ...result.lines, ...lines }, result.lines);
    });
  }

  test("is reported to the callback as it is found", async () => {
    const heard: unknown[] = [];
    const { errors } = await read(`x\n${one}\ny\n`, {
      onLineError: (line, reason, { code }) => heard.push([line, reason, code]),
    });
    assert.deepEqual(
      heard,
      errors.map(({ line_number, reason, code }) => [line_number, reason, code]),
    );
    assert.equal(heard.length, 2);
  });

  test("that cut a time off has no time, since runtimes read it differently", async () => {
    for (const timestamp of ["20436", "2", "January", "12345-01-01T00:00:00Z", "+020436-01-01T00:00:00.000Z", 1e300]) {
      const { messages, metadata } = await read(userText("one", { timestamp }));
      assert.deepEqual([messages[0]?.timestamp, metadata.lastTimestamp], [null, null], String(timestamp));
    }
  });

  test("is reported in our own words: a runtime's may quote the line, which may have a secret", async () => {
    const { errors } = await read('{"key": sk-ant-secret}\nsk-ant-secret\n{"a":"sk-ant-secret\n');
    assert.deepEqual(
      errors.map(({ reason }) => reason),
      [
        "The line is not JSON: the object of 22 characters is not valid JSON.",
        "The line is not JSON: text that begins no object.",
        "The line is not JSON: its object never closes.",
      ],
    );
  });
});

describe("objects on one line", () => {
  test("are each read as a line would be: session, times, unknown types and repeats", async () => {
    const first = userText("a", { timestamp: "2026-01-01T00:00:00.000Z", cwd: "/first" });
    const last = userText("b", { timestamp: "2026-01-01T01:00:00.000Z", cwd: "/last" });
    const unknown = '{"type":"future","uuid":"f"}';
    const mode = '{"type":"mode","mode":"plan"}';
    const result = await read(`${first}${unknown}${mode}${last}\n${last}\n`);
    assert.deepEqual(said(result), ["a", "b"]);
    assert.equal(result.metadata.cwd, "/first");
    assert.equal(result.stats.duration_ms, 3_600_000);
    assert.deepEqual(
      result.unknown_lines.map(({ type, line_number }) => [type, line_number]),
      [["future", 1]],
    );
    assert.deepEqual(told(result), [
      ["glued_objects", 1, 0, true],
      ["unknown_type", 1, 0, true],
    ]);
    assert.deepEqual(result.lines, { total: 2, used: 1, blank: 0, unknown: 0, failed: 0, skipped: { duplicate: 1 } });
  });

  test("keep the usage of an answer that continues in them", async () => {
    const result = await read(
      `${answer("m", [text("a")], usage(5, 1))}${answer("m", [text("b")], usage(5, 90))}\n${one}`,
    );
    assert.deepEqual([result.stats.tokens_out, result.messages.length], [90, 2]);
  });

  test("are read by the thousand", async () => {
    const many = Array.from({ length: 5_000 }, (_, n) => userText(`${n}`));
    const result = await read(`${many.join("")}\n`);
    assert.equal(result.messages.length, 5_000);
    assert.deepEqual(told(result), [["glued_objects", 1, 0, true]]);
  });

  test("are read after others that never close, however many", async () => {
    const result = await read(`${`{"a":"b${one}`.repeat(3_000)}\n${two}\n`);
    assert.deepEqual(told(result), [["partly_lost", 1, 0, false]]);
    assert.deepEqual(said(result), ["one", "two"]);
  });
});

describe("an output count that is only the start of a stream", () => {
  const mark = async (...outputs: number[]): Promise<unknown> => {
    const { messages } = await read(outputs.map((n) => `${answer("m", [text(`${n}`)], usage(1, n))}\n`).join(""));
    return messages[0]?.metadata.tokens_out_is_lower_bound;
  };

  test("is reported for the count that is used, and for no other", async () => {
    assert.deepEqual([await mark(3), await mark(3, 500), await mark(500, 3)], [true, undefined, undefined]);
  });
});

describe("a line of the largest size", () => {
  const LIMIT = 5 * 1024 * 1024;
  const lineOf = (size: number): string => userText("x".repeat(size - bytesOf(userText(""))));

  test("is read; one byte more is skipped", async () => {
    const result = await read(`${lineOf(LIMIT)}\n${one}\n${lineOf(LIMIT + 1)}\n${two}`);
    assert.deepEqual(told(result), [["line_too_long", 3, LIMIT + 1 + second, false]]);
    assert.equal(result.errors[0]?.reason.startsWith("Line exceeds max size: 5242881 bytes"), true);
    assert.equal(result.messages.length, 3);
  });
});
