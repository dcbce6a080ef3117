import assert from "node:assert/strict";
import {
  after,
  before,
  call,
  COMPLETED,
  completed,
  hook,
  message,
  PENDING,
  running,
  status,
  userText,
} from "../support/recording/host-steps.ts";
import { GRACE_MS, RECORD_MS } from "../../src/transcript/timeline/waits.ts";
import { at, bash, command, sessionID, started } from "../support/recording/one-session.ts";
import { TimelineDriver } from "../support/recording/timeline-driver.ts";
import { describe, test } from "../support/runner.ts";

const prompt = (messageID: string, text: string) =>
  hook(
    "chat.message",
    { sessionID },
    { message: { id: messageID, sessionID, role: "user" }, parts: [{ id: `prt_${messageID}`, type: "text", text }] },
  );

describe("a host that only calls hooks", () => {
  test("prompts, calls and results are recorded, once, and results carry their input", () => {
    const driver = new TimelineDriver(sessionID).does(prompt("msg_1", "Go.")).wait(RECORD_MS);
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

  test("a call whose beginning was missed is recorded with its result", () => {
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

  test("a failed call, which has no second hook, is released when the session is idle", () => {
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
  test("a prompt known from a hook is not written again when its records come late", () => {
    const driver = new TimelineDriver(sessionID).does(prompt("msg_1", "Go.")).wait(5_000);
    driver.does(
      message(sessionID, "msg_1", "user"),
      userText({ sessionID, messageID: "msg_1", id: "prt_msg_1" }, "Go."),
    );
    driver.wait(5_000);
    assert.deepEqual(driver.told(), ["user: Go."]);
  });

  test("records of calls that were already written from hooks add nothing", () => {
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

  describe("a prompt that plugins listed after this one change", () => {
    const of = { sessionID, messageID: "msg_1" };
    const first = { ...of, id: "prt_msg_1" };
    const users = (driver: TimelineDriver) => driver.entries.filter(({ type }) => type === "user");

    test("in its text is one message, with the text that was stored", () => {
      const driver = new TimelineDriver(sessionID).does(prompt("msg_1", "Go.")).wait(900);
      driver
        .does(message(sessionID, "msg_1", "user"))
        .wait(5_000)
        .does(userText(first, "Go, and take care."));
      driver.wait(10).does(status(sessionID, "busy"), message(sessionID, "msg_2", "assistant"));
      assert.deepEqual(driver.told(), ["user: Go, and take care."]);
      assert.equal(users(driver).length, 1);
    });

    test("by parts before and after its own is one message with all of them", () => {
      const driver = new TimelineDriver(sessionID).does(prompt("msg_1", "Go."), message(sessionID, "msg_1", "user"));
      const added = (id: string, text: string) => userText({ ...of, id }, text, { synthetic: true });
      driver.does(added("prt_added", "before")).wait(200).does(userText(first, "Go."));
      driver.wait(200).does(added("prt_zz", "behind")).wait(GRACE_MS);
      const [user, ...others] = users(driver);
      assert.equal(others.length, 0);
      assert.ok(user?.type === "user" && user.content === "Go.");
      assert.equal(user.parts.length, 3);
    });

    test("while an earlier answer is streamed is one message", () => {
      const driver = started().does(call(bash("prt_03"), running(command("ls"))));
      const later = { sessionID, messageID: "msg_3" };
      driver.does(
        prompt("msg_3", "Go."),
        message(sessionID, "msg_3", "user"),
        userText({ ...later, id: "prt_msg_3" }, "Go."),
      );
      driver.does(call(bash("prt_03"), completed(command("ls"), "x")), userText({ ...later, id: "prt_zz" }, "more"));
      driver.wait(120_000);
      assert.equal(users(driver).length, 1);
      assert.ok(driver.told().includes("user: Go.\nmore"));
    });

    test("by removing a part lacks that part", () => {
      const parts = ["prt_a", "prt_b"].map((id) => ({ id, type: "text", text: id }));
      const driver = new TimelineDriver(sessionID).does(
        hook("chat.message", { sessionID }, { message: { id: "msg_1", sessionID, role: "user" }, parts }),
        message(sessionID, "msg_1", "user"),
        userText({ ...of, id: "prt_b" }, "prt_b"),
        message(sessionID, "msg_2", "assistant"),
      );
      assert.deepEqual(driver.told(), ["user: prt_b"]);
    });
  });

  test("the host's record of an input outweighs the hook's", () => {
    const driver = started().does(call(bash("prt_03"), PENDING), before(bash("prt_03"), command("ls")));
    driver.wait(100).does(call(bash("prt_03"), running(command("ls -l"))));
    assert.deepEqual(driver.told(), ['use: bash {"command":"ls -l"}']);
  });

  test("the host's record of a result outweighs the hook's", () => {
    const driver = started().does(
      call(bash("prt_03"), running(command("ls"))),
      after(bash("prt_03"), command("ls"), "from the hook"),
    );
    driver.wait(500);
    assert.equal(driver.told().length, 1);
    driver.does(call(bash("prt_03"), completed(command("ls"), "from the host"))).wait(120_000);
    assert.deepEqual(driver.told()[1], 'completed: {"command":"ls"} from the host');
    assert.equal(driver.told().length, 2);
  });

  test("a result known only from a hook is written after a while, and the host's later record adds nothing", () => {
    const driver = started()
      .does(call(bash("prt_03"), running(command("ls"))), after(bash("prt_03"), command("ls"), "x"))
      .wait(RECORD_MS);
    assert.equal(driver.told()[1], 'completed: {"command":"ls"} x');
    driver.does(call(bash("prt_03"), completed(command("ls"), "x"))).wait(120_000);
    assert.equal(driver.told().length, 2);
  });

  test("a late hook of an end adds nothing", () => {
    const driver = started().does(
      call(bash("prt_03"), running(command("ls"))),
      call(bash("prt_03"), completed(command("ls"), "x")),
      after(bash("prt_03"), command("ls"), "x"),
    );
    driver.wait(120_000);
    assert.deepEqual(driver.told(), ['use: bash {"command":"ls"}', 'completed: {"command":"ls"} x']);
    assert.equal(driver.timeline.openCalls, 0);
  });

  test("both hooks before the first record of the call", () => {
    const driver = started().does(before(bash("prt_03"), command("ls")), after(bash("prt_03"), command("ls"), "x"));
    driver
      .wait(100)
      .does(call(bash("prt_03"), running(command("ls"))), call(bash("prt_03"), completed(command("ls"), "x")));
    driver.wait(120_000);
    assert.deepEqual(driver.told(), ['use: bash {"command":"ls"}', 'completed: {"command":"ls"} x']);
    assert.equal(driver.entries[0]?.partID, "prt_03", "and the entry knows its part");
  });

  test("the records of a call that was written from its hooks alone come late", () => {
    const driver = started()
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
      const driver = started().does(...(hookFirst ? [...hooks, ...records] : [...records, ...hooks]));
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
    const driver = started().does(
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
    const driver = started().does(
      call(shell, running(command("ls"))),
      message(sessionID, "msg_2", "assistant", COMPLETED),
      call(shell, completed(command("ls"), "x")),
    );
    assert.deepEqual(driver.wait(120_000).told(), ['use: bash {"command":"ls"}', 'completed: {"command":"ls"} x']);
  });
});
