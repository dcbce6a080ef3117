import assert from "node:assert/strict";
import {
  after,
  before,
  call,
  COMPLETED,
  completed,
  failed,
  hook,
  message,
  PENDING,
  running,
  session,
  status,
} from "../support/recording/host-steps.ts";
import { RECORD_MS } from "../../src/transcript/timeline/waits.ts";
import { bash, command, sessionID, started } from "../support/recording/one-session.ts";
import { TimelineDriver } from "../support/recording/timeline-driver.ts";
import { describe, test } from "../support/runner.ts";

describe("a call id that is used again", () => {
  test("in one session, one call after the other", () => {
    const driver = started();
    for (const n of [3, 4]) {
      const one = bash(`prt_0${n}`, "call_0");
      driver.does(
        call(one, PENDING),
        before(one, command(`${n}`)),
        call(one, running(command(`${n}`))),
        after(one, command(`${n}`), `out ${n}`),
        call(one, completed(command(`${n}`), `out ${n}`)),
      );
    }
    assert.deepEqual(driver.wait(120_000).told(), [
      'use: bash {"command":"3"}',
      'completed: {"command":"3"} out 3',
      'use: bash {"command":"4"}',
      'completed: {"command":"4"} out 4',
    ]);
  });

  test("twice in one answer: the host keeps one part for both, and so do we", () => {
    const one = bash("prt_03", "call_0");
    const driver = started().does(
      call(one, PENDING),
      before(one, command("a")),
      before(one, command("b")),
      call(one, running(command("a"))),
      call(one, running(command("b"))),
      after(one, command("a"), "out a"),
      call(one, running(command("a"))),
      after(one, command("b"), "out b"),
      call(one, completed(command("a"), "out a")),
    );
    const told = driver.wait(120_000).told();
    assert.deepEqual([told.length, told[1]], [2, 'completed: {"command":"a"} out a']);
    assert.equal(driver.timeline.openCalls, 0);
  });

  test("in two sessions at once: neither gets the other's input", () => {
    const of = (session: string, id: string) => ({
      sessionID: session,
      messageID: "msg",
      id,
      callID: "call_0",
      tool: "bash",
    });
    const [one, two] = [of("ses_1", "prt_1"), of("ses_2", "prt_2")];
    const first = new TimelineDriver("ses_1").does(before(one, command("one")));
    const second = new TimelineDriver("ses_2").does(before(two, command("two")));
    first.does(hook("tool.execute.after", { tool: "bash", sessionID: "ses_1", callID: "call_0" }, { output: "1" }));
    second.does(hook("tool.execute.after", { tool: "bash", sessionID: "ses_2", callID: "call_0" }, { output: "2" }));
    assert.equal(first.wait(120_000).told()[1], 'completed: {"command":"one"} 1');
    assert.equal(second.wait(120_000).told()[1], 'completed: {"command":"two"} 2');
  });
});

describe("the cache of inputs", () => {
  const endings = {
    success: (place: ReturnType<typeof bash>) => [call(place, completed(command("ls"), "x"))],
    error: (place: ReturnType<typeof bash>) => [call(place, failed(command("ls"), "broken"))],
    "an abort": (place: ReturnType<typeof bash>) => [
      call(place, failed(command("ls"), "aborted", { interrupted: true })),
    ],
    "the session's deletion": () => [session("deleted", sessionID)],
    "a rest of the session": () => [message(sessionID, "msg_2", "assistant", COMPLETED), status(sessionID, "idle")],
  };
  for (const [name, ending] of Object.entries(endings)) {
    test(`is released on ${name}`, () => {
      const place = bash("prt_03");
      const driver = started().does(
        call(place, PENDING),
        before(place, command("ls")),
        call(place, running(command("ls"))),
      );
      assert.equal(driver.timeline.openCalls, 1);
      driver.does(...ending(place)).wait(120_000);
      assert.equal(driver.timeline.openCalls, 0);
    });
  }

  test("is bounded: of 10,000 calls that never end all are recorded, and the oldest are let go", () => {
    const driver = started();
    let most = 0;
    for (let n = 0; n < 10_000; n++) {
      driver.does(before(bash("x", `call_${n}`), command(`${n}`)));
      if (n % 100 === 0) driver.wait(RECORD_MS);
      most = Math.max(most, driver.timeline.openCalls);
    }
    assert.ok(most <= 1_101, `${most} inputs were kept`);
    driver.interrupt().wait(120_000);
    assert.equal(driver.timeline.openCalls, 0);
    const uses = new Set(driver.told().filter((line) => line.startsWith("use")));
    assert.equal(uses.size, 10_000);
    assert.equal(driver.told().filter((line) => line.startsWith("interrupted")).length, 10_000);
  });

  test("forgets the ids of old calls too", () => {
    const driver = started();
    const ends = (n: number) => after(bash("x", `call_${n}`), command(`${n}`), "out");
    for (let n = 0; n < 5_000; n++) driver.does(before(bash("x", `call_${n}`), command(`${n}`)), ends(n));
    const results = (n: number): number => {
      const line = `completed: ${JSON.stringify(command(`${n}`))} out`;
      const told = driver.wait(120_000).does(ends(n)).wait(120_000).told();
      return told.filter((each) => each === line).length;
    };
    assert.equal(results(4_999), 1, "the latest is known");
    assert.equal(results(0), 2, "the oldest is not");
  });
});
