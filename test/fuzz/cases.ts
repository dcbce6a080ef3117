/** Inputs to try: made-up and real sessions of all sources, damaged, in chunks, under any options. */
import { readFileSync } from "node:fs";
import fc from "fast-check";
import {
  encodeJsonlEntry,
  encodeJsonlHeader,
  encodeMarkdownEntry,
  encodeMarkdownHeader,
} from "../../src/transcript/format/formats.ts";
import type { ParseOptions } from "../../src/parse/parse-options.ts";
import { anyEntry, anyHeader } from "../property/format-arbitraries.ts";
import { anyLines } from "../support/parse/any-lines.ts";
import { cuts } from "../support/parse/chunks.ts";
import { corpusSessions, ownSessions, SESSION_KINDS } from "../support/parse/session-files.ts";
import { damagedBytes } from "../support/parse/damage.ts";

export interface FuzzCase {
  input: Buffer;
  options: Pick<ParseOptions, "maxLineBytes" | "maxInlineContentBytes">;
  cuts: number[];
}

const MAX_FILE_BYTES = 600_000;

const lines = anyLines(40).map((all) => Buffer.from(all.map((line) => `${line}\n`).join("")));

/** Transcripts of our own, in both formats. */
const recorded = fc
  .tuple(anyHeader, fc.array(anyEntry, { maxLength: 8 }), fc.boolean())
  .map(([header, entries, isMarkdown]) => {
    const filePath = "ses_1.md";
    const parts = isMarkdown
      ? [
          encodeMarkdownHeader(header, { filePath }),
          ...entries.map((entry) => encodeMarkdownEntry(entry, { filePath })),
        ]
      : [encodeJsonlHeader(header), ...entries.map((entry) => encodeJsonlEntry(entry))];
    return Buffer.from(parts.join(""));
  });

/** Pieces that mean something to one of the readers. */
const SIGNS = [
  '{"',
  "{",
  "}",
  "[",
  "]",
  ",",
  ":",
  '"',
  "\\",
  '\\"',
  "\n",
  "\r\n",
  "\0",
  "\ufeff",
  " ",
  "null",
  "1e999",
  "-0",
];
const KEYS = ['"type":', '"message":', '"content":', '"uuid":"u"', '"id":"m"', '"__proto__":', '"usage":', '"info":'];
const MORE_KEYS = [
  '"user"',
  '"assistant"',
  '"tool_use"',
  '"tool_result"',
  '"tool_use_id":"t"',
  '"messages":[',
  '"parts":[',
];
const MARKDOWN = [
  "# Transcript: x\n",
  "## [2026-01-01T00:00:00.000Z] User Message\n",
  "---\n",
  "```\n",
  "<!-- id -->\n",
];
const RECORDS = [
  '{"type":"user","uuid":"a","message":{"content":"x"}}',
  '{"type":"assistant","message":{"id":"m","content":[{"type":"tool_use","id":"t","name":"Bash"}]}}',
  '{"type":"transcript","version":1,"sessionID":"ses_1"}',
];

const soup = fc
  .array(fc.constantFrom(...SIGNS, ...KEYS, ...MORE_KEYS, ...MARKDOWN, ...RECORDS), { maxLength: 80 })
  .map((all) => Buffer.from(all.join("")));

const sessionFiles = fc.constantFrom(
  ...[ownSessions, corpusSessions]
    .flatMap((find) => find(...SESSION_KINDS))
    .map(({ path }) => readFileSync(path))
    .filter((bytes) => bytes.length < MAX_FILE_BYTES),
);

const size = (large: number): fc.Arbitrary<number> =>
  fc.oneof({ weight: 3, arbitrary: fc.constant(large) }, { weight: 1, arbitrary: fc.nat(1_000) });

export const anyCase: fc.Arbitrary<FuzzCase> = fc.record({
  input: damagedBytes(
    fc.oneof(
      { weight: 4, arbitrary: lines },
      { weight: 2, arbitrary: sessionFiles },
      { weight: 2, arbitrary: recorded },
      { weight: 2, arbitrary: soup },
    ),
  ),
  options: fc.record({
    maxLineBytes: size(5 * 1024 * 1024),
    maxInlineContentBytes: size(256 * 1024),
  }),
  cuts,
});
