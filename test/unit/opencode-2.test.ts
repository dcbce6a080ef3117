/** Differences of opencode 2.x: each pitfall that would lose or duplicate something. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import plugin from "../../src/plugin.ts";
import { VERSION } from "../../src/version.ts";
import { eventually } from "../support/recording/eventually.ts";
import {
  FakeHost2,
  nextTurn,
  recordedEvents,
  storedAtEnd,
  VOCABULARIES,
  type RecordedEvent,
} from "../support/recording/fake-host-2.ts";
import {
  filesIn,
  readSound,
  readTranscript,
  transcriptsIn,
  type ReadTranscript,
} from "../support/recording/recording.ts";
import { shortForm } from "../support/recording/timeline-driver.ts";
import { afterAll, beforeAll, describe, test } from "../support/runner.ts";
import { makeTempDir, removeTempDirs } from "../support/temp-dir.ts";
import { sqliteWriter } from "./sessions-machine.ts";

const own = process.env["XDG_DATA_HOME"];
beforeAll(() => void (process.env["XDG_DATA_HOME"] = makeTempDir()));
afterAll(() => {
  if (own === undefined) delete process.env["XDG_DATA_HOME"];
  else process.env["XDG_DATA_HOME"] = own;
  removeTempDirs();
});

const PLAIN = [
  "user: SCN:plain please",
  "assistant: Hello there, this is a plain answer.",
  "assistant: A title for plain",
  "user: SCN:second after",
  "assistant: The second answer.",
];

/** The only transcript of a project. */
async function transcriptIn(folder: string): Promise<ReadTranscript> {
  const data = join(folder, ".openfleet");
  const [path = "", ...others] = transcriptsIn(data);
  assert.deepEqual(others, []);
  return readSound(data, path);
}

const project = (home: string): string => join(home, "project");

/** The recordings of this process. */
function recordings(): { dataFolder: string }[] {
  const registry: unknown = Reflect.get(globalThis, Symbol.for(`opencode-transcripts/${VERSION}/shared`));
  assert.ok(registry instanceof Map);
  return [...registry.values()];
}

function withoutFolder(events: readonly RecordedEvent[]): RecordedEvent[] {
  return events.map((event) => {
    const { location: _, ...rest } = event;
    return rest;
  });
}

function indexOf(events: readonly RecordedEvent[], type: string): number {
  return events.findIndex((event) => event.type === type);
}

/** Events of one session that no recording has, numbered as the host numbers them. */
function madeEvents(folder: string, ...made: readonly (readonly [type: string, data: object])[]): RecordedEvent[] {
  return made.map(([type, data], seq) => ({
    id: `evt_made_${seq}`,
    created: 1_795_350_800_000 + seq,
    type,
    location: { directory: project(folder) },
    data: { sessionID: "ses_made", ...data },
    durable: { seq },
  }));
}

const CREATED = ["session.created", { version: "2.0.1" }] as const;
const ANSWER = { assistantMessageID: "msg_answer" };

describe("setup", () => {
  test("does nothing in opencode 1.18, which also calls it, with a reduced context", async () => {
    const folder = makeTempDir();
    const nothing = new Proxy({}, { get: () => async () => undefined });
    for (const context of [{ options: {}, agent: nothing, catalog: nothing, plugin: nothing }, {}, undefined, null]) {
      assert.equal(await plugin.setup(context), undefined);
    }
    assert.deepEqual(filesIn(folder), []);
  });

  test("registers no hook in the way of a call or a prompt, and what it registers never fails", async () => {
    const host = new FakeHost2();
    await host.start();
    assert.deepEqual([...host.hooks.keys()], ["compaction"]);
    const hostile = new Proxy({}, { get: () => assert.fail("not to be read") });
    for (const value of [undefined, null, 1, {}, hostile, { sessionID: "ses_1", system: [] }, { sessionID: hostile }]) {
      await host.hooks.get("compaction")?.(value);
    }
    await host.end();
  });

  test("passes over events of any shape", async () => {
    const folder = makeTempDir();
    const host = new FakeHost2();
    await host.start();
    const events = recordedEvents("newest", "compact", folder);
    const hostile = events.flatMap((event) => [
      null,
      "text",
      { ...event, data: null },
      { ...event, id: undefined, durable: undefined, data: { ...event.data, id: 1, item: 1, info: [], tokens: "no" } },
      { type: event.type, data: { sessionID: event.data.sessionID } },
    ]);
    await host.publish(...hostile, ...events);
    await host.end();
    const { told } = await transcriptIn(project(folder));
    for (const line of PLAIN) assert.ok(told.includes(line), line);
  });
});

test("an interruption for any reason is in the transcript, also one that is named as a member of objects", async () => {
  for (const reason of ["user", "inactivity", "constructor", "__proto__"]) {
    const home = makeTempDir();
    const host = new FakeHost2();
    await host.start();
    for (const event of recordedEvents("newest", "abort-text", home)) {
      const data = { ...event.data, reason };
      await host.publish(event.type === "session.execution.interrupted" ? { ...event, data } : event);
    }
    await host.end();
    const { entries } = await transcriptIn(project(home));
    const told = entries.flatMap((entry) => (entry.type === "session_event" && entry.name === "error" ? [entry] : []));
    assert.equal(told.length, 1, reason);
    assert.match(told[0]?.text ?? "", /^The (?:user interrupted the session|session was interrupted \(\w+\))\.$/);
  }
});

test("a text whose end lacks the text is what was streamed", async () => {
  const home = makeTempDir();
  const host = new FakeHost2();
  await host.start();
  for (const event of recordedEvents("newest", "compact", home)) {
    const { text: _, ...data } = Object.assign({ text: "" }, event.data);
    await host.publish(event.type === "session.text.ended" ? { ...event, data } : event);
  }
  await host.end();
  assert.deepEqual((await transcriptIn(project(home))).told, PLAIN);
});

describe("events that no recording has", () => {
  const recorded = async (...made: readonly (readonly [type: string, data: object])[]): Promise<ReadTranscript> => {
    const home = makeTempDir();
    const host = new FakeHost2();
    await host.start();
    await host.publish(...madeEvents(home, CREATED, ...made));
    await host.end();
    return transcriptIn(project(home));
  };

  test("the header alone names the generation, with the host's version if it is known", async () => {
    for (const [created, host] of [
      [{ version: "2.0.1" }, "opencode 2.0.1"],
      [{ info: { id: "ses_made", title: "T" } }, "opencode 2"],
    ] as const) {
      const home = makeTempDir();
      const fake = new FakeHost2();
      await fake.start();
      await fake.publish(...madeEvents(home, ["session.created", created], ["session.synthetic", { text: "Said." }]));
      await fake.end();
      const { headers, entries } = await transcriptIn(project(home));
      assert.equal(headers[0]?.host, host);
      assert.doesNotMatch(JSON.stringify(entries), /opencode 2/);
    }
  });

  test("a step that is repeated after some text keeps that text, and the text of the next attempt", async () => {
    const { told } = await recorded(
      ["session.step.started", ANSWER],
      ["session.text.started", { ...ANSWER, ordinal: 0 }],
      ["session.text.delta", { ...ANSWER, ordinal: 0, delta: "first att" }],
      ["session.retry.scheduled", { ...ANSWER, attempt: 2, error: { message: "cut off" } }],
      ["session.step.started", ANSWER],
      ["session.text.started", { ...ANSWER, ordinal: 0 }],
      ["session.text.ended", { ...ANSWER, ordinal: 0, text: "second attempt" }],
      ["session.step.ended", { ...ANSWER, finish: "stop" }],
      ["session.execution.succeeded", {}],
    );
    assert.deepEqual(told, ["assistant (interrupted): first att", "assistant: second attempt"]);
  });

  test("an error of a step, which its execution repeats, is an entry once", async () => {
    const [first, second] = [
      { type: "provider.auth", message: "no key" },
      { type: "unknown", message: "other" },
    ];
    const failed = (error: object) =>
      [
        ["session.execution.started", {}],
        ["session.step.started", ANSWER],
        ["session.step.failed", { ...ANSWER, error }],
        ["session.execution.failed", { error }],
      ] as const;
    const { entries } = await recorded(
      ...failed(first),
      ...failed(first),
      ["session.execution.started", {}],
      ["session.execution.failed", { error: second }],
    );
    const errors = entries.flatMap((entry) => (entry.type === "session_event" ? [`${entry.name}: ${entry.text}`] : []));
    assert.deepEqual(errors, ["error: no key", "error: no key", "error: other"]);
  });

  test("a call that fails has what it returned before, in both vocabularies", async () => {
    const error = { type: "aborted", message: "Tool execution interrupted" };
    const content = [{ type: "text", text: "half of it" }];
    for (const [name, progress, failed] of [
      ["callID", { content, structured: { lines: 1 } }, { error }],
      ["id", { metadata: { lines: 1 } }, { error, content, metadata: { lines: 1 } }],
    ] as const) {
      const call = { ...ANSWER, [name]: "call_1" };
      const { entries } = await recorded(
        ["session.step.started", ANSWER],
        ["session.tool.input.started", { ...call, name: "shell" }],
        ["session.tool.called", { ...call, input: { command: "make" } }],
        ["session.tool.progress", { ...call, ...progress }],
        ["session.tool.failed", { ...call, ...failed }],
      );
      const result = entries.find((entry) => entry.type === "tool_result");
      assert.ok(result?.type === "tool_result" && result.status === "interrupted");
      assert.match(JSON.stringify(result.output), /half of it.*Tool execution interrupted/);
      assert.deepEqual(Object(result.metadata).lines, 1);
    }
  });

  test("an answer goes on after the host has received all of it, and after events of unknown names", async () => {
    const call = { ...ANSWER, id: "call_1" };
    const { entries } = await recorded(
      ["session.step.started", ANSWER],
      ["session.text.started", { ...ANSWER, ordinal: 0 }],
      ["session.text.delta", { ...ANSWER, ordinal: 0, delta: "I make" }],
      ["session.text.annotated", { ...ANSWER, ordinal: 1 }],
      ["session.tool.input.started", { ...call, name: "shell" }],
      ["session.tool.input.delta", { ...call, delta: "{" }],
      ["session.tool.called", { ...call, input: { command: "make" } }],
      ["session.tool.watched", { ...call, id: "call_2" }],
      ["session.step.streamed", ANSWER],
      ["session.text.ended", { ...ANSWER, ordinal: 0, text: "I make it." }],
      ["session.tool.success", { ...call, content: [{ type: "text", text: "made" }] }],
      ["session.step.ended", { ...ANSWER, finish: "tool-calls" }],
      ["session.execution.succeeded", {}],
    );
    const told = entries.map((entry) =>
      entry.type === "tool_result" ? `${entry.status}: ${JSON.stringify(entry.output)}` : shortForm(entry),
    );
    assert.deepEqual(told, ["assistant: I make it.", 'use: shell {"command":"make"}', 'completed: "made"']);
  });

  test("the result of a call has nothing of what the call returned while it ran", async () => {
    const call = { ...ANSWER, id: "call_1" };
    const { entries } = await recorded(
      ["session.step.started", ANSWER],
      ["session.tool.input.started", { ...call, name: "deploy" }],
      ["session.tool.called", { ...call, input: { to: "test" } }],
      ["session.tool.progress", { ...call, metadata: { percent: 40 } }],
      ["session.tool.success", { ...call, content: [{ type: "text", text: "deployed" }] }],
    );
    const result = entries.find((entry) => entry.type === "tool_result");
    assert.ok(result?.type === "tool_result");
    assert.deepEqual([result.input, result.output, result.metadata], [{ to: "test" }, "deployed", undefined]);
  });

  test("code that failed is a failed call, although the host reports a success", async () => {
    const call = { ...ANSWER, id: "call_1" };
    const toolCalls = [{ tool: "demo_fail", status: "error" }];
    for (const [outcome, status] of [
      [{ metadata: { toolCalls, error: true } }, "error"],
      [{ structured: { toolCalls, error: true } }, "error"],
      [{ metadata: { toolCalls } }, "completed"],
    ] as const) {
      const { entries } = await recorded(
        ["session.step.started", ANSWER],
        ["session.tool.input.started", { ...call, name: "execute" }],
        ["session.tool.called", { ...call, input: { code: "demo.fail()" } }],
        ["session.tool.success", { ...call, ...outcome, content: [{ type: "text", text: "Refused." }] }],
      );
      const result = entries.find((entry) => entry.type === "tool_result");
      assert.ok(result?.type === "tool_result");
      assert.deepEqual([result.status, result.output], [status, "Refused."]);
    }
  });

  test("a summary has its tokens and cost, and a failed one too", async () => {
    const used = { cost: 0.25, tokens: { input: 7, output: 3, reasoning: 0, cache: { read: 0, write: 0 } } };
    const { entries } = await recorded(
      ["session.compaction.started", { inboxID: "msg_1", reason: "manual" }],
      ["session.compaction.ended", { inboxID: "msg_1", reason: "manual", text: "In short.", ...used }],
      ["session.compaction.started", { inboxID: "msg_2", reason: "manual" }],
      ["session.compaction.failed", { inboxID: "msg_2", error: { type: "provider.auth", message: "no key" }, ...used }],
    );
    const costs = entries.flatMap((entry) =>
      entry.type === "session_event" && entry.name === "usage" ? [Object(entry.data).cost] : [],
    );
    assert.deepEqual(costs, [0.25, 0.25]);
  });

  test("each is an entry, if it belongs to the conversation", async () => {
    const file = { mime: "image/png", data: "iVBORw0KGgo=", name: "a.png" };
    const form = (id: string, kind: string) => ({
      form: { id, sessionID: "ses_made", metadata: { kind }, fields: [{ title: "Which?" }] },
    });
    const shell = { id: "sh_1", command: "ls; exit 4", status: "exited", exit: 4, time: { started: 1, completed: 2 } };
    const { told, entries } = await recorded(
      [
        "session.inbox.enqueued",
        { inboxID: "msg_1", item: { type: "user", payload: { text: "look", files: [file] } } },
      ],
      ["session.inbox.delivered", { inboxID: "msg_1" }],
      ["session.inbox.enqueued", { inboxID: "msg_2", item: { type: "user", payload: { text: "taken back" } } }],
      ["session.inbox.cancelled", { inboxID: "msg_2" }],
      ["session.inbox.enqueued", { inboxID: "msg_3", item: { type: "synthetic", payload: { text: "a rule" } } }],
      ["session.inbox.delivered", { inboxID: "msg_3" }],
      ["session.synthetic", { text: "another rule" }],
      ["session.model.selected", { model: { id: "m2", providerID: "acme" } }],
      ["session.skill.activated", { name: "review" }],
      ["session.shell.started", { shell: { ...shell, status: "running", exit: undefined } }],
      ["session.shell.ended", { shell, output: { output: "x\n" } }],
      ["session.shell.started", { shell: { ...shell, id: "sh_2" } }],
      ["session.shell.ended", { shell: { ...shell, id: "sh_2" }, output: { output: "quick\n" } }],
      ["session.compaction.started", { inboxID: "msg_4", reason: "manual" }],
      ["session.compaction.failed", { error: { type: "provider.auth", message: "no key" } }],
      ["form.created", form("frm_1", "question")],
      ["form.cancelled", { id: "frm_1" }],
      ["form.created", form("frm_2", "login")],
      ["form.replied", { id: "frm_2", answer: { password: "hunter2" } }],
      ["session.execution.interrupted", { reason: "shutdown" }],
    );
    const input = '{"command":"ls; exit 4"}';
    assert.deepEqual(told, [
      "user: look",
      "user: ",
      "user: ",
      `use: shell ${input}`,
      `error: ${input} x\n`,
      `use: shell ${input}`,
      `error: ${input} quick\n`,
    ]);
    assert.match(JSON.stringify(entries), /"a\.png"[^]*"a rule"[^]*"another rule"/);
    const events = entries.flatMap((entry) => (entry.type === "session_event" ? [`${entry.name}: ${entry.text}`] : []));
    assert.deepEqual(events.toSorted(), [
      "compaction: The conversation so far is summarized (asked for).",
      "error: The session was interrupted: opencode was shut down.",
      "error: no key",
      "model: acme/m2",
      "question asked: Which?",
      "question rejected: The user did not answer.",
      "skill: review",
    ]);
  });
});

describe("several folders in one process, of which each instance receives all events", () => {
  for (const says of [true, false]) {
    test(`each session is recorded once, in its own folder${says ? "" : ", where the host does not say for which an instance is"}`, async () => {
      const home = makeTempDir();
      const host = new FakeHost2();
      for (const name of ["project", "other"]) await host.start(says ? { directory: join(home, name) } : {});
      const a = recordedEvents("newest", "compact", home);
      const b = recordedEvents("newest", "other-dir", home);
      for (let at = 0; at < Math.max(a.length, b.length); at++) {
        await host.publish(...[a[at], b[at]].filter((event) => event !== undefined));
      }
      await host.end();
      assert.deepEqual((await transcriptIn(join(home, "project"))).told, PLAIN);
      const other = await transcriptIn(join(home, "other"));
      assert.equal(other.told[0], "user: SCN:plain other");
      assert.equal(new Set(other.told).size, other.told.length);
    });
  }

  test("nothing is recorded for a folder without an instance", async () => {
    const home = makeTempDir();
    const host = new FakeHost2();
    await host.start({ directory: join(home, "project") });
    await host.publish(...recordedEvents("newest", "other-dir", home));
    await host.end();
    assert.deepEqual(filesIn(home), []);
  });

  test("events without a folder are recorded as soon as the host reports that of the session", async () => {
    const home = makeTempDir();
    const stored = storedAtEnd("compact", home);
    const host = new FakeHost2().has(stored && { ...stored, info: { location: { directory: project(home) } } });
    await host.start();
    const bare = withoutFolder(recordedEvents("newest", "compact", home));
    await host.publish(...bare);
    const path = join(project(home), ".openfleet/transcripts", `${stored?.session}.md`);
    await eventually(() => existsSync(path));
    await host.end();
    assert.deepEqual((await transcriptIn(project(home))).told, PLAIN);
  });

  test("events without a folder wait until the session's is known", async () => {
    const home = makeTempDir();
    const host = new FakeHost2();
    await host.start({ directory: project(home) });
    const bare = recordedEvents("newest", "compact", home).map((event, at) => {
      const { location, ...rest } = event;
      return at < 5 ? rest : { ...rest, location };
    });
    await host.publish(...bare);
    await host.end();
    assert.deepEqual((await transcriptIn(project(home))).told, PLAIN);
  });
});

describe("events that are not delivered", () => {
  test("the first prompt is in the transcript although the plugin starts after it", async () => {
    for (const vocabulary of ["preview", "newest"] as const) {
      const home = makeTempDir();
      const host = new FakeHost2().has(storedAtEnd("compact", home));
      await host.start();
      await host.publish(
        ...recordedEvents(vocabulary, "compact", home).filter(({ durable }) => (durable?.seq ?? 9) > 2),
      );
      await host.end();
      const { told, headers } = await transcriptIn(project(home));
      assert.deepEqual(told, PLAIN);
      assert.equal(headers[0]?.directory, project(home));
    }
  });

  test("a number that the host never delivers is not a loss", async () => {
    const home = makeTempDir();
    const host = new FakeHost2();
    host.isMute = true;
    await host.start();
    await host.publish(...recordedEvents("preview", "compact", home));
    await host.end();
    const { entries } = await transcriptIn(project(home));
    assert.ok(!entries.some((entry) => entry.type === "session_event" && entry.name === "missing entries"));
  });

  test("the numbers of a fork, which continue those of the other session, are not a loss", async () => {
    for (const vocabulary of VOCABULARIES) {
      const home = makeTempDir();
      const host = new FakeHost2();
      host.isMute = true;
      await host.start();
      await host.publish(...recordedEvents(vocabulary, "misc-fork", home));
      await host.end();
      const { entries } = await transcriptIn(project(home));
      const events = entries.flatMap((entry) => (entry.type === "session_event" ? [entry] : []));
      assert.ok(events.some(({ name }) => name === "forked"));
      // The host reads nothing of its store here, so the copied messages may be missing. No event is.
      assert.doesNotMatch(events.map(({ text }) => text).join("\n"), /did not arrive/);
    }
  });

  test("a committed revert whose messages are of an earlier process says that there are more than the first", async () => {
    const home = makeTempDir();
    const host = new FakeHost2();
    await host.start();
    const events = recordedEvents("newest", "revert", home);
    await host.publish(...events.slice(indexOf(events, "session.revert.staged")));
    await host.end();
    const { entries } = await transcriptIn(project(home));
    const removed = entries.flatMap((entry) =>
      entry.type === "session_event" && entry.name === "removed" ? [entry.text] : [],
    );
    assert.deepEqual(removed, ["The host removed a message and all later ones from the session."]);
  });

  test("a move to another folder is in the transcript", async () => {
    const home = makeTempDir();
    const host = new FakeHost2();
    await host.start();
    const [created, ...events] = recordedEvents("newest", "plain", home);
    const data = { sessionID: created?.data.sessionID, location: { directory: "/elsewhere" } };
    const next = { ...events.at(-1), id: "evt_moved", durable: { seq: 20 } };
    await host.publish(created, ...events, { ...next, type: "session.moved", data });
    await host.end();
    const { entries } = await transcriptIn(project(home));
    const moved = entries.find((entry) => entry.type === "session_event" && entry.name === "location");
    assert.equal(moved?.type === "session_event" && moved.text, "/elsewhere");
  });

  test("what was lost is counted in the transcript if the host's store cannot be read", async () => {
    const home = makeTempDir();
    const host = new FakeHost2();
    host.isMute = true;
    await host.start();
    const events = recordedEvents("preview", "compact", home);
    const at = indexOf(events, "session.text.ended");
    events.splice(at, 2);
    await host.publish(...events);
    await host.end();
    const { entries } = await transcriptIn(project(home));
    const lost = entries.flatMap((entry) =>
      entry.type === "session_event" && entry.name === "missing entries" ? [entry.text] : [],
    );
    assert.deepEqual(lost, ["2 events of opencode did not arrive, and its database could not be read."]);
  });

  test("a text is recorded once if the host's store has it before the event that the step is repeated", async () => {
    const home = makeTempDir();
    const events = madeEvents(
      home,
      CREATED,
      ["session.step.started", ANSWER],
      ["session.retry.scheduled", { ...ANSWER, attempt: 2, error: { message: "busy" } }],
      ["session.step.started", ANSWER],
      ["session.text.started", { ...ANSWER, ordinal: 0 }],
      ["session.text.ended", { ...ANSWER, ordinal: 0, text: "Said once." }],
      ["session.step.ended", { ...ANSWER, finish: "stop" }],
    );
    const content = [{ type: "text", text: "Said once." }];
    const message = { id: ANSWER.assistantMessageID, type: "assistant", time: { created: 1 }, content };
    const info = { location: { directory: project(home) } };
    const host = new FakeHost2().has({ session: "ses_made", info, messages: [message] });
    await host.start();
    await host.publish(...events.filter(({ type }) => type !== "session.retry.scheduled"));
    await host.end();
    assert.deepEqual((await transcriptIn(project(home))).told, ["assistant: Said once."]);
  });

  test("arguments that are not JSON are no input of a call, also if they were read from the host's store", async () => {
    const home = makeTempDir();
    const calls = ["call_1", "call_2"];
    const error = { type: "provider.invalid-output", message: "Invalid JSON input" };
    const events = madeEvents(
      home,
      CREATED,
      ["session.step.started", ANSWER],
      ...calls.map((id) => ["session.tool.input.started", { ...ANSWER, id, name: "shell" }] as const),
      ...calls.map((id) => ["session.tool.failed", { ...ANSWER, id, error }] as const),
      ["session.step.ended", { ...ANSWER, finish: "error" }],
    );
    const host = new FakeHost2();
    const stores = (...states: object[]): void => {
      const content = calls.map((id, at) => ({ type: "tool", id, name: "shell", time: {}, state: states[at] }));
      const message = { id: ANSWER.assistantMessageID, type: "assistant", time: { created: 1 }, content };
      const info = { location: { directory: project(home) } };
      host.has({ session: "ses_made", info, messages: [message] });
    };
    const [streaming, failed] = [
      { status: "streaming", input: "{no json" },
      { status: "error", input: {}, error },
    ];
    await host.start();
    await host.publish(...events.slice(0, 4));
    stores(failed, streaming);
    await host.publish(...events.slice(4, 5));
    stores(failed, failed);
    await host.publish(...events.slice(5));
    await host.end();
    const { entries } = await transcriptIn(project(home));
    const inputs = entries.flatMap((entry) => (entry.type === "tool_use" ? [entry.input] : []));
    assert.deepEqual(inputs, [{}, {}]);
  });

  test("a stream that ends is opened again, and what was missed meanwhile is taken from the host's store", async () => {
    const home = makeTempDir();
    const host = new FakeHost2().has(storedAtEnd("compact", home));
    await host.start();
    const events = recordedEvents("newest", "compact", home);
    const end = indexOf(events, "session.step.started") + 1;
    await host.publish(...events.slice(0, end));
    host.endStreams();
    await eventually(() => host.streams === 1);
    await host.publish(...events.slice(-1));
    await host.end();
    assert.deepEqual((await transcriptIn(project(home))).told, PLAIN);
  });

  test("what came while the stream was closed is taken from the host's store, even if nothing follows", async () => {
    const home = makeTempDir();
    const host = new FakeHost2().has(storedAtEnd("compact", home));
    await host.start();
    const events = recordedEvents("newest", "compact", home);
    await host.publish(...events.slice(0, indexOf(events, "session.step.started") + 1));
    // By its time, the host has stored everything.
    await host.publish({ ...events.at(-1), type: "catalog.updated", data: {} });
    host.endStreams();
    await eventually(() => host.streams === 1);
    await nextTurn();
    await host.end();
    assert.deepEqual((await transcriptIn(project(home))).told, PLAIN);
  });
});

describe("a gap in the numbers of the events", () => {
  const shown = async (folder: string): Promise<string[]> =>
    (await transcriptIn(folder)).entries.flatMap((entry) =>
      entry.type === "session_event" && entry.name !== "usage" ? [`${entry.name}: ${entry.text}`] : [],
    );

  for (const [what, prepare] of [
    ["locked", ["PRAGMA journal_mode = DELETE", "BEGIN EXCLUSIVE"]],
    ["of an unknown version", ["CREATE TABLE session_message (id, body)"]],
  ] as const) {
    test(`is counted, and does not hold up the host, if its database is ${what}`, async () => {
      const home = makeTempDir();
      const path = join(process.env["XDG_DATA_HOME"] ?? "", "opencode", "opencode.db");
      const database = await sqliteWriter(path);
      for (const statement of prepare) database.exec(statement);
      const host = new FakeHost2();
      host.isMute = true;
      await host.start();
      const events = recordedEvents("newest", "compact", home);
      const at = indexOf(events, "session.step.ended");
      const began = performance.now();
      await host.publish(...events.slice(0, at), ...events.slice(at + 1));
      await host.end();
      assert.ok(performance.now() - began < 5_000);
      database.close();
      rmSync(path);
      const text = "1 event of opencode did not arrive, and its database could not be read.";
      assert.ok((await shown(project(home))).includes(`missing entries: ${text}`));
      assert.deepEqual((await transcriptIn(project(home))).told, PLAIN);
    });
  }

  test("is counted if only the host's messages can be read, which contain no other events", async () => {
    const home = makeTempDir();
    const host = new FakeHost2().has(storedAtEnd("e500", home));
    await host.start();
    const events = recordedEvents("newest", "e500", home);
    await host.publish(...events.filter(({ type }) => type !== "session.retry.scheduled"));
    await host.end();
    assert.ok(
      (await shown(project(home))).includes(
        "missing entries: 1 event of opencode did not arrive: what was said is in its database, other events of the session may be missing.",
      ),
    );
  });

  test("holds back no prompt with what an earlier process left unfinished", async () => {
    const home = makeTempDir();
    const events = recordedEvents("newest", "plain", home);
    const stored = storedAtEnd("plain", home);
    const left = { id: "msg_1", type: "assistant", time: { created: 1 }, content: [{ type: "text", text: "" }] };
    const host = new FakeHost2().has(stored && { ...stored, messages: [left, ...stored.messages] });
    await host.start();
    // This process starts during the first turn, and the title does not arrive.
    const last = events.findLastIndex(({ type }) => type === "session.inbox.enqueued");
    const arrived = events.slice(3, last + 3).filter(({ type }) => type !== "session.renamed");
    await host.publish(...arrived);
    const path = `${events[0]?.data.sessionID}.md`;
    const data = join(project(home), ".openfleet");
    await eventually(async () => {
      if (!existsSync(join(data, "transcripts", path))) return false;
      return (await readTranscript(data, path)).told.includes("user: SCN:second now");
    });
    await host.end();
  });
});

test("a subscriber that overflowed gets as many messages from the host's store as events are missing", async () => {
  const home = makeTempDir();
  const [created, ...events] = recordedEvents("newest", "compact", home);
  const messages = Array.from({ length: 120 }, (_, at) => {
    return { id: `msg_${String(at).padStart(4, "0")}`, type: "user", time: { created: at + 1 }, text: `asked ${at}` };
  });
  const host = new FakeHost2().has({ session: created?.data.sessionID ?? "", info: {}, messages });
  await host.start();
  const last = events.findLast(({ type }) => type === "session.renamed");
  await host.publish(created, { ...last, id: "evt_late", durable: { ...last?.durable, seq: 900 } });
  await host.end();
  const { told } = await transcriptIn(project(home));
  assert.deepEqual(
    told,
    messages.map(({ text }) => `user: ${text}`),
  );
});

describe("a reload in the middle of a turn", () => {
  test("repeats and loses nothing, although the old stream continues beside the new one", async () => {
    for (const at of [4, 7, 9, 12]) {
      const home = makeTempDir();
      const host = new FakeHost2();
      const cleanup = await host.start();
      const events = recordedEvents("preview", "compact", home);
      await host.publish(...events.slice(0, at));
      const ended = cleanup();
      await host.publish(...events.slice(at, at + 2));
      await ended;
      await nextTurn();
      await host.start();
      await host.publish(...events.slice(at + 2));
      await host.end();
      assert.deepEqual((await transcriptIn(project(home))).told.map(withoutMark), PLAIN, `at ${at}`);
    }
  });

  test("writes a text and a call once, with the model", async () => {
    for (const [name, type] of [
      ["compact", "session.text.delta"],
      ["compact", "session.step.started"],
      ["abort-tool", "session.tool.called"],
      ["tools", "session.tool.called"],
    ] as const) {
      const home = makeTempDir();
      const whole = new FakeHost2();
      const [alone, apart] = [join(home, "alone"), join(home, "apart")];
      await whole.start();
      await whole.publish(...recordedEvents("newest", name, alone));
      await whole.end();
      const host = new FakeHost2();
      const cleanup = await host.start();
      const events = recordedEvents("newest", name, apart);
      const at = indexOf(events, type) + 1;
      assert.ok(at > 0);
      await host.publish(...events.slice(0, at));
      await cleanup();
      await host.start();
      await host.publish(...events.slice(at));
      await host.end();
      const [expected, found] = [await transcriptIn(project(alone)), await transcriptIn(project(apart))];
      const told = found.told.map((line) => line.replaceAll(apart, alone));
      assert.deepEqual(told, expected.told, `${name} at ${type}`);
      const facts = ({ entries }: ReadTranscript): unknown[] =>
        entries.flatMap((entry) => (entry.type === "assistant" ? [[entry.model, entry.agent]] : []));
      assert.deepEqual(facts(found), facts(expected), `${name} at ${type}`);
      const replaced = found.raw.filter((entry) => "continues" in entry && entry.continues === "replace");
      assert.deepEqual(replaced, [], "nothing stands twice in the file");
    }
  });

  test("loses nothing that comes before the new instance listens", async () => {
    const home = makeTempDir();
    const host = new FakeHost2();
    const cleanup = await host.start();
    const events = recordedEvents("preview", "compact", home);
    await host.publish(...events.slice(0, 7));
    await cleanup();
    await host.publish(...events.slice(7, 12));
    await host.start();
    await host.publish(...events.slice(12));
    await host.end();
    assert.deepEqual((await transcriptIn(project(home))).told.map(withoutMark), PLAIN);
  });

  test("closes the old stream, which the host would keep open", async () => {
    const host = new FakeHost2();
    const cleanup = await host.start();
    assert.equal(host.streams, 1);
    await cleanup();
    await eventually(() => host.streams === 0);
  });

  const withoutMark = (line: string): string => line.replace(/ \((?:interrupted|replace|append)\)/g, "");
});

describe("the cleanup", () => {
  test("asks once more for a folder that the host did not report", async () => {
    const home = makeTempDir();
    const host = new FakeHost2().has(storedAtEnd("compact", home));
    host.isMute = true;
    await host.start();
    await host.publish(...withoutFolder(recordedEvents("newest", "compact", home)));
    host.isMute = false;
    await host.end();
    assert.deepEqual((await transcriptIn(project(home))).told, PLAIN);
  });

  test("of one instance leaves a session of unknown folder to the others", async () => {
    const home = makeTempDir();
    const host = new FakeHost2();
    const cleanup = await host.start({ directory: join(home, "other") });
    await host.start({ directory: project(home) });
    const events = recordedEvents("newest", "compact", home);
    await host.publish(...withoutFolder(events.slice(0, 4)));
    await cleanup();
    await host.publish(...events.slice(4));
    await host.end();
    assert.deepEqual((await transcriptIn(project(home))).told, PLAIN);
    assert.deepEqual(filesIn(join(home, "other")), []);
  });

  test("warns how many events it cannot record, if no folder is known at all", async () => {
    const host = new FakeHost2();
    await host.start();
    const events = withoutFolder(recordedEvents("newest", "plain", makeTempDir()));
    await host.publish(...events);
    const warning = once(process, "warning");
    await host.end();
    assert.match(
      String(await warning),
      new RegExp(`${events.length} events of session ${events[0]?.data.sessionID} could`),
    );
  });

  test("counts events that were dropped because too many waited for a folder", async () => {
    const home = makeTempDir();
    const events = recordedEvents("newest", "compact", home);
    const [first] = withoutFolder(events);
    const host = new FakeHost2().has(storedAtEnd("compact", home));
    host.isMute = true;
    const cleanup = await host.start();
    await host.publish(...Array.from({ length: 250 }, (_, at) => ({ ...first, id: `evt_early${at}` })));
    const warning = once(process, "warning");
    await cleanup();
    assert.match(String(await warning), /\b250 events of session/);
    await host.start();
    host.isMute = false;
    await host.publish(...events);
    await host.end();
    const { told, entries } = await transcriptIn(project(home));
    assert.deepEqual(told, PLAIN);
    const counts = entries.flatMap((entry) =>
      entry.type === "session_event" && entry.name === "missing entries" ? [entry.data] : [],
    );
    assert.deepEqual(counts, [{ missing: 50 }]);
  });

  for (const isMute of [true, "forever"] as const) {
    test(`resolves within the 3 s that the host grants, if the host ${isMute === true ? "fails" : "does not answer"}`, async () => {
      const home = makeTempDir();
      const host = new FakeHost2();
      host.isMute = isMute;
      const cleanup = await host.start();
      // A session of which nothing is known, so that its place is asked for, and events that need the host's store.
      const events = recordedEvents("preview", "abort-tool", home).filter(({ durable }) => (durable?.seq ?? 9) > 4);
      await host.publish(...events.slice(0, 6), ...events.slice(8, 12));
      const limit = new Promise<string>((resolve) => setTimeout(resolve, 3_000, "late"));
      assert.equal(await Promise.race([cleanup().then(() => "in time"), limit]), "in time");
    });
  }

  test("records events that wait for a host that does not answer, and how many did not arrive", async () => {
    const home = makeTempDir();
    const host = new FakeHost2();
    const cleanup = await host.start();
    const events = recordedEvents("preview", "compact", home);
    await host.publish(...events.slice(0, 4));
    host.isMute = "forever";
    await host.publish(...events.slice(6));
    await cleanup();
    const { told, entries } = await transcriptIn(project(home));
    assert.deepEqual(told, [
      "assistant: Hello there, this is a plain answer.",
      "assistant: A title for plain",
      "user: SCN:second after",
      "assistant: The second answer.",
    ]);
    const texts = entries.flatMap((entry) => (entry.type === "session_event" ? [entry.text] : []));
    assert.ok(texts.includes("2 events of opencode did not arrive, and its database could not be read."), texts.join());
  });

  test("resolves within the 3 s that the host grants, if the tools do not close", async () => {
    const home = makeTempDir();
    const host = new FakeHost2();
    const cleanup = await host.start();
    await host.publish(...recordedEvents("newest", "plain", home));
    for (const shared of recordings()) Object.assign(shared, { closeTools: () => new Promise(() => undefined) });
    const limit = new Promise<string>((resolve) => setTimeout(resolve, 3_000, "late"));
    assert.equal(await Promise.race([cleanup().then(() => "in time"), limit]), "in time");
  });

  test("ends calls and texts that the host left open as interrupted, if no new instance continues them", async () => {
    const home = makeTempDir();
    const host = new FakeHost2();
    await host.start();
    const events = recordedEvents("preview", "abort-tool", home);
    await host.publish(...events.slice(0, indexOf(events, "session.tool.called") + 1));
    await host.end();
    const last = async (): Promise<string> => (await transcriptIn(project(home))).told.at(-1) ?? "";
    assert.match(await last(), /^use: /, "what is known is on the disk");
    await eventually(async () => (await last()).startsWith("interrupted: "));
  });
});

describe("whole entries", () => {
  test("do not wait for the recording's preparation, which begins before the first event if the folder is known", async () => {
    const home = makeTempDir();
    const host = new FakeHost2();
    await host.start({ directory: project(home) });
    assert.ok(recordings().some(({ dataFolder }) => dataFolder === join(project(home), ".openfleet")));
    await host.end();
  });

  test("are written as they come, without an event that follows", async () => {
    const home = makeTempDir();
    const host = new FakeHost2();
    await host.start();
    const events = recordedEvents("newest", "compact", home);
    const data = join(project(home), ".openfleet");
    const path = `${events[0]?.data.sessionID}.md`;
    await host.publish(...events.slice(0, indexOf(events, "session.inbox.delivered") + 1));
    // It may be read in the middle of a write.
    const holds = async (lines: readonly string[]): Promise<boolean> =>
      existsSync(join(data, "transcripts", path)) && isDeepStrictEqual((await readTranscript(data, path)).told, lines);
    await eventually(() => holds(PLAIN.slice(0, 1)));
    await host.publish(...events.slice(0, indexOf(events, "session.step.ended") + 1));
    await eventually(() => holds(PLAIN.slice(0, 2)));
    await host.end();
  });
});

describe("tools in opencode 2.x", () => {
  test("are offered with a JSON schema under the names of both versions, directly to the model", async () => {
    const host = new FakeHost2();
    await host.start({ options: { tools: ["save_conversation", "list_sessions"] } });
    assert.deepEqual(host.tools.map(({ name }) => name).toSorted(), ["list_sessions", "save_conversation"]);
    for (const { input, jsonSchema, options, description } of host.tools) {
      assert.equal(Reflect.get(input, "type"), "object");
      assert.deepEqual(jsonSchema, input);
      assert.deepEqual(options, { codemode: false });
      assert.notEqual(description, "");
    }
    await host.end();
  });

  for (const refuses of ["tools", "hooks", "list_sessions", "to answer"]) {
    test(`do not stand in each other's way, nor in that of recording, if the host refuses ${refuses}`, async () => {
      const home = makeTempDir();
      const host = new FakeHost2();
      host.refuses = refuses;
      const began = performance.now();
      await host.start({ options: { tools: ["list_sessions", "save_conversation"] } });
      assert.ok(performance.now() - began < 10_000);
      await host.publish(...recordedEvents("newest", "compact", home));
      await host.end();
      const offered = refuses === "tools" ? [] : ["save_conversation"];
      assert.deepEqual(
        host.tools.map(({ name }) => name).filter((name) => name !== "list_sessions"),
        offered,
      );
      assert.equal(host.hooks.has("compaction"), refuses !== "hooks");
      assert.deepEqual((await transcriptIn(project(home))).told, PLAIN);
    });
  }

  test("save the session that calls them, answer with content, and reject with words for the model", async () => {
    const home = makeTempDir();
    const host = new FakeHost2();
    await host.start();
    const events = recordedEvents("newest", "compact", home);
    await host.publish(...events);
    const call = (name: string, input: unknown) =>
      host.tools.find((tool) => tool.name === name)?.execute(input, { sessionID: events[0]?.data.sessionID });
    const saved = await call("save_conversation", { note: null });
    assert.match(saved?.content[0]?.text ?? "", /^Saved as .openfleet\/sessions\/.*: 5 messages/);
    const listed = await call("list_sessions", {});
    assert.match(listed?.content[0]?.text ?? "", /A title for plain|SCN:plain/);
    await assert.rejects(async () => call("find_in_transcripts", { wrong: 1 }), /"wrong" is not known/);
    await host.end();
  });

  test("save_conversation asks the host for a summary when the turn has ended, if it takes such requests", async () => {
    const home = makeTempDir();
    const host = new FakeHost2();
    host.summarized = [];
    await host.start();
    const events = recordedEvents("newest", "plain", home);
    const at = indexOf(events, "session.execution.succeeded");
    await host.publish(...events.slice(0, at));
    const sessionID = events[0]?.data.sessionID ?? "";
    const save = host.tools.find(({ name }) => name === "save_conversation");
    const answer = await save?.execute({ compact: true }, { sessionID });
    assert.match(JSON.stringify(answer), /will be summarized/);
    assert.deepEqual(host.summarized, []);
    await host.publish(...events.slice(at));
    await eventually(() => host.summarized?.length === 1);
    assert.deepEqual(host.summarized, [sessionID]);
    await host.end();
  });
});

describe("the prompt for a summary", () => {
  test("gets the line with the transcript's path, unless the option is off", async () => {
    for (const compactionHint of [true, false]) {
      const home = makeTempDir();
      const host = new FakeHost2();
      await host.start({ options: { compactionHint } });
      const events = recordedEvents("newest", "compact", home);
      await host.publish(...events);
      const sessionID = events[0]?.data.sessionID;
      const path = join(project(home), ".openfleet/transcripts", `${sessionID}.md`);
      await eventually(() => existsSync(path));
      const system: { type: string; text: string }[] = [];
      await host.hooks.get("compaction")?.({ sessionID, system });
      assert.equal(
        system.filter(({ type, text }) => type === "text" && text.includes(path)).length,
        compactionHint ? 1 : 0,
      );
      await host.end();
    }
  });
});
