/**
 * What the real opencode has stored of a session against what its transcripts have: with two processes at work on it,
 * after turns without the plugin, after a text whose end was stored too late, and with a plugin that changes prompts.
 * Needs `dist/`.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { TranscriptEntry } from "../../src/transcript/format/entry-types.ts";
import { parseExport, type ExportedSession } from "../support/host/export.ts";
import { expectedEntries } from "../support/host/expected.ts";
import { call, gate, moreArguments, rawCall, text } from "../support/host/model-script.ts";
import { startModel, type ModelServer } from "../support/host/model.ts";
import { startOpencode, type Opencode } from "../support/host/opencode.ts";
import { compareWithExport } from "../support/host/oracle.ts";
import { runOpencode } from "../support/host/process.ts";
import { readRecorded } from "../support/host/recorded.ts";
import { createSandbox, type PluginSpec, type Sandbox } from "../support/host/sandbox.ts";
import type { Format } from "../support/host/scenario.ts";
import { REPOSITORY } from "../support/repository.ts";
import { afterAll, describe, test } from "../support/runner.ts";

const TIMEOUT_MS = 600_000;
const OURS: PluginSpec = [REPOSITORY, { format: "both" }];
const CHANGER = fileURLToPath(new URL("../support/host/prompt-plugin.js", import.meta.url));
const FORMATS = ["markdown", "jsonl"] as const;

const task = call("task", { description: "wait", prompt: "scenario:child", subagent_type: "general" });
let model: Promise<ModelServer> | undefined;
const theModel = (): Promise<ModelServer> =>
  (model ??= startModel({
    one: [[text("One.")]],
    delegate: [
      [call("task", { description: "one", prompt: "scenario:one please", subagent_type: "general" })],
      [text("Delegated.")],
    ],
    tool: [
      [text("I run."), call("bash", { command: "echo begun; sleep 6; echo over", description: "x" })],
      [text("Ran.")],
    ],
    arguments: [
      [
        rawCall("bash", '{"command":"echo', { pieces: 1 }),
        gate("arguments"),
        moreArguments(' late","description":"x"}'),
      ],
      [text("Said.")],
    ],
    parent: [[task], [text("The child is done.")]],
    child: [[text("I wait."), gate("child"), text(" No more.")]],
    cut: [[text("The beginning of"), gate("never")]],
  }));
afterAll(async () => (await model)?.close());

describe("a second process gets a prompt in a session", () => {
  const working = {
    tool: async ({ feed }: Opencode, id: string) => feed.running(id, "begun"),
    arguments: async ({ feed }: Opencode, id: string) => feed.part(id, { status: "pending" }),
    parent: async ({ feed }: Opencode, id: string) => {
      await (await theModel()).reached("child");
      await feed.part(id, { status: "running" });
    },
  };
  for (const [script, begins] of Object.entries(working)) {
    test(
      `while the first one is at work (${script}): each call ends as opencode stored it`,
      () =>
        inSandbox([OURS], async (sandbox) => {
          const first = await startOpencode(sandbox);
          const { id } = await first.client.createSession();
          await first.client.promptAsync(id, `scenario:${script} please`);
          await begins(first, id);
          const second = await startOpencode(sandbox);
          await second.client.prompt(id, "scenario:one please");
          await end(second);
          for (const name of ["arguments", "child"]) (await theModel()).open(name);
          // Not for its answer: its loop ends without one if the second process answered last.
          await first.client.idle(id);
          await end(first);
          for (const session of await family(first, id)) {
            for (const format of FORMATS) assertSameCalls(session, await entriesOf(sandbox, session, format));
          }
        }),
      TIMEOUT_MS,
    );
  }
});

describe("turns without the plugin", () => {
  test(
    "are recorded when the plugin is back; a format added later gets the whole session",
    () =>
      inSandbox([[REPOSITORY, { format: "markdown" }]], async (sandbox) => {
        let server = await startOpencode(sandbox);
        const { id } = await server.client.createSession();
        await server.client.prompt(id, "scenario:one please");
        await end(server);
        await sandbox.configure([]);
        server = await startOpencode(sandbox);
        await server.client.prompt(id, "scenario:delegate please");
        for (let n = 0; n < 110; n++) await say(server, id, `Note ${n}.`);
        await end(server);
        await sandbox.configure([OURS]);
        server = await startOpencode(sandbox);
        await server.client.prompt(id, "scenario:one again");
        await end(server);
        // The subagent's own session ended without the plugin; it is read from opencode's store.
        await assertAsStored(server, id);
      }),
    TIMEOUT_MS,
  );

  test(
    "are recorded if the plugin is removed and added again in one process",
    () =>
      inSandbox([OURS], async (sandbox) => {
        const server = await startOpencode(sandbox);
        const { id } = await server.client.createSession();
        await server.client.prompt(id, "scenario:one please");
        await sandbox.configure([]);
        await server.client.disposeInstance();
        await say(server, id, "Unheard.");
        await sandbox.configure([OURS]);
        await server.client.disposeInstance();
        await server.client.prompt(id, "scenario:one again");
        await end(server);
        await assertAsStored(server, id);
      }),
    TIMEOUT_MS,
  );
});

describe("a text that opencode stored more of than was recorded", () => {
  for (const signal of ["SIGTERM", "SIGINT", "SIGKILL"] as const) {
    test(
      `is completed when the session continues after ${signal}`,
      () =>
        inSandbox([OURS], async (sandbox) => {
          let server = await startOpencode(sandbox);
          const { id } = await server.client.createSession();
          await server.client.promptAsync(id, "scenario:cut please");
          await server.feed.streamed(id, "The beginning of");
          await server.stop(signal);
          server.feed.close();
          // What opencode does by itself once in a dozen such ends, at the moment of its own death.
          const whole = `json_set(data, '$.text', 'The beginning of the end.', '$.time.end', 1)`;
          const where = `session_id = '${id}' and data like '%"type":"text"%' and data like '%"start"%'`;
          const { code, stderr } = await runOpencode(sandbox, ["db", `update part set data = ${whole} where ${where}`]);
          assert.equal(code, 0, stderr);
          server = await startOpencode(sandbox);
          await server.client.prompt(id, "scenario:one please");
          await end(server);
          const exported = await assertAsStored(server, id);
          assert.ok(JSON.stringify(exported).includes("The beginning of the end."), "the store was changed");
        }),
      TIMEOUT_MS,
    );
  }
});

describe("a plugin listed after this one that changes prompts", () => {
  test(
    "each prompt is one user message, as opencode stored it",
    () =>
      inSandbox([OURS, CHANGER], async (sandbox) => {
        const server = await startOpencode(sandbox);
        const { id } = await server.client.createSession();
        await server.client.prompt(id, "scenario:one please");
        await say(server, id, "No reply is wanted.");
        await server.client.prompt(id, "scenario:one again");
        await end(server);
        await assertAsStored(server, id);
      }),
    TIMEOUT_MS,
  );

  test(
    "and a process that is killed 200 ms after a prompt: the prompt is there once",
    () =>
      inSandbox([OURS], async (sandbox) => {
        let server = await startOpencode(sandbox);
        const { id } = await server.client.createSession();
        await server.client.prompt(id, "scenario:one please");
        void say(server, id, "Is it kept?").catch(() => undefined);
        await server.feed.waitFor(({ properties }) => JSON.stringify(properties).includes("Is it kept?"));
        await sleep(200);
        await server.stop("SIGKILL");
        server.feed.close();
        server = await startOpencode(sandbox);
        await server.client.prompt(id, "scenario:one again");
        await end(server);
        await assertAsStored(server, id);
      }),
    TIMEOUT_MS,
  );
});

async function inSandbox(plugins: readonly PluginSpec[], run: (sandbox: Sandbox) => Promise<void>): Promise<void> {
  const sandbox = await createSandbox({ modelURL: (await theModel()).url, plugins });
  try {
    await run(sandbox);
  } finally {
    await sandbox.remove();
  }
}

async function say({ client }: Opencode, sessionID: string, words: string): Promise<void> {
  await client.request("POST", `/session/${sessionID}/message`, {
    noReply: true,
    parts: [{ type: "text", text: words }],
  });
}

async function end(server: Opencode): Promise<void> {
  await server.stop("SIGTERM");
  server.feed.close();
}

async function exportOf(server: Opencode, sessionID: string): Promise<ExportedSession> {
  return parseExport(JSON.parse(await server.export(sessionID)));
}

/** The session and its subagents, found in the calls that started them. */
async function family(server: Opencode, sessionID: string): Promise<ExportedSession[]> {
  const session = await exportOf(server, sessionID);
  const ids = new Set(JSON.stringify(session).match(/"sessionId":"ses_\w+"/g) ?? []);
  const below = [...ids].map((found) => family(server, found.slice('"sessionId":"'.length, -1)));
  return [session, ...(await Promise.all(below)).flat()];
}

function entriesOf(sandbox: Sandbox, session: ExportedSession, format: Format): Promise<readonly TranscriptEntry[]> {
  return readRecorded(join(sandbox.projectDir, ".openfleet", "transcripts"), session, format).then((transcript) => {
    assert.deepEqual(transcript.problems, []);
    return transcript.entries;
  });
}

async function assertAsStored(server: Opencode, sessionID: string): Promise<ExportedSession> {
  const exported = await exportOf(server, sessionID);
  for (const format of FORMATS) {
    assert.equal(compareWithExport(exported, await entriesOf(server.sandbox, exported, format)), undefined);
  }
  return exported;
}

/** With two processes at work, only the order of what both did at once is open. */
function assertSameCalls(exported: ExportedSession, entries: readonly TranscriptEntry[]): void {
  const calls = expectedEntries(exported).filter((item) => item.kind === "call");
  assert.ok(calls.every(({ result }) => result?.status === "completed"));
  const uses = entries.filter(({ type }) => type === "tool_use");
  const results = entries.filter(({ type }) => type === "tool_result");
  assert.deepEqual(
    uses.map((use) => (use.type === "tool_use" ? [use.partID, use.input] : [])),
    calls.map(({ partID, input }) => [partID, input]),
  );
  assert.deepEqual(
    results.map((result) => (result.type === "tool_result" ? [result.partID, result.status, result.output] : [])),
    calls.map(({ partID, result }) => [partID, result?.status, result?.output]),
  );
  const texts = (kind: string) =>
    expectedEntries(exported).flatMap((item) => (item.kind === kind && "content" in item ? [item.content] : []));
  for (const type of ["user", "assistant"] as const) {
    const said = entries.flatMap((entry) => (entry.type === type ? [entry.content] : []));
    assert.deepEqual(said.toSorted(), texts(type).toSorted());
  }
}
