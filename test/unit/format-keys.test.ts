import assert from "node:assert/strict";
import type { TranscriptEntry } from "../../src/transcript/format/entry-types.ts";
import { entryKey } from "../../src/transcript/format/keys.ts";
import { encodeTornEntry, TranscriptScanner } from "../../src/transcript/format/file-end.ts";
import { encodeMarkdownEntry, encodeMarkdownHeader } from "../../src/transcript/format/markdown-encode.ts";
import { describe, test } from "../support/runner.ts";
import { mergeContinuations } from "../support/read-entries.ts";

const timestamp = "2026-01-05T10:30:00.000Z";
const ids = { timestamp, messageID: "msg_1", partID: "prt_1" };
const text = (content: string, more: object = {}): TranscriptEntry => ({
  type: "assistant",
  ...ids,
  content,
  ...more,
});

describe("an entry's key", () => {
  test("consists of its type and the id it was made from", () => {
    const call = { tool: "t", callID: "c", input: null };
    const user: TranscriptEntry = {
      type: "user",
      timestamp,
      messageID: "msg_1",
      content: "",
      parts: [],
    };
    assert.equal(entryKey(user), "user/msg_1");
    assert.equal(entryKey({ ...user, partID: "prt_1" }), "user/msg_1/prt_1");
    assert.equal(entryKey(text("")), "assistant/prt_1");
    assert.equal(entryKey({ type: "reasoning", ...ids, content: "" }), "reasoning/prt_1");
    assert.equal(entryKey({ type: "tool_use", ...ids, ...call }), "tool_use/prt_1");
    assert.equal(entryKey({ type: "tool_result", ...ids, ...call, output: "" }), "tool_result/prt_1");
    assert.equal(entryKey({ type: "session_event", ...ids, name: "title" }), "event/prt_1");
  });

  test("of a continuation differs from its beginning and from others", () => {
    const keys = [text("a"), text("a", { continues: "append" }), text("b", { continues: "append" })].map(entryKey);
    assert.equal(new Set(keys).size, 3);
    assert.equal(keys[1], "assistant/prt_1/append/86f7e437faa5");
  });

  test("is missing if the id is", () => {
    assert.equal(entryKey({ type: "user", timestamp, partID: "prt_1", content: "", parts: [] }), undefined);
    assert.equal(entryKey({ type: "assistant", timestamp, messageID: "msg_1", content: "" }), undefined);
    assert.equal(entryKey({ type: "session_event", timestamp, messageID: "msg_1", name: "title" }), undefined);
  });
});

describe("continuations", () => {
  test("are merged into the first entry of their part", () => {
    const between: TranscriptEntry = { type: "user", timestamp, content: "q", parts: [] };
    const first = text("Hel", { interrupted: true });
    const tokens = { input: 1, output: 2 };
    const later = { timestamp: "2026-01-05T11:00:00.000Z", continues: "append" };
    const merged = mergeContinuations([first, between, text("lo", later), text("!", { ...later, tokens })]);
    assert.deepStrictEqual(merged, [text("Hello!", { tokens }), between]);
    assert.deepStrictEqual(mergeContinuations([first, text("new", { continues: "replace" })]), [text("new")]);
    assert.deepStrictEqual(first, text("Hel", { interrupted: true }));
  });

  test("of another part, another type or nothing are not merged", () => {
    const alone = text("x", { continues: "append" });
    const other: TranscriptEntry = {
      type: "reasoning",
      ...ids,
      content: "why",
      continues: "append",
    };
    const list = [text("a", { partID: "prt_2" }), alone, other];
    assert.deepStrictEqual(mergeContinuations(list), list);
  });
});

describe("remains of an interrupted write", () => {
  test("are kept, up to a limit", () => {
    const entry = encodeTornEntry("markdown", "x".repeat(30_000), timestamp);
    assert.equal(entry.name, "torn entry");
    assert.deepStrictEqual(entry.data, {
      format: "markdown",
      chars: 30_000,
      fragment: "x".repeat(20_000),
    });
  });

  test("do not count as written", async () => {
    const options = { filePath: "ses_1.md" };
    const head = Buffer.from(encodeMarkdownHeader({ version: 1, sessionID: "ses_1" }, options));
    const section = Buffer.from(encodeMarkdownEntry(text("done"), options));
    const scanner = new TranscriptScanner("markdown");
    const keys = await Array.fromAsync(scanner.keysIn(Buffer.concat([head, section, section.subarray(0, -1)])));
    assert.equal(scanner.rest.start, head.length + section.length);
    assert.deepStrictEqual(keys, ["assistant/prt_1", "assistant/prt_1/4"]);
  });

  test("count as consumed in JSONL once the line has ended", async () => {
    const scanner = new TranscriptScanner("jsonl", 100);
    const keys = await Array.fromAsync(scanner.keysIn(Buffer.from('{"type":"ass\n{"ty')));
    assert.deepStrictEqual([scanner.rest.start, keys], [113, []]);
  });
});
