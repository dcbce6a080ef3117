import assert from "node:assert/strict";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { INDEX_LIMITS, SMALL } from "../support/indexing/index-fixture.ts";
import { GrowingTranscript } from "../support/indexing/growing-transcript.ts";
import { damaged, damages } from "../support/parse/damage.ts";
import { FORMATS } from "../support/parse/transcript-file.ts";
import { plainSteps, type Conversation } from "../support/recording/conversation.ts";
import { conversationOf } from "../support/recording/conversation-arbitrary.ts";
import { FakeHost } from "../support/recording/fake-host.ts";
import { Recording } from "../support/recording/recording.ts";
import { afterAll, describe, runs, test } from "../support/runner.ts";
import { makeTempDir, removeTempDirs } from "../support/temp-dir.ts";
import { anyEntry, anyHeader } from "./format-arbitraries.ts";
import { countedPieces, textPieces } from "./text-pieces.ts";
import { parseJsonlTranscript } from "../support/read-entries.ts";

afterAll(removeTempDirs);

/** Numbers from 0 to 1; those that `fc.double` gives lie mostly next to 0. */
const share = fc.integer({ min: 0, max: 1_000 }).map((part) => part / 1_000);
const shares = fc.array(share, { minLength: 1, maxLength: 6 });
/** Many small parts, one part, and both in turn. */
const anyLimits = fc.constantFrom([SMALL], [INDEX_LIMITS], [SMALL, INDEX_LIMITS]);

/** Sizes of the file, ascending; the last is often not the whole of it. */
function sizesOf(bytes: Buffer, cuts: readonly number[]): number[] {
  return cuts.map((cut) => Math.round(cut * bytes.length)).toSorted((a, b) => a - b);
}

/** Recorded by one process, whose open texts are written out now and then, and by a second one, in both formats. */
async function recorded(folder: string, whole: Conversation, [life, ...flushes]: readonly number[]): Promise<void> {
  const { messages } = whole;
  const first = messages.slice(0, Math.round((life ?? 1) * messages.length));
  const steps = first.flatMap((each) => plainSteps("ses_1", each));
  const places = new Set(flushes.map((flush) => Math.round(flush * steps.length)));
  const before = new Recording(folder, { format: "both", maxInlineChars: 8 });
  for (const [at, step] of steps.entries()) {
    before.does(step);
    if (places.has(at)) await before.recorder.flush(20_000, "all", "now");
  }
  await before.end();
  const queries = new FakeHost().hasConversation({ sessionID: "ses_1", messages: first });
  const after = new Recording(folder, { format: "both", maxInlineChars: 8, queries });
  after.does(...messages.slice(first.length).flatMap((each) => plainSteps("ses_1", each)));
  await after.recorder.recall("ses_1");
  await after.end();
}

describe("a recorded transcript that grows", () => {
  test("gets the same rows step by step as at once, in either format, wherever it is cut", async () => {
    let continued = 0;
    await fc.assert(
      fc.asyncProperty(conversationOf("ses_1", 3), shares, shares, anyLimits, async (whole, lives, cuts, limits) => {
        const data = join(makeTempDir(), ".openfleet");
        await recorded(data, whole, lives);
        const transcripts = join(data, "transcripts");
        for (const name of ["ses_1.jsonl", "ses_1.md"]) {
          if (!existsSync(join(transcripts, name))) continue;
          const bytes = readFileSync(join(transcripts, name));
          const grown = new GrowingTranscript(name, transcripts);
          await grown.checkSteps(bytes, sizesOf(bytes, cuts), limits);
          rmSync(grown.where.home, { recursive: true });
          if (!name.endsWith(".jsonl")) continue;
          const { entries } = await parseJsonlTranscript(bytes);
          continued += entries.filter((entry) => "continues" in entry).length;
        }
      }),
      { numRuns: runs(40) },
    );
    assert.ok(continued > 0, "the recorder wrote texts in pieces");
  });
});

for (const [name, { text }] of Object.entries(FORMATS)) {
  const file = name === "markdown" ? "ses_1.md" : "ses_1.jsonl";

  describe(`a transcript of any entries as ${name}`, () => {
    test("gets the same rows step by step as at once, damaged or not", async () => {
      const entries = fc.oneof(fc.array(anyEntry, { maxLength: 6 }), countedPieces);
      await fc.assert(
        fc.asyncProperty(entries, anyHeader, damages, shares, anyLimits, async (all, header, done, cuts, limits) => {
          const bytes = damaged(Buffer.from(text(all, header)), done);
          await new GrowingTranscript(file).checkSteps(bytes, sizesOf(bytes, cuts), limits);
        }),
        { numRuns: runs(60) },
      );
    });

    test("is indexed as it is now, whatever was cut off in between", async () => {
      await fc.assert(
        fc.asyncProperty(textPieces, shares, anyLimits, async (all, cuts, limits) => {
          const bytes = Buffer.from(text(all));
          await new GrowingTranscript(file).checkSteps(
            bytes,
            cuts.map((cut) => Math.round(cut * bytes.length)),
            limits,
          );
        }),
        { numRuns: runs(40) },
      );
    });
  });
}
