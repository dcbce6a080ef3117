/**
 * Session files that real agents wrote while they talked to a scripted model, whose every text, call and token is known.
 * They are beside the repository: an extra, skipped where it is missing.
 */
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "../support/runner.ts";
import { NO_SHARED, shared } from "../support/shared.ts";
import { differences, readSample, Truth, type Unwritten } from "../support/truth.ts";

const SAMPLES = shared("samples/agents");

/** Agents by the folders of their samples, with what they do not write, by scenario; `all`: in every one. */
const AGENTS: Readonly<Record<string, { agent: string; unwritten?: Readonly<Record<string, Unwritten>> }>> = {
  claude: {
    agent: "claude-code",
    unwritten: {
      // Requests for titles and for the summary of a compaction are recorded nowhere.
      all: { usage: ["side", "compact"] },
    },
  },
  codex: {
    agent: "codex",
    unwritten: {
      // The request for a title is recorded nowhere.
      tty: { usage: ["side"] },
    },
  },
  // Codex with a model that calls tools from code.
  codex6: {
    agent: "codex",
    unwritten: {
      // A patch that does not apply leaves only a text in the result of the code.
      edit: { innerCalls: 1 },
    },
  },
  // The model gets a longer text for some failures.
  copilot: { agent: "copilot", unwritten: { all: { errorTexts: true } } },
  // Requests for the summary of a compaction are recorded nowhere; a call that is stopped without a terminal neither.
  // A subagent ends with a call, whose result is not sent.
  gemini: {
    agent: "gemini-cli",
    unwritten: { all: { usage: ["compact"], stoppedCalls: true }, sub: { unsent: ["complete_task"] } },
  },
  // The request for the summary of a compaction is recorded nowhere.
  pi: { agent: "pi", unwritten: { all: { ownCosts: true, usage: ["compact"] } } },
  // A hidden agent reads the conversation to remember things, though not after that of the subagent.
  qwen: { agent: "qwen-code", unwritten: { all: { asksForItself: true }, sub: { asksForItself: false } } },
};

for (const [folder, { agent, unwritten = {} }] of Object.entries(AGENTS)) {
  const place = SAMPLES && join(SAMPLES, folder);
  describe(`${folder}: what is read is what the model was asked and said`, () => {
    if (place === undefined) {
      test.skipIf(NO_SHARED)("every scenario", () => undefined);
      return;
    }
    for (const scenario of readdirSync(place)) {
      test(scenario, async () => {
        const truth = Truth.parse(JSON.parse(readFileSync(join(place, scenario, "truth.json"), "utf8")));
        const sample = await readSample(join(place, scenario, "files"), agent);
        const exceptions = { ...unwritten["all"], ...unwritten[scenario] };
        assert.deepEqual(await differences(truth, sample, exceptions), []);
      });
    }
  });
}
