/** Content that is whole but strange, and files that are no session: nothing breaks. */
import assert from "node:assert/strict";
import { answer, toolResult, toolUse, usage, userText } from "../support/parse/claude-lines.ts";
import { read, said, told } from "../support/parse/told.ts";
import { describe, isLong, test } from "../support/runner.ts";

const one = userText("one");
const two = userText("two");
/** Where the second line begins if `one` is the first. */
const second = Buffer.byteLength(one) + 1;

describe("names of object members, such as constructor", () => {
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

  test("duplicate keys: the last one counts, as everywhere", async () => {
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
    // In turn: Bun takes seconds for each that is written as JSON again.
    for (const line of lines.flatMap((each, at) => put(each).filter((_, form) => isLong || form === at % 2))) {
      const result = await read(`${line}\n${one}\n`);
      assert.equal(result.lines.used + result.lines.unknown, 2);
      assert.equal(said(result).at(-1), "one");
    }
  });

  test("after a record on its line, or never closed", async () => {
    const [line = ""] = put(toolResult("t", "DEEP"));
    assert.deepEqual(told(await read(`${line}${one}\n`)), [["glued_objects", 1, 0, true]]);
    assert.deepEqual(told(await read(`${one}\n${"[".repeat(100_000)}\n`)), [["invalid_json", 2, second, false]]);
  });
});

describe("a file", () => {
  test("that is empty, or nothing but line ends", async () => {
    const empty = await read("");
    assert.deepEqual(empty.lines, { total: 0, used: 0, blank: 0, unknown: 0, failed: 0, skipped: {} });
    assert.equal(empty.format, null);
    const blank = await read("\n\n\r\n");
    assert.deepEqual(blank.lines, { total: 3, used: 0, blank: 3, unknown: 0, failed: 0, skipped: {} });
    assert.deepEqual([empty.errors, blank.errors, blank.format], [[], [], null]);
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

  test("that is not text at all", async () => {
    const result = await read(Buffer.from(Array.from({ length: 4_096 }, (_, n) => (n * 97) % 256)));
    assert.equal(result.lines.failed + result.lines.blank, result.lines.total);
    assert.equal(result.format, null);
  });

  test("without an end to its last line loses nothing", async () => {
    const [open, closed] = [await read(`${one}\n${two}`), await read(`${one}\n${two}\n`)];
    assert.deepEqual([said(open), open.lines, open.errors], [said(closed), closed.lines, closed.errors]);
  });

  test("whose first line is megabytes long is detected by its first fields, quickly", async () => {
    const spaces = `{"pad":"${" ".repeat(60_000)}","type":"user","message":{"content":"${"x".repeat(90_000)}"}}\n`;
    assert.equal((await read(spaces)).format, "claude-code");
  });
});

test("a damaged line with three megabytes of spaces is read once", async () => {
  const spaces = " ".repeat(3_000_000);
  for (const line of [`{"type":"user"${spaces}`, `{"type":"user","message":${spaces}{`, `${spaces}x${one}`]) {
    const result = await read(`${one}\n${line}\n${two}\n`);
    assert.deepEqual(said(result), ["one", "two"]);
    assert.equal(result.errors.length, 1);
  }
});

test("a section of a markdown transcript with 200,000 fences is read", async () => {
  const fences = "```\na\n```\n\n".repeat(200_000);
  const header = '# Transcript: ses_1\n\n<!-- transcript {"version":1} -->\n\n---\n\n';
  const section = `## [2026-01-05T10:30:00.000Z] Tool Result: bash\n\n**Call ID**: c\n\n### Output\n\n\`\`\`\nout\n\`\`\`\n\n### Diff\n\n${fences}`;
  const { content_blocks: blocks } = await read(`${header}${section}<!-- id @_1 _2 -->\n\n---\n\n`);
  assert.deepEqual(
    blocks.map(({ result_text: text }) => text),
    ["out"],
  );
});
