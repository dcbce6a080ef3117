/** Files that were cut, edited, glued together or written by another version. */
import assert from "node:assert/strict";
import type { TranscriptEntry, TranscriptProblem } from "../../src/transcript/format/entry-types.ts";
import { encodeJsonlEntry, encodeJsonlHeader } from "../../src/transcript/format/jsonl.ts";
import { encodeMarkdownEntry, encodeMarkdownHeader } from "../../src/transcript/format/markdown-encode.ts";
import { describe, test } from "../support/runner.ts";
import {
  type ParsedTranscript,
  parseJsonlTranscript,
  parseMarkdownTranscript,
  readMarkdownTranscript,
} from "../support/read-entries.ts";

const timestamp = "2026-01-05T10:30:00.000Z";
const filePath = "ses_1.md";
const header = { version: 1, sessionID: "ses_1" } as const;
const text = (content: string): TranscriptEntry => ({ type: "assistant", timestamp, content });
const call: TranscriptEntry = {
  type: "tool_use",
  timestamp,
  tool: "bash",
  callID: "c",
  input: { a: 1 },
};
const result: TranscriptEntry = {
  type: "tool_result",
  timestamp,
  tool: "bash",
  callID: "c",
  input: { a: 1 },
  output: "o",
};

const codes = ({ problems }: ParsedTranscript): TranscriptProblem["code"][] => problems.map(({ code }) => code);

describe("a damaged markdown transcript", () => {
  const head = encodeMarkdownHeader(header, { filePath });
  const section = (entry: TranscriptEntry): string => encodeMarkdownEntry(entry, { filePath });
  const one = section(text("one"));
  const two = section(text("two"));

  test("loses the section whose comment is damaged, and says where it is", async () => {
    const parsed = await parseMarkdownTranscript(head + one.replace("<!-- id @ ~ 3", '<!-- id @ ~ {type"') + two);
    assert.deepStrictEqual(parsed.entries, [text("two")]);
    assert.deepStrictEqual(codes(parsed), ["damaged_entry"]);
    assert.equal(parsed.problems[0]?.offset, Buffer.byteLength(head));
    assert.equal(parsed.problems[0]?.line, head.split("\n").length);
  });

  test("that was torn and then appended to loses only the torn entry", async () => {
    // The second section begins in the middle of a line.
    const parsed = await parseMarkdownTranscript(head + one.slice(0, 50) + two + one);
    assert.deepStrictEqual(parsed.entries, [text("two"), text("one")]);
    assert.deepStrictEqual(codes(parsed), ["torn_entry"]);
  });

  test("returns edited text as it is now, and says that it was edited", async () => {
    const parsed = await parseMarkdownTranscript(head + one.replace("one", "[removed]") + two);
    assert.deepStrictEqual(parsed.entries, [text("[removed]"), text("two")]);
    assert.deepStrictEqual(codes(parsed), ["damaged_entry"]);
    assert.match(parsed.problems[0]?.message ?? "", /9 characters long, but 3 were written/);
  });

  test("survives an editor that changes line ends and strips the end of the file", async () => {
    const parsed = await parseMarkdownTranscript(`\ufeff${head}${one}${two}`.replaceAll("\n", "\r\n").trimEnd());
    assert.deepStrictEqual(parsed, { header, entries: [text("one"), text("two")], problems: [] });
  });

  test("says that blocks are missing and reads the others", async () => {
    const edited = section(result).replace("**Call ID**: c\n\n", "");
    const parsed = await parseMarkdownTranscript(head + edited + two);
    assert.deepStrictEqual(parsed.entries, [text("two")]);
    assert.match(parsed.problems[0]?.message ?? "", /"call" is not where it should be.*callID is missing/);
  });

  test("skips text between sections", async () => {
    const parsed = await parseMarkdownTranscript(`${head}${one}My note.\n\n# More\n\n${two}`);
    assert.deepStrictEqual(parsed.entries, [text("one"), text("two")]);
    assert.deepStrictEqual(codes(parsed), ["damaged_entry"]);
  });

  test("returns the entry that begins in the line of a note, at its place in bytes", async () => {
    const note = Buffer.from([0x4d, 0x79, 0xff, 0x20]);
    const parsed = readMarkdownTranscript(Buffer.concat([Buffer.from(head + one), note, Buffer.from(two)]));
    const items = await Array.fromAsync(parsed);
    const last = items.at(-1);
    assert.ok(last?.kind === "entry");
    assert.deepStrictEqual(last.entry, text("two"));
    assert.equal(last.offset, Buffer.byteLength(head + one) + note.length);
  });

  test("cut within the first letters of its title is torn, and not one without a header", async () => {
    for (const text of ["#", "# ", "# Transcript: ses"]) {
      const { problems } = await parseMarkdownTranscript(text);
      assert.deepStrictEqual(
        problems.map(({ code }) => code),
        ["torn_entry"],
        text,
      );
    }
  });

  test("without a header is read all the same", async () => {
    const parsed = await parseMarkdownTranscript(one + two);
    assert.deepStrictEqual(parsed.entries, [text("one"), text("two")]);
    assert.deepStrictEqual(codes(parsed), ["no_header"]);
    assert.deepStrictEqual(codes(await parseMarkdownTranscript("")), ["no_header"]);
    assert.deepStrictEqual(codes(await parseMarkdownTranscript("# A readme\n\nSome text.\n")), ["no_header"]);
  });

  test("of a newer version is read as far as it is known", async () => {
    const newer =
      head.replace('"version":1', '"version":2,"mood":"good"') +
      one.replace("<!-- id @ ~ 3", '<!-- id @ ~ 3 {"type":"dream"}') +
      two;
    const parsed = await parseMarkdownTranscript(newer);
    assert.deepStrictEqual(codes(parsed), ["newer_version", "unknown_entry"]);
    assert.equal(parsed.header?.sessionID, "ses_1");
    assert.deepStrictEqual(parsed.entries, [text("two")]);
  });

  test("says that bytes are not UTF-8", async () => {
    const bytes = Buffer.from(head + one);
    bytes[bytes.indexOf("one")] = 0xff;
    const parsed = await parseMarkdownTranscript(bytes);
    assert.deepStrictEqual(parsed.entries, [text("\ufffdne")]);
    assert.match(parsed.problems[0]?.message ?? "", /not UTF-8/);
  });

  test("is read without an error, however deeply its values are nested", async () => {
    const deep = "[".repeat(200_000) + "]".repeat(200_000);
    const parsed = await parseMarkdownTranscript(
      head + section(result).replace('"input":{"a":1}', `"input":${deep}`) + two,
    );
    assert.deepStrictEqual(parsed.entries.at(-1), text("two"));
    assert.deepStrictEqual(codes(parsed), ["damaged_entry"]);
  });

  test("says that a result's call is not there", async () => {
    const same = encodeMarkdownEntry(result, { filePath, inputIsKnown: true });
    const parsed = await parseMarkdownTranscript(head + section(call) + same + same);
    assert.deepStrictEqual(parsed.entries, [call, result, { ...result, input: null }]);
    assert.deepStrictEqual(codes(parsed), ["damaged_entry"]);
  });
});

describe("a markdown transcript whose output is in a file", () => {
  const output = "0123456789".repeat(10);
  const outputPath = "ses_1/outputs/c.txt";
  const long: TranscriptEntry = { ...result, output, metadata: { output } };
  const file =
    encodeMarkdownHeader(header, { filePath }) +
    encodeMarkdownEntry(long, { filePath, outputPath, maxInlineChars: 15 });

  test("shows the beginning and links to the rest", () => {
    assert.ok(
      file.includes(
        "### Output\n\n```\n012345678901234\n... (truncated)\n```\n\n" +
          "**Full output**: [c.txt](ses_1/outputs/c.txt) (100 characters)\n",
      ),
    );
  });

  test("has all of it inline if there is no file, or up to the limit", () => {
    assert.ok(encodeMarkdownEntry(long, { filePath, maxInlineChars: 15 }).includes(output));
    assert.ok(encodeMarkdownEntry(long, { filePath, outputPath, maxInlineChars: 100 }).includes(output));
  });

  test("does not cut a character in two", () => {
    const emoji = encodeMarkdownEntry(
      { ...long, output: "\ud83d\ude00".repeat(9) },
      { filePath, outputPath, maxInlineChars: 3 },
    );
    assert.ok(emoji.includes("```\n\ud83d\ude00\n... (truncated)\n```"));
  });

  test("is read from that file", async () => {
    const parsed = await parseMarkdownTranscript(file, {
      readOutput: async (path) => (path === outputPath ? output : undefined),
    });
    assert.deepStrictEqual(parsed, { header, entries: [long], problems: [] });
  });

  test("says that it is missing, and why", async () => {
    const beginning = output.slice(0, 15);
    const expected = {
      ...long,
      output: beginning,
      metadata: { output: beginning },
      outputMissing: outputPath,
    };
    const readers = {
      "there is no such file": { readOutput: async () => undefined },
      "reading it failed (EACCES)": { readOutput: () => Promise.reject(new Error("EACCES")) },
      "the reader was given no way to read it": {},
    };
    for (const [reason, options] of Object.entries(readers)) {
      const parsed = await parseMarkdownTranscript(file, options);
      assert.deepStrictEqual(parsed.entries, [expected]);
      assert.deepStrictEqual(codes(parsed), ["missing_output"]);
      assert.ok(parsed.problems[0]?.message.includes(reason));
    }
  });

  test("says that the file is a different one", async () => {
    const parsed = await parseMarkdownTranscript(file, { readOutput: async () => "other" });
    assert.deepStrictEqual(parsed.entries, [{ ...long, output: "other", metadata: { output: "other" } }]);
    assert.match(parsed.problems[0]?.message ?? "", /holds 5 characters, but 100 were written/);
  });
});

describe("a damaged JSONL transcript", () => {
  const head = encodeJsonlHeader(header);
  const one = encodeJsonlEntry(text("one"));
  const two = encodeJsonlEntry(text("two"));

  test("loses the line that is broken, and says where it is", async () => {
    const parsed = await parseJsonlTranscript(`${head}${one.slice(0, 20)}\n${two}`);
    assert.deepStrictEqual(parsed.entries, [text("two")]);
    assert.deepStrictEqual(codes(parsed), ["damaged_entry"]);
    assert.equal(parsed.problems[0]?.offset, Buffer.byteLength(head));
    assert.equal(parsed.problems[0]?.line, 2);
  });

  test("keeps what was appended to a torn line", async () => {
    const parsed = await parseJsonlTranscript(head + one.slice(0, 20) + two + one.trimEnd() + two);
    assert.deepStrictEqual(parsed.entries, [text("two"), text("one"), text("two")]);
    assert.deepStrictEqual(codes(parsed), ["damaged_entry"]);
  });

  test("keeps text after NULs", async () => {
    const parsed = await parseJsonlTranscript(`${head}\0\0\0\0${one}\0\0\n\r\n${two}`);
    assert.deepStrictEqual(parsed.entries, [text("one"), text("two")]);
    assert.deepStrictEqual(codes(parsed), ["damaged_entry"]);
  });

  test("names the field that is wrong and the type that is not known", async () => {
    const wrong = one.replace('"one"', "1");
    const parsed = await parseJsonlTranscript(head + wrong + one.replace('"assistant"', '"dream"') + "[1]\n" + two);
    assert.deepStrictEqual(parsed.entries, [text("two")]);
    assert.deepStrictEqual(codes(parsed), ["damaged_entry", "unknown_entry", "damaged_entry"]);
    assert.match(parsed.problems[0]?.message ?? "", /field content/);
  });

  test("without a header, of a newer version, with CRLF and a byte order mark is read all the same", async () => {
    assert.deepStrictEqual(codes(await parseJsonlTranscript(one)), ["no_header"]);
    assert.deepStrictEqual(codes(await parseJsonlTranscript("")), ["no_header"]);
    const newer = await parseJsonlTranscript(head.replace('"version":1', '"version":7') + one);
    assert.deepStrictEqual(codes(newer), ["newer_version"]);
    const edited = await parseJsonlTranscript(`\ufeff${head}${one}`.replaceAll("\n", "\r\n"));
    assert.deepStrictEqual(edited, { header, entries: [text("one")], problems: [] });
  });
});
