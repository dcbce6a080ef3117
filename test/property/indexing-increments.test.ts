import assert from "node:assert/strict";
import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import fc from "fast-check";
import type { IndexLimits } from "../../src/indexing/limits.ts";
import { updateIndex } from "../../src/indexing/update-index.ts";
import type { Where } from "../../src/sessions/session-ref.ts";
import {
  dump,
  FORGETFUL,
  INDEX_LIMITS,
  inOneGo,
  newStore,
  NO_REDACTOR,
  SMALL,
} from "../support/indexing/index-fixture.ts";
import { anyLines } from "../support/parse/any-lines.ts";
import { CORPUS, corpusFiles } from "../support/parse/corpus.ts";
import { damages, damaged } from "../support/parse/damage.ts";
import { afterAll, describe, test } from "../support/runner.ts";
import { makeTempDir, removeTempDirs } from "../support/temp-dir.ts";

afterAll(removeTempDirs);

/** A machine with one session file, which may grow. */
function machineWith(name = "11111111-1111-4111-8111-111111111111.jsonl"): { where: Where; path: string } {
  const home = makeTempDir();
  const path = join(home, ".claude", "projects", "-p", name);
  mkdirSync(dirname(path), { recursive: true });
  return { where: { env: {}, home, cwd: home }, path };
}

/** Adds the bytes piece by piece, with a run after each, and holds the end against one run over all. */
async function check(bytes: Buffer, cuts: readonly number[], limits: readonly IndexLimits[]): Promise<void> {
  const { where, path } = machineWith();
  const store = await newStore();
  const places = [...new Set([...cuts, bytes.length])].toSorted((a, b) => a - b);
  try {
    let done = 0;
    for (const [at, place] of places.entries()) {
      if (done === 0) writeFileSync(path, bytes.subarray(0, place));
      else appendFileSync(path, bytes.subarray(done, place));
      done = place;
      const chosen = limits[at % limits.length] ?? INDEX_LIMITS;
      await updateIndex(store, where, { redactor: NO_REDACTOR, limits: chosen });
    }
    const last = limits[(places.length - 1) % limits.length] ?? INDEX_LIMITS;
    const all = await dump(store);
    assert.deepEqual(all, await inOneGo(where, { redactor: NO_REDACTOR, limits: last }));
  } finally {
    await store.close();
  }
}

const cutsIn = fc.array(fc.nat(1_000_000), { minLength: 1, maxLength: 12 });

describe("indexing a session that grows", () => {
  test("gives what one go gives, wherever it was cut, and whatever was kept between", async () => {
    await fc.assert(
      fc.asyncProperty(anyLines(), cutsIn, fc.boolean(), damages, async (lines, cuts, ends, done) => {
        const text = Buffer.from(lines.join("\n") + (ends ? "\n" : ""));
        const bytes = damaged(text, done);
        const places = cuts.map((cut) => Math.floor((cut / 1_000_000) * bytes.length));
        await check(bytes, places, [SMALL, FORGETFUL]);
      }),
      { numRuns: 150 },
    );
  }, 120_000);

  test("does so where the title that was kept is blank", async () => {
    const title = JSON.stringify({ type: "ai-title", aiTitle: "\r\n", sessionId: "S" });
    const message = { role: "user", content: "What is this?" };
    const prompt = JSON.stringify({ type: "user", uuid: "u-1", sessionId: "S", message });
    await check(Buffer.from(`${title}\n${prompt}\n`), [title.length + 1], [SMALL, FORGETFUL]);
  });

  const files = corpusFiles("claude-code", "claude-stream-json");
  test(`does so with real sessions${files.length === 0 ? " (the corpus is not here: nothing was tried)" : ""}`, async () => {
    let seed = 7;
    const random = (below: number): number => (seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648) % below;
    for (const [at, name] of files.entries()) {
      const bytes = readFileSync(join(CORPUS, name));
      if (bytes.length > 1_500_000 && at % 4 !== 0) continue;
      const cuts = Array.from({ length: 4 }, () => random(bytes.length));
      await check(bytes, cuts, at % 2 === 0 ? [{ ...INDEX_LIMITS, memoryFromBytes: 1 }] : [FORGETFUL, INDEX_LIMITS]);
    }
  }, 240_000);
});
