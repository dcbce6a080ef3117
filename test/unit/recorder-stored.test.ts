/** Compares what the host has stored with the files: other processes at work, gaps, missed ends. */
import assert from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { eventually } from "../support/recording/eventually.ts";
import { FakeHost } from "../support/recording/fake-host.ts";
import {
  call,
  COMPLETED,
  completed,
  delta,
  ENDED,
  message,
  messageInfo,
  openText,
  PENDING,
  running,
  session,
  STARTED,
  userText,
  wholeText,
  type HostStep,
} from "../support/recording/host-steps.ts";
import { filesIn, readSound, Recording } from "../support/recording/recording.ts";
import { newSession, sampleConversation, stepsOf, toldBy } from "../support/recording/sample.ts";
import { afterAll, describe, test } from "../support/runner.ts";
import { makeTempDir, removeTempDirs } from "../support/temp-dir.ts";

afterAll(removeTempDirs);

const data = (): string => join(makeTempDir(), ".openfleet");
const BOTH = { format: "both" } as const;
const FILES = ["ses_1.md", "ses_1.jsonl"];
const place = (id: string, messageID = "msg_2") => ({ sessionID: "ses_1", messageID, id });
const bash = (id: string) => ({ ...place(id), callID: `call_${id}`, tool: "bash" });
const RUNNING = bash("prt_4");
const STREAMED = bash("prt_5");

/** A turn in which a text is streamed, one call runs and the arguments of another are streamed. */
const UNDER_WAY: HostStep[] = [
  message("ses_1", "msg_1", "user"),
  userText(place("prt_1", "msg_1"), "Go."),
  message("ses_1", "msg_2", "assistant"),
  openText(place("prt_3")),
  delta(place("prt_3"), "I run"),
  call(RUNNING, running({ n: 1 })),
  call(STREAMED, PENDING),
];
const ITS_END: HostStep[] = [
  wholeText(place("prt_3"), "I run it."),
  call(STREAMED, running({ n: 2 })),
  call(RUNNING, completed({ n: 1 }, "one")),
  call(STREAMED, completed({ n: 2 }, "two")),
  message("ses_1", "msg_2", "assistant", COMPLETED),
];
/** The same turn as the host has it while it is under way. */
const STORED_UNDER_WAY = [
  {
    info: messageInfo("ses_1", "msg_1", "user"),
    parts: [{ ...place("prt_1", "msg_1"), type: "text", text: "Go." }],
  },
  {
    info: messageInfo("ses_1", "msg_2", "assistant"),
    parts: [
      { ...place("prt_3"), type: "text", text: "", ...STARTED },
      { ...RUNNING, type: "tool", state: running({ n: 1 }) },
      { ...STREAMED, type: "tool", state: PENDING },
    ],
  },
];
/** And when it is over. */
const STORED_ENDED = [
  ...STORED_UNDER_WAY.slice(0, 1),
  {
    info: messageInfo("ses_1", "msg_2", "assistant", COMPLETED),
    parts: [
      { ...place("prt_3"), type: "text", text: "I run it.", ...ENDED },
      { ...RUNNING, type: "tool", state: completed({ n: 1 }, "one") },
      { ...STREAMED, type: "tool", state: completed({ n: 2 }, "two") },
    ],
  },
];
const NEXT: HostStep[] = [
  message("ses_1", "msg_3", "user"),
  userText(place("prt_7", "msg_3"), "And now?"),
  message("ses_1", "msg_4", "assistant"),
  wholeText(place("prt_8", "msg_4"), "Wait."),
  message("ses_1", "msg_4", "assistant", COMPLETED),
];

describe("a second process on a session in which another is at work", () => {
  test("records what is open as interrupted, and the first process corrects that with the real ends", async () => {
    const folder = data();
    const first = new Recording(folder, BOTH).does(session("created", "ses_1"), ...UNDER_WAY);
    await first.recorder.flush(5_000);
    const queries = new FakeHost().has("ses_1", STORED_UNDER_WAY);
    const second = new Recording(folder, { ...BOTH, queries }).does(...NEXT);
    await second.recorder.flush(5_000);
    assert.ok(queries.asked.includes("history ses_1 100"));
    await second.end();
    await first.does(...ITS_END).end();
    for (const path of FILES) {
      const { told } = await readSound(folder, path);
      assert.deepEqual(told.toSorted(), [
        "assistant: I run it.",
        "assistant: Wait.",
        'completed: {"n":1} one',
        'completed: {"n":2} two',
        'use: bash {"n":1}',
        'use: bash {"n":2}',
        "user: And now?",
        "user: Go.",
      ]);
    }
  });
});

describe("messages sent while the plugin was off", () => {
  for (const turns of [40, 65, 600]) {
    test(`${turns} turns: all of it is recorded when it is back`, async () => {
      const folder = data();
      await new Recording(folder, BOTH).does(...newSession("ses_1", 2)).end();
      const queries = new FakeHost().hasConversation(sampleConversation("ses_1", 2 + turns));
      await new Recording(folder, { ...BOTH, queries })
        .does(...stepsOf(sampleConversation("ses_1", 1, 2 + turns)))
        .end();
      for (const path of FILES) {
        assert.deepEqual((await readSound(folder, path)).told, toldBy(sampleConversation("ses_1", 3 + turns)));
      }
    });
  }

  test("a format that is added later has the whole session", async () => {
    for (const [first, added] of [
      ["markdown", "ses_1.jsonl"],
      ["jsonl", "ses_1.md"],
    ] as const) {
      const folder = data();
      await new Recording(folder, { format: first }).does(...newSession("ses_1", 60)).end();
      const queries = new FakeHost().hasConversation(sampleConversation("ses_1", 60));
      await new Recording(folder, { ...BOTH, queries }).does(...stepsOf(sampleConversation("ses_1", 1, 60))).end();
      assert.deepEqual((await readSound(folder, added)).told, toldBy(sampleConversation("ses_1", 61)));
    }
  });

  test("a format that lacks the middle of a session gets it", async () => {
    const folder = data();
    await new Recording(folder, BOTH).does(...newSession("ses_1", 1)).end();
    const other = (from: number, turns: number) => stepsOf(sampleConversation("ses_1", turns, from));
    await new Recording(folder, { format: "markdown" }).does(...other(1, 50)).end();
    const queries = new FakeHost().hasConversation(sampleConversation("ses_1", 51));
    await new Recording(folder, { ...BOTH, queries }).does(...other(51, 1)).end();
    const whole = toldBy(sampleConversation("ses_1", 52));
    for (const path of FILES) assert.deepEqual((await readSound(folder, path)).told, whole, path);
  });

  test("a host that cannot say what was sent: the transcript says that entries may be missing", async () => {
    const folder = data();
    await new Recording(folder, BOTH).does(...newSession("ses_1", 2)).end();
    const queries = new FakeHost().hasConversation(sampleConversation("ses_1", 67));
    queries.beforeAnswer = (question) => {
      if (question.startsWith("history")) throw new Error("busy");
    };
    await new Recording(folder, { ...BOTH, queries }).does(...stepsOf(sampleConversation("ses_1", 1, 67))).end();
    for (const path of FILES) {
      const { entries } = await readSound(folder, path);
      const names = entries.map((entry) => (entry.type === "session_event" ? entry.name : entry.type));
      assert.equal(names.filter((name) => name === "missing entries").length, 1);
      assert.equal(names.indexOf("missing entries"), names.lastIndexOf("user") - 1, names.join());
    }
  });

  test("a transcript that has all of it is not written to", async () => {
    const folder = data();
    await new Recording(folder, BOTH).does(...newSession("ses_1", 30)).end();
    const before = FILES.map((path) => readFileSync(join(folder, "transcripts", path), "utf8"));
    const queries = new FakeHost().hasConversation(sampleConversation("ses_1", 30));
    const next = new Recording(folder, { ...BOTH, queries });
    await next.recorder.recall("ses_1");
    await next.end();
    const after = FILES.map((path) => readFileSync(join(folder, "transcripts", path), "utf8"));
    assert.deepEqual(after, before);
    assert.deepEqual(queries.asked, ["session ses_1", "history ses_1 100"]);
  });
});

describe("a text whose end was missed", () => {
  const storedWith = (text: string) =>
    new FakeHost().has("ses_1", [
      {
        info: messageInfo("ses_1", "msg_2", "assistant"),
        parts: [{ ...place("prt_3"), type: "text", text, ...ENDED }],
      },
    ]);
  const spoken = [session("created", "ses_1"), message("ses_1", "msg_2", "assistant"), openText(place("prt_3"))];
  const texts = async (folder: string, path: string) =>
    (await readSound(folder, path)).told.filter((line) => line.startsWith("assistant"));

  test("because the process was told to end is whole once the session goes on", async () => {
    const folder = data();
    await new Recording(folder, BOTH).does(...spoken, delta(place("prt_3"), "So far")).end();
    for (const path of FILES) assert.deepEqual(await texts(folder, path), ["assistant (interrupted): So far"]);
    const queries = storedWith("So far and the rest.");
    for (const next of ["5", "6", "7"]) {
      const user = message("ses_1", `msg_${next}`, "user");
      await new Recording(folder, { ...BOTH, queries })
        .does(user, userText(place(`prt_${next}`, `msg_${next}`), next))
        .end();
      for (const path of FILES) {
        assert.deepEqual(await texts(folder, path), ["assistant: So far and the rest."]);
        const { raw } = await readSound(folder, path);
        assert.equal(raw.filter(({ type }) => type === "assistant").length, 2, "it is put in place once");
      }
    }
  });

  test("because the process was killed behind its first part is whole once the session goes on", async () => {
    const folder = data();
    const first = new Recording(folder, BOTH).does(...spoken, delta(place("prt_3"), "So far"));
    first.does(call(RUNNING, completed({ n: 1 }, "one")));
    await eventually(async () => {
      await sleep(50);
      return filesIn(join(folder, "transcripts")).includes("ses_1.jsonl");
    });
    await first.recorder.flush(5_000);
    assert.deepEqual(await texts(folder, "ses_1.md"), ["assistant: So far"], "the call ends it");
    // The file as the killed process left it.
    const second = data();
    mkdirSync(join(second, "transcripts"), { recursive: true });
    for (const path of FILES) copy(folder, second, path);
    await first.end();
    await new Recording(second, { ...BOTH, queries: storedWith("So far and the rest.") })
      .does(message("ses_1", "msg_5", "user"), userText(place("prt_5", "msg_5"), "Next."))
      .end();
    for (const path of FILES) assert.deepEqual(await texts(second, path), ["assistant: So far and the rest."]);
  });

  test("and that came later in its own process is not replaced by itself", async () => {
    const folder = data();
    const first = new Recording(folder, BOTH).does(...spoken, delta(place("prt_3"), "So far"));
    first.does(call(RUNNING, completed({ n: 1 }, "one")));
    await eventually(async () => {
      await sleep(50);
      return filesIn(join(folder, "transcripts")).includes("ses_1.jsonl");
    });
    await first.does(wholeText(place("prt_3"), "So far and the rest.")).end();
    await new Recording(folder, { ...BOTH, queries: storedWith("So far and the rest.") })
      .does(message("ses_1", "msg_5", "user"), userText(place("prt_5", "msg_5"), "Next."))
      .end();
    for (const path of FILES) {
      const { raw } = await readSound(folder, path);
      assert.deepEqual(
        raw.flatMap((entry) => (entry.type === "assistant" ? [entry.content] : [])),
        ["So far", " and the rest."],
      );
    }
  });
});

describe("a result that comes after the recorder wrote that the call was interrupted", () => {
  const begun = [session("created", "ses_1"), ...UNDER_WAY];
  const ONE = ['use: bash {"n":1}', 'completed: {"n":1} one', 'use: bash {"n":2}', 'completed: {"n":2} two'];
  const calls = (told: readonly string[]) =>
    told.filter((line) => /^(use|completed|interrupted):/.test(line)).toSorted();

  /** Each call once, as it ended, in both files; counting headings adds up. */
  async function assertEnded(folder: string): Promise<void> {
    for (const path of FILES) assert.deepEqual(calls((await readSound(folder, path)).told), ONE.toSorted(), path);
    const markdown = readFileSync(join(folder, "transcripts/ses_1.md"), "utf8");
    const count = (kind: string): number =>
      markdown.match(new RegExp(`^## \\[.*\\] ${kind}: bash$`, "gm"))?.length ?? 0;
    assert.deepEqual([count("Tool Use"), count("Tool Result") + count("Tool Error")], [2, 2]);
  }

  test("because the process was told to end and ended late", async () => {
    const folder = data();
    const first = new Recording(folder, BOTH).does(...begun);
    await first.end();
    assert.ok((await readSound(folder, "ses_1.md")).told.some((line) => line.startsWith("interrupted")));
    await first.does(...ITS_END).end();
    await assertEnded(folder);
    const { raw } = await readSound(folder, "ses_1.jsonl");
    // Sent again, or read from the host's store by the next process, it is no news.
    await first.does(...ITS_END).end();
    const queries = new FakeHost().has("ses_1", STORED_ENDED);
    await new Recording(folder, { ...BOTH, queries }).does(...NEXT).end();
    const again = await readSound(folder, "ses_1.jsonl");
    const ofCalls = (entries: typeof raw) => entries.filter(({ type }) => type.startsWith("tool"));
    assert.deepEqual(ofCalls(again.raw), ofCalls(raw));
  });

  test("because another process took the session over", async () => {
    const folder = data();
    const first = new Recording(folder, BOTH).does(...begun);
    await first.recorder.flush(5_000);
    const queries = new FakeHost().has("ses_1", STORED_UNDER_WAY);
    await new Recording(folder, { ...BOTH, queries }).does(...NEXT).end();
    const { told } = await readSound(folder, "ses_1.md");
    assert.ok(told.includes("use: bash {}"), "arguments that were not whole are made up");
    await first.does(...ITS_END).end();
    await assertEnded(folder);
  });

  test("and is in the host's store when the session goes on", async () => {
    const folder = data();
    await new Recording(folder, BOTH).does(...begun).end();
    const queries = new FakeHost().has("ses_1", STORED_ENDED);
    for (let life = 0; life < 2; life++) {
      await new Recording(folder, { ...BOTH, queries }).does(...NEXT).end();
      await assertEnded(folder);
    }
    const { raw } = await readSound(folder, "ses_1.jsonl");
    assert.equal(raw.filter(({ type }) => type === "tool_result").length, 4, "each end is put in place once");
  });
});

describe("two calls of one answer that have the same id", () => {
  test("are the one call that the host keeps of them", async () => {
    const folder = data();
    const first = new Recording(folder, BOTH).does(session("created", "ses_1"), message("ses_1", "msg_2", "assistant"));
    first.does(call(RUNNING, running({ command: "echo A" })));
    await first.recorder.flush(5_000);
    first.does(call(RUNNING, PENDING), call(RUNNING, running({ command: "echo B" })));
    first.does(call(RUNNING, running({ command: "echo A" })), call(RUNNING, running({ command: "echo B" })));
    await first.does(call(RUNNING, completed({ command: "echo B" }, "B"))).end();
    for (const path of FILES) {
      const told = ['use: bash {"command":"echo B"}', 'completed: {"command":"echo B"} B'];
      assert.deepEqual((await readSound(folder, path)).told, told, path);
    }
  });
});

function copy(from: string, to: string, path: string): void {
  const text = readFileSync(join(from, "transcripts", path));
  writeFileSync(join(to, "transcripts", path), text);
}
