import assert from "node:assert/strict";
import { fileRef } from "../../src/sessions/file-ref.ts";
import { suggestForSession } from "../../src/snippets/suggest/suggest-for-session.ts";
import { storeSession } from "../support/cli/claude-lines.ts";
import { afterAll, describe, test } from "../support/runner.ts";
import { makeTempDir, removeTempDirs } from "../support/temp-dir.ts";
import { LANGUAGES, toldIn } from "../snippets/told-in.ts";

afterAll(removeTempDirs);

/** The same story so many times, with ids of its own each. */
const stories = (times: number): string =>
  Array.from({ length: times }, () => Object.values(LANGUAGES).slice(0, 1).map(toldIn))
    .flat()
    .join("");

describe("suggestForSession", () => {
  test("a session in parts gives what it gives as a whole", async () => {
    const ref = await fileRef(storeSession(makeTempDir(), stories(6)));
    const whole = await suggestForSession(ref, { limit: 50 });
    assert.equal(whole.length, 30);
    for (const partChars of [12_000, 30_000])
      assert.deepEqual(await suggestForSession(ref, { limit: 50, partChars }), whole, `${partChars}`);
    // Cut within its turns it has less, but all of that is whole.
    const places = new Set(whole.map(({ line_start }) => line_start));
    const torn = await suggestForSession(ref, { limit: 50, partChars: 2_000 });
    assert.ok(torn.some(({ line_start }) => places.has(line_start)));
  });

  test("the best of all parts, in order of their lines", async () => {
    const ref = await fileRef(storeSession(makeTempDir(), stories(6)));
    const best = await suggestForSession(ref, { limit: 3, partChars: 12_000 });
    assert.deepEqual(
      best.map(({ score }) => score),
      [0.72, 0.72, 0.72],
    );
    assert.ok(best.every(({ line_start }, at) => at === 0 || line_start > (best[at - 1]?.line_start ?? 0)));
  });

  test("stops when it is told to", async () => {
    const ref = await fileRef(storeSession(makeTempDir(), stories(1)));
    await assert.rejects(suggestForSession(ref, { signal: AbortSignal.abort(new Error("enough")) }), /enough/);
  });
});
