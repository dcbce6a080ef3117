/**
 * Two processes of the real opencode on one session, which get prompts, are stopped, told to end and killed at random,
 * and start again. At the end the transcripts have what opencode stored: each prompt, each text and each call with its
 * end, once. Needs `dist/`. `SEEDS=4,5` for other runs, `STEPS=N` for longer ones.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expectedEntries } from "../support/host/expected.ts";
import { parseExport, type ExportedSession } from "../support/host/export.ts";
import { call, reasoning, text } from "../support/host/model-script.ts";
import { startModel, type ModelServer } from "../support/host/model.ts";
import { startOpencode, type Opencode } from "../support/host/opencode.ts";
import { readRecorded } from "../support/host/recorded.ts";
import { createSandbox, type Sandbox } from "../support/host/sandbox.ts";
import { REPOSITORY } from "../support/repository.ts";
import { afterAll, describe, test } from "../support/runner.ts";

const SEEDS = (process.env["SEEDS"] ?? "1,2").split(",").map(Number);
const STEPS = Number(process.env["STEPS"] ?? 12);
/** A start, a step and its end take half a minute on a busy machine. */
const TIMEOUT_MS = STEPS * 60_000;

const SLOW = { pieces: 10, delayMs: 80 };
const SCRIPTS = {
  say: [[text("Ten words that are said one by one, slowly.", SLOW)]],
  think: [[reasoning("A thought that takes its time to come to an end.", SLOW), text("Thought about.", SLOW)]],
  run: [
    [text("I run it."), call("bash", { command: "echo begun; sleep 2; echo over", description: "runs" })],
    [text("It ran.", SLOW)],
  ],
  fail: [[call("bash", { command: "sleep 1; exit 3", description: "fails" })], [text("It failed.", SLOW)]],
  two: [
    [
      call("bash", { command: "sleep 1; echo one", description: "one" }),
      call("bash", { command: "sleep 3; echo two", description: "two" }),
    ],
    [text("Both ran.", SLOW)],
  ],
  ask: [
    [call("task", { description: "asks", prompt: "scenario:child please", subagent_type: "general" })],
    [text("It was said.", SLOW)],
  ],
  child: [
    [text("I begin.", SLOW), call("bash", { command: "sleep 1; echo child", description: "child" })],
    [text("I end.", SLOW)],
  ],
};
const PROMPTS = ["say", "think", "run", "fail", "two", "ask"];
const SIGNALS = ["SIGTERM", "SIGINT", "SIGHUP", "SIGKILL"] as const;

let model: Promise<ModelServer> | undefined;
const theModel = (): Promise<ModelServer> => (model ??= startModel(SCRIPTS));
afterAll(async () => (await model)?.close());

describe("two processes on one session, at random", () => {
  for (const seed of SEEDS)
    test(`seed ${seed}: the transcripts have what opencode stored`, () => run(seed), TIMEOUT_MS);
});

async function run(seed: number): Promise<void> {
  const sandbox = await createSandbox({
    modelURL: (await theModel()).url,
    plugins: [[REPOSITORY, { format: "both" }]],
    config: { snapshot: false },
  });
  const log: string[] = [];
  const servers: Opencode[] = [];
  try {
    servers.push(await startOpencode(sandbox));
    const { id } = await server(servers, 0).client.createSession();
    servers.push(await startOpencode(sandbox));
    await play(seed, sandbox, servers, id, log);
    for (const each of servers) await end(each, "SIGTERM");
    const last = await startOpencode(sandbox);
    for (const session of await family(last, id)) await last.client.prompt(session.info.id, "scenario:say please");
    await end(last, "SIGTERM");
    for (const session of await family(last, id)) await judge(sandbox, session);
  } catch (error) {
    console.log(`seed ${seed}: ${log.join(", ")}; ${sandbox.root}`);
    throw error;
  } finally {
    for (const each of servers) await end(each, "SIGKILL");
    if (!process.env["KEEP_SANDBOX"]) await sandbox.remove();
  }
}

async function play(seed: number, sandbox: Sandbox, servers: Opencode[], id: string, log: string[]): Promise<void> {
  const random = randomOf(seed);
  const oneOf = <T>(of: readonly T[]): T | undefined => of[Math.floor(random() * of.length)];
  for (let step = 0; step < STEPS; step += 1) {
    const at = random() < 0.5 ? 0 : 1;
    const chosen = server(servers, at);
    const dice = random();
    if (dice < 0.6) {
      const name = oneOf(PROMPTS);
      log.push(`${at} ${name}`);
      await chosen.client.promptAsync(id, `scenario:${name} please, ${step}`);
    } else if (dice < 0.7) {
      log.push(`${at} abort`);
      await chosen.client.abort(id);
    } else {
      const signal = oneOf(SIGNALS) ?? "SIGTERM";
      log.push(`${at} ${signal}`);
      await end(chosen, signal);
      servers[at] = await startOpencode(sandbox);
    }
    const ms = Math.floor(random() * 2_500);
    log.push(`${ms}`);
    await sleep(ms);
  }
  await sleep(6_000);
}

function server(servers: readonly Opencode[], at: number): Opencode {
  const found = servers[at];
  assert.ok(found);
  return found;
}

async function end(server: Opencode, signal: NodeJS.Signals): Promise<void> {
  await server.stop(signal);
  server.feed.close();
}

/** The session and its subagents, found in the calls that started them. */
async function family(server: Opencode, sessionID: string): Promise<ExportedSession[]> {
  const session = parseExport(JSON.parse(await server.export(sessionID)));
  const ids = new Set(JSON.stringify(session).match(/"sessionId":"ses_\w+"/g) ?? []);
  const below: ExportedSession[] = [];
  for (const found of ids) below.push(...(await family(server, found.slice('"sessionId":"'.length, -1))));
  return [session, ...below];
}

async function judge(sandbox: Sandbox, session: ExportedSession): Promise<void> {
  for (const format of ["markdown", "jsonl"] as const) {
    const folder = join(sandbox.projectDir, ".openfleet", "transcripts");
    const { headers, entries, problems } = await readRecorded(folder, session, format);
    assert.deepEqual(
      problems.filter(({ code }) => code !== "torn_entry"),
      [],
    );
    assert.equal(headers.length, 1);
    const what = `${format}, ${session.info.id}`;
    const expected = expectedEntries(session);
    const known = new Set(expected.map((item) => (item.kind === "user" ? item.messageID : item.partID)));
    for (const kind of ["user", "assistant", "reasoning"] as const) {
      const stored = expected.flatMap((item): Told[] => {
        if (item.kind !== kind) return [];
        return [[item.kind === "user" ? item.messageID : item.partID, item.content]];
      });
      const said = entries.flatMap((entry): Told[] =>
        entry.type === kind ? [[(kind === "user" ? entry.messageID : entry.partID) ?? "", entry.content]] : [],
      );
      // What was streamed before an abort is recorded, though opencode may have dropped it.
      const kept = kind === "user" ? said : said.filter(([id]) => known.has(id));
      assert.equal(new Set(said.map(([id]) => id)).size, said.length, `${kind} twice, ${what}`);
      assert.deepEqual(Object.fromEntries(kept), Object.fromEntries(stored), `${kind}, ${what}`);
    }
    const calls = expected.flatMap((item) => (item.kind === "call" ? [item] : []));
    const uses = entries.flatMap((one): Told[] => (one.type === "tool_use" ? [[one.partID ?? "", one.input]] : []));
    assert.equal(uses.length, calls.length, `calls, ${what}`);
    assert.deepEqual(
      Object.fromEntries(uses),
      Object.fromEntries(calls.map(({ partID, input }) => [partID, input])),
      `calls, ${what}`,
    );
    const results = entries.flatMap((one) => (one.type === "tool_result" ? [one] : []));
    assert.equal(results.length, calls.length, `results, ${what}`);
    for (const { partID, result } of calls) {
      const { hostStatus, status, output } = results.find((one) => one.partID === partID) ?? {};
      if (!result) assert.equal(status, "interrupted", `${partID}, ${what}`);
      else assert.deepEqual([hostStatus ?? status, output], [result.status, result.output], `${partID}, ${what}`);
    }
  }
}

/** An id, and what is told under it. */
type Told = [id: string, told: unknown];

/** Numbers from 0 to 1 that a seed decides (mulberry32). */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
