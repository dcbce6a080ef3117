import assert from "node:assert/strict";
import fc from "fast-check";
import {
  beginning,
  ending,
  expected,
  plainSteps,
  streamOf,
  userSteps,
  type AssistantMessage,
  type Conversation,
  type Stream,
} from "../support/recording/conversation.ts";
import { conversationOf } from "../support/recording/conversation-arbitrary.ts";
import type { HostStep } from "../support/recording/host-steps.ts";
import { shortForm, TimelineDriver } from "../support/recording/timeline-driver.ts";
import { describe, runs, test } from "../support/runner.ts";

const sessionID = "ses_1";

/** A host's step and how long after the one before it comes. */
interface TimedStep {
  step: HostStep;
  afterMs: number;
}

/** Numbers that decide what comes next, and when. */
class Dice {
  readonly #rolls: readonly number[];
  #at = 0;

  constructor(rolls: readonly number[]) {
    this.#rolls = rolls;
  }

  below(limit: number): number {
    const roll = this.#rolls[this.#at++ % this.#rolls.length] ?? 0;
    return roll % limit;
  }

  pauseMs(): number {
    return [0, 0, 0, 0, 1, 1, 10, 60, 300, 1_100, 6_000][this.below(11)] ?? 0;
  }
}

/** An order in which a host may tell of the conversation. */
function hostOrder({ messages }: Conversation, dice: Dice): TimedStep[] {
  return messages.flatMap((each) => {
    // The host saves a prompt in one go.
    if (each.role === "user") return timed(userSteps(sessionID, each), dice, () => dice.below(3));
    return timed(answerOrder(each, dice), dice, () => dice.pauseMs());
  });
}

/** The steps with their times, some of them twice. */
function timed(steps: readonly HostStep[], dice: Dice, pauseMs: () => number): TimedStep[] {
  const times = steps.flatMap((step) => (dice.below(10) === 0 ? [step, step] : [step]));
  return times.map((step) => ({ step, afterMs: pauseMs() }));
}

/** The parts begin in their order, end in any, and all of them before the message does. */
function answerOrder(answer: AssistantMessage, dice: Dice): HostStep[] {
  const steps = beginning(sessionID, answer);
  const waiting = answer.parts.map((each) => streamOf(sessionID, answer.id, each));
  const open: Stream[] = [];
  while (waiting.length > 0 || open.length > 0) {
    const pick = dice.below(open.length + (waiting.length > 0 ? 1 : 0));
    const chosen = open[pick];
    const next = chosen ? undefined : waiting.shift();
    if (next) {
      steps.push(...next.first);
      open.push(next);
    }
    if (!chosen) continue;
    const loose = dice.below(3) === 0 || chosen.rest.length === 0 ? chosen.loose.shift() : undefined;
    const step = loose ?? chosen.rest.shift();
    if (step) steps.push(step);
    if (chosen.rest.length === 0 && chosen.loose.length === 0) open.splice(pick, 1);
  }
  return [...steps, ...ending(sessionID, answer)];
}

function check(driver: TimelineDriver, conversation: Conversation): void {
  const { told, results } = expected(conversation);
  const merged = driver.merged.filter(({ type }) => type !== "session_event");
  const isResult = (entry: (typeof merged)[number]): boolean => entry.type === "tool_result";
  assert.deepEqual(merged.filter((entry) => !isResult(entry)).map(shortForm), told);
  assert.deepEqual(merged.filter(isResult).map(shortForm).toSorted(), results.toSorted());
  for (const [at, entry] of merged.entries()) {
    if (entry.type !== "tool_result") continue;
    const use = merged.findIndex((other) => other.type === "tool_use" && other.partID === entry.partID);
    assert.ok(use !== -1 && use < at, "each result stands behind its call");
  }
  assert.equal(driver.timeline.hasOpen, false);
  assert.equal(driver.timeline.nextDueMs(), undefined);
}

/** Returns how often the usage of a model call was reported. */
function usages(driver: TimelineDriver): number {
  return driver.merged.filter((entry) => entry.type === "session_event" && entry.name === "usage").length;
}

const rolls = fc.array(fc.nat(1_000_000), { minLength: 1, maxLength: 200, size: "max" });

describe("a conversation reported by the host", () => {
  test("in any order of events and at any pace, is recorded in order, each part once", () => {
    fc.assert(
      fc.property(conversationOf(sessionID), rolls, (conversation, numbers) => {
        const driver = new TimelineDriver(sessionID);
        for (const { step, afterMs } of hostOrder(conversation, new Dice(numbers))) driver.wait(afterMs).does(step);
        driver.wait(120_000);
        check(driver, conversation);
        const answers = conversation.messages.filter(({ role }) => role === "assistant");
        assert.equal(usages(driver), answers.length);
      }),
      { numRuns: runs(1_000) },
    );
  });

  test("reported twice, is recorded once", () => {
    fc.assert(
      fc.property(conversationOf(sessionID), (conversation) => {
        const driver = new TimelineDriver(sessionID);
        const steps = conversation.messages.flatMap((each) => plainSteps(sessionID, each));
        const events = steps.filter(({ kind }) => kind === "event");
        driver.does(...steps).wait(120_000);
        const { length } = driver.entries;
        driver.does(...events).wait(120_000);
        assert.equal(driver.entries.length, length);
        check(driver, conversation);
      }),
      { numRuns: runs(200) },
    );
  });

  test("that breaks off at any moment, is recorded up to there: nothing twice, nothing out of order, nothing left in memory", () => {
    fc.assert(
      fc.property(conversationOf(sessionID), rolls, fc.nat(1_000), (conversation, numbers, cut) => {
        const driver = new TimelineDriver(sessionID);
        const order = hostOrder(conversation, new Dice(numbers));
        for (const { step, afterMs } of order.slice(0, cut % (order.length + 1))) driver.wait(afterMs).does(step);
        driver.interrupt().wait(120_000);
        assert.equal(driver.timeline.hasOpen, false);
        const merged = driver.merged.filter(({ type }) => type !== "session_event");
        const keys = merged.map(({ type, messageID, partID }) => `${type}/${type === "user" ? messageID : partID}`);
        assert.equal(new Set(keys).size, keys.length, "nothing twice");
        const placed = merged
          .filter(({ type }) => type !== "tool_result")
          .map(({ partID, messageID }) => partID ?? `prt${messageID?.slice(3)}`);
        assert.deepEqual(placed, placed.toSorted(), "nothing out of order");
        for (const entry of merged) {
          if (entry.type !== "tool_use") continue;
          const results = merged.filter((other) => other.type === "tool_result" && other.partID === entry.partID);
          assert.equal(results.length, 1, "each call has one end");
        }
      }),
      { numRuns: runs(500) },
    );
  });
});
