import assert from "node:assert/strict";
import { readFileSync, truncateSync } from "node:fs";
import { join } from "node:path";
import { stored } from "../support/recording/conversation.ts";
import { FakeHost } from "../support/recording/fake-host.ts";
import {
  call,
  completed,
  delta,
  message,
  openText,
  running,
  session,
  userText,
  wholeText,
} from "../support/recording/host-steps.ts";
import { readSound, readTranscript, Recording, transcriptsIn } from "../support/recording/recording.ts";
import { newSession, sampleConversation, stepsOf, toldBy } from "../support/recording/sample.ts";
import { afterAll, describe, test } from "../support/runner.ts";
import { makeTempDir, removeTempDirs } from "../support/temp-dir.ts";

afterAll(removeTempDirs);

const data = (): string => join(makeTempDir(), ".openfleet");
const FIRST = sampleConversation("ses_1", 3);
const SECOND = sampleConversation("ses_1", 2, 3);
const WHOLE = toldBy(sampleConversation("ses_1", 5));
const host = (): FakeHost => new FakeHost().hasConversation(FIRST);

describe("a session that continues in a new process", () => {
  test("continues in the same files: one header, nothing twice", async () => {
    const folder = data();
    await new Recording(folder, { format: "both" }).does(session("created", "ses_1"), ...stepsOf(FIRST)).end();
    await new Recording(folder, { format: "both", queries: host() }).does(...stepsOf(SECOND)).end();
    for (const path of ["ses_1.md", "ses_1.jsonl"]) assert.deepEqual((await readSound(folder, path)).told, WHOLE);
  });

  test("nothing is written for a session that is only listed", async () => {
    const folder = data();
    await new Recording(folder).does(...newSession("ses_1", 3)).end();
    const before = readFileSync(join(folder, "transcripts/ses_1.md"), "utf8");
    const queries = host();
    const next = new Recording(folder, { queries }).does(session("updated", "ses_1"));
    // There is no transcript of this one.
    await next.does(session("updated", "ses_2", { title: "New" })).end();
    assert.equal(readFileSync(join(folder, "transcripts/ses_1.md"), "utf8"), before);
    assert.deepEqual(transcriptsIn(folder), ["ses_1.md"]);
    assert.deepEqual(queries.asked, []);
  });

  test("what a killed process lost is recorded from the host's store, before what follows", async () => {
    for (const format of ["markdown", "jsonl"] as const) {
      const folder = data();
      const path = format === "markdown" ? "ses_1.md" : "ses_1.jsonl";
      const file = join(folder, "transcripts", path);
      await new Recording(folder, { format }).does(session("created", "ses_1"), ...stepsOf(FIRST)).end();
      const whole = readFileSync(file);
      for (const share of [0.05, 0.3, 0.5, 0.77, 0.88, 0.97]) {
        truncateSync(file, Math.floor(whole.length * share));
        const lost = (await readTranscript(folder, path)).told.length;
        await new Recording(folder, { format, queries: host() }).does(...stepsOf(SECOND)).end();
        const { told, entries } = await readSound(folder, path);
        assert.deepEqual(told, WHOLE, `${format}, cut at ${share}`);
        assert.ok(lost < WHOLE.length);
        assert.ok(entries.some((entry) => entry.type === "session_event" && entry.name === "torn entry"));
        truncateSync(file, 0);
        await new Recording(folder, { format }).does(session("created", "ses_1"), ...stepsOf(FIRST)).end();
      }
    }
  });

  test("a session from before the plugin was installed is recorded from its beginning", async () => {
    const folder = data();
    const queries = host();
    await new Recording(folder, { queries }).does(...stepsOf(SECOND)).end();
    assert.deepEqual((await readSound(folder, "ses_1.md")).told, WHOLE);
    assert.ok(queries.asked.includes("history ses_1"), "all of it is asked for");
  });

  test("of a session that has a transcript only the last messages are asked for", async () => {
    const folder = data();
    await new Recording(folder).does(...newSession("ses_1", 3)).end();
    const queries = host();
    await new Recording(folder, { queries }).does(...stepsOf(SECOND)).end();
    assert.deepEqual(queries.asked, ["session ses_1", "history ses_1 100"]);
  });

  test("a session that began here is never asked about", async () => {
    const queries = host();
    await new Recording(data(), { queries }).does(...newSession("ses_1", 2)).end();
    assert.deepEqual(queries.asked, []);
  });

  test("an unfinished message is not taken from the store", async () => {
    const folder = data();
    const [prompt] = sampleConversation("ses_1", 1, 3).messages;
    const queries = new FakeHost().has("ses_1", [
      ...stored(FIRST),
      ...stored({ sessionID: "ses_1", messages: prompt ? [prompt] : [] }),
      {
        info: { id: "msg_0003_2", sessionID: "ses_1", role: "assistant" },
        parts: [
          { id: "prt_0003_3", sessionID: "ses_1", messageID: "msg_0003_2", type: "text", text: "", time: { start: 1 } },
        ],
      },
    ]);
    await new Recording(folder, { queries }).does(...stepsOf(SECOND)).end();
    assert.deepEqual((await readSound(folder, "ses_1.md")).told, WHOLE);
  });

  test("a text missing in the middle of a stored session does not hide what follows", async () => {
    const folder = data();
    const messages = stored(FIRST);
    messages.splice(1, 0, {
      info: { id: "msg_0000_15", sessionID: "ses_1", role: "assistant", time: { created: 1 } },
      parts: [
        { id: "prt_0000_15", sessionID: "ses_1", messageID: "msg_0000_15", type: "text", text: "", time: { start: 1 } },
        {
          id: "prt_0000_16",
          sessionID: "ses_1",
          messageID: "msg_0000_15",
          type: "tool",
          callID: "c",
          tool: "bash",
          state: { status: "running", input: { n: 1 }, time: { start: 1 } },
        },
      ],
    });
    await new Recording(folder, { queries: new FakeHost().has("ses_1", messages) }).does(...stepsOf(SECOND)).end();
    const { told } = await readSound(folder, "ses_1.md");
    const cut = told.filter((line) => line.includes('{"n":1}'));
    assert.deepEqual(
      cut.map((line) => line.split(":")[0]),
      ["use", "interrupted"],
    );
    assert.deepEqual(
      told.filter((line) => !line.includes('{"n":1}')),
      WHOLE,
    );
  });

  test("a call that was cut off long ago is in its place, however much follows it", async () => {
    const folder = data();
    const long = sampleConversation("ses_1", 400);
    const messages = stored(long);
    const cut = { sessionID: "ses_1", messageID: "msg_0000_4", id: "prt_0000_c" };
    messages.splice(3, 0, {
      info: { id: cut.messageID, sessionID: "ses_1", role: "assistant", time: { created: 1 } },
      parts: [{ ...cut, type: "tool", callID: "c", tool: "bash", state: { status: "pending", input: {}, raw: "" } }],
    });
    const queries = new FakeHost().has("ses_1", messages);
    await new Recording(folder, { format: "jsonl", queries })
      .does(...stepsOf(sampleConversation("ses_1", 1, 400)))
      .end();
    const { told } = await readSound(folder, "ses_1.jsonl");
    const whole = toldBy(sampleConversation("ses_1", 401));
    assert.deepEqual(told.slice(0, 7), [...whole.slice(0, 6), "use: bash {}"]);
    assert.match(told[7] ?? "", /^interrupted: /);
    assert.deepEqual(told.slice(8), whole.slice(6));
  });

  test("a host that cannot report its stored messages is asked again, and not waited for forever", async () => {
    const folder = data();
    const queries = host();
    let failures = 2;
    queries.beforeAnswer = (question) => {
      if (question.startsWith("history") && failures-- > 0) throw new Error("busy");
    };
    const recording = new Recording(folder, { queries }).does(...stepsOf(SECOND));
    await recording.recorder.flush(20_000);
    await recording.end();
    assert.deepEqual((await readSound(folder, "ses_1.md")).told, WHOLE);

    const silent = host();
    silent.beforeAnswer = () => new Promise(() => undefined);
    const other = data();
    await new Recording(other, { queries: silent }).does(...stepsOf(SECOND)).end(5_000);
    assert.deepEqual((await readSound(other, "ses_1.md")).told, toldBy(SECOND));
  });

  test("text streamed when the process ended stays, and the next process does not repeat it", async () => {
    const folder = data();
    const of = { sessionID: "ses_1", messageID: "msg_2", id: "prt_3" };
    await new Recording(folder)
      .does(
        session("created", "ses_1"),
        message("ses_1", "msg_1", "user"),
        userText({ ...of, messageID: "msg_1", id: "prt_1" }, "Go."),
        message("ses_1", "msg_2", "assistant"),
        openText(of),
        delta(of, "So far"),
        call({ ...of, id: "prt_4", callID: "c", tool: "bash" }, running({ n: 1 })),
      )
      .end();
    const queries = new FakeHost().has("ses_1", [
      {
        info: { id: "msg_2", sessionID: "ses_1", role: "assistant" },
        parts: [{ ...of, type: "text", text: "", time: { start: 1 } }],
      },
    ]);
    await new Recording(folder, { queries })
      .does(message("ses_1", "msg_3", "user"), userText({ ...of, messageID: "msg_3", id: "prt_5" }, "Again."))
      .end();
    const { told } = await readSound(folder, "ses_1.md");
    assert.deepEqual(
      told.map((line) => line.split(/[:.]/)[0]),
      ["user", "assistant", "use", "interrupted", "user"],
    );
    assert.equal(told[1], "assistant: So far");
  });

  test("a subagent's session continues in its parent's folder", async () => {
    const folder = data();
    const child = sampleConversation("ses_2", 1);
    await new Recording(folder).does(session("created", "ses_2", { parentID: "ses_1" }), ...stepsOf(child)).end();
    const queries = new FakeHost().has("ses_1").hasConversation(child, { parentID: "ses_1" });
    let failures = 2;
    queries.beforeAnswer = (question) => {
      if (question.startsWith("session") && failures-- > 0) throw new Error("busy");
    };
    const recording = new Recording(folder, { queries }).does(...stepsOf(sampleConversation("ses_2", 1, 1)));
    await recording.recorder.flush(20_000);
    await recording.end();
    assert.deepEqual(transcriptsIn(folder), ["ses_1/ses_2.md"]);
    assert.deepEqual((await readSound(folder, "ses_1/ses_2.md")).told, toldBy(sampleConversation("ses_2", 2)));
  });

  test("a result that the dead process did not see comes after its call", async () => {
    const folder = data();
    const of = { sessionID: "ses_1", messageID: "msg_2", id: "prt_4", callID: "c", tool: "bash" };
    const first = new Recording(folder).does(
      session("created", "ses_1"),
      message("ses_1", "msg_2", "assistant"),
      call(of, running({ n: 1 })),
    );
    await first.recorder.flush(5_000);
    const queries = new FakeHost().has("ses_1", [
      {
        info: { id: "msg_2", sessionID: "ses_1", role: "assistant" },
        parts: [{ ...of, type: "tool", state: completed({ n: 1 }, "one") }],
      },
    ]);
    await new Recording(folder, { queries })
      .does(message("ses_1", "msg_4", "assistant"), wholeText({ ...of, messageID: "msg_4", id: "prt_9" }, "So."))
      .end();
    assert.deepEqual((await readSound(folder, "ses_1.md")).told, [
      'use: bash {"n":1}',
      'completed: {"n":1} one',
      "assistant: So.",
    ]);
  });
});

describe("a session whose file is torn", () => {
  test("while the recorder runs is repaired before its next entry", async () => {
    const folder = data();
    const recording = new Recording(folder).does(session("created", "ses_1"), ...stepsOf(FIRST));
    await recording.recorder.flush(5_000);
    const file = join(folder, "transcripts/ses_1.md");
    truncateSync(file, readFileSync(file).length - 10);
    await recording.does(...stepsOf(SECOND)).end();
    const { told, entries } = await readSound(folder, "ses_1.md");
    assert.deepEqual(told, WHOLE);
    assert.equal(entries.filter((entry) => entry.type === "session_event" && entry.name === "torn entry").length, 1);
  });
});
