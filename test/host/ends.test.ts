/**
 * What stands in the transcript when the real opencode is told to stop in the middle of a text and of a tool:
 * `serve` and `run` die of these signals at once, without disposing their plugins. Needs `dist/`.
 */
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { TranscriptEntry } from "../../src/transcript/format/entry-types.ts";
import { call, gate, text } from "../support/host/model-script.ts";
import { startModel, type ModelServer } from "../support/host/model.ts";
import { runOpencode, spawnOpencode } from "../support/host/process.ts";
import { startOpencode } from "../support/host/opencode.ts";
import { createSandbox, type Sandbox } from "../support/host/sandbox.ts";
import { REPOSITORY } from "../support/repository.ts";
import { afterAll, describe, test } from "../support/runner.ts";
import { parseMarkdownTranscript } from "../support/read-entries.ts";

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
const SAID = "This much was said before the end.";
const TIMEOUT_MS = 120_000;
const RUNS = 5;

const scripts = {
  "ends-text": [[text(SAID, { pieces: 5 }), gate("never")]],
  "ends-itself": [[text("I begin."), call("bash", { command: "echo begun", description: "begins" })], [text(SAID)]],
  "ends-tool": [[text("I begin."), call("bash", { command: "echo begun; sleep 60", description: "sleeps" })]],
};

let model: Promise<ModelServer> | undefined;
const theModel = (): Promise<ModelServer> => (model ??= startModel(scripts));

describe("a signal in the middle of the work", () => {
  for (const signal of SIGNALS) {
    test(
      `serve, ${signal}: the text so far and the running tool are recorded as interrupted`,
      () => inServe(signal),
      TIMEOUT_MS,
    );
  }
  for (const signal of SIGNALS) {
    test(`run, ${signal}: the text so far is recorded as interrupted`, () => inRun(signal), TIMEOUT_MS);
  }
});

test(
  "run that ends by itself: the last text is always in the file",
  async () => {
    const sandbox = await newSandbox();
    try {
      for (let turn = 0; turn < RUNS; turn++) {
        const known = new Set(turn === 0 ? [] : await transcripts(sandbox));
        const { code, stderr } = await runOpencode(sandbox, ["run", "scenario:ends-itself please"]);
        assert.equal(code, 0, stderr);
        const added = (await transcripts(sandbox)).filter((name) => !known.has(name));
        assert.equal(added.length, 1);
        const entries = await entriesOf(join(folderOf(sandbox), added[0] ?? ""));
        const texts = entries.filter((entry) => entry.type === "assistant");
        assert.deepEqual(
          texts.map(({ content, interrupted }) => ({ content, interrupted })),
          [
            { content: "I begin.", interrupted: undefined },
            { content: SAID, interrupted: undefined },
          ],
        );
      }
    } finally {
      await sandbox.remove();
    }
  },
  TIMEOUT_MS,
);

afterAll(async () => (await model)?.close());

async function inServe(signal: NodeJS.Signals): Promise<void> {
  const sandbox = await newSandbox();
  const server = await startOpencode(sandbox);
  try {
    const { client, feed } = server;
    const [speaking, working] = [await client.createSession(), await client.createSession()];
    await client.promptAsync(speaking.id, "scenario:ends-text please");
    await client.promptAsync(working.id, "scenario:ends-tool please");
    await feed.streamed(speaking.id, SAID);
    await feed.running(working.id, "begun");
    const { signal: endedBy } = await server.stop(signal);
    assert.equal(endedBy, signal, "the process must still end by the signal");
    assertSpeech(await transcriptOf(sandbox, speaking.id));
    assertWork(await transcriptOf(sandbox, working.id));
  } finally {
    server.feed.close();
    await server.stop("SIGKILL");
    await sandbox.remove();
  }
}

async function inRun(signal: NodeJS.Signals): Promise<void> {
  const sandbox = await newSandbox();
  const requests = (await theModel()).requests.length;
  const running = spawnOpencode(sandbox, ["run", "scenario:ends-text please"]);
  try {
    await streamedBy(sandbox, requests);
    const { signal: endedBy } = await running.stop(signal);
    assert.equal(endedBy, signal, "the process must still end by the signal");
    const [file, ...others] = await transcripts(sandbox);
    assert.ok(file !== undefined && others.length === 0, "there must be one transcript");
    assertSpeech(await entriesOf(join(folderOf(sandbox), file)));
  } finally {
    await running.stop("SIGKILL");
    await sandbox.remove();
  }
}

async function newSandbox(): Promise<Sandbox> {
  return createSandbox({ modelURL: (await theModel()).url, plugins: [REPOSITORY] });
}

/** Waits until `run` shows that the model's answer has begun; nothing else can be seen from outside. */
async function streamedBy(sandbox: Sandbox, requestsBefore: number): Promise<void> {
  const server = await theModel();
  const deadline = Date.now() + 60_000;
  const begun = (): boolean => server.requests.length > requestsBefore + 1 && existsSync(folderOf(sandbox));
  while (!begun() && Date.now() < deadline) await new Promise((resolve) => setTimeout(resolve, 20));
  // The pieces arrive over loopback within milliseconds of each other.
  await new Promise((resolve) => setTimeout(resolve, 500));
}

function assertSpeech(entries: readonly TranscriptEntry[]): void {
  const said = entries.filter((entry) => entry.type === "assistant");
  assert.deepEqual(
    said.map(({ content, interrupted }) => ({ content, interrupted })),
    [{ content: SAID, interrupted: true }],
  );
}

function assertWork(entries: readonly TranscriptEntry[]): void {
  const work = entries.filter((entry) => entry.type !== "session_event" && entry.type !== "user");
  assert.deepEqual(
    work.map(({ type }) => type),
    ["assistant", "tool_use", "tool_result"],
  );
  const result = work.at(-1);
  assert.equal(result?.type === "tool_result" && result.status, "interrupted");
}

function folderOf(sandbox: Sandbox): string {
  return join(sandbox.projectDir, ".openfleet", "transcripts");
}

async function transcripts(sandbox: Sandbox): Promise<string[]> {
  return (await readdir(folderOf(sandbox))).filter((name) => name.startsWith("ses_") && name.endsWith(".md"));
}

function transcriptOf(sandbox: Sandbox, sessionID: string): Promise<TranscriptEntry[]> {
  return entriesOf(join(folderOf(sandbox), `${sessionID}.md`));
}

async function entriesOf(path: string): Promise<TranscriptEntry[]> {
  const { entries, problems } = await parseMarkdownTranscript(await readFile(path));
  assert.deepEqual(problems, [], path);
  return entries;
}
