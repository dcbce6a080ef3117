import assert from "node:assert/strict";
import { join } from "node:path";
import type { HostStep } from "../support/recording/host-steps.ts";
import {
  ABORTED,
  abortError,
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
import { nested, throwingProxy } from "../support/recording/hostile-values.ts";
import { hookOf, PluginHost } from "../support/recording/plugin-host.ts";
import { readSound, transcriptsIn } from "../support/recording/recording.ts";
import { newSession, sampleConversation, stepsOf, toldBy } from "../support/recording/sample.ts";
import { afterAll, describe, test } from "../support/runner.ts";
import { makeTempDir, removeTempDirs } from "../support/temp-dir.ts";

const rejections: unknown[] = [];
process.on("unhandledRejection", (reason) => rejections.push(reason));

afterAll(removeTempDirs);

const OPTIONS = { redact: false };
const never = new Promise<never>(() => undefined);

/** Every text in it is another one afterwards. */
function overwrite(value: unknown): void {
  if (typeof value !== "object" || value === null) return;
  for (const [key, member] of Object.entries(value)) {
    if (typeof member === "object") overwrite(member);
    else Reflect.set(value, key, typeof member === "string" ? "overwritten" : undefined);
  }
}

describe("values that the host changes right after the hook", () => {
  test("are recorded as they were", async () => {
    const project = makeTempDir();
    const host = new PluginHost(project, OPTIONS);
    // One by one: the steps share values, which a host would not overwrite beforehand.
    const steps = newSession("ses_1").map((step): HostStep => structuredClone(step));
    for (const step of steps) {
      const [input, output] = step.kind === "event" ? [{ event: step.event }, undefined] : [step.input, step.output];
      const done = hookOf(host.hooks, step.kind === "event" ? "event" : step.name)(input, output);
      overwrite(input);
      overwrite(output);
      await done;
    }
    await host.dispose();
    const { told, headers } = await readSound(join(project, ".openfleet"), "ses_1.md");
    assert.deepEqual(told, toldBy(sampleConversation("ses_1")));
    assert.equal(headers[0]?.title, "A session");
  });
});

const VALUES = Array.from({ length: 250_000 }, (_, at) => at);

describe("values that are very large", () => {
  test("strings of 8 MB are recorded whole, wherever the host puts them", async () => {
    const project = makeTempDir();
    const host = new PluginHost(project, { ...OPTIONS, format: "jsonl" });
    const big = "0123456789".repeat(800_000);
    const place = { sessionID: "ses_1", messageID: "msg_2", id: "prt_3", callID: "c", tool: "bash" };
    await host.does(
      session("created", "ses_1"),
      message("ses_1", "msg_1", "user"),
      userText({ ...place, messageID: "msg_1", id: "prt_1" }, big),
      message("ses_1", "msg_2", "assistant"),
      wholeText({ ...place, id: "prt_2" }, big),
      call(place, running({ command: big })),
      call(place, completed({ command: big }, big)),
    );
    await host.dispose();
    const { entries } = await readSound(join(project, ".openfleet"), "ses_1.jsonl");
    const [user, text, use, result] = entries;
    assert.ok(user?.type === "user" && user.content === big);
    assert.ok(text?.type === "assistant" && text.content === big);
    assert.ok(use?.type === "tool_use" && JSON.stringify(use.input) === JSON.stringify({ command: big }));
    assert.ok(result?.type === "tool_result" && result.output === big);
  });

  test("ids and names of 10 MB do no harm", async () => {
    const project = makeTempDir();
    const host = new PluginHost(project, OPTIONS);
    const big = "x".repeat(10_000_000);
    const place = { sessionID: big, messageID: big, id: big, callID: big, tool: big };
    await host.does(
      session("created", big, { title: big, version: big }),
      message(big, big, "assistant"),
      call(place, completed({}, "x")),
    );
    await host.does(...newSession("ses_1"));
    await host.dispose();
    assert.equal(transcriptsIn(join(project, ".openfleet")).length, 2);
  });

  for (const [what, input, expected] of [
    ["nested 10,000 deep is recorded whole", nested(10_000), JSON.stringify(nested(10_000))],
    ["with 250,000 values is recorded whole", { values: VALUES }, JSON.stringify({ values: VALUES })],
  ] as const) {
    test(`input ${what}, and so is what follows`, async () => {
      const project = makeTempDir();
      const host = new PluginHost(project, { ...OPTIONS, format: "both" });
      const place = { sessionID: "ses_1", messageID: "msg_2", id: "prt_3", callID: "c", tool: "bash" };
      for (const step of [
        session("created", "ses_1"),
        message("ses_1", "msg_2", "assistant"),
        call(place, running(input)),
        call(place, completed(input, "x")),
        wholeText({ ...place, id: "prt_4" }, "The answer."),
      ]) {
        if (step.kind === "event") await hookOf(host.hooks, "event")({ event: step.event }, undefined);
      }
      await host.dispose();
      for (const name of ["ses_1.md", "ses_1.jsonl"]) {
        const { entries } = await readSound(join(project, ".openfleet"), name);
        const [use, result, answer] = entries;
        assert.ok(use?.type === "tool_use" && JSON.stringify(use.input) === expected, name);
        assert.ok(result?.type === "tool_result" && result.output === "x", name);
        assert.ok(answer?.type === "assistant", name);
      }
    });
  }

  test("only a member that JSON cannot represent is lost", async () => {
    const project = makeTempDir();
    const host = new PluginHost(project, OPTIONS);
    const cycle: Record<string, unknown> = {};
    cycle["self"] = cycle;
    const place = { sessionID: "ses_1", callID: "c", tool: "acme" };
    await host.does(session("created", "ses_1"));
    await hookOf(host.hooks, "tool.execute.before")(place, { args: { n: 1 } });
    await hookOf(host.hooks, "tool.execute.after")(place, {
      title: "",
      output: "done",
      metadata: { cycle, count: 10n, plain: 1 },
    });
    await host.dispose();
    const { entries } = await readSound(join(project, ".openfleet"), "ses_1.md");
    const result = entries.find((entry) => entry.type === "tool_result");
    assert.ok(result?.type === "tool_result" && result.output === "done");
    assert.match(JSON.stringify(result.metadata), /"count":"10","plain":1/);
  });
});

describe("a client that is missing or broken", () => {
  const clients: Record<string, unknown> = {
    "is not there": undefined,
    "has none of the calls": {},
    "throws whatever it is asked": throwingProxy(),
    rejects: everything(() => Promise.reject(new Error("no"))),
    throws: everything(() => {
      throw new Error("no");
    }),
    "answers nothing of use": everything(() => Promise.resolve({ data: { x: 1 }, error: 1 })),
    "answers with no promise": everything(() => 1),
    "never answers": everything(() => never),
  };
  for (const [name, client] of Object.entries(clients)) {
    test(`${name}: sessions old and new are recorded all the same`, async () => {
      const project = makeTempDir();
      // A wrong option, so that there is something to tell too.
      const host = new PluginHost(project, { ...OPTIONS, format: "html" }, { client: client ?? null });
      await host.does(...newSession("ses_new"), ...stepsOf(sampleConversation("ses_old")));
      await host.dispose();
      const folder = join(project, ".openfleet");
      for (const id of ["ses_new", "ses_old"]) {
        assert.deepEqual((await readSound(folder, `${id}.md`)).told, toldBy(sampleConversation(id)));
      }
      assert.deepEqual(rejections, []);
    });
  }
});

describe("a plugin instance that is recreated in the same process", () => {
  test("continues where the old one ended, while both exist", async () => {
    const project = makeTempDir();
    const first = new PluginHost(project, OPTIONS);
    const of = { sessionID: "ses_1", messageID: "msg_0000_4", id: "prt_0000_c" };
    await first.does(...newSession("ses_1"), message("ses_1", "msg_0000_4", "assistant"), openText(of));
    const second = new PluginHost(project, OPTIONS);
    await first.dispose();
    await second.does(wholeText(of, "Whole."), ...stepsOf(sampleConversation("ses_1", 1, 1)));
    await second.dispose();
    const third = new PluginHost(project, OPTIONS);
    await third.does(...stepsOf(sampleConversation("ses_1", 1, 2)));
    await third.dispose();
    const { told } = await readSound(join(project, ".openfleet"), "ses_1.md");
    const [one, two, three] = [0, 1, 2].map((from) => toldBy(sampleConversation("ses_1", 1, from)));
    assert.deepEqual(told, [...(one ?? []), "assistant: Whole.", ...(two ?? []), ...(three ?? [])]);
  });

  test("two with the same events record them once", async () => {
    const project = makeTempDir();
    const hosts = [new PluginHost(project, OPTIONS), new PluginHost(project, OPTIONS)];
    for (const step of newSession("ses_1", 3)) for (const host of hosts) await host.does(step);
    for (const host of hosts) await host.dispose();
    const { told, raw } = await readSound(join(project, ".openfleet"), "ses_1.md");
    assert.deepEqual(told, toldBy(sampleConversation("ses_1", 3)));
    assert.equal(raw.filter((entry) => entry.type === "session_event").length, 6, "one usage event a model call");
  });

  for (const [name, options] of [
    ["the same options", OPTIONS],
    ["other options", { ...OPTIONS, maxInlineChars: 100 }],
  ] as const) {
    test(`two of two entries with ${name} record a text that is cut off once`, async () => {
      const project = makeTempDir();
      const hosts = [new PluginHost(project, OPTIONS), new PluginHost(project, options)];
      const of = { sessionID: "ses_1", messageID: "msg_0000_4", id: "prt_0000_c" };
      const cut = [message("ses_1", "msg_0000_4", "assistant"), openText(of), delta(of, "one "), delta(of, "two")];
      for (const step of [
        ...newSession("ses_1"),
        ...cut,
        abortError("ses_1"),
        message("ses_1", "msg_0000_4", "assistant", ABORTED),
      ])
        for (const host of hosts) await host.does(step);
      for (const host of hosts) await host.dispose();
      const { told } = await readSound(join(project, ".openfleet"), "ses_1.md");
      assert.deepEqual(told, [...toldBy(sampleConversation("ses_1")), "assistant (interrupted): one two"]);
    });
  }
});

/** A client each of whose calls does the same. */
function everything(call: () => unknown): object {
  return new Proxy({}, { get: () => new Proxy({}, { get: () => call }) });
}
