import assert from "node:assert/strict";
import { join } from "node:path";
import fc from "fast-check";
import { callHints, promptRecords, resultHints } from "../../src/host/opencode-1/hook-records.ts";
import { EventTranslator } from "../../src/host/opencode-1/events.ts";
import { jsonCopy } from "../../src/json-copy.ts";
import { storedRecords } from "../../src/agents/opencode/opencode-records.ts";
import { stored } from "../support/recording/conversation.ts";
import { abortError, event, part, status, type HostStep } from "../support/recording/host-steps.ts";
import { hostileMaker, spoiled } from "../support/recording/hostile-values.ts";
import { hookOf, PluginHost } from "../support/recording/plugin-host.ts";
import { readTranscript } from "../support/recording/recording.ts";
import { newSession, sampleConversation, toldBy } from "../support/recording/sample.ts";
import { afterAll, describe, runs, test } from "../support/runner.ts";
import { makeTempDir, removeTempDirs } from "../support/temp-dir.ts";

const rejections: unknown[] = [];
process.on("unhandledRejection", (reason) => rejections.push(reason));

afterAll(removeTempDirs);

const NAMES = ["event", "chat.message", "tool.execute.before", "tool.execute.after"] as const;

const EVENT_TYPES = [
  "session.created",
  "session.updated",
  "session.deleted",
  "session.status",
  "session.idle",
  "session.error",
  "session.compacted",
  "session.diff",
  "message.updated",
  "message.removed",
  "message.part.updated",
  "message.part.delta",
  "message.part.removed",
  "permission.asked",
  "permission.updated",
  "permission.replied",
  "question.asked",
  "question.replied",
  "question.rejected",
  "todo.updated",
  "file.edited",
  "command.executed",
  "server.connected",
  "x",
  "",
];

const at = { sessionID: "ses_1", messageID: "msg_1", id: "prt_1" };
const file = { mime: "image/png", url: "data:image/png;base64,AAAA" };

/** Well-formed steps of every kind, to be spoiled. */
const STEPS: HostStep[] = [
  ...newSession("ses_1"),
  status("ses_1", "retry", { attempt: 1, message: "again", next: 1 }),
  abortError("ses_1"),
  part(at, "file", file),
  part(at, "agent", { name: "x" }),
  part(at, "subtask", { prompt: "x" }),
  part(at, "patch", { files: ["a", "b"] }),
  part(at, "compaction", { auto: true }),
  part(at, "retry", {
    attempt: 1,
    error: { name: "APIError", data: { message: "x", statusCode: 500, isRetryable: true } },
  }),
  part(at, "tool", {
    tool: "task",
    callID: "c",
    state: {
      status: "completed",
      input: { a: 1 },
      output: "x",
      title: "t",
      metadata: { truncated: true, outputPath: "/x", sessionId: "ses_2" },
      time: { start: 1, end: 2 },
      attachments: [file],
    },
  }),
  event("permission.asked", {
    id: "per_1",
    sessionID: "ses_1",
    permission: "bash",
    patterns: ["ls"],
    metadata: { a: 1 },
    tool: { messageID: "msg_1", callID: "c" },
  }),
  event("permission.replied", { sessionID: "ses_1", requestID: "per_1", reply: "once" }),
  event("question.asked", {
    sessionID: "ses_1",
    questions: [{ question: "?", options: [{ label: "a" }] }],
    tool: { callID: "c" },
  }),
  event("question.replied", { sessionID: "ses_1", answers: [["a"]] }),
  event("todo.updated", { sessionID: "ses_1", todos: [{ content: "x", status: "completed" }] }),
  event("command.executed", { sessionID: "ses_1", name: "x", arguments: "y", messageID: "msg_1" }),
  event("message.removed", { sessionID: "ses_1", messageID: "msg_1" }),
  event("message.part.removed", { sessionID: "ses_1", messageID: "msg_1", partID: "prt_1" }),
];

interface AnyCall {
  name: (typeof NAMES)[number];
  /** What it is handed: made anew for each call. */
  given: () => [input: unknown, output: unknown];
}

const path = fc.array(fc.nat(20), { minLength: 1, maxLength: 6 });

const spoiledStep: fc.Arbitrary<AnyCall> = fc
  .record({ step: fc.constantFrom(...STEPS), places: path, make: hostileMaker })
  .map(({ step, places, make }) => ({
    name: step.kind === "event" ? "event" : step.name,
    given: () => {
      const given = step.kind === "event" ? [{ event: step.event }] : [step.input, step.output];
      const both = spoiled(given, places, make());
      return Array.isArray(both) ? [both[0], both[1]] : [both, both];
    },
  }));

const anyCall: fc.Arbitrary<AnyCall> = fc
  .record({ name: fc.constantFrom(...NAMES), input: hostileMaker, output: hostileMaker })
  .map(({ name, input, output }) => ({ name, given: () => [input(), output()] }));

const anyEvent: fc.Arbitrary<AnyCall> = fc
  .record({ type: fc.constantFrom(...EVENT_TYPES), properties: hostileMaker })
  .map(({ type, properties }) => ({
    name: "event",
    given: () => [{ event: { type, properties: properties() } }, undefined],
  }));

const hostileCall = fc.oneof(
  { weight: 3, arbitrary: spoiledStep },
  { weight: 1, arbitrary: anyCall },
  { weight: 1, arbitrary: anyEvent },
);

describe("hooks that get invalid values", () => {
  test("never throw or reject, and a valid session is recorded afterwards", async () => {
    const project = makeTempDir();
    const host = new PluginHost(project, { format: "both", redact: false });
    await fc.assert(
      fc.asyncProperty(fc.array(hostileCall, { minLength: 1, maxLength: 12 }), async (calls) => {
        for (const { name, given } of calls) {
          const [input, output] = given();
          // A throw fails the test as well as a rejection does.
          const promise = hookOf(host.hooks, name)(input, output);
          assert.equal(await promise, undefined);
        }
      }),
      { numRuns: runs(500) },
    );
    await host.does(...newSession("ses_well"));
    await host.dispose();
    for (const name of ["ses_well.md", "ses_well.jsonl"]) {
      const { told, problems } = await readTranscript(join(project, ".openfleet"), name);
      assert.deepEqual(problems, []);
      assert.deepEqual(told, toldBy(sampleConversation("ses_well")));
    }
    assert.deepEqual(rejections, []);
    assert.equal(Reflect.get({}, "polluted"), undefined);
    assert.deepEqual(
      host.toasts.filter((toast) => toast.includes("Please report it")),
      [],
      "none of it counts as a failure of ours",
    );
  });

  test("make only records that are valid JSON", () => {
    const translator = new EventTranslator();
    fc.assert(
      fc.property(hostileCall, ({ name, given }) => {
        const [input, output] = given();
        const make = {
          event: () => translator.translate(input),
          "chat.message": () => promptRecords(translator, input, output),
          "tool.execute.before": () => callHints(input, output),
          "tool.execute.after": () => resultHints(input, output),
        };
        const records = make[name]();
        const text = JSON.stringify(records);
        assert.deepEqual(JSON.parse(text), records);
      }),
      { numRuns: runs(500) },
    );
  });

  test("stored messages of any shape produce records or nothing", () => {
    const messages = stored(sampleConversation("ses_1"));
    fc.assert(
      fc.property(fc.constantFrom(...messages), path, hostileMaker, (one, places, make) => {
        const records = storedRecords(jsonCopy(spoiled(one, places, make())));
        assert.deepEqual(JSON.parse(JSON.stringify(records)), records);
      }),
      { numRuns: runs(1_000) },
    );
  });
});
