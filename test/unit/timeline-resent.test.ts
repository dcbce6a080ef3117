import assert from "node:assert/strict";
import {
  call,
  COMPLETED,
  completed,
  delta,
  event,
  failed,
  message,
  openText,
  part,
  running,
  session,
  userText,
  wholeText,
} from "../support/recording/host-steps.ts";
import { at, bash, command, sessionID, started } from "../support/recording/one-session.ts";
import { TimelineDriver } from "../support/recording/timeline-driver.ts";
import { GRACE_MS } from "../../src/transcript/timeline/waits.ts";
import { describe, test } from "../support/runner.ts";

describe("what the host sends again", () => {
  test("parts that are in the transcript are not recorded again", () => {
    const of = { sessionID, messageID: "msg_1", id: "prt_01" };
    const again = [
      message(sessionID, "msg_1", "user"),
      userText(of, "Go."),
      message(sessionID, "msg_2", "assistant"),
      wholeText(at("prt_02"), "Hm.", "reasoning"),
      wholeText(at("prt_03"), "I look."),
      call(bash("prt_04"), completed(command("ls"), "x")),
      part(at("prt_05"), "step-finish", { reason: "stop", cost: 0, tokens: { input: 1, output: 1 } }),
      part(at("prt_06"), "patch", { files: ["a"] }),
      part(at("prt_07"), "compaction", { auto: true }),
      message(sessionID, "msg_2", "assistant", COMPLETED),
    ];
    const driver = new TimelineDriver(sessionID).does(...again).wait(120_000);
    const told = driver.told("with events");
    assert.deepEqual(
      told.map((line) => line.split(" ")[0]),
      ["user:", "reasoning:", "assistant:", "use:", "completed:", "event:", "event:", "event:"],
    );
    driver.does(...again).wait(120_000);
    driver
      .does(call(bash("prt_04"), completed(command("ls"), "[cleared]", { time: { start: 1, end: 2, compacted: 3 } })))
      .wait(120_000);
    assert.deepEqual(driver.told("with events"), told);
  });

  test("an event that two instances of the plugin get is recorded once", () => {
    const asked = event("question.asked", { id: "que_1", sessionID, questions: [{ question: "Really?" }] });
    const driver = started().does(asked, asked);
    assert.deepEqual(driver.told("with events"), ["event: question asked"]);
  });

  test("an edited text replaces the old one", () => {
    const driver = started().does(wholeText(at("prt_03"), "Old."), message(sessionID, "msg_2", "assistant", COMPLETED));
    driver
      .wait(5_000)
      .does(wholeText(at("prt_03"), "New."), wholeText(at("prt_03"), "New."))
      .wait(5_000);
    assert.deepEqual(driver.told(), ["assistant: New."]);
    assert.equal(driver.entries.length, 2);
  });

  test("a prompt that was edited, or got another part, is recorded with its part", () => {
    const of = { sessionID, messageID: "msg_1", id: "prt_01" };
    const driver = new TimelineDriver(sessionID)
      .does(message(sessionID, "msg_1", "user"), userText(of, "Old."))
      .wait(GRACE_MS);
    driver.does(userText(of, "New."), userText({ ...of, id: "prt_02" }, "More.")).wait(GRACE_MS);
    const [first, ...later] = driver.entries;
    assert.ok(first?.type === "user" && first.partID === undefined && first.content === "Old.");
    assert.ok(
      later.every((entry) => entry.type === "user" && entry.messageID === "msg_1" && entry.partID !== undefined),
    );
    assert.equal(later.map((entry) => (entry.type === "user" ? entry.content : "")).join("\n"), "New.\nMore.");
  });

  test("a running command that re-sends its output is one call", () => {
    const driver = started();
    for (let n = 0; n < 50; n++) driver.does(call(bash("prt_03"), running(command("ls"), { output: "x".repeat(n) })));
    driver.does(call(bash("prt_03"), completed(command("ls"), "done")));
    assert.equal(driver.told().length, 2);
  });

  test("a fork's copies arrive whole, one event each", () => {
    const driver = new TimelineDriver(sessionID).does(
      session("created", sessionID),
      message(sessionID, "msg_1", "user"),
      userText({ sessionID, messageID: "msg_1", id: "prt_01" }, "Go."),
      message(sessionID, "msg_2", "assistant", COMPLETED),
      part(at("prt_02"), "step-start", {}),
      wholeText(at("prt_03"), "I look."),
      call(bash("prt_04"), completed(command("ls"), "x")),
      part(at("prt_05"), "step-finish", { reason: "stop", cost: 0, tokens: { input: 1, output: 1 } }),
    );
    assert.deepEqual(driver.wait(5_000).told(), [
      "user: Go.",
      "assistant: I look.",
      'use: bash {"command":"ls"}',
      'completed: {"command":"ls"} x',
    ]);
  });

  test("a text that is streamed before it is announced is recorded", () => {
    const early = delta(at("prt_03"), "Stre");
    const whole = started().does(early, openText(at("prt_03"), "", "reasoning"), delta(at("prt_03"), "amed."));
    whole.does(wholeText(at("prt_03"), "Streamed.", "reasoning"), delta(at("prt_03"), " late")).wait(5_000);
    assert.deepEqual(whole.told(), ["reasoning: Streamed."]);
    assert.deepEqual(started().does(early).interrupt().told(), ["assistant (interrupted): Stre"]);
  });

  test("a result that comes without its input has the one that the call had", () => {
    for (const state of [completed({}, "x"), { ...completed({}, "x"), input: undefined }, failed({}, "x")]) {
      const driver = started().does(call(bash("prt_03"), running(command("ls"))), call(bash("prt_03"), state));
      assert.match(driver.told()[1] ?? "", /^(completed|error): {"command":"ls"} x$/);
    }
    const alone = started().does(call(bash("prt_03"), { status: "completed", output: "x" }));
    assert.deepEqual(alone.told(), ["use: bash {}", "completed: {} x"]);
  });
});
