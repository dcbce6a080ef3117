import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parseTranscript } from "../../src/parse/parse-transcript.ts";
import { createRedactor } from "../../src/redact/redactor.ts";
import { fileRef } from "../../src/sessions/file-ref.ts";
import { type SectionRange, sessionExcerpt } from "../../src/snippets/excerpt.ts";
import { CORPUS, corpusFiles } from "../support/parse/corpus.ts";
import { describe, test } from "../support/runner.ts";
import assert from "node:assert/strict";
import { TranscriptsError } from "../../src/transcripts-error.ts";

const redactor = createRedactor();

/** Some ranges of each kind: the beginning, the middle, the end, all, and beyond. */
function rangesOf(lines: number): SectionRange[] {
  const middle = Math.max(1, Math.floor(lines / 2));
  const last = Math.max(1, lines);
  const byLine = [
    [1, 1],
    [middle, Math.min(last, middle + 7)],
    [last, last],
    [1, last],
    [last, last + 1],
  ].map(([start = 1, end = 1]) => ({ unit: "line", start, end }) as const);
  const byTurn = [0, 1, 2, 1_000].map((start) => ({ unit: "turn", start, end: start }) as const);
  return [...byLine, ...byTurn];
}

describe("ranges of real sessions", () => {
  const files = corpusFiles("claude-code", "claude-stream-json", "opencode-export");
  if (files.length === 0) console.log("skipped: there is no ../shared/corpus beside the repository");
  for (const file of files) {
    test(file, async () => {
      const result = await parseTranscript("s", readFileSync(join(CORPUS, file)), { pricing: "flat" });
      const ref = await fileRef(join(CORPUS, file));
      for (const range of rangesOf(result.lines.total)) {
        try {
          const { content, lineStart, lineEnd } = await sessionExcerpt(ref, range, { redactor });
          assert.ok(Buffer.byteLength(content) <= 10_240, `${range.unit} ${range.start}`);
          assert.ok(lineStart >= 1 && lineEnd >= lineStart && lineEnd <= result.lines.total, `${lineStart}-${lineEnd}`);
          assert.ok(content.isWellFormed());
        } catch (error) {
          assert.ok(error instanceof TranscriptsError, String(error));
          assert.ok(["bad_range", "empty_range"].includes(error.code), error.message);
        }
      }
    });
  }
});
