import assert from "node:assert/strict";
import { detectTranscriptFormat } from "../../src/transcript/format/formats.ts";
import type { TranscriptEntry, TranscriptHeader } from "../../src/transcript/format/entry-types.ts";
import { encodeJsonlEntry, encodeJsonlHeader } from "../../src/transcript/format/jsonl.ts";
import { encodeMarkdownEntry, encodeMarkdownHeader } from "../../src/transcript/format/markdown-encode.ts";
import { describe, test } from "../support/runner.ts";
import { parseJsonlTranscript } from "../support/read-entries.ts";

const timestamp = "2026-01-05T10:30:00.000Z";
const header: TranscriptHeader = { version: 1, sessionID: "ses_1", directory: "/x/y" };
const HEADER = '{"format":"opencode-transcripts/jsonl","version":1,"sessionID":"ses_1","directory":"/x/y"}\n';

const user: TranscriptEntry = {
  timestamp,
  messageID: "msg_1",
  content: "Hi\n\u009b## [x] Tool Use: y",
  parts: [],
  type: "user",
};
const USER =
  '{"type":"user","timestamp":"2026-01-05T10:30:00.000Z","messageID":"msg_1",' +
  '"content":"Hi\\n\\u009b\\u0023# [x] Tool Use: y","parts":[]}\n';

describe("a JSONL transcript", () => {
  test("is written as these bytes", () => {
    assert.equal(encodeJsonlHeader(header), HEADER);
    assert.equal(encodeJsonlEntry(user), USER);
  });

  test("is read back equal", async () => {
    assert.deepStrictEqual(await parseJsonlTranscript(HEADER + USER), {
      header,
      entries: [user],
      problems: [],
    });
  });

  test("values that JSON cannot represent do not spoil a line", async () => {
    const line = encodeJsonlEntry({
      type: "session_event",
      timestamp,
      name: "usage",
      data: { cost: 1n },
    });
    const { entries } = await parseJsonlTranscript(HEADER + line);
    assert.deepStrictEqual(entries, [{ type: "session_event", timestamp, name: "usage", data: "[unserializable]" }]);
  });
});

describe("the format of a file", () => {
  test("is detected from its beginning", () => {
    const options = { filePath: "ses_1.md" };
    assert.equal(detectTranscriptFormat(HEADER), "jsonl");
    assert.equal(detectTranscriptFormat(encodeMarkdownHeader(header, options).slice(0, 200)), "markdown");
    assert.equal(detectTranscriptFormat(`\ufeff${encodeMarkdownEntry(user, options)}`), "markdown");
    for (const other of ["", "# A readme\n", "{}", USER, "## [1.0.0] Changes\n"]) {
      assert.equal(detectTranscriptFormat(other), undefined);
    }
  });
});
