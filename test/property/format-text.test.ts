import assert from "node:assert/strict";
import fc from "fast-check";
import { fenceAtEnd, fenced } from "../../src/transcript/format/sections.ts";
import { decodeText, encodeLine, encodeText } from "../../src/transcript/format/text-escapes.ts";
import { decodeInline, encodeInline } from "../../src/transcript/format/visible.ts";
import { describe, runs, test } from "../support/runner.ts";
import { nastyText } from "./format-arbitraries.ts";

/** All but tab and line ends; a carriage return is one only before a newline. */
const CONTROLS = new RegExp(String.raw`[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]|\r(?!\n)`);
const RUNS = { numRuns: runs(2000) };

describe("text in a transcript", () => {
  test("survives escaping", () => {
    fc.assert(
      fc.property(nastyText, (text) => {
        assert.equal(decodeText(encodeText(text)), text);
        assert.equal(decodeText(encodeLine(text)), text);
        // What is already escaped is text like any other.
        assert.equal(decodeText(encodeText(encodeText(text))), encodeText(text));
      }),
      RUNS,
    );
  });

  test("contains nothing that a terminal, grep or the reader would interpret", () => {
    fc.assert(
      fc.property(nastyText, (text) => {
        const encoded = encodeText(text);
        assert.ok(encoded.isWellFormed());
        assert.doesNotMatch(encoded, CONTROLS);
        assert.doesNotMatch(
          encoded,
          /## \[.*\] (?:User Message|Assistant Message|Reasoning|Tool (?:Use|Result|Error):|Session Event:)/,
        );
        assert.doesNotMatch(encoded, /<!-- (?:entry|transcript)/);
        assert.equal(encodeLine(text).split(/[\n\r]/).length, 1);
      }),
      RUNS,
    );
  });

  test("survives a fence and the line of a label", () => {
    fc.assert(
      fc.property(nastyText, nastyText, (before, text) => {
        const block = fenced(encodeText(text), "text");
        const found = fenceAtEnd(`${encodeText(before)}\n${block}`);
        assert.equal(decodeText(found?.content ?? ""), text);
        assert.equal(found?.start, encodeText(before).length + 1);
        if (text !== "") assert.equal(decodeInline(encodeInline(text)), text);
      }),
      RUNS,
    );
  });

  test("takes linear time for any content", () => {
    // Quadratic work on these would take hours instead of a second or two.
    const million = 1_000_000;
    for (const unit of ["## [", "#\u2060", "\u2400\u2060", "] Tool Use:", "<!-- id ", "`", "\r", "[`<", "<a`", "- "]) {
      const text = unit.repeat(million / unit.length) + "] Tool Use:";
      assert.equal(decodeText(encodeText(text)), text);
      assert.equal(decodeText(fenceAtEnd(fenced(encodeText(text)))?.content ?? ""), text);
    }
  });
});
