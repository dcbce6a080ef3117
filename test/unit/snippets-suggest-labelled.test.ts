import assert from "node:assert/strict";
import type { SnippetLabel } from "../snippets/label.ts";
import { heldOut, heldOutLater, tuning } from "../snippets/labels.ts";
import { formatJudged, formatPart, judge, measureSuggestions } from "../snippets/measure.ts";
import { describe, test } from "../support/runner.ts";

/** At least this share of the suggestions has to be worth keeping. */
const MIN_PRECISION = 0.8;

describe("labelled passages", () => {
  test("of ten suggestions eight are worth keeping", async () => {
    for (const part of await measureSuggestions()) {
      console.log(part.sessions === 0 ? `skipped: none of the sessions of ${part.name} are here` : formatPart(part));
      assert.ok(part.precision >= MIN_PRECISION, part.judged.map(formatJudged).join("\n"));
    }
  });

  test("no session is in two parts, and each range of lines is one", () => {
    const files = (labels: readonly SnippetLabel[]) => new Set(labels.map(({ file }) => file));
    const held = files([...heldOut, ...heldOutLater]);
    assert.deepEqual(
      [...files(tuning)].filter((file) => held.has(file)),
      [],
    );
    for (const { file, lines } of [...tuning, ...heldOut, ...heldOutLater])
      assert.ok(lines[0] >= 1 && lines[1] >= lines[0], file);
  });

  test("a suggestion meets the label with which it has most lines in common", () => {
    const label = (from: number, to: number): SnippetLabel => ({ file: "f", lines: [from, to], type: null, why: "" });
    const labels = [label(10, 20), label(30, 40)];
    const met = (line_start: number, line_end: number, file = "f") =>
      judge(file, { line_start, line_end, snippet_type: "error_reasoning", title: "", score: 1 }, labels).label;
    assert.deepEqual(
      [met(12, 14), met(28, 38), met(70, 75), met(12, 14, "g")],
      [labels[0], labels[1], undefined, undefined],
    );
  });
});
