/** A content that is given cites lines or turns: they must be there, and what is on them is cited. */
import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { extractSnippet } from "../../src/snippets/extract-snippet.ts";
import type { ExtractSnippetInput } from "../../src/snippets/snippet-input.ts";
import { SESSION } from "../support/cli/claude-lines.ts";
import { afterAll, describe, test } from "../support/runner.ts";
import { removeTempDirs } from "../support/temp-dir.ts";
import { contentOf, madeSetting, type MadeSetting } from "../snippets/made-setting.ts";
import { TranscriptsError } from "../../src/transcripts-error.ts";

afterAll(removeTempDirs);

function given(range: Partial<ExtractSnippetInput>): ExtractSnippetInput {
  return { session_id: SESSION, snippet_type: "learning_pattern", title: "x", content: contentOf(200), ...range };
}

async function made(body: (setting: MadeSetting) => Promise<void>): Promise<void> {
  const setting = await madeSetting();
  try {
    await body(setting);
  } finally {
    await setting.store.close();
  }
}

describe("a content with a citation", () => {
  for (const [range, code, field] of [
    [{ source_line_start: 1, source_line_end: 9_999 }, "bad_range", "source_line_end"],
    [{ source_line_start: 500 }, "bad_range", "source_line_start"],
    [{ source_turn_start: 1, source_turn_end: 77 }, "bad_range", "source_turn_end"],
    [{ source_turn_start: 0 }, "empty_range", "source_turn_start"],
  ] as const) {
    test(`is refused as without it: ${JSON.stringify(range)}`, () =>
      made(async (setting) => {
        const { content: _, ...without } = given(range);
        for (const input of [given(range), without]) {
          await assert.rejects(extractSnippet(setting, input), (error) => {
            assert(error instanceof TranscriptsError);
            assert.deepEqual([error.code, error.field], [code, field]);
            return true;
          });
        }
        assert.equal((await setting.store.querySnippets({ limit: 1, offset: 0 })).total_count, 0);
      }));
  }

  test("has the lines of its turns, and the entries on them", () =>
    made(async (setting) => {
      const { content: _, ...taken } = given({ source_turn_start: 1 });
      await extractSnippet(setting, taken);
      await extractSnippet(setting, given({ source_turn_start: 1 }));
      const { snippets } = await setting.store.querySnippets({ limit: 2, offset: 0 });
      const [own, excerpt] = snippets;
      assert.equal(own?.content, contentOf(200));
      assert.deepEqual(
        [own?.source_line_start, own?.source_line_end, own?.source_file, own?.metadata["citation"]],
        [excerpt?.source_line_start, excerpt?.source_line_end, setting.path, excerpt?.metadata["citation"]],
      );
      assert.equal(own?.source_line_start, 1);
    }));

  test("needs the session, of which one without it does not", () =>
    made(async (setting) => {
      await extractSnippet(setting, given({ title: "first" }));
      rmSync(setting.path);
      const more = given({ content: contentOf(300) });
      await assert.rejects(
        extractSnippet(setting, { ...more, source_line_start: 2 }),
        /Only .*cannot be read here\. .*Give the content itself, without lines or turns\./,
      );
      assert.equal((await extractSnippet(setting, more)).success, true);
    }));

  test("that is blank is reported as blank", () =>
    made(async (setting) => {
      await assert.rejects(
        extractSnippet(setting, given({ content: " ".repeat(200) })),
        /The content is blank\. Say what/,
      );
    }));

  test("with metadata nested too deeply is reported as such", () =>
    made(async (setting) => {
      let deep: unknown = [];
      for (let depth = 0; depth < 100_000; depth++) deep = [deep];
      await assert.rejects(
        extractSnippet(setting, given({ metadata: { deep } })),
        /The metadata are nested more than 20 deep/,
      );
    }));
});
