import assert from "node:assert/strict";
import { parseTranscript } from "../../src/parse/parse-transcript.ts";
import { suggestSnippets, type SnippetSuggestion } from "../../src/snippets/suggest/suggest-snippets.ts";
import { LANGUAGES, toldIn, type Words } from "../snippets/told-in.ts";
import { describe, test } from "../support/runner.ts";

const suggested = async (words: Words): Promise<SnippetSuggestion[]> =>
  suggestSnippets(await parseTranscript("session-1", toldIn(words), { pricing: "flat" }), { file: "/work/s.jsonl" });

/** What the rules find by what was done. English alone would have more to say for each. */
const FOUND = [
  ["error_reasoning", 1, 14],
  ["decision_rationale", 18, 20],
  ["learning_pattern", 23, 26],
  ["decision_rationale", 28, 29],
  ["learning_pattern", 33, 36],
];

/** What the titles are taken from, in the same order. */
const TITLES = ["report", "ways", "order", "asked", "correction"] as const;

describe("suggestions of a session told in", () => {
  for (const [language, words] of Object.entries(LANGUAGES)) {
    test(language, async () => {
      const suggestions = await suggested(words);
      assert.deepEqual(
        suggestions.map(({ snippet_type, line_start, line_end }) => [snippet_type, line_start, line_end]),
        FOUND,
      );
      for (const [at, { title }] of suggestions.entries()) {
        const from = words[TITLES[at] ?? "report"].replaceAll(/\s+/g, " ");
        assert.ok(from.includes(title.slice(0, 20)), `${title} is not of ${from}`);
      }
      const [mended, chosen] = suggestions;
      assert.match(mended?.content ?? "", /expected '1\.01' to be 1\.01[^]*1 passed/);
      assert.ok(mended?.content.includes(words.why) && mended.content.includes(words.done));
      assert.ok(chosen?.content.includes(words.askWays) && chosen.content.includes("cartTotal(items)"));
    });
  }
});
