import assert from "node:assert/strict";
import fc from "fast-check";
import { opencodeExport } from "../../src/agents/opencode/opencode-export.ts";
import { damagedBytes } from "../support/parse/damage.ts";
import { madeExport } from "../support/parse/opencode-session.ts";
import { conversation, readSource, type SourceReading } from "../support/parse/source.ts";
import { conversationOf } from "../support/recording/conversation-arbitrary.ts";
import { stored } from "../support/recording/conversation.ts";
import { describe, runs, test } from "../support/runner.ts";

const SESSION = "ses_1";
const layouts = ["pretty", "plain"] as const;

/** An export as text: pretty-printed as opencode does it, or on one line. */
const exported = fc
  .record({ made: conversationOf(SESSION, 3), layout: fc.constantFrom(...layouts) })
  .map(({ made, layout }) => {
    const session = { info: { id: SESSION, title: "t" }, messages: stored(made) };
    return JSON.stringify(session, null, layout === "pretty" ? 2 : 0);
  });

/** All that a reader gets. */
const whole = ({ units, messages, blocks, errors, lines, metadata }: SourceReading): unknown => [
  units,
  messages,
  blocks,
  errors,
  lines,
  metadata,
];

describe("an export", () => {
  test("reads the same however its bytes are divided", async () => {
    const sizes = fc.array(fc.integer({ min: 1, max: 200 }), { minLength: 1, maxLength: 5 });
    await fc.assert(
      fc.asyncProperty(exported, sizes, async (text, chunkBytes) => {
        assert.deepEqual(
          whole(await readSource(opencodeExport, text, { chunkBytes })),
          whole(await readSource(opencodeExport, text)),
        );
      }),
      { numRuns: runs(60) },
    );
  });

  test("cut off anywhere returns the beginning of the conversation, and says that it was cut", async () => {
    await fc.assert(
      fc.asyncProperty(exported, fc.nat(), async (text, at) => {
        const bytes = Buffer.from(text);
        const cut = bytes.subarray(0, at % bytes.length);
        const [all, some] = [await readSource(opencodeExport, bytes), await readSource(opencodeExport, cut)];
        const [said, known] = [conversation(all), conversation(some)];
        // The last answer may be open: a part of its blocks, and its results and usage to come.
        const settled = some.messages.findLastIndex(({ message_type }) => message_type === "assistant");
        assert.deepEqual(known.slice(0, Math.max(0, settled)), said.slice(0, Math.max(0, settled)));
        assert.ok(known.length <= said.length);
      }),
      { numRuns: runs(150) },
    );
  });

  test("with any damage never throws, and says what failed and why", async () => {
    const bytes = fc.oneof(exported, fc.constantFrom(...layouts.map(madeExport))).map((text) => Buffer.from(text));
    await fc.assert(
      fc.asyncProperty(damagedBytes(bytes), async (damaged) => {
        const { units, lines } = await readSource(opencodeExport, damaged, { chunkBytes: [997] });
        for (const { outcome, problems } of units) if (outcome.as === "failed") assert.ok(problems.length > 0);
        const skipped = Object.values(lines.skipped).reduce((sum, count) => sum + count, 0);
        assert.equal(lines.used + lines.blank + lines.unknown + lines.failed + skipped, lines.total);
      }),
      { numRuns: runs(300) },
    );
  });
});
