import assert from "node:assert/strict";
import fc from "fast-check";
import type { TranscriptEntry, TranscriptHeader, TranscriptItem } from "../../src/transcript/format/entry-types.ts";
import { encodeJsonlEntry, encodeJsonlHeader } from "../../src/transcript/format/jsonl.ts";
import { keysOf } from "../../src/transcript/format/keys.ts";
import { FIRST_CONTEXT, inContext, type SectionContext } from "../../src/transcript/format/section-context.ts";
import { encodeMarkdownEntry, encodeMarkdownHeader } from "../../src/transcript/format/markdown-encode.ts";
import { outputFileText } from "../../src/transcript/format/output-text.ts";
import { TranscriptScanner } from "../../src/transcript/format/file-end.ts";
import { describe, runs, test } from "../support/runner.ts";
import { anyEntry, anyHeader, anyToolResult, anyToolUse, chunked } from "./format-arbitraries.ts";
import { readJsonlTranscript, readMarkdownTranscript } from "../support/read-entries.ts";

/** Machines that test may be busy. */
const LIMIT_MS = 120_000;
const filePath = "ses_parent/ses_1.md";
const header: TranscriptHeader = { version: 1, sessionID: "ses_1" };
const entries = fc.array(anyEntry, { maxLength: 6 });

/** One of the two formats, as both properties and scanners need it. */
interface Format {
  header: (header: TranscriptHeader) => string;
  entry: (entry: TranscriptEntry, context: SectionContext) => { section: string; context: SectionContext };
  read: (input: AsyncIterable<Uint8Array>) => AsyncIterable<TranscriptItem>;
}

const FORMATS: Record<"markdown" | "jsonl", Format> = {
  markdown: {
    header: (value) => encodeMarkdownHeader(value, { filePath }),
    entry: (value, context) => inContext(encodeMarkdownEntry(value, { filePath }), context),
    read: readMarkdownTranscript,
  },
  jsonl: {
    header: encodeJsonlHeader,
    entry: (value, context) => ({ section: encodeJsonlEntry(value), context }),
    read: readJsonlTranscript,
  },
};

async function* stream(chunks: Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* chunks;
}

async function itemsOf(items: AsyncIterable<TranscriptItem>): Promise<TranscriptItem[]> {
  const list: TranscriptItem[] = [];
  for await (const item of items) list.push(item);
  return list;
}

const entriesIn = (items: TranscriptItem[]): TranscriptEntry[] =>
  items.flatMap((item) => (item.kind === "entry" ? [item.entry] : []));
const problemsIn = (items: TranscriptItem[]): string[] =>
  items.flatMap((item) => (item.kind === "problem" ? [`${item.problem.code}: ${item.problem.message}`] : []));

/** The bytes of a file, where its header and each of its entries ends, and of which message the entry is. */
function fileOf(
  format: Format,
  head: TranscriptHeader,
  list: TranscriptEntry[],
): { bytes: Uint8Array; ends: number[]; contexts: SectionContext[] } {
  const contexts = [FIRST_CONTEXT];
  const sections = list.map((entry) => {
    const { section, context } = format.entry(entry, contexts.at(-1) ?? FIRST_CONTEXT);
    contexts.push(context);
    return section;
  });
  const texts = [format.header(head), ...sections].map((text) => Buffer.from(text));
  let end = 0;
  return { bytes: Buffer.concat(texts), ends: texts.map((text) => (end += text.length)), contexts };
}

for (const name of ["markdown", "jsonl"] as const) {
  const format = FORMATS[name];
  describe(`a ${name} transcript`, () => {
    test(
      "is read back equal, wherever its chunks end",
      async () => {
        const files = fc.record({ head: anyHeader, list: entries }).chain(({ head, list }) => {
          const file = fileOf(format, head, list);
          return fc.record({
            head: fc.constant(head),
            list: fc.constant(list),
            chunks: chunked(file.bytes),
          });
        });
        await fc.assert(
          fc.asyncProperty(files, async ({ head, list, chunks }) => {
            const items = await itemsOf(format.read(stream(chunks)));
            assert.deepStrictEqual(problemsIn(items), []);
            assert.deepStrictEqual(entriesIn(items), list);
            const first = items[0];
            assert.ok(first?.kind === "header");
            assert.deepStrictEqual(first.header, head);
          }),
          { numRuns: runs(400) },
        );
      },
      LIMIT_MS,
    );

    test(
      "cut anywhere has its first entries and at most one torn entry",
      async () => {
        const cuts = fc.record({ list: entries, at: fc.double({ min: 0, max: 1, noNaN: true }) });
        await fc.assert(
          fc.asyncProperty(cuts, async ({ list, at }) => {
            const { bytes, ends } = fileOf(format, header, list);
            const cut = Math.floor(at * bytes.length);
            const items = await itemsOf(format.read(stream([bytes.subarray(0, cut)])));
            const whole = ends.filter((end) => end <= cut);
            assert.deepStrictEqual(entriesIn(items), list.slice(0, Math.max(whole.length - 1, 0)));
            const codes = items.flatMap((item) => (item.kind === "problem" ? [item.problem.code] : []));
            const isTorn = cut > (whole.at(-1) ?? 0);
            assert.deepStrictEqual(codes, cut === 0 ? ["no_header"] : isTorn ? ["torn_entry"] : []);
          }),
          { numRuns: runs(300) },
        );
      },
      LIMIT_MS,
    );

    test(
      "gives the place of each entry",
      async () => {
        await fc.assert(
          fc.asyncProperty(entries, async (list) => {
            const { bytes, ends } = fileOf(format, header, list);
            const items = await itemsOf(format.read(stream([bytes])));
            const places = items.flatMap((item) => (item.kind === "entry" ? [item] : []));
            assert.deepStrictEqual(
              places.map((item) => item.offset),
              ends.slice(0, -1),
            );
            assert.deepStrictEqual(
              places.map((item) => item.endOffset),
              ends.slice(1),
            );
            for (const { offset, line } of places) {
              assert.equal(line, Buffer.from(bytes.subarray(0, offset)).toString("latin1").split("\n").length);
            }
          }),
          { numRuns: runs(200) },
        );
      },
      LIMIT_MS,
    );

    test(
      "a scan finds its valid end and its keys, from any entry on and wherever it is cut",
      async () => {
        const cuts = fc.record({
          list: entries,
          from: fc.nat(),
          at: fc.double({ min: 0, max: 1, noNaN: true }),
        });
        const scans = cuts.chain(({ list, from, at }) => {
          const { bytes, ends, contexts } = fileOf(format, header, list);
          const starts = [0, ...ends];
          const first = from % starts.length;
          const start = starts[first] ?? 0;
          const context = [FIRST_CONTEXT, ...contexts][first];
          const cut = start + Math.floor(at * (bytes.length - start));
          return chunked(bytes.subarray(start, cut)).map((chunks) => ({
            list,
            ends,
            first,
            start,
            context,
            cut,
            chunks,
          }));
        });
        await fc.assert(
          fc.asyncProperty(scans, async ({ list, ends, first, start, context, cut, chunks }) => {
            const scanner = new TranscriptScanner(name, start, context);
            const keys: string[] = [];
            for (const chunk of chunks) {
              const reused = Uint8Array.from(chunk);
              keys.push(...(await Array.fromAsync(scanner.keysIn(reused))));
              reused.fill(0);
            }
            const whole = ends.filter((end) => end <= cut);
            assert.equal(scanner.rest.start, Math.max(start, whole.at(-1) ?? 0));
            assert.equal(scanner.rest.body.length, cut - scanner.rest.start);
            const read = list.slice(Math.max(first - 1, 0), Math.max(whole.length - 1, 0));
            const expected = read.flatMap((entry) => keysOf(entry));
            assert.deepStrictEqual(keys, expected);
          }),
          { numRuns: runs(400) },
        );
      },
      LIMIT_MS,
    );

    test(
      "can contain a million arbitrary characters",
      async () => {
        for (const unit of ["a", "\0", "## [", "```\n", '\\"']) {
          const content = unit.repeat(1_000_000 / unit.length);
          const list: TranscriptEntry[] = [
            { type: "user", timestamp: "", content, parts: [{ type: "text", text: content }] },
            {
              type: "tool_result",
              timestamp: "",
              tool: "",
              callID: "",
              input: content,
              output: content,
            },
          ];
          const { bytes } = fileOf(format, header, list);
          const items = await itemsOf(format.read(stream([bytes.subarray(0, 1000), bytes.subarray(1000)])));
          assert.deepStrictEqual(entriesIn(items), list);
        }
      },
      LIMIT_MS,
    );

    test(
      "is read without an exception, whatever bytes it has",
      async () => {
        const damages = fc.record({
          list: entries,
          noise: fc.array(fc.tuple(fc.nat(), fc.uint8Array({ maxLength: 8 }), fc.nat(20)), {
            minLength: 1,
            maxLength: 6,
          }),
        });
        await fc.assert(
          fc.asyncProperty(damages, async ({ list, noise }) => {
            let bytes: Uint8Array = fileOf(format, header, list).bytes;
            for (const [at, inserted, removed] of noise) {
              const place = at % bytes.length;
              bytes = Buffer.concat([bytes.subarray(0, place), inserted, bytes.subarray(place + removed)]);
              if (bytes.length === 0) return;
            }
            const items = await itemsOf(format.read(stream([bytes])));
            assert.ok(entriesIn(items).length <= list.length + noise.length);
            const scanner = new TranscriptScanner(name);
            await Array.fromAsync(scanner.keysIn(bytes));
            assert.ok(scanner.rest.start <= bytes.length);
          }),
          { numRuns: runs(300) },
        );
      },
      LIMIT_MS,
    );
  });
}

describe("a markdown transcript with output files", () => {
  const shortened = fc.record({
    entry: anyToolResult,
    maxInlineChars: fc.nat(40),
  });

  test("returns complete outputs", async () => {
    await fc.assert(
      fc.asyncProperty(shortened, async ({ entry, maxInlineChars }) => {
        const outputPath = "ses_1/outputs/call 1.txt";
        const section = encodeMarkdownEntry(entry, { filePath, outputPath, maxInlineChars });
        // What a file system keeps of it: UTF-8.
        const file = new TextDecoder("utf-8", { ignoreBOM: true }).decode(Buffer.from(outputFileText(entry.output)));
        const readOutput = async (path: string): Promise<string | undefined> =>
          path === outputPath ? file : undefined;
        const text = encodeMarkdownHeader(header, { filePath }) + section;
        const items = await itemsOf(readMarkdownTranscript(text, { readOutput }));
        assert.deepStrictEqual(problemsIn(items), []);
        assert.deepStrictEqual(entriesIn(items), [entry]);
      }),
      { numRuns: runs(400) },
    );
  });

  test("takes the inputs of results from their calls", async () => {
    const calls = fc.array(fc.tuple(anyToolUse, fc.nat(3)), { maxLength: 5 });
    await fc.assert(
      fc.asyncProperty(calls, async (list) => {
        const uses = list.map(([use, id], index) => ({
          ...use,
          callID: `call_${id}`,
          partID: `prt_${index}`,
        }));
        const results = uses.toReversed().map(({ callID, partID, input, tool }): TranscriptEntry => ({
          type: "tool_result",
          timestamp: "2026-01-05T10:30:00.000Z",
          partID,
          tool,
          callID,
          input: JSON.parse(JSON.stringify(input)),
          output: "",
        }));
        const text = [
          encodeMarkdownHeader(header, { filePath }),
          ...uses.map((use) => encodeMarkdownEntry(use, { filePath })),
          ...results.map((result) => encodeMarkdownEntry(result, { filePath, inputIsKnown: true })),
        ].join("");
        const items = await itemsOf(readMarkdownTranscript(text));
        assert.deepStrictEqual(problemsIn(items), []);
        assert.deepStrictEqual(entriesIn(items), [...uses, ...results]);
      }),
      { numRuns: runs(200) },
    );
  });
});
