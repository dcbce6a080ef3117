import { contentOf } from "../../src/agents/detect.ts";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { extractSnippet } from "../../src/snippets/extract-snippet.ts";
import type { ExtractSnippetInput } from "../../src/snippets/snippet-input.ts";
import { sessionRef } from "../../src/places/session-ref.ts";
import { sessionExcerpt } from "../../src/snippets/excerpt.ts";
import { SnippetExtractor } from "../../src/snippets/snippet-extractor.ts";
import { madeSetting, type MadeSetting } from "../snippets/made-setting.ts";
import { calls, result, sampleSession, says, SESSION, user } from "../support/cli/claude-lines.ts";
import { afterAll, describe, test } from "../support/runner.ts";
import { makeTempDir, removeTempDirs } from "../support/temp-dir.ts";
import assert from "node:assert/strict";
import { TranscriptsError } from "../../src/transcripts-error.ts";

afterAll(removeTempDirs);

const home = makeTempDir();
const SAMPLE = sampleSession();
const REF = sessionRef({ id: SESSION, place: "file", agent: null, path: join(home, "session.jsonl") });
const file = (name: string, text: string): string => {
  const path = join(home, name);
  writeFileSync(path, text);
  return path;
};
const rejectsWith = (call: Promise<unknown>, code: string, field: string, says: RegExp): Promise<void> =>
  assert.rejects(call, (error: unknown) => {
    assert.ok(error instanceof TranscriptsError, String(error));
    assert.deepEqual([error.code, error.field], [code, field], error.message);
    assert.match(error.message, says);
    return true;
  });

describe("SnippetExtractor", () => {
  const path = file("session.jsonl", SAMPLE);
  const damaged = file("damaged.jsonl", `${sampleSession()}{"type":"user","mess\n\n[1]\n${says("At the end.", 99)}`);

  test("read section from valid JSONL file", async () => {
    const records = await new SnippetExtractor().readSection(path, 2, 4);
    const lines = SAMPLE.trimEnd().split("\n").slice(1, 4);
    assert.deepEqual(
      records,
      lines.map((line): unknown => JSON.parse(line)),
    );
    assert.equal((await new SnippetExtractor().readSection(path, 1, 10)).length, 10);
  });

  test("a line far behind the beginning, and the last one without a line end", async () => {
    const lines = Array.from({ length: 300 }, (_, at) => JSON.stringify({ at: at + 1 }));
    const long = file("long.jsonl", lines.join("\n"));
    for (const [from, to] of [
      [1, 1],
      [21, 21],
      [150, 152],
      [299, 300],
      [300, 300],
    ] as const) {
      const records = await new SnippetExtractor().readSection(long, from, to);
      assert.deepEqual(
        records.map(({ at }) => at),
        Array.from({ length: to - from + 1 }, (_, at) => from + at),
      );
    }
    await rejectsWith(
      new SnippetExtractor().readSection(long, 300, 301),
      "bad_range",
      "source_line_end",
      /has 300 lines/,
    );
  });

  test("handle non-existent file gracefully", async () => {
    const nowhere = join(home, "nowhere.jsonl");
    await rejectsWith(new SnippetExtractor().readSection(nowhere, 1, 2), "no_file", "filePath", /nowhere\.jsonl/);
    await rejectsWith(
      new SnippetExtractor().extractFormatted(nowhere, 1, 2, "learning_pattern"),
      "no_file",
      "filePath",
      /cannot be read/,
    );
    await rejectsWith(new SnippetExtractor().readSection(home, 1, 2), "no_file", "filePath", /cannot be read/);
  });

  test("handle malformed JSONL lines", async () => {
    const skipped: number[] = [];
    const extractor = new SnippetExtractor({ onSkippedLine: (line) => skipped.push(line) });
    assert.equal((await extractor.readSection(damaged, 10, 14)).length, 2);
    assert.deepEqual(skipped, [11, 13]);
    const text = await extractor.extractFormatted(damaged, 9, 14, "error_reasoning");
    assert.deepEqual(skipped, [11, 13, 9]);
    assert.match(text, /At the end\./);
  });

  test("validate content size constraints", async () => {
    const extractor = new SnippetExtractor();
    await rejectsWith(extractor.extractFormatted(path, 1, 1, "learning_pattern"), "invalid", "content", /100 to 10240/);
    const huge = file("huge.jsonl", user("Why? ".repeat(20_000), 1) + says("Because. ".repeat(20_000), 2));
    const text = await extractor.extractFormatted(huge, 1, 2, "decision_rationale");
    assert.ok(Buffer.byteLength(text) <= 10_240 && Buffer.byteLength(text) > 10_000);
    assert.match(text, /\[… entries cut or left out: 2 …\]$/);
  });

  for (const [from, to, code, field, says] of [
    [5, 2, "bad_range", "source_line_end", /ends at 2, before it starts at 5/],
    [0, 2, "invalid", "source_line_start", /from 1/],
    [3, 11, "bad_range", "source_line_end", /11 is beyond the end.*10 lines/],
    [12, 13, "bad_range", "source_line_start", /12 is beyond the end/],
  ] as const) {
    test(`lines ${from} to ${to} are refused`, async () => {
      const extractor = new SnippetExtractor();
      await rejectsWith(extractor.readSection(path, from, to), code, field, says);
      await rejectsWith(extractor.extractFormatted(path, from, to, "learning_pattern"), code, field, says);
    });
  }

  test("lines in which nothing was said, and lines that are all damaged", async () => {
    const summary = file(
      "summary.jsonl",
      `${JSON.stringify({ type: "file-history-snapshot" })}\n{"type":"us\n${sampleSession()}`,
    );
    const extractor = new SnippetExtractor();
    await rejectsWith(
      extractor.extractFormatted(summary, 1, 1, "learning_pattern"),
      "empty_range",
      "source_line_start",
      /Nothing was said or done in line 1/,
    );
    await rejectsWith(
      extractor.extractFormatted(summary, 2, 2, "learning_pattern"),
      "empty_range",
      "source_line_start",
      /line 2: /,
    );
  });

  test("counts turns as `show` does, also where the file begins with a subagent's prompt", async () => {
    const side = user("Look around.", 1).replace("{", '{"isSidechain":true,');
    async function* chunks(): AsyncGenerator<Uint8Array> {
      yield Buffer.from([side, user("One.", 2), user("Two.", 3)].join(""));
    }
    const range = { unit: "turn", start: 2, end: 2 } as const;
    const { content } = await sessionExcerpt(REF, range, { content: contentOf(chunks()) });
    assert.match(content, /^User .*\n\[3\] Two\.$/);
  });

  test("reads little beyond the last line", async () => {
    let given = 0;
    let isClosed = false;
    async function* endless(): AsyncGenerator<Uint8Array> {
      try {
        for (;;) {
          given += 1;
          yield Buffer.from(says(`Line ${given}.`, given));
          if (given > 5_000) throw new Error("read on");
        }
      } finally {
        isClosed = true;
      }
    }
    const range = { unit: "line", start: 900, end: 905 } as const;
    const { content } = await sessionExcerpt(REF, range, { content: contentOf(endless()) });
    assert.deepEqual(content.match(/^\[\d+\]/gm), ["[900]", "[901]", "[902]", "[903]", "[904]", "[905]"]);
    assert.ok(given < 1_500, String(given));
    assert.ok(isClosed);
  });
});

describe("snippets by range", () => {
  const session = sampleSession();
  const withMade = async (body: (made: MadeSetting) => Promise<void>, text = session): Promise<void> => {
    const made = await madeSetting(text);
    try {
      await body(made);
    } finally {
      await made.store.close();
    }
  };
  const take = (rest: Partial<ExtractSnippetInput>): ExtractSnippetInput => ({
    session_id: SESSION.slice(0, 8),
    snippet_type: "error_reasoning",
    title: "A misspelled path",
    ...rest,
  });

  test("lines: as show prints them, with line numbers, cited", () =>
    withMade(async (made) => {
      const { snippet_id, session_id } = await extractSnippet(made, take({ source_line_start: 2, source_line_end: 6 }));
      const stored = await made.store.snippet(snippet_id);
      assert.equal(session_id, SESSION);
      assert.deepEqual([stored?.source_file, stored?.source_line_start, stored?.source_line_end], [made.path, 2, 6]);
      assert.equal(
        stored?.content,
        [
          "Assistant  10:00:05  claude-sonnet-4-5-20250929\n[2] I look at the file first.",
          "Assistant  10:00:06\n[3] > Read  /work/shop/prise.mjs",
          "[4]   ! File does not exist.",
          "Assistant  10:00:09  claude-sonnet-4-5-20250929\n[5] > Read  /work/shop/price.mjs",
          "[6]   < export const price = 1;\n    export const tax = 2;",
        ].join("\n\n"),
      );
      const { file, entries } = { file: null, entries: null, ...Object(stored.metadata["citation"]) };
      assert.equal(file, made.path);
      assert.ok(Array.isArray(entries) && entries.length === 5);
    }));

  test("turns", () =>
    withMade(async (made) => {
      const { snippet_id } = await extractSnippet(made, take({ source_turn_start: 1 }));
      const stored = await made.store.snippet(snippet_id);
      assert.deepEqual([stored?.source_line_start, stored?.source_line_end], [1, 7]);
      assert.match(stored?.content ?? "", /Add up the prices[^]*the sum is 3\.$/);
      await rejectsWith(
        extractSnippet(made, take({ source_turn_start: 2, source_turn_end: 3 })),
        "bad_range",
        "source_turn_end",
        /3 is beyond the end: the session has 2 turns/,
      );
      await rejectsWith(
        extractSnippet(made, take({ source_turn_start: 7 })),
        "bad_range",
        "source_turn_start",
        /7 is beyond/,
      );
    }));

  test("a long range says what is left out", () =>
    withMade(
      async (made) => {
        const { snippet_id, entries_left_out } = await extractSnippet(made, take({ source_turn_start: 1 }));
        const content = (await made.store.snippet(snippet_id))?.content ?? "";
        assert.ok(Buffer.byteLength(content) <= 10_240);
        const shown = content.match(/^\[\d+\]/gm)?.length ?? 0;
        assert.ok(shown > 40 && entries_left_out !== undefined);
        // The last one that is shown is cut.
        assert.equal(entries_left_out, 2_002 - shown + 1);
        assert.match(content, new RegExp(`Build it[^]*\\[… entries cut or left out: ${entries_left_out} …\\]$`));
      },
      user("Build it", 0) +
        Array.from(
          { length: 1_000 },
          (_, at) =>
            calls("Bash", `t${at}`, { command: `make step${at}` }, at + 1) +
            result(`t${at}`, `ok ${"x".repeat(300)}`, at + 1),
        ).join("") +
        says("All 1000 steps are done.", 2_000),
    ));

  test("a near-duplicate is reported, the same content is stored once", () =>
    withMade(async (made) => {
      const text =
        "The pool was exhausted because each request opened a connection of its own and none of them was closed at the end of it.";
      const first = await extractSnippet(made, take({ content: text }));
      const near = await extractSnippet(made, take({ content: `${text} It was fixed.` }));
      assert.deepEqual(
        near.similar?.map(({ snippet_id }) => snippet_id),
        [first.snippet_id],
      );
      assert.ok((near.similar?.[0]?.likeness ?? 0) >= 0.8);
      const again = await extractSnippet(made, take({ content: text }));
      assert.deepEqual([again.snippet_id, again.already_stored], [first.snippet_id, true]);
      const other = await extractSnippet(
        made,
        take({
          content:
            "Quite another thing was said here, about the menu of the canteen, its prices and its opening hours on Friday.",
        }),
      );
      assert.equal(other.similar, undefined);
    }));

  test("a type that the content does not look like is hinted at", () =>
    withMade(async (made) => {
      const content =
        "We decided to use SQLite instead of PostgreSQL, because it needs no server. The alternatives were rejected: the trade-offs were worse.";
      const { type_hint } = await extractSnippet(made, take({ content }));
      assert.equal(type_hint?.snippet_type, "decision_rationale");
      assert.ok(type_hint.because.includes("instead of"));
    }));
});
