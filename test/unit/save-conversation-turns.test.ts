import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import { Turns } from "../../src/host/turn-ends.ts";
import type { ActivityRecord } from "../../src/transcript/records.ts";
import { describe, test } from "../support/runner.ts";

const REST_MS = 20;
/** Long enough for a timer of REST_MS on a busy machine, if there is one. */
const LATER_MS = 300;

function heard(turns: Turns, sessionID: string, ...states: ActivityRecord["state"][]): void {
  for (const state of states) turns.heard({ kind: "activity", sessionID, state });
}

async function acts(states: readonly ActivityRecord["state"][], sessionID = "ses_a"): Promise<number> {
  const turns = new Turns(REST_MS);
  let count = 0;
  turns.whenEnded("ses_a", () => (count += 1));
  heard(turns, sessionID, ...states);
  await sleep(LATER_MS);
  return count;
}

describe("the end of a turn", () => {
  const cases: [states: ActivityRecord["state"][], count: number][] = [
    [["idle"], 1],
    [["idle", "idle"], 1],
    [["busy", "retrying", "busy", "idle"], 1],
    [["aborting", "idle", "idle"], 1],
    [["idle", "aborting"], 1],
    [["idle", "busy"], 0],
    [["busy"], 0],
    [["idle", "deleted"], 0],
    [["deleted", "idle"], 0],
  ];
  for (const [states, count] of cases) {
    test(`${states.join(", ")}: ${count === 1 ? "it has come" : "it has not come"}`, async () =>
      assert.equal(await acts(states), count));
  }

  test("of another session does not count", async () => assert.equal(await acts(["idle"], "ses_b"), 0));

  test("is reported once for each request", async () => {
    const turns = new Turns(REST_MS);
    let count = 0;
    turns.whenEnded("ses_a", () => (count += 1));
    turns.whenEnded("ses_a", () => (count += 10));
    heard(turns, "ses_a", "idle");
    await sleep(LATER_MS);
    heard(turns, "ses_a", "busy", "idle");
    await sleep(LATER_MS);
    assert.equal(count, 10);
  });

  test("never comes after everything was cleared", async () => {
    const turns = new Turns(REST_MS);
    let count = 0;
    turns.whenEnded("ses_a", () => (count += 1));
    heard(turns, "ses_a", "idle");
    turns.clear();
    heard(turns, "ses_a", "idle");
    await sleep(LATER_MS);
    assert.equal(count, 0);
  });
});
