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
  stepFinish,
  userText,
  wholeText,
} from "../support/recording/host-steps.ts";
import { at, bash, IDLE, inTurn, LS, sessionID } from "../support/recording/one-session.ts";
import { TimelineDriver } from "../support/recording/timeline-driver.ts";
import { GRACE_MS, RECORD_MS } from "../../src/transcript/timeline/waits.ts";
import { describe, test } from "../support/runner.ts";

/** In the middle of a turn, of which only the prompt is written. */
function inStep(): TimelineDriver {
  const driver = inTurn().does(part(at("prt_02"), "step-start", {}));
  assert.deepEqual(driver.told(), ["user: Go."]);
  return driver;
}

describe("the order of a conversation", () => {
  test("a text that ends after the call it announces comes before that call", () => {
    const driver = inStep().does(
      openText(at("prt_03")),
      delta(at("prt_03"), "I look."),
      call(bash("prt_04"), PENDING),
      before(bash("prt_04"), LS),
      call(bash("prt_04"), running(LS)),
      after(bash("prt_04"), LS, "a.txt"),
      call(bash("prt_04"), completed(LS, "a.txt")),
    );
    const want = ["user: Go.", "assistant: I look.", 'use: bash {"command":"ls"}', 'completed: {"command":"ls"} a.txt'];
    assert.deepEqual(driver.told(), want, "the call ends the text");
    driver.does(wholeText(at("prt_03"), "I look."));
    assert.deepEqual(driver.wait(120_000).told(), want);
    assert.equal(driver.entries.length, want.length);
  });

  test("a call does not wait for a text: the text so far is written first, the rest later", () => {
    const driver = inStep().does(
      openText(at("prt_03")),
      delta(at("prt_03"), "I look"),
      call(bash("prt_04"), running(LS)),
    );
    assert.deepEqual(driver.told(), ["user: Go.", "assistant: I look", 'use: bash {"command":"ls"}']);
    driver.does(delta(at("prt_03"), " around."), wholeText(at("prt_03"), "I look around."));
    const texts = driver.entries.filter(({ type }) => type === "assistant");
    assert.deepEqual(
      texts.map((entry) => (entry.type === "assistant" ? [entry.content, entry.continues] : [])),
      [
        ["I look", undefined],
        [" around.", "append"],
      ],
    );
    assert.deepEqual(driver.told(), ["user: Go.", "assistant: I look around.", 'use: bash {"command":"ls"}']);
    assert.deepEqual(driver.wait(120_000).entries.length, 4, "and no more of it later");
  });

  test("a text that a call interrupts inside a word keeps the word for the rest, since it may be half a secret", () => {
    const driver = inStep().does(
      openText(at("prt_03")),
      delta(at("prt_03"), "Use DB_PASSWORD=hun"),
      call(bash("prt_04"), running(LS)),
    );
    const content = (): string[] => driver.entries.flatMap((entry) => ("content" in entry ? [entry.content] : []));
    assert.deepEqual(content(), ["Go.", "Use "]);
    driver.does(wholeText(at("prt_03"), "Use DB_PASSWORD=hunter2."));
    assert.deepEqual(content(), ["Go.", "Use ", "DB_PASSWORD=hunter2."]);
  });

  test("a session event comes after the text that is being streamed", () => {
    const driver = inStep().does(
      session("created", sessionID),
      openText(at("prt_03")),
      delta(at("prt_03"), "I "),
      session("updated", sessionID, { title: "New" }),
    );
    assert.deepEqual(driver.told("with events"), ["user: Go."]);
    driver.does(wholeText(at("prt_03"), "I look."));
    assert.deepEqual(driver.told("with events"), ["user: Go.", "assistant: I look.", "event: title"]);
  });

  test("a prompt that nothing answers is written when the session has been idle for a while", () => {
    const driver = inStep().does(wholeText(at("prt_03"), "Yes."), message(sessionID, "msg_2", "assistant", COMPLETED));
    driver.does(message(sessionID, "msg_3", "user"), userText(at("prt_05", "msg_3"), "Note this.")).wait(120_000);
    assert.deepEqual(driver.told(), ["user: Go.", "assistant: Yes."], "the session works");
    driver.does(...IDLE).wait(GRACE_MS);
    assert.deepEqual(driver.told(), ["user: Go.", "assistant: Yes.", "user: Note this."]);
  });

  test("a text that was written in part and then changed is replaced", () => {
    const driver = inStep().does(
      openText(at("prt_03")),
      delta(at("prt_03"), "I look"),
      call(bash("prt_04"), running(LS)),
    );
    driver.wait(1_000).does(wholeText(at("prt_03"), "It is seen."));
    assert.deepEqual(driver.told(), ["user: Go.", "assistant: It is seen.", 'use: bash {"command":"ls"}']);
    const last = driver.entries.at(-1);
    assert.equal(last?.type === "assistant" && last.continues, "replace");
  });

  test("a text that was written in part and ends unchanged adds nothing", () => {
    const driver = inStep().does(
      openText(at("prt_03")),
      delta(at("prt_03"), "I look.\n"),
      call(bash("prt_04"), running(LS)),
    );
    const { length } = driver.wait(1_000).entries;
    driver.does(wholeText(at("prt_03"), "I look.\n")).wait(120_000);
    assert.equal(driver.entries.length, length);
  });

  test("a text that continues between and after calls is one text, before them", () => {
    const driver = inStep().does(
      openText(at("prt_03")),
      delta(at("prt_03"), "One. "),
      call(bash("prt_04"), running(LS)),
      call(bash("prt_04"), completed(LS, "1")),
      delta(at("prt_03"), "Two. "),
      call(bash("prt_05"), running(LS)),
      call(bash("prt_05"), completed(LS, "2")),
      delta(at("prt_03"), "Three."),
      wholeText(at("prt_03"), "One. Two. Three."),
    );
    assert.deepEqual(driver.told(), [
      "user: Go.",
      "assistant: One. Two. Three.",
      'use: bash {"command":"ls"}',
      'completed: {"command":"ls"} 1',
      'use: bash {"command":"ls"}',
      'completed: {"command":"ls"} 2',
    ]);
  });

  test("a result comes before what follows its call, even if all of it had to wait", () => {
    const driver = inStep().does(
      openText(at("prt_03")),
      delta(at("prt_03"), "Waits for "),
      message(sessionID, "msg_3", "assistant"),
      call({ ...bash("prt_04"), messageID: "msg_3" }, completed(LS, "x")),
      stepFinish(at("prt_05", "msg_3")),
      wholeText(at("prt_06", "msg_4"), "Seen."),
    );
    driver.does(wholeText(at("prt_03"), "Waits for its end."));
    assert.deepEqual(driver.wait(5_000).told("with events").slice(1), [
      "assistant: Waits for its end.",
      'use: bash {"command":"ls"}',
      'completed: {"command":"ls"} x',
      "event: usage",
      "assistant: Seen.",
    ]);
  });

  test("parallel calls are in the order of their parts, results in the order of their ends", () => {
    const [a, b, c] = [bash("prt_03"), bash("prt_04"), bash("prt_05")];
    const driver = inStep().does(
      call(a, PENDING),
      call(b, PENDING),
      call(c, PENDING),
      call(c, running({ n: 3 })),
      call(b, running({ n: 2 })),
      call(c, failed({ n: 3 }, "broken")),
      call(a, running({ n: 1 })),
      call(b, completed({ n: 2 }, "two")),
      call(a, completed({ n: 1 }, "one")),
    );
    assert.deepEqual(driver.told().slice(1, 4), ['use: bash {"n":1}', 'use: bash {"n":2}', 'use: bash {"n":3}']);
    assert.deepEqual(driver.told().slice(4), [
      'error: {"n":3} broken',
      'completed: {"n":2} two',
      'completed: {"n":1} one',
    ]);
  });

  test("reasoning comes before the text that follows it, each with its own kind", () => {
    const driver = inStep().does(
      openText(at("prt_03"), "", "reasoning"),
      delta(at("prt_03"), "Hm."),
      wholeText(at("prt_03"), "Hm.", "reasoning"),
      openText(at("prt_04")),
      wholeText(at("prt_04"), "Yes."),
      stepFinish(at("prt_05")),
    );
    assert.deepEqual(driver.told(), ["user: Go.", "reasoning: Hm.", "assistant: Yes."]);
  });

  test("a text that has ended does not wait for the usage of its model call, which is an event after it", () => {
    const driver = inStep().does(openText(at("prt_03")), wholeText(at("prt_03"), "Yes."));
    assert.deepEqual(driver.told("with events"), ["user: Go.", "assistant: Yes."]);
    driver.wait(100).does(stepFinish(at("prt_04"), { input: 7, output: 3 }));
    const usage = driver.entries.at(-1);
    assert.ok(usage?.type === "session_event" && usage.name === "usage");
    const tokens = { input: 7, output: 3, reasoning: 0, cacheRead: 0, cacheWrite: 0 };
    assert.deepEqual(usage.data, { model: "acme/m1", tokens, cost: 0.01, reason: "stop" });
  });

  test("the usage of a model call that ended with a tool call is an event after it", () => {
    const driver = inStep().does(
      openText(at("prt_03")),
      wholeText(at("prt_03"), "I look."),
      call(bash("prt_04"), running(LS)),
      call(bash("prt_04"), completed(LS, "x")),
      stepFinish(at("prt_05"), { input: 7, output: 3 }),
    );
    assert.deepEqual(driver.told("with events").slice(1), [
      "assistant: I look.",
      'use: bash {"command":"ls"}',
      'completed: {"command":"ls"} x',
      "event: usage",
    ]);
  });

  test("whitespace is text, an empty text is not", () => {
    const driver = inStep().does(
      wholeText(at("prt_03"), "   "),
      wholeText(at("prt_04"), ""),
      wholeText(at("prt_05"), "", "reasoning"),
      message(sessionID, "msg_2", "assistant", COMPLETED),
    );
    assert.deepEqual(driver.told(), ["user: Go.", "assistant:    "]);
  });

  test("a prompt queued during an answer comes after it, although its part is older than the answer's end", () => {
    const next = {
      message: { id: "msg_3", sessionID, role: "user" },
      parts: [{ id: "prt_05", type: "text", text: "Next." }],
    };
    const driver = inStep().does(
      openText(at("prt_03")),
      delta(at("prt_03"), "A long "),
      hook("chat.message", { sessionID }, next),
      message(sessionID, "msg_3", "user"),
      userText(at("prt_05", "msg_3"), "Next."),
    );
    driver
      .wait(5_000)
      .does(
        delta(at("prt_03"), "answer."),
        wholeText(at("prt_03"), "A long answer."),
        stepFinish(at("prt_06")),
        message(sessionID, "msg_2", "assistant", COMPLETED),
        message(sessionID, "msg_4", "assistant"),
      );
    assert.deepEqual(driver.told("with events"), [
      "user: Go.",
      "assistant: A long answer.",
      "event: usage",
      "user: Next.",
    ]);
    const text = driver.entries[1];
    assert.ok(text?.type === "assistant");
    assert.equal(text.continues, undefined, "the answer was not split");
  });

  test("all parts of a prompt are one entry, in their order, whatever arrives first", () => {
    const user = { sessionID, messageID: "msg_1" };
    const driver = new TimelineDriver(sessionID).does(
      message(sessionID, "msg_1", "user"),
      userText({ ...user, id: "prt_03" }, "host's note", { synthetic: true }),
      userText({ ...user, id: "prt_02" }, "second"),
      userText({ ...user, id: "prt_01" }, "first"),
    );
    driver.wait(GRACE_MS);
    const [entry] = driver.entries;
    assert.ok(entry?.type === "user");
    assert.equal(entry.content, "first\nsecond");
    assert.deepEqual(
      entry.parts.map((raw) => (typeof raw === "object" && raw !== null && "text" in raw ? raw.text : raw)),
      ["first", "second", "host's note"],
    );
    assert.equal(driver.entries.length, 1);
  });

  test("a prompt is written at once when the answer to it begins", () => {
    const driver = new TimelineDriver(sessionID).does(
      message(sessionID, "msg_1", "user"),
      userText(at("prt_01", "msg_1"), "Go."),
    );
    assert.deepEqual(driver.told(), []);
    driver.does(message(sessionID, "msg_2", "assistant"));
    assert.deepEqual(driver.told(), ["user: Go."]);
  });

  test("a permission asked for a call comes after the call, before its result", () => {
    const asked = {
      id: "per_1",
      sessionID,
      permission: "bash",
      patterns: ["ls"],
      tool: { messageID: "msg_2", callID: "c1" },
    };
    const driver = inStep().does(
      call(bash("prt_03", "c1"), PENDING),
      before(bash("prt_03", "c1"), LS),
      event("permission.asked", asked),
      call(bash("prt_03", "c1"), running(LS)),
      event("permission.replied", { sessionID, requestID: "per_1", reply: "once" }),
      call(bash("prt_03", "c1"), completed(LS, "x")),
    );
    assert.deepEqual(driver.told("with events").slice(1), [
      'use: bash {"command":"ls"}',
      "event: permission asked",
      "event: permission answered",
      'completed: {"command":"ls"} x',
    ]);
  });

  test("a permission and a question come after their call, although the text before it ends late", () => {
    const tool = { messageID: "msg_2", callID: "c1" };
    const driver = inStep().does(
      openText(at("prt_02")),
      call(bash("prt_03", "c1"), running(LS)),
      event("permission.asked", { id: "per_1", sessionID, permission: "bash", patterns: ["ls"], tool }),
      event("permission.replied", { sessionID, requestID: "per_1", reply: "once" }),
      event("question.asked", { id: "que_1", sessionID, questions: [], tool }),
      event("question.rejected", { sessionID, requestID: "que_1" }),
      call(bash("prt_03", "c1"), completed(LS, "x")),
      wholeText(at("prt_02"), "I look."),
    );
    driver.wait(1_000);
    assert.deepEqual(driver.told("with events").slice(1), [
      "assistant: I look.",
      'use: bash {"command":"ls"}',
      "event: permission asked",
      "event: permission answered",
      "event: question asked",
      "event: question rejected",
      'completed: {"command":"ls"} x',
    ]);
  });

  test("a call waits a moment for the session that it starts, and no longer", () => {
    const task = { ...at("prt_03"), callID: "c1", tool: "task" };
    const linked = inStep().does(call(task, running({ prompt: "x" })));
    assert.equal(linked.entries.length, 1);
    linked.wait(100).does(call(task, running({ prompt: "x" }, { sessionId: "ses_child" })));
    const use = linked.entries.at(-1);
    assert.deepEqual(use?.type === "tool_use" && use.subagent, { sessionID: "ses_child" });

    const late = inStep()
      .does(call(task, running({ prompt: "x" })))
      .wait(RECORD_MS);
    assert.equal(late.entries.at(-1)?.type, "tool_use");
    late.does(call(task, completed({ prompt: "x" }, "done", { metadata: { sessionId: "ses_child" } })));
    const result = late.entries.at(-1);
    assert.deepEqual(result?.type === "tool_result" && result.subagent, { sessionID: "ses_child" });
  });
});
