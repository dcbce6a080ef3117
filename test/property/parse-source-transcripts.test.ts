import assert from "node:assert/strict";
import fc from "fast-check";
import { opencodeExport } from "../../src/agents/opencode/opencode-export.ts";
import { assertAccounted } from "../support/parse/account.ts";
import { damagedBytes } from "../support/parse/damage.ts";
import { conversation, readSource, type SourceReading } from "../support/parse/source.ts";
import { FORMATS, JSONL, MARKDOWN } from "../support/parse/transcript-file.ts";
import { conversationOf } from "../support/recording/conversation-arbitrary.ts";
import { plainSteps, stored } from "../support/recording/conversation.ts";
import { TimelineDriver } from "../support/recording/timeline-driver.ts";
import { describe, runs, test } from "../support/runner.ts";
import { anyEntry, anyHeader } from "./format-arbitraries.ts";
import { textPieces } from "./text-pieces.ts";
import { mergeContinuations } from "../support/read-entries.ts";

const SESSION = "ses_1";
const anyEntries = fc.array(anyEntry, { maxLength: 6 });

const whole = ({ units, messages, blocks, errors, lines, metadata }: SourceReading): unknown => [
  units,
  messages,
  blocks,
  errors,
  lines,
  metadata,
];

for (const [name, { source, text }] of Object.entries(FORMATS)) {
  describe(`a transcript in ${name}`, () => {
    test("is detected, and reads the same however its bytes are divided", async () => {
      const sizes = fc.array(fc.integer({ min: 1, max: 300 }), { minLength: 1, maxLength: 5 });
      await fc.assert(
        fc.asyncProperty(anyEntries, anyHeader, sizes, async (entries, header, chunkBytes) => {
          const file = text(entries, header);
          assert.ok(source.detect(file));
          const all = await readSource(source, file);
          assert.deepEqual(
            all.errors.filter(({ code }) => code !== "missing_output"),
            [],
          );
          assert.deepEqual(whole(await readSource(source, file, { chunkBytes })), whole(all));
        }),
        { numRuns: runs(60) },
      );
    });

    test("with any damage never throws, and every line is accounted for", async () => {
      const files = fc.array(anyEntry, { minLength: 1, maxLength: 6 }).map((entries) => Buffer.from(text(entries)));
      await fc.assert(
        fc.asyncProperty(damagedBytes(files), async (damaged) => {
          assertAccounted(await readSource(source, damaged, { chunkBytes: [997] }), damaged);
        }),
        { numRuns: runs(300) },
      );
    });

    test("joins continued texts as mergeContinuations does", async () => {
      await fc.assert(
        fc.asyncProperty(textPieces, async (entries) => {
          const [read, merged] = [
            await readSource(source, text(entries)),
            await readSource(source, text(mergeContinuations(entries))),
          ];
          assert.deepEqual(conversation(read), conversation(merged));
          assert.equal(read.lines.used, read.lines.total);
        }),
        { numRuns: runs(200) },
      );
    });

    test("returns every unit at once in a growing file", async () => {
      await fc.assert(
        fc.asyncProperty(textPieces, async (entries) => {
          const { units } = await readSource(source, text(entries), { isGrowing: true });
          const texts = units.flatMap(({ messages }) =>
            messages.flatMap(({ blocks }) => blocks.map((block) => block.text)),
          );
          const contents = entries.map((entry) => {
            if (entry.type === "tool_result") return entry.output;
            return "content" in entry ? entry.content : undefined;
          });
          assert.deepEqual(texts, contents, "nothing is put together");
        }),
        { numRuns: runs(50) },
      );
    });
  });
}

test("both formats produce the same messages", async () => {
  await fc.assert(
    fc.asyncProperty(anyEntries, anyHeader, async (entries, header) => {
      const first = await readSource(MARKDOWN.source, MARKDOWN.text(entries, header));
      const second = await readSource(JSONL.source, JSONL.text(entries, header));
      assert.deepEqual(conversation(first), conversation(second));
      assert.deepEqual(first.metadata, second.metadata);
    }),
    { numRuns: runs(100) },
  );
});

test("a recorded conversation equals the host's export", async () => {
  await fc.assert(
    fc.asyncProperty(
      conversationOf(SESSION),
      fc.constantFrom(...Object.values(FORMATS)),
      async (made, { source, text }) => {
        const driver = new TimelineDriver(SESSION);
        for (const message of made.messages) driver.does(...plainSteps(SESSION, message));
        driver.interrupt();
        const recorded = await readSource(source, text(driver.entries));
        const session = { info: { id: SESSION }, messages: stored(made) };
        const exported = await readSource(opencodeExport, JSON.stringify(session));
        assert.deepEqual(conversation(recorded), conversation(exported));
      },
    ),
    { numRuns: runs(100) },
  );
});
