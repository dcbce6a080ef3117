import assert from "node:assert/strict";
import fc from "fast-check";
import { micromark } from "micromark";
import { gfm, gfmHtml } from "micromark-extension-gfm";
import type { TranscriptEntry } from "../../src/transcript/format/entry-types.ts";
import { encodeMarkdownEntry, encodeMarkdownHeader } from "../../src/transcript/format/markdown-encode.ts";
import { describe, runs, test } from "../support/runner.ts";
import { anyEntry } from "./format-arbitraries.ts";

const filePath = "ses_1.md";
const header = encodeMarkdownHeader({ version: 1, sessionID: "ses_1", directory: "/x" }, { filePath });
const RENDERERS = {
  CommonMark: (text: string): string => micromark(text, { allowDangerousHtml: true }),
  "GitHub's markdown": (text: string): string =>
    micromark(text, { allowDangerousHtml: true, extensions: [gfm()], htmlExtensions: [gfmHtml()] }),
};

const CODE = ["```", "~~~", "````", "```js", "`", "``"];
const SPACE_AND_BLOCKS = ["\n", "\n\n", "\n", " ", "  ", "    ", "\t", "\u00a0", "\u2028", "\r"].concat([
  "- ",
  "> ",
  "1. ",
  "* a\n",
  "| a | b |\n|---|---|\n",
  "***",
  "---",
  "[a]: ",
  "[^1]: ",
]);
const INLINE = ["a", "|", "\\", "{", "$$", '"', "[a](", ">", "<https://a.b", "<a@b"].concat([
  "<div>",
  "<b>",
  "<!--",
  "<div",
  "</p>",
  "<br>",
  "<T>",
]);
/** Rendering is slow work, and machines that test may be busy. */
const LIMIT_MS = 120_000;
const VOID_ELEMENTS = new Set(["br", "hr", "img", "input"]);

/** The h2 elements that no other element contains. */
function topLevelHeadings(html: string): string[] {
  const headings: string[] = [];
  let depth = 0;
  let start = -1;
  for (const tag of html.matchAll(/<!--[^]*?-->|<(\/?)([a-z][a-z0-9-]*)(?:[^>"]|"[^"]*")*>/gi)) {
    const name = tag[2]?.toLowerCase();
    if (name === undefined || VOID_ELEMENTS.has(name)) continue;
    if (tag[1] === "/") depth -= 1;
    if (name === "h2" && depth === 0) {
      if (tag[1] === "") start = tag.index + tag[0].length;
      else headings.push(html.slice(start, tag.index));
    }
    if (tag[1] === "") depth += 1;
  }
  return headings;
}

const timeOf = (index: number): string => `2026-01-05T10:30:00.${String(index).padStart(3, "0")}Z`;
const startsAt = (index: number) => (heading: string) => heading.startsWith(`[${timeOf(index)}] `);

function assertRenders(list: TranscriptEntry[], render: (text: string) => string): void {
  const timed = list.map((entry, index) => ({ ...entry, timestamp: timeOf(index) }));
  const html = render(header + timed.map((entry) => encodeMarkdownEntry(entry, { filePath })).join(""));
  const headings = topLevelHeadings(html);
  for (const [index, entry] of timed.entries()) {
    // A usage event is a paragraph without a heading.
    const isQuiet = encodeMarkdownEntry(entry, { filePath }).startsWith("*[");
    assert.equal(headings.filter(startsAt(index)).length, isQuiet ? 0 : 1, html);
    assert.equal(html.split(`<p><em>[${timeOf(index)}] `).length, isQuiet ? 2 : 1, html);
  }
  assert.ok(!html.includes("&lt;!-- id "), "a comment for the parser is visible");
}

for (const [name, render] of Object.entries(RENDERERS)) {
  describe(`a transcript rendered as ${name}`, () => {
    test(
      "has every section's heading at its top level",
      () => {
        fc.assert(
          fc.property(fc.array(anyEntry, { minLength: 1, maxLength: 4 }), (list) => assertRenders(list, render)),
          { numRuns: runs(60) },
        );
      },
      LIMIT_MS,
    );

    test(
      "keeps its sections apart, whatever markup a message leaves open",
      () => {
        const piece = fc.constantFrom(...CODE, ...SPACE_AND_BLOCKS, ...INLINE);
        const markup = fc.array(piece, { maxLength: 16 });
        const message = markup.map((pieces): TranscriptEntry => ({
          type: "assistant",
          timestamp: "",
          content: pieces.join(""),
        }));
        const after: TranscriptEntry = { type: "reasoning", timestamp: "", content: "`a` <b> ```" };
        fc.assert(
          fc.property(message, (entry) => assertRenders([entry, after], render)),
          { numRuns: runs(600) },
        );
      },
      LIMIT_MS,
    );
  });
}
