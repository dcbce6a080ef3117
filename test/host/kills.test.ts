/**
 * The real opencode, killed with SIGKILL at random moments of a long turn, again and again in the same session.
 * After each kill the transcript must read without damage; after the next start the session goes on in it, and at
 * the end it holds all that opencode itself kept, each once. Needs `dist/`. `KILLS=N` for another number.
 */
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseExport } from "../support/host/export.ts";
import { call, text, type ModelScript } from "../support/host/model-script.ts";
import { startModel } from "../support/host/model.ts";
import { compareWithExport } from "../support/host/oracle.ts";
import { startOpencode } from "../support/host/opencode.ts";
import { createSandbox, type Sandbox } from "../support/host/sandbox.ts";
import { REPOSITORY } from "../support/repository.ts";
import { describe, test } from "../support/runner.ts";
import { type ParsedTranscript, mergeContinuations, parseMarkdownTranscript } from "../support/read-entries.ts";

const KILLS = Number(process.env["KILLS"] ?? 20);
/** Long enough for some steps of the turn on a slow machine. */
const MAX_LIFE_MS = 4_000;
/** A start, a kill and a look at the file take half a minute on a busy machine. */
const TIMEOUT_MS = (KILLS + 2) * 120_000;

/** Says something slowly, then calls two tools, step after step. */
const script: ModelScript = ({ index }) =>
  index >= 8
    ? [text("The end of the turn.")]
    : [
        text(`Step ${index}: some words that are streamed piece by piece.`, {
          pieces: 12,
          delayMs: 8,
        }),
        call("bash", { command: `echo step ${index}`, description: "says the step" }),
        call("bash", { command: `sleep 0.1; echo again ${index}`, description: "says it later" }),
      ];

describe("SIGKILL in the middle of the work", () => {
  test(`${KILLS} kills during one session lose nothing that opencode stored`, run, TIMEOUT_MS);
});

async function run(): Promise<void> {
  const model = await startModel({ kill: script, after: [[text("It goes on.")]] });
  const sandbox = await createSandbox({ modelURL: model.url, plugins: [REPOSITORY] });
  try {
    const sessionID = await killAgainAndAgain(sandbox);
    const server = await startOpencode(sandbox);
    await server.client.prompt(sessionID, "scenario:after please");
    await server.stop("SIGTERM");
    server.feed.close();
    const transcript = await read(sandbox, sessionID);
    assert.deepEqual(transcript.problems, []);
    const exported = parseExport(JSON.parse(await server.export(sessionID)));
    assert.equal(compareWithExport(exported, mergeContinuations(transcript.entries)), undefined);
  } finally {
    await sandbox.remove();
    await model.close();
  }
}

async function killAgainAndAgain(sandbox: Sandbox): Promise<string> {
  let sessionID = "";
  let torn = 0;
  let entriesBefore = 0;
  for (let kill = 0; kill < KILLS; kill++) {
    const server = await startOpencode(sandbox);
    try {
      sessionID ||= (await server.client.createSession()).id;
      await server.client.promptAsync(sessionID, `scenario:kill please, ${kill}`);
      await server.feed.waitFor(({ type }) => type === "message.part.delta");
      await sleep(Math.random() * MAX_LIFE_MS);
    } finally {
      await server.stop("SIGKILL");
      server.feed.close();
    }
    const { entries, problems } = await read(sandbox, sessionID);
    const damage = problems.filter(({ code }) => code !== "torn_entry");
    assert.deepEqual(damage, [], `kill ${kill}`);
    assert.ok(problems.length <= 1 && entries.length >= entriesBefore, `kill ${kill}: ${entries.length} entries`);
    torn += problems.length;
    entriesBefore = entries.length;
  }
  console.log(`${KILLS} kills, ${torn} torn tails, ${entriesBefore} entries before the last start`);
  return sessionID;
}

async function read(sandbox: Sandbox, sessionID: string): Promise<ParsedTranscript> {
  const path = join(sandbox.projectDir, ".openfleet", "transcripts", `${sessionID}.md`);
  return parseMarkdownTranscript(await readFile(path));
}
