import assert from "node:assert/strict";
import {
  ABORTED,
  abortError,
  after,
  before,
  call,
  COMPLETED,
  completed,
  delta,
  event,
  failed,
  message,
  openText,
  PENDING,
  running,
  session,
  status,
  userText,
  wholeText,
} from "../support/recording/host-steps.ts";
import { at, bash, IDLE, inTurn, LS, sessionID, settled } from "../support/recording/one-session.ts";
import { GRACE_MS } from "../../src/transcript/timeline/waits.ts";
import { describe, test } from "../support/runner.ts";

describe("the user stops the assistant", () => {
  test("in the middle of a text: what was streamed is recorded once, marked", () => {
    const driver = inTurn().does(
      openText(at("prt_03")),
      delta(at("prt_03"), "Once upon"),
      abortError(sessionID),
      ...IDLE,
    );
    driver
      .wait(15)
      .does(wholeText(at("prt_03"), "Once upon a"), message(sessionID, "msg_2", "assistant", ABORTED), ...IDLE);
    assert.deepEqual(settled(driver).told("with events").slice(1), [
      "assistant (interrupted): Once upon a",
      "event: error",
    ]);
  });

  test("in the middle of a text that the host then forgets: what was streamed is recorded all the same", () => {
    const driver = inTurn().does(openText(at("prt_03")), delta(at("prt_03"), "Once upon"), abortError(sessionID));
    driver.does(message(sessionID, "msg_2", "assistant", ABORTED), ...IDLE);
    assert.deepEqual(settled(driver).told().slice(1), ["assistant (interrupted): Once upon"]);
  });

  test("in the middle of reasoning", () => {
    const driver = inTurn().does(
      openText(at("prt_03"), "", "reasoning"),
      delta(at("prt_03"), "Hm"),
      abortError(sessionID),
      ...IDLE,
    );
    driver.does(wholeText(at("prt_03"), "Hm", "reasoning"), message(sessionID, "msg_2", "assistant", ABORTED), ...IDLE);
    assert.deepEqual(settled(driver).told().slice(1), ["reasoning (interrupted): Hm"]);
  });

  test("while the arguments of a call are streamed: the call is recorded with the host's end of it", () => {
    for (const lateMs of [280, 5_000, 20_000]) {
      const driver = inTurn().does(
        openText(at("prt_03")),
        delta(at("prt_03"), "I call"),
        call(bash("prt_04"), PENDING),
        abortError(sessionID),
        ...IDLE,
        wholeText(at("prt_03"), "I call"),
      );
      driver
        .wait(lateMs)
        .does(
          call(bash("prt_04"), failed({}, "Tool execution aborted", { interrupted: true })),
          message(sessionID, "msg_2", "assistant", ABORTED),
          ...IDLE,
        );
      assert.deepEqual(settled(driver).told().slice(1), [
        "assistant: I call",
        "use: bash {}",
        "interrupted: {} Tool execution aborted",
      ]);
    }
  });

  test("while a tool runs: the host's completed result is recorded, not ours", () => {
    const driver = inTurn().does(
      call(bash("prt_03"), PENDING),
      before(bash("prt_03"), LS),
      call(bash("prt_03"), running(LS)),
    );
    driver.wait(1_000).does(abortError(sessionID), ...IDLE, after(bash("prt_03"), LS, "User aborted the command"));
    driver
      .wait(3)
      .does(
        call(bash("prt_03"), completed(LS, "User aborted the command")),
        message(sessionID, "msg_2", "assistant", ABORTED),
        ...IDLE,
      );
    assert.deepEqual(settled(driver).told().slice(1), [
      'use: bash {"command":"ls"}',
      'completed: {"command":"ls"} User aborted the command',
    ]);
  });

  test("a text that was whole before the abort is not marked", () => {
    const driver = inTurn().does(
      openText(at("prt_03")),
      wholeText(at("prt_03"), "I run it."),
      call(bash("prt_04"), running(LS)),
      abortError(sessionID),
      ...IDLE,
      call(bash("prt_04"), failed(LS, "Tool execution aborted", { interrupted: true })),
      message(sessionID, "msg_2", "assistant", ABORTED),
    );
    assert.equal(settled(driver).told()[1], "assistant: I run it.");
  });

  test("a turn after an aborted one is not marked", () => {
    const driver = inTurn().does(openText(at("prt_03")), abortError(sessionID), ...IDLE);
    driver.wait(10).does(wholeText(at("prt_03"), "cut"), message(sessionID, "msg_2", "assistant", ABORTED), ...IDLE);
    driver.does(
      message(sessionID, "msg_3", "user"),
      userText(at("prt_05", "msg_3"), "Again."),
      status(sessionID, "busy"),
      message(sessionID, "msg_4", "assistant"),
      openText(at("prt_06", "msg_4")),
      wholeText(at("prt_06", "msg_4"), "Whole."),
      message(sessionID, "msg_4", "assistant", COMPLETED),
      ...IDLE,
    );
    assert.deepEqual(settled(driver).told().slice(1), [
      "assistant (interrupted): cut",
      "user: Again.",
      "assistant: Whole.",
    ]);
  });
});

describe("an end that never comes", () => {
  test("after the session went idle, a call without an end is said to have none", () => {
    const driver = inTurn().does(
      call(bash("prt_03"), running(LS)),
      message(sessionID, "msg_2", "assistant", COMPLETED),
      ...IDLE,
    );
    driver.wait(GRACE_MS - 1);
    assert.equal(driver.told().length, 2);
    const told = settled(driver).told();
    assert.match(told[2] ?? "", /^interrupted: .*did not finish/);
    assert.equal(told.length, 3);
  });

  test("a late end replaces the one that was made up", () => {
    const driver = inTurn().does(call(bash("prt_03"), running(LS)), ...IDLE);
    assert.match(settled(driver).told()[2] ?? "", /^interrupted: .*did not finish/);
    driver.does(call(bash("prt_03"), running(LS)), call(bash("prt_03"), completed(LS, "late")));
    assert.deepEqual(driver.told().slice(1), ['use: bash {"command":"ls"}', 'completed: {"command":"ls"} late']);
    const { length } = driver.entries;
    driver.does(call(bash("prt_03"), completed(LS, "late")));
    assert.equal(driver.entries.length, length, "it comes once");
  });

  test("an end that comes within the time of grace is the only one", () => {
    const driver = inTurn()
      .does(call(bash("prt_03"), running(LS)), ...IDLE)
      .wait(GRACE_MS - 1);
    assert.equal(driver.told().length, 2);
    driver.does(call(bash("prt_03"), completed(LS, "late")));
    assert.equal(settled(driver).told()[2], 'completed: {"command":"ls"} late');
  });

  test("a session that goes on after idle does not end what runs", () => {
    const driver = inTurn()
      .does(call(bash("prt_03"), running(LS)), ...IDLE, status(sessionID, "busy"))
      .wait(120_000);
    assert.equal(driver.told().length, 2);
    driver.does(call(bash("prt_03"), completed(LS, "late")));
    assert.equal(driver.told()[2], 'completed: {"command":"ls"} late');
  });

  test("the process ends: everything open is written as it is", () => {
    const driver = inTurn().does(
      call(bash("prt_04"), PENDING),
      call(bash("prt_05"), running(LS)),
      openText(at("prt_06")),
      delta(at("prt_06"), "So far"),
    );
    driver.interrupt();
    const [, ...calls] = driver.told();
    assert.equal(calls.pop(), "assistant (interrupted): So far");
    const [first, , second] = calls;
    assert.deepEqual([first, second], ["use: bash {}", 'use: bash {"command":"ls"}']);
    assert.deepEqual(
      calls.map((line) => line.split(":")[0]),
      ["use", "interrupted", "use", "interrupted"],
    );
    assert.equal(settled(driver).told().length, 6);
  });

  test("the process ends right after the host took messages back", () => {
    const driver = inTurn().does(event("message.removed", { sessionID, messageID: "msg_1" }));
    assert.deepEqual(driver.interrupt().told("with events"), ["user: Go.", "event: removed"]);
    assert.ok(driver.entries.every(({ timestamp }) => !Number.isNaN(Date.parse(timestamp))));
    settled(driver);
  });

  test("the process ends with a call whose turn has passed while its arguments were streamed", () => {
    const driver = inTurn().does(call(bash("prt_03"), PENDING), wholeText(at("prt_04"), "Later."));
    driver.wait(5_000);
    assert.deepEqual(driver.told().slice(1), ["assistant: Later."], "the text was not held up for ever");
    driver.interrupt();
    assert.deepEqual(driver.told().slice(2, 3), ["use: bash {}"]);
    assert.match(driver.told()[3] ?? "", /^interrupted: /);
    settled(driver);
  });

  test("such a call is written with its input, though only a hook tells of it", () => {
    const driver = inTurn()
      .does(call(bash("prt_03"), PENDING), wholeText(at("prt_04"), "Later."))
      .wait(5_000);
    driver.does(before(bash("prt_03"), LS), after(bash("prt_03"), LS, "x"));
    assert.deepEqual(settled(driver).told().slice(2), ['use: bash {"command":"ls"}', 'completed: {"command":"ls"} x']);
  });

  test("the session is deleted: nothing of it stays in memory", () => {
    const driver = inTurn().does(
      openText(at("prt_03")),
      call(bash("prt_04"), running(LS)),
      session("deleted", sessionID),
    );
    assert.equal(driver.timeline.hasOpen, false);
    assert.equal(driver.timeline.openCalls, 0);
    assert.equal(driver.told("with events").at(-1)?.startsWith("interrupted"), true);
    assert.ok(driver.told("with events").includes("event: deleted"));
  });
});
