import assert from "node:assert/strict";
import { encodeMarkdownEntry, type TranscriptEntry } from "../../src/transcript/format/formats.ts";
import type { ParseError } from "../../src/parse/model.ts";
import { assertAccounted } from "../support/parse/account.ts";
import { FORMATS, HEADER, JSONL, MARKDOWN } from "../support/parse/transcript-file.ts";
import { readSource, type ReadingOptions, type SourceReading } from "../support/parse/source.ts";
import { describe, test } from "../support/runner.ts";

const said = (content: string): TranscriptEntry => ({
  type: "assistant",
  timestamp: "2026-01-05T10:30:00.000Z",
  messageID: `msg_${content}`,
  partID: `prt_${content}`,
  content,
});

const ENTRIES = ["one", "two", "three"].map(said);

const texts = ({ blocks }: SourceReading): (string | null)[] => blocks.map(({ content_text }) => content_text);
const codes = ({ errors }: SourceReading): string[] => errors.map(({ code }) => code);

/** Reads a file that may be damaged; every line of it must be accounted for. */
async function read(
  { source }: { source: typeof JSONL.source },
  file: string | Buffer,
  options?: ReadingOptions,
): Promise<SourceReading> {
  const bytes = Buffer.from(file);
  const reading = await readSource(source, bytes, options);
  assertAccounted(reading, bytes);
  return reading;
}

for (const [name, format] of Object.entries(FORMATS)) {
  const whole = format.text(ENTRIES);
  const head = format.header(HEADER);
  const [one = "", two = "", three = ""] = ENTRIES.map(format.entry);

  describe(`a damaged transcript in ${name}`, () => {
    test("that is whole has no errors, and all of its lines are used", async () => {
      const reading = await read(format, whole);
      assert.deepEqual(texts(reading), ["one", "two", "three"]);
      assert.deepEqual(reading.errors, []);
      assert.equal(reading.lines.used, reading.lines.total);
      assert.deepEqual(
        reading.messages.map(({ line_number, byte_offset }) => [line_number, byte_offset]),
        [head, `${head}${one}`, `${head}${one}${two}`].map((before) => [
          before.split("\n").length,
          Buffer.byteLength(before),
        ]),
      );
    });

    test("that is cut off in its last entry returns the others", async () => {
      const reading = await read(format, whole.slice(0, -20));
      assert.deepEqual(texts(reading), ["one", "two"]);
      assert.deepEqual(codes(reading), ["torn_line"]);
      assert.ok(reading.lines.failed > 0);
    });

    test("whose torn entry was overwritten returns all complete ones", async () => {
      const reading = await read(format, `${head}${one}${two.slice(0, 60)}${three}`);
      assert.deepEqual(texts(reading), ["one", "three"]);
      assert.equal(reading.errors.length, 1);
    });

    test("that lacks its header is read all the same", async () => {
      const reading = await read(format, `${one}${two}`);
      assert.ok(format.source.detect(`${one}${two}`));
      assert.deepEqual(texts(reading), ["one", "two"]);
      assert.deepEqual(codes(reading), ["damaged_entry"]);
      assert.equal(reading.metadata.sessionId, null);
    });

    test("that begins with a byte order mark", async () => {
      const reading = await read(format, `\ufeff${whole}`);
      assert.ok(format.source.detect(`\ufeff${whole}`));
      assert.deepEqual(texts(reading), ["one", "two", "three"]);
      assert.deepEqual(
        reading.errors.map(({ code, recovered }) => [code, recovered]),
        [["byte_order_mark", true]],
      );
    });

    test("with line ends of Windows", async () => {
      const reading = await read(format, whole.replaceAll("\n", "\r\n"));
      assert.deepEqual(
        texts(reading).map((text) => text?.trim()),
        ["one", "two", "three"],
      );
    });

    test("with blank lines between its entries", async () => {
      const reading = await read(format, `${head}${one}\n\n${two}\n`);
      assert.deepEqual(texts(reading), ["one", "two"]);
      assert.deepEqual(reading.errors, []);
      assert.equal(reading.lines.blank, 3);
    });

    test("into which a part of it was copied again", async () => {
      const reading = await read(format, `${head}${one}${two}${one}${two}${three}`);
      assert.deepEqual(texts(reading), ["one", "two", "three"]);
      assert.ok((reading.lines.skipped["duplicate"] ?? 0) >= 2);
    });

    test("of a newer version keeps what it does not know", async () => {
      const newer =
        name === "jsonl"
          ? '{"type":"hologram","depth":3}\n'
          : '## [2026-01-05T10:30:00.000Z] Reasoning\n\nx\n\n<!-- id @ {"type":"hologram","depth":3} -->\n\n---\n\n';
      const reading = await read(format, `${head}${one}${newer}${two}`);
      assert.deepEqual(texts(reading), ["one", "two"]);
      assert.deepEqual(codes(reading), ["unknown_type"]);
      assert.ok(reading.lines.unknown > 0);
      const unknown = reading.units.flatMap(({ outcome }) => (outcome.as === "unknown" ? [outcome] : []));
      assert.deepEqual(unknown, [{ as: "unknown", type: "hologram", raw: { type: "hologram", depth: 3 } }]);
    });

    test("with nothing in it", async () => {
      assert.deepEqual((await read(format, "")).messages, []);
      assert.equal(format.source.detect(""), false);
    });
  });
}

describe("lines of JSON", () => {
  test("two entries on one line are both read", async () => {
    const head = JSONL.header(HEADER);
    const [one = "", two = ""] = ENTRIES.map(JSONL.entry);
    const torn = `${one.trimEnd().slice(0, -9)}${two}`;
    const reading = await read(JSONL, `${head}${torn}`);
    assert.deepEqual(texts(reading), ["two"]);
    assert.deepEqual(codes(reading), ["damaged_entry"]);
    assert.deepEqual([reading.lines.used, reading.lines.failed], [2, 0]);
  });

  test("a line that is not JSON loses only that line", async () => {
    const head = JSONL.header(HEADER);
    const [one = "", two = ""] = ENTRIES.map(JSONL.entry);
    const reading = await read(JSONL, `${head}${one}garbage\n${two}`);
    assert.deepEqual(texts(reading), ["one", "two"]);
    const expected: Partial<ParseError> = { code: "damaged_entry", line_number: 3, recovered: false };
    const [error] = reading.errors;
    assert.deepEqual({ code: error?.code, line_number: error?.line_number, recovered: error?.recovered }, expected);
    assert.equal(error?.byte_offset, Buffer.byteLength(`${head}${one}`));
    assert.equal(reading.lines.failed, 1);
  });
});

describe("outputs in files of their own", () => {
  const output = "x".repeat(300);
  const path = "ses_1/outputs/c.txt";
  const result: TranscriptEntry = {
    type: "tool_result",
    timestamp: "2026-01-05T10:30:00.000Z",
    partID: "p",
    tool: "bash",
    callID: "c",
    input: {},
    output,
  };
  const file = MARKDOWN.header(HEADER) + encoded(result, path);

  test("are read from there", async () => {
    const asked: string[] = [];
    const reading = await read(MARKDOWN, file, {
      readOutput: async (wanted) => {
        asked.push(wanted);
        return output;
      },
    });
    assert.deepEqual(asked, [path]);
    assert.equal(reading.blocks[0]?.result_text, output);
    assert.deepEqual(reading.errors, []);
  });

  for (const [why, readOutput] of [
    ["is gone", async () => undefined],
    ["cannot be read", () => Promise.reject(new Error("no"))],
    ["nobody can read", undefined],
  ] as const) {
    test(`that ${why} are said to be missing`, async () => {
      const reading = await read(MARKDOWN, file, readOutput ? { readOutput } : {});
      assert.deepEqual(codes(reading), ["missing_output"]);
      assert.match(reading.blocks[0]?.result_text ?? "", /^x+$/m);
      assert.equal(reading.blocks[0]?.metadata.persisted_output_path, path);
      assert.equal(reading.lines.failed, 0);
    });
  }
});

describe("other files are not taken for our transcripts", () => {
  const others: Record<string, string> = {
    "a session of Claude Code":
      '{"parentUuid":null,"isSidechain":false,"sessionId":"s","type":"user","message":{"role":"user","content":"{\\"type\\":\\"user\\",\\"timestamp\\":\\"t\\",\\"content\\":\\"x\\",\\"parts\\":[]}"},"uuid":"u","timestamp":"2026-01-05T10:30:00.000Z"}\n',
    "its answers":
      '{"type":"assistant","message":{"id":"m","role":"assistant","content":[{"type":"text","text":"x"}]},"uuid":"u","timestamp":"2026-01-05T10:30:00.000Z","sessionId":"s"}\n',
    "stream-json": '{"type":"system","subtype":"init","session_id":"s","tools":[]}\n{"type":"result","result":"x"}\n',
    "a summary": '{"type":"summary","summary":"x","leafUuid":"u"}\n',
    "an export of opencode's": '{"info":{"id":"ses_1"},"messages":[]}',
    "other JSON lines": '{"type":"user","content":"x"}\n{"a":1}\n',
    JSON: '{\n  "format": "something/jsonl"\n}\n',
    text: "Hello.\n",
    "other markdown": "# Notes\n\n## [Unreleased]\n\n- x\n",
  };
  for (const [what, head] of Object.entries(others)) {
    test(what, () => {
      assert.equal(JSONL.source.detect(head), false);
      assert.equal(MARKDOWN.source.detect(head), false);
    });
  }
  test("the other format", () => {
    assert.equal(JSONL.source.detect(MARKDOWN.text(ENTRIES)), false);
    assert.equal(MARKDOWN.source.detect(JSONL.text(ENTRIES)), false);
  });
});

function encoded(entry: TranscriptEntry, outputPath: string): string {
  return encodeMarkdownEntry(entry, { filePath: "ses_1.md", outputPath, maxInlineChars: 100 });
}
