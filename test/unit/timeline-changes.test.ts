import assert from "node:assert/strict";
import {
  call,
  COMPLETED,
  completed,
  delta,
  event,
  message,
  openText,
  part,
  running,
  session,
  status,
  stepFinish,
  wholeText,
} from "../support/recording/host-steps.ts";
import { at, bash, IDLE, inTurn, LS, sessionID, settled } from "../support/recording/one-session.ts";
import { TimelineDriver } from "../support/recording/timeline-driver.ts";
import { describe, test } from "../support/runner.ts";

describe("a model call that is made again", () => {
  test("the lost text stays, marked, and the new one follows", () => {
    const driver = inTurn().does(
      openText(at("prt_03")),
      delta(at("prt_03"), "This text is cut"),
      status(sessionID, "retry", { attempt: 1, message: "Connection reset by server", next: 1 }),
    );
    driver
      .wait(2_000)
      .does(
        status(sessionID, "busy"),
        openText(at("prt_05")),
        wholeText(at("prt_05"), "This is the whole text."),
        stepFinish(at("prt_06")),
      );
    assert.deepEqual(settled(driver).told("with events").slice(1), [
      "assistant (interrupted): This text is cut",
      "event: retry",
      "assistant: This is the whole text.",
      "event: usage",
    ]);
  });

  test("a call that was done in the lost attempt stays", () => {
    const driver = inTurn().does(
      call(bash("prt_03"), running(LS)),
      call(bash("prt_03"), completed(LS, "x")),
      openText(at("prt_04")),
      delta(at("prt_04"), "cut"),
      status(sessionID, "retry", { attempt: 1, message: "again", next: 1 }),
      openText(at("prt_05")),
      wholeText(at("prt_05"), "Whole."),
      message(sessionID, "msg_2", "assistant", COMPLETED),
    );
    assert.deepEqual(settled(driver).told().slice(1), [
      'use: bash {"command":"ls"}',
      'completed: {"command":"ls"} x',
      "assistant (interrupted): cut",
      "assistant: Whole.",
    ]);
  });

  test("a part that the host takes back while it is streamed stays, marked", () => {
    const driver = inTurn().does(
      openText(at("prt_03")),
      delta(at("prt_03"), "seen"),
      event("message.part.removed", { sessionID, messageID: "msg_2", partID: "prt_03" }),
    );
    assert.deepEqual(settled(driver).told("with events").slice(1), ["assistant (interrupted): seen", "event: removed"]);
  });
});

describe("going back in a session", () => {
  test("a revert, and the removals of the next prompt as one event", () => {
    const reverted = { revert: { messageID: "msg_1", snapshot: "x", diff: "" } };
    const driver = inTurn().does(wholeText(at("prt_03"), "Yes."), message(sessionID, "msg_2", "assistant", COMPLETED));
    driver
      .does(session("updated", sessionID))
      .does(session("updated", sessionID, reverted))
      .does(session("updated", sessionID, reverted));
    for (const messageID of ["msg_1", "msg_2"]) driver.does(event("message.removed", { sessionID, messageID }));
    driver.does(session("updated", sessionID)).wait(1_000);
    assert.deepEqual(driver.told("with events").slice(2), ["event: revert", "event: removed"]);
    const removed = driver.entries.at(-1);
    assert.deepEqual(removed?.type === "session_event" && removed.data, { messageIDs: ["msg_1", "msg_2"] });
  });

  test("a revert that is taken back", () => {
    const reverted = { revert: { messageID: "msg_1" } };
    const driver = new TimelineDriver(sessionID).does(
      session("updated", sessionID),
      session("updated", sessionID, reverted),
    );
    driver.wait(5_000).does(session("updated", sessionID)).wait(1_000);
    assert.deepEqual(driver.told("with events"), ["event: revert", "event: unrevert"]);
  });

  test("a title is recorded when it changes, not when the session is first reported", () => {
    const driver = new TimelineDriver(sessionID).does(session("created", sessionID), session("updated", sessionID));
    driver.does(session("updated", sessionID, { title: "New" }), session("updated", sessionID, { title: "New" }));
    assert.deepEqual(driver.told("with events"), ["event: title"]);
  });

  test("a compaction is in order with the parts, and its summary is assistant text", () => {
    const driver = inTurn().does(
      wholeText(at("prt_03"), "Yes."),
      message(sessionID, "msg_2", "assistant", COMPLETED),
      message(sessionID, "msg_3", "user"),
      part(at("prt_04", "msg_3"), "compaction", { auto: false }),
      message(sessionID, "msg_4", "assistant", { summary: true }),
      openText(at("prt_05", "msg_4")),
      wholeText(at("prt_05", "msg_4"), "We did this."),
      stepFinish(at("prt_06", "msg_4")),
      event("session.compacted", { sessionID }),
      ...IDLE,
    );
    assert.deepEqual(settled(driver).told("with events").slice(1), [
      "assistant: Yes.",
      "event: compaction",
      "assistant: We did this.",
      "event: usage",
      "event: compacted",
    ]);
  });
});
