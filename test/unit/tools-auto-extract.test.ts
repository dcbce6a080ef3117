/** Sessions that come to rest: their suggestions are asked for once a rest, one after the other, and failures told once. */
import assert from "node:assert/strict";
import { AutoExtract } from "../../src/host/extract-when-idle.ts";
import { Turns } from "../../src/host/turn-ends.ts";
import type { ToolCallRequest } from "../../src/tools/runner/tool-requests.ts";
import type { ToolAnswer } from "../../src/tools/tool.ts";
import { describe, test } from "../support/runner.ts";

const FLUSHED = { complete: true, waiting: 0, missing: 0 };
const DONE: ToolAnswer = { text: "1 stored." };

interface Stand {
  extract: AutoExtract;
  asked: string[];
  told: string[];
  /** Lets the oldest call that waits end. */
  finish: (answer?: ToolAnswer) => void;
}

/** With `isHeld`, calls wait until they are let go. */
function stand(isHeld: boolean, answer: () => ToolAnswer | Promise<ToolAnswer> = () => DONE): Stand {
  const asked: string[] = [];
  const told: string[] = [];
  const held: PromiseWithResolvers<ToolAnswer>[] = [];
  const call = async ({ args }: ToolCallRequest, signal: AbortSignal): Promise<ToolAnswer> => {
    asked.push(JSON.stringify(args));
    if (!isHeld) return answer();
    const waiting = Promise.withResolvers<ToolAnswer>();
    held.push(waiting);
    signal.addEventListener("abort", () => waiting.reject(signal.reason));
    return waiting.promise;
  };
  const extract = new AutoExtract({
    recorder: { flush: async () => FLUSHED },
    runner: async () => ({ call }),
    notices: { autoExtract: (message) => told.push(message) },
    directory: () => "/project",
  });
  return { extract, asked, told, finish: (given = DONE) => held.shift()?.resolve(given) };
}

async function settled(): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

describe("suggestions of sessions at rest", () => {
  test("are asked for one session after the other, and once for each that waits", async () => {
    const { extract, asked, finish } = stand(true);
    for (const id of ["ses_a", "ses_b", "ses_b", "ses_b"]) extract.add(id);
    await settled();
    assert.deepEqual(asked, ['{"session":"ses_a"}']);
    finish();
    await settled();
    assert.deepEqual(asked, ['{"session":"ses_a"}', '{"session":"ses_b"}']);
    extract.add("ses_b");
    finish();
    await settled();
    assert.equal(asked.length, 3, "what was said since it was read is looked at too");
    finish();
  });

  test("that cannot be stored are reported, and the next session is still examined", async () => {
    let calls = 0;
    const failures: (() => ToolAnswer)[] = [
      () => ({
        text: "store_suggestions failed. The disk is full.",
        code: "full",
        isError: true,
      }),
      () => {
        throw new Error("the thread broke");
      },
      // A session of which nothing was recorded is no failure.
      () => ({ text: "No session.", code: "not_found", isError: true }),
      () => DONE,
    ];
    const { extract, asked, told } = stand(false, () => failures[calls++]?.() ?? DONE);
    for (const id of ["a", "b", "c", "d"]) extract.add(id);
    await settled();
    assert.equal(asked.length, 4);
    assert.equal(told.length, 2);
    assert.match(told[0] ?? "", /^Snippets of session a were not stored: .*disk is full/);
    assert.match(told[1] ?? "", /session b .*thread broke/);
  });

  test("are given up when the host ends and they take too long", async () => {
    const { extract, asked, told } = stand(true);
    extract.add("slow");
    extract.add("later");
    await extract.end(5);
    await settled();
    assert.deepEqual(asked, ['{"session":"slow"}']);
    assert.deepEqual(told, []);
  });

  test("are asked for once though a session goes idle twice, as after an abort", async () => {
    const rested: string[] = [];
    const turns = new Turns(30);
    turns.whenever((id) => rested.push(id));
    for (const state of ["busy", "idle", "aborting", "idle"] as const) {
      turns.heard({ kind: "activity", sessionID: "ses_a", state });
    }
    assert.deepEqual(turns.resting, ["ses_a"]);
    while (rested.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    assert.deepEqual(rested, ["ses_a"]);
    // Nothing is left that could tell it a second time.
    assert.deepEqual(turns.resting, []);
    turns.heard({ kind: "activity", sessionID: "ses_a", state: "busy" });
    turns.heard({ kind: "activity", sessionID: "ses_a", state: "idle" });
    turns.heard({ kind: "activity", sessionID: "ses_a", state: "deleted" });
    turns.heard({ kind: "activity", sessionID: "ses_b", state: "idle" });
    turns.clear();
    assert.deepEqual(turns.resting, []);
  });
});
