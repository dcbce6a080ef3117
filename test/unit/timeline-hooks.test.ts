import assert from "node:assert/strict";
import {
  after,
  before,
  call,
  COMPLETED,
  completed,
  delta,
  event,
  failed,
  hook,
  message,
  openText,
  part,
  PENDING,
  running,
  session,
  status,
  userText,
  wholeText,
} from "../support/recording/host-steps.ts";
import { RESULT_CONFIRM_MS, USE_CONFIRM_MS } from "../../src/transcript/timeline/item.ts";
import { CallLedger } from "../../src/transcript/timeline/call-ledger.ts";
import { TimelineDriver } from "../support/recording/timeline-driver.ts";
import { describe, test } from "../support/runner.ts";

const sessionID = "ses_1";
const at = (id: string, messageID = "msg_2") => ({ sessionID, messageID, id });
const bash = (id: string, callID = `call_${id}`) => ({ ...at(id), callID, tool: "bash" });
const command = (text: string) => ({ command: text });
/** A host that tells of parts, too. */
function start(): TimelineDriver {
  const driver = new TimelineDriver(sessionID).does(
    message(sessionID, "msg_1", "user"),
    userText({ sessionID, messageID: "msg_1", id: "prt_01" }, "Go."),
    message(sessionID, "msg_2", "assistant"),
  );
  driver.entries.length = 0;
  return driver;
}

const prompt = (messageID: string, text: string) =>
  hook(
    "chat.message",
    { sessionID },
    { message: { id: messageID, sessionID, role: "user" }, parts: [{ id: `prt_${messageID}`, type: "text", text }] },
  );

describe("a host of which only the hooks are heard", () => {
  test("prompts, calls and results are recorded, once, and results carry their input", () => {
    const driver = new TimelineDriver(sessionID).does(prompt("msg_1", "Go.")).wait(40);
    assert.deepEqual(driver.told(), ["user: Go."]);
    driver.does(before(bash("x", "c1"), command("ls")));
    assert.equal(driver.told()[1], 'use: bash {"command":"ls"}');
    driver.does(
      hook("tool.execute.after", { tool: "bash", sessionID, callID: "c1" }, { title: "t", output: "a", metadata: {} }),
    );
    driver.wait(120_000);
    assert.deepEqual(driver.told().slice(2), ['completed: {"command":"ls"} a']);
    assert.equal(driver.timeline.hasOpen, false);
    driver.does(prompt("msg_1", "Go."), prompt("msg_3", "Next.")).wait(120_000);
    assert.deepEqual(driver.told().slice(3), ["user: Next."]);
  });

  test("a call whose beginning was not heard is recorded with its result", () => {
    const driver = new TimelineDriver(sessionID).does(after(bash("x", "c1"), command("ls"), "a")).wait(120_000);
    assert.deepEqual(driver.told(), ['use: bash {"command":"ls"}', 'completed: {"command":"ls"} a']);
  });

  test("one call id used again and again gives as many calls, each with its own input", () => {
    const driver = new TimelineDriver(sessionID);
    for (const n of [1, 2, 3]) {
      driver.does(before(bash("x", "call_0"), command(`${n}`))).wait(300);
      driver.does(after(bash("x", "call_0"), command(`${n}`), `out ${n}`)).wait(n === 2 ? 0 : 2_000);
    }
    driver.wait(120_000);
    const uses = driver.told().filter((line) => line.startsWith("use"));
    const results = driver.told().filter((line) => line.startsWith("completed"));
    assert.deepEqual(
      uses,
      [1, 2, 3].map((n) => `use: bash {"command":"${n}"}`),
    );
    assert.deepEqual(
      results,
      [1, 2, 3].map((n) => `completed: {"command":"${n}"} out ${n}`),
    );
  });

  test("a call that fails, and so has no second hook, is let go when the session rests", () => {
    const driver = new TimelineDriver(sessionID).does(
      before(bash("x", "c1"), command("ls")),
      status(sessionID, "idle"),
    );
    driver.wait(120_000);
    assert.equal(driver.timeline.openCalls, 0);
    assert.deepEqual(
      driver.told().map((line) => line.split(":")[0]),
      ["use", "interrupted"],
    );
  });

  test("an MCP tool's raw answer is recorded as its text", () => {
    const driver = new TimelineDriver(sessionID).does(
      before(bash("x", "c1"), {}),
      hook(
        "tool.execute.after",
        { tool: "mcp_add", sessionID, callID: "c1", args: {} },
        {
          content: [
            { type: "text", text: "3" },
            { type: "text", text: "4" },
          ],
        },
      ),
    );
    driver.wait(120_000);
    assert.equal(driver.told()[1], "completed: {} 3\n\n4");
  });
});

describe("hooks and records of the same thing", () => {
  test("the prompt that a hook told of is not written a second time when its records come late", () => {
    const driver = new TimelineDriver(sessionID).does(prompt("msg_1", "Go.")).wait(5_000);
    driver.does(
      message(sessionID, "msg_1", "user"),
      userText({ sessionID, messageID: "msg_1", id: "prt_msg_1" }, "Go."),
    );
    driver.wait(5_000);
    assert.deepEqual(driver.told(), ["user: Go."]);
  });

  test("the records of calls that stand there already, since nothing but hooks had been heard yet, are no news", () => {
    const driver = new TimelineDriver(sessionID).does(
      before(bash("prt_03"), command("ls")),
      after(bash("prt_03"), command("ls"), "x"),
    );
    assert.equal(driver.told().length, 2);
    driver
      .does(call(bash("prt_03"), running(command("ls"))), call(bash("prt_03"), completed(command("ls"), "x")))
      .wait(120_000);
    driver.does(call(bash("prt_03"), completed(command("ls"), "x"))).wait(120_000);
    assert.equal(driver.told().length, 2);
  });

  test("the host's record of a prompt outweighs what the hook said: another plugin may have changed it", () => {
    const driver = new TimelineDriver(sessionID).does(
      prompt("msg_1", "Go."),
      message(sessionID, "msg_1", "user"),
      userText({ sessionID, messageID: "msg_1", id: "prt_msg_1" }, "Go. (changed)"),
    );
    driver.wait(5_000);
    assert.deepEqual(driver.told(), ["user: Go. (changed)"]);
  });

  test("the host's record of an input outweighs the hook's", () => {
    const driver = start().does(call(bash("prt_03"), PENDING), before(bash("prt_03"), command("ls")));
    driver.wait(100).does(call(bash("prt_03"), running(command("ls -l"))));
    assert.deepEqual(driver.told(), ['use: bash {"command":"ls -l"}']);
  });

  test("the host's record of a result outweighs the hook's", () => {
    const driver = start().does(
      call(bash("prt_03"), running(command("ls"))),
      after(bash("prt_03"), command("ls"), "from the hook"),
    );
    driver.wait(500);
    assert.equal(driver.told().length, 1);
    driver.does(call(bash("prt_03"), completed(command("ls"), "from the host"))).wait(120_000);
    assert.deepEqual(driver.told()[1], 'completed: {"command":"ls"} from the host');
    assert.equal(driver.told().length, 2);
  });

  test("a result that only a hook tells of is written after a while, and the host's later record is no news", () => {
    const driver = start()
      .does(call(bash("prt_03"), running(command("ls"))), after(bash("prt_03"), command("ls"), "x"))
      .wait(RESULT_CONFIRM_MS);
    assert.equal(driver.told()[1], 'completed: {"command":"ls"} x');
    driver.does(call(bash("prt_03"), completed(command("ls"), "x"))).wait(120_000);
    assert.equal(driver.told().length, 2);
  });

  test("a hook that tells late of an end is no news", () => {
    const driver = start().does(
      call(bash("prt_03"), running(command("ls"))),
      call(bash("prt_03"), completed(command("ls"), "x")),
      after(bash("prt_03"), command("ls"), "x"),
    );
    driver.wait(120_000);
    assert.deepEqual(driver.told(), ['use: bash {"command":"ls"}', 'completed: {"command":"ls"} x']);
    assert.equal(driver.timeline.openCalls, 0);
  });

  test("both hooks before the first record of the call", () => {
    const driver = start().does(before(bash("prt_03"), command("ls")), after(bash("prt_03"), command("ls"), "x"));
    driver
      .wait(100)
      .does(call(bash("prt_03"), running(command("ls"))), call(bash("prt_03"), completed(command("ls"), "x")));
    driver.wait(120_000);
    assert.deepEqual(driver.told(), ['use: bash {"command":"ls"}', 'completed: {"command":"ls"} x']);
    assert.equal(driver.entries[0]?.partID, "prt_03", "and the entry knows its part");
  });

  test("the records of a call that was written from its hooks alone come late", () => {
    const driver = start()
      .does(before(bash("prt_03"), command("ls")), after(bash("prt_03"), command("ls"), "x"))
      .wait(20_000);
    driver.does(
      call(bash("prt_03"), PENDING),
      call(bash("prt_03"), running(command("ls"))),
      call(bash("prt_03"), completed(command("ls"), "x")),
    );
    driver.wait(120_000);
    assert.deepEqual(driver.told(), ['use: bash {"command":"ls"}', 'completed: {"command":"ls"} x']);
    assert.equal(driver.timeline.openCalls, 0);
  });

  test("a slash command's subtask: its hooks know the call by its part's id", () => {
    const task = { ...at("prt_03"), callID: "01ULID", tool: "task" };
    for (const hookFirst of [true, false]) {
      const records = [call(task, running({ prompt: "p" }))];
      const hooks = [before({ ...task, callID: "prt_03" }, { prompt: "p" })];
      const driver = start().does(...(hookFirst ? [...hooks, ...records] : [...records, ...hooks]));
      driver
        .wait(300)
        .does(
          after({ ...task, callID: "prt_03" }, { prompt: "p" }, "done"),
          call(task, completed({ prompt: "p" }, "done")),
        );
      driver.wait(120_000);
      assert.deepEqual(driver.told(), ['use: task {"prompt":"p"}', 'completed: {"prompt":"p"} done']);
    }
  });

  test("an unknown tool becomes the tool `invalid`, with the hooks' input", () => {
    const asked = { ...bash("prt_03"), tool: "no_such_tool" };
    const invalid = { ...bash("prt_03"), tool: "invalid" };
    const input = { tool: "no_such_tool", error: "unavailable" };
    const driver = start().does(
      call(asked, PENDING),
      before(invalid, input),
      call(invalid, running(input)),
      after(invalid, input, "invalid: x"),
      call(invalid, completed(input, "invalid: x")),
    );
    driver.wait(120_000);
    assert.deepEqual(driver.told(), [
      `use: invalid ${JSON.stringify(input)}`,
      `completed: ${JSON.stringify(input)} invalid: x`,
    ]);
  });

  test("a `!` command has no hooks and no pending record", () => {
    const shell = { ...at("prt_03"), callID: "01ULID", tool: "bash" };
    const driver = start().does(
      call(shell, running(command("ls"))),
      message(sessionID, "msg_2", "assistant", COMPLETED),
      call(shell, completed(command("ls"), "x")),
    );
    assert.deepEqual(driver.wait(120_000).told(), ['use: bash {"command":"ls"}', 'completed: {"command":"ls"} x']);
  });
});

describe("a call id that is used again", () => {
  test("in one session, one call after the other", () => {
    const driver = start();
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
    const driver = start().does(
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
      const driver = start().does(
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
    const driver = start();
    let most = 0;
    for (let n = 0; n < 10_000; n++) {
      driver.does(before(bash("x", `call_${n}`), command(`${n}`)));
      if (n % 100 === 0) driver.wait(USE_CONFIRM_MS);
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
    const ledger = new CallLedger(() => 0);
    for (let n = 0; n < 5_000; n++) {
      const { call: opened } = ledger.forUse({
        kind: "call_hint",
        sessionID,
        callID: `call_${n}`,
        tool: "bash",
        input: {},
      });
      ledger.close(opened);
    }
    assert.equal(ledger.size, 0);
    assert.ok(ledger.remembered <= 2_000, `${ledger.remembered} ids`);
  });
});

describe("what the host sends again", () => {
  test("parts that stand in the transcript are not recorded again", () => {
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

  test("an event that two instances of the plugin hear is one", () => {
    const asked = event("question.asked", { id: "que_1", sessionID, questions: [{ question: "Really?" }] });
    const driver = start().does(asked, asked);
    assert.deepEqual(driver.told("with events"), ["event: question asked"]);
  });

  test("a text that was edited stands in place of the old one", () => {
    const driver = start().does(wholeText(at("prt_03"), "Old."), message(sessionID, "msg_2", "assistant", COMPLETED));
    driver
      .wait(5_000)
      .does(wholeText(at("prt_03"), "New."), wholeText(at("prt_03"), "New."))
      .wait(5_000);
    assert.deepEqual(driver.told(), ["assistant: New."]);
    assert.equal(driver.entries.length, 2);
  });

  test("a prompt that was edited, or got a part more, is told with its part", () => {
    const of = { sessionID, messageID: "msg_1", id: "prt_01" };
    const driver = new TimelineDriver(sessionID)
      .does(message(sessionID, "msg_1", "user"), userText(of, "Old."))
      .wait(1_000);
    driver.does(userText(of, "New."), userText({ ...of, id: "prt_02" }, "More.")).wait(1_000);
    const [first, ...later] = driver.entries;
    assert.ok(first?.type === "user" && first.partID === undefined && first.content === "Old.");
    assert.ok(
      later.every((entry) => entry.type === "user" && entry.messageID === "msg_1" && entry.partID !== undefined),
    );
    assert.equal(later.map((entry) => (entry.type === "user" ? entry.content : "")).join("\n"), "New.\nMore.");
  });

  test("a running command that re-sends its output is one call", () => {
    const driver = start();
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

  test("a text that is streamed before it is told of is recorded all the same", () => {
    const early = delta(at("prt_03"), "Stre");
    const whole = start().does(early, openText(at("prt_03"), "", "reasoning"), delta(at("prt_03"), "amed."));
    whole.does(wholeText(at("prt_03"), "Streamed.", "reasoning"), delta(at("prt_03"), " late")).wait(5_000);
    assert.deepEqual(whole.told(), ["reasoning: Streamed."]);
    assert.deepEqual(start().does(early).interrupt().told(), ["assistant (interrupted): Stre"]);
  });

  test("a result that comes without its input has the one that the call had", () => {
    for (const state of [completed({}, "x"), { ...completed({}, "x"), input: undefined }, failed({}, "x")]) {
      const driver = start().does(call(bash("prt_03"), running(command("ls"))), call(bash("prt_03"), state));
      assert.match(driver.told()[1] ?? "", /^(completed|error): {"command":"ls"} x$/);
    }
    const alone = start().does(call(bash("prt_03"), { status: "completed", output: "x" }));
    assert.deepEqual(alone.told(), ["use: bash {}", "completed: {} x"]);
  });
});
