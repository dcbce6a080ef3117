import { readFileSync } from "node:fs";
import { parseTranscript } from "../../src/agents/parse-input.ts";
import { fileRef } from "../../src/sessions/file-ref.ts";
import { type SectionRange, sessionExcerpt } from "../../src/snippets/excerpt.ts";
import { SESSION_KINDS, testSessions } from "../support/parse/session-files.ts";
import assert from "node:assert/strict";
import { TranscriptsError } from "../../src/transcripts-error.ts";

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

testSessions("any range of a session is an excerpt, or refused", SESSION_KINDS, async (files) => {
  for (const { name, path } of files) {
    const result = await parseTranscript("s", readFileSync(path), { pricing: "flat" });
    const ref = await fileRef(path);
    for (const range of rangesOf(result.lines.total)) {
      const at = `${name}: ${range.unit} ${range.start}`;
      try {
        const { content, lineStart, lineEnd } = await sessionExcerpt(ref, range, {});
        assert.ok(Buffer.byteLength(content) <= 10_240, at);
        assert.ok(lineStart >= 1 && lineEnd >= lineStart && lineEnd <= result.lines.total, at);
        assert.ok(content.isWellFormed(), at);
      } catch (error) {
        assert.ok(error instanceof TranscriptsError, `${at}: ${String(error)}`);
        assert.ok(["bad_range", "empty_range"].includes(error.code), `${at}: ${error.message}`);
      }
    }
  }
});
