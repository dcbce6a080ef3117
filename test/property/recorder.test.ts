import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync, readFileSync, rmSync, truncateSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expected, plainSteps, type Conversation } from "../support/recording/conversation.ts";
import { conversationOf } from "../support/recording/conversation-arbitrary.ts";
import { FakeHost } from "../support/recording/fake-host.ts";
import { filesIn, readSound, Recording, transcriptsIn, type ReadTranscript } from "../support/recording/recording.ts";
import { sampleConversation, toldBy } from "../support/recording/sample.ts";
import { shortForm } from "../support/recording/timeline-driver.ts";
import { afterAll, describe, runs, test } from "../support/runner.ts";
import { makeTempDir, removeTempDirs } from "../support/temp-dir.ts";

afterAll(removeTempDirs);

const data = (): string => join(makeTempDir(), ".openfleet");

/** Exactly the conversation, each part once, results behind their calls. */
function checkHolds(transcript: ReadTranscript, conversation: Conversation): void {
  const { told, results } = expected(conversation);
  const entries = transcript.entries.filter(({ type }) => type !== "session_event");
  const isResult = ({ type }: { type: string }): boolean => type === "tool_result";
  assert.deepEqual(entries.filter((entry) => !isResult(entry)).map(shortForm), told);
  assert.deepEqual(entries.filter(isResult).map(shortForm).toSorted(), results.toSorted());
}

const steps = ({ sessionID, messages }: Conversation) => messages.flatMap((each) => plainSteps(sessionID, each));

describe("a session that is cut off anywhere and continues in a new process", () => {
  for (const format of ["markdown", "jsonl"] as const) {
    test(`${format}: has the whole conversation, each part once`, async () => {
      const share = fc.double({ min: 0, max: 1, noNaN: true });
      await fc.assert(
        fc.asyncProperty(conversationOf("ses_1", 3), share, share, fc.boolean(), async (whole, at, cut, isTorn) => {
          const folder = data();
          const path = format === "markdown" ? "ses_1.md" : "ses_1.jsonl";
          const file = join(folder, "transcripts", path);
          const count = Math.round(at * whole.messages.length);
          const first = { sessionID: "ses_1", messages: whole.messages.slice(0, count) };
          const second = { sessionID: "ses_1", messages: whole.messages.slice(count) };
          await new Recording(folder, { format }).does(...steps(first)).end();
          if (isTorn && existsSync(file)) truncateSync(file, Math.floor(readFileSync(file).length * cut));
          const queries = new FakeHost().hasConversation(first);
          const recording = new Recording(folder, { format, queries }).does(...steps(second));
          await recording.recorder.recall("ses_1");
          await recording.end();
          checkHolds(await readSound(folder, path), whole);
          rmSync(folder, { recursive: true });
        }),
        { numRuns: runs(60) },
      );
    });
  }
});

describe("two recorders of the same session in one folder", () => {
  test("at any pace, nothing is repeated, torn or lost", async () => {
    const pace = fc.array(fc.nat(30), { minLength: 1, maxLength: 60, size: "max" });
    await fc.assert(
      fc.asyncProperty(conversationOf("ses_1", 3), pace, pace, async (conversation, ...paces) => {
        const folder = data();
        const lives = paces.map(async (pauses) => {
          const recording = new Recording(folder, { format: "both" });
          for (const [at, step] of steps(conversation).entries()) {
            recording.does(step);
            const pause = pauses[at % pauses.length] ?? 0;
            if (pause < 3) await new Promise((resolve) => setTimeout(resolve, pause));
          }
          await recording.end();
        });
        await Promise.all(lives);
        for (const path of ["ses_1.md", "ses_1.jsonl"]) {
          const transcript = await readSound(folder, path);
          checkHolds(transcript, conversation);
          const keys = transcript.raw.map(
            ({ type, messageID, partID }) => `${type}/${type === "user" ? messageID : (partID ?? messageID)}`,
          );
          assert.equal(new Set(keys).size, keys.length);
        }
      }),
      { numRuns: runs(40) },
    );
  });

  for (const [sessions, turns] of [
    [1, 20],
    [50, 2],
  ] as const) {
    test(`as processes of their own, ${sessions} ${sessions === 1 ? "session" : "sessions"} at once`, async () => {
      const folder = data();
      await Promise.all([1, 2].map((seed) => runChild(folder, sessions, turns, seed)));
      assert.equal(transcriptsIn(folder).length, 2 * sessions);
      const outputs = filesIn(folder).filter((name) => name.includes("/outputs/"));
      assert.equal(outputs.length, sessions * turns, "no output was kept twice");
      assert.deepEqual(
        filesIn(folder).filter((name) => /\.(tmp|lock)$/.test(name)),
        [],
        "nothing temporary is left",
      );
      for (let n = 0; n < sessions; n++) {
        const told = toldBy(sampleConversation(`ses_${n}`, turns));
        for (const path of [`ses_${n}.md`, `ses_${n}.jsonl`])
          assert.deepEqual((await readSound(folder, path)).told, told, path);
      }
    });
  }
});

async function runChild(...args: [string, number, number, number]): Promise<void> {
  const script = join(import.meta.dirname, "../support/recording/recorder-child.ts");
  const child = spawn(process.execPath, [script, ...args.map(String)], { stdio: ["ignore", "inherit", "inherit"] });
  const code = await new Promise((resolve) => child.on("close", resolve));
  assert.equal(code, 0);
}
