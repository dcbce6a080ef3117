/** The recall commands as they are written into session files, really run. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import type { TranscriptEntry, TranscriptHeader } from "../../src/transcript/format/entry-types.ts";
import { encodeJsonlEntry, encodeJsonlHeader } from "../../src/transcript/format/jsonl.ts";
import { encodeMarkdownEntry, encodeMarkdownHeader } from "../../src/transcript/format/markdown-encode.ts";
import { noProgram } from "../support/machine.ts";
import { afterAll, beforeAll, describe, runs, test } from "../support/runner.ts";
import { anyEntry, anyHeader, nastyText } from "./format-arbitraries.ts";

const filePath = "ses_1.md";
const testWithGrep = test.skipIf(noProgram("grep"));

describe("grep on a transcript", () => {
  let file = "";
  beforeAll(() => {
    file = join(mkdtempSync(join(tmpdir(), "transcripts-grep-")), "ses_1.md");
  });
  afterAll(() => rmSync(join(file, ".."), { recursive: true }));

  const grep = (...args: string[]): string => {
    const locale = { LC_ALL: process.env["LC_ALL"] ?? "C.UTF-8" };
    return spawnSync("grep", [...args, file], {
      encoding: "utf8",
      env: { ...process.env, ...locale },
    }).stdout;
  };
  const counts = (kinds: string[]): number[] => kinds.map((kind) => Number(grep("-c", String.raw`## \[.*\] ` + kind)));
  const kinds = ["User Message", "Tool Use:", "Tool Result:", "Tool Error:", "Session Event:"];
  const expected = (list: TranscriptEntry[]): number[] => {
    const failed = (entry: TranscriptEntry): boolean =>
      entry.type === "tool_result" && entry.status !== undefined && entry.status !== "completed";
    // What replaces a call or a result does not count as one more.
    const replaces = (entry: TranscriptEntry): boolean =>
      (entry.type === "tool_use" || entry.type === "tool_result") && entry.continues !== undefined;
    const count = (type: TranscriptEntry["type"], fails = false): number =>
      list.filter((entry) => entry.type === type && failed(entry) === fails && !replaces(entry)).length;
    // A usage event is a line without a heading.
    const usages = list.filter((entry) => encodeMarkdownEntry(entry, { filePath }).startsWith("*[")).length;
    const events = count("session_event") - usages + list.filter(replaces).length;
    return [count("user"), count("tool_use"), count("tool_result"), count("tool_result", true), events];
  };

  testWithGrep("counts every kind of entry exactly, whatever the entries hold", () => {
    fc.assert(
      fc.property(anyHeader, fc.array(anyEntry, { maxLength: 8 }), (header, list) => {
        const sections = list.map((entry) => encodeMarkdownEntry(entry, { filePath, inputIsKnown: true }));
        writeFileSync(file, encodeMarkdownHeader(header, { filePath }) + sections.join(""));
        assert.deepEqual(counts(kinds), expected(list));
      }),
      { numRuns: runs(60) },
    );
  });

  testWithGrep("finds no headings in JSONL", () => {
    fc.assert(
      fc.property(anyHeader, fc.array(anyEntry, { maxLength: 8 }), (header, list) => {
        writeFileSync(file, encodeJsonlHeader(header) + list.map((entry) => encodeJsonlEntry(entry)).join(""));
        assert.deepEqual(counts(kinds), [0, 0, 0, 0, 0]);
      }),
      { numRuns: runs(30) },
    );
  });

  testWithGrep("shows the first lines of each user message and nothing in its place", () => {
    const user = (content: string): TranscriptEntry => ({
      type: "user",
      timestamp: "2026-01-05T10:30:00.000Z",
      content,
      parts: [],
    });
    const header: TranscriptHeader = { version: 1, sessionID: "ses_1" };
    fc.assert(
      fc.property(fc.array(nastyText, { minLength: 1, maxLength: 4 }), anyEntry, (contents, other) => {
        const list = [other, ...contents.map(user)];
        const sectionOf = (entry: TranscriptEntry): string => encodeMarkdownEntry(entry, { filePath });
        writeFileSync(file, encodeMarkdownHeader(header, { filePath }) + list.map(sectionOf).join(""));
        const shown = grep("-A", "5", String.raw`## \[.*\] User Message`);
        // A user message's section has at least seven lines, so what grep shows of each is its first six.
        const messages = list.filter((entry) => entry.type === "user").map(sectionOf);
        const starts = messages.map((section) => `${section.split("\n").slice(0, 6).join("\n")}\n`);
        assert.equal(shown, starts.join("--\n"));
      }),
      { numRuns: runs(60) },
    );
  });

  testWithGrep("finds a sentence of a message, an input and an output once", () => {
    const timestamp = "2026-01-05T10:30:00.000Z";
    const call = { tool: "bash", callID: "call_1", input: { command: "echo an unusual input" } };
    const output = "an unusual output\n";
    const content = "an unusual message";
    const list: TranscriptEntry[] = [
      { type: "user", timestamp, content, parts: [{ type: "text", text: content }] },
      { type: "tool_use", timestamp, ...call },
      {
        type: "tool_result",
        timestamp,
        ...call,
        output,
        metadata: { output, preview: "an unusual output" },
      },
    ];
    const sections = list.map((entry) => encodeMarkdownEntry(entry, { filePath, inputIsKnown: true }));
    writeFileSync(file, sections.join(""));
    for (const word of ["message", "input", "output"]) assert.equal(grep("-o", `unusual ${word}`), `unusual ${word}\n`);
  });
});
