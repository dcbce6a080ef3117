/** Each kind of damage: what is said of it, where, and what is kept. See SPEC P5. */
import assert from "node:assert/strict";
import type { ParseErrorCode, ParseResult } from "../../src/parse/model.ts";
import type { ParseOptions } from "../../src/parse/options.ts";
import { parseTranscript } from "../../src/parse/parse-transcript.ts";
import { answer, text, toolResult, toolUse, usage, userText } from "../support/parse/claude-lines.ts";
import { brokenInvariants } from "../support/parse/invariants.ts";
import { describe, test } from "../support/runner.ts";

type Told = [code: ParseErrorCode, line: number, offset: number, recovered: boolean];

async function read(input: string | Uint8Array, options: ParseOptions = {}): Promise<ParseResult> {
  const bytes = Buffer.from(input);
  const result = await parseTranscript("S", bytes, options);
  assert.deepEqual(brokenInvariants(bytes, result), []);
  return result;
}

const told = ({ errors }: ParseResult): Told[] =>
  errors.map(({ code, line_number: line, byte_offset: offset, recovered }) => [code, line, offset, recovered]);
const said = ({ content_blocks: blocks }: ParseResult): (string | null)[] =>
  blocks.map(({ content_text: content, result_text: result }) => content ?? result);
const bytesOf = (value: string): number => Buffer.byteLength(value);

const one = userText("one");
const two = userText("two");
const three = userText("three");
/** Where the second line begins if `one` is the first. */
const second = bytesOf(one) + 1;
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
      name: "is no JSON: it alone is lost",
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
      name: "has lost its beginning: what stood inside of it is no record of its own",
      input: `${answer("m", [text("x"), toolUse("t", "Bash")]).slice(20)}\n${three}\n`,
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

  test("is told to the callback as it is met", async () => {
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

  test("is named in words of our own: a runtime's may quote the line, which may hold a secret", async () => {
    const { errors } = await read('{"key": sk-ant-secret}\nsk-ant-secret\n{"a":"sk-ant-secret\n');
    assert.deepEqual(
      errors.map(({ reason }) => reason),
      [
        "The line is no JSON: the object of 22 characters is not valid JSON.",
        "The line is no JSON: text that begins no object.",
        "The line is no JSON: its object never closes.",
      ],
    );
  });
});

describe("objects on one line", () => {
  test("are each read as a line would be: session, times, unknown types and repeats", async () => {
    const first = userText("a", { timestamp: "2026-01-01T00:00:00.000Z", cwd: "/first" });
    const last = userText("b", { timestamp: "2026-01-01T01:00:00.000Z", cwd: "/last" });
    const unknown = '{"type":"future","uuid":"f"}';
    const result = await read(`${first}${unknown}${last}\n${last}\n`);
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

  test("keep the usage of an answer that goes on in them", async () => {
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

  test("that never close are given up after some tries, and what was found until then is kept", async () => {
    const result = await read(`${`{"a":[${one}`.repeat(3_000)}\n${two}\n`);
    assert.deepEqual(told(result), [["partly_lost", 1, 0, false]]);
    assert.deepEqual(said(result), ["one", "two"]);
  });
});

describe("a line of the largest size", () => {
  const LIMIT = 5 * 1024 * 1024;
  const lineOf = (size: number): string => userText("x".repeat(size - bytesOf(userText(""))));

  test("is read, and one byte more is passed over", async () => {
    const result = await read(`${lineOf(LIMIT)}\n${one}\n${lineOf(LIMIT + 1)}\n${two}`);
    assert.deepEqual(told(result), [["line_too_long", 3, LIMIT + 1 + second, false]]);
    assert.equal(result.errors[0]?.reason.startsWith("Line exceeds max size: 5242881 bytes"), true);
    assert.equal(result.messages.length, 3);
  });
});

describe("names that objects have of themselves", () => {
  const names = ["__proto__", "constructor", "toString", "hasOwnProperty"];

  for (const name of names) {
    test(`${name}: as model, tool, type of line and block, and key of an input`, async () => {
      const input = `{"${name}":{"polluted":true},"command":"ls"}`;
      const call = `{"type":"tool_use","id":"${name}","name":"${name}","input":${input}}`;
      const strange = `{"type":"${name}","${name}":1}`;
      const result = await read(
        [
          answer("m", "CONTENT", { model: name, ...usage(2, 3) }).replace('"CONTENT"', `[${call},${strange}]`),
          toolResult(name, "out", {}, { is_error: true }),
          `{"type":"${name}","uuid":"u","${name}":{"polluted":true}}`,
          `{"type":"user","${name}":{"polluted":true},"message":{"${name}":{"polluted":true},"content":"x"}}`,
        ].join("\n"),
        { pricing: "flat" },
      );
      assert.deepEqual(
        Object.entries(result.stats.models).map(([key, { tokens_out: out }]) => [key, out]),
        [[name, 3]],
      );
      assert.deepEqual(Object.entries(result.stats.tools), [[name, { calls: 1, errors: 1 }]]);
      assert.equal(JSON.stringify(result.content_blocks[0]?.tool_input), input);
      assert.deepEqual(
        result.content_blocks.map(({ block_type: type, metadata }) => [type, metadata.type]),
        [
          ["tool_use", undefined],
          ["unknown", name],
          ["tool_result", undefined],
          ["text", undefined],
        ],
      );
      assert.deepEqual(told(result).slice(-1), [["unknown_type", 3, result.unknown_lines[0]?.byte_offset ?? 0, true]]);
      assert.equal("polluted" in {}, false);
    });
  }

  test("keys that stand twice: the last holds, as everywhere", async () => {
    const result = await read('{"type":"summary","type":"user","message":{"content":"a","content":"b"}}\n');
    assert.deepEqual([result.messages[0]?.message_type, said(result)], ["user", ["b"]]);
  });
});

describe("100,000 brackets", () => {
  const deep = `${"[".repeat(100_000)}${"]".repeat(100_000)}`;
  const deepObject = `${'{"a":'.repeat(100_000)}1${"}".repeat(100_000)}`;
  const put = (line: string): string[] => [deep, deepObject].map((value) => line.replace('"DEEP"', value));

  test("in the input of a call", async () => {
    for (const line of put(answer("m", [{ ...toolUse("t", "Bash"), input: "DEEP" }]))) {
      const result = await read(`${line}\n${toolResult("t", "done")}\n${line}\n`);
      assert.deepEqual(
        result.tool_calls.map(({ status }) => status),
        ["completed"],
      );
      assert.equal(typeof result.content_blocks[0]?.tool_input, "object");
    }
  });

  test("in a result, in an unknown block, in an unknown line and in a field that is not read", async () => {
    const lines = [
      toolResult("t", "DEEP"),
      toolResult("t2", [{ type: "odd", odd: "DEEP" }]),
      answer("m", [{ type: "odd", odd: "DEEP" }]),
      '{"type":"odd","odd":"DEEP"}',
      userText("x", { toolUseResult: "DEEP" }),
    ];
    for (const line of lines.flatMap(put)) {
      const result = await read(`${line}\n${one}\n`);
      assert.equal(result.lines.used + result.lines.unknown, 2);
      assert.equal(said(result).at(-1), "one");
    }
  });

  test("glued to a record, or never closed", async () => {
    const [line = ""] = put(toolResult("t", "DEEP"));
    assert.deepEqual(told(await read(`${line}${one}\n`)), [["glued_objects", 1, 0, true]]);
    assert.deepEqual(told(await read(`${one}\n${"[".repeat(100_000)}\n`)), [["invalid_json", 2, second, false]]);
  });
});

describe("a file", () => {
  test("that is empty, or nothing but line ends", async () => {
    const empty = await read("");
    assert.deepEqual(empty.lines, { total: 0, used: 0, blank: 0, unknown: 0, failed: 0, skipped: {} });
    assert.equal(empty.source, null);
    const blank = await read("\n\n\r\n");
    assert.deepEqual(blank.lines, { total: 3, used: 0, blank: 3, unknown: 0, failed: 0, skipped: {} });
    assert.deepEqual([empty.errors, blank.errors, blank.source], [[], [], null]);
    assert.equal((await read("\ufeff")).lines.blank, 1);
  });

  for (const [name, swapped] of [
    ["little", false],
    ["big", true],
  ] as const) {
    test(`in UTF-16, ${name} endian: every line failed, and the reason says what to do`, async () => {
      const bytes = Buffer.from(`\ufeff${one}\n${userText("中文")}\n`, "utf16le");
      const result = await read(swapped ? bytes.swap16() : bytes);
      assert.equal(result.lines.failed, result.lines.total);
      assert.ok(result.lines.total >= 2);
      assert.match(result.errors[0]?.reason ?? "", /UTF-16.*iconv/);
    });
  }

  test("that is no text at all", async () => {
    const result = await read(Buffer.from(Array.from({ length: 4_096 }, (_, n) => (n * 97) % 256)));
    assert.equal(result.lines.failed + result.lines.blank, result.lines.total);
    assert.equal(result.source, null);
  });

  test("without an end to its last line loses nothing", async () => {
    const [open, closed] = [await read(`${one}\n${two}`), await read(`${one}\n${two}\n`)];
    assert.deepEqual([said(open), open.lines, open.errors], [said(closed), closed.lines, closed.errors]);
  });

  test("whose first line is megabytes long is told by its first fields, and soon", async () => {
    const spaces = `{"pad":"${" ".repeat(60_000)}","type":"user","message":{"content":"${"x".repeat(90_000)}"}}\n`;
    assert.equal((await read(spaces)).source, "claude-code");
  });
});
