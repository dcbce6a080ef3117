import assert from "node:assert/strict";
import { join } from "node:path";
import { delta, message, openText, session, status, wholeText } from "../support/recording/host-steps.ts";
import { readSound, Recording, transcriptsIn } from "../support/recording/recording.ts";
import { newSession, sampleConversation, stepsOf, toldBy } from "../support/recording/sample.ts";
import { afterAll, describe, test } from "../support/runner.ts";
import { makeTempDir, removeTempDirs } from "../support/temp-dir.ts";

afterAll(removeTempDirs);

const data = (): string => join(makeTempDir(), ".openfleet");

describe("very many sessions", () => {
  test("are recorded whole, though only some are kept in memory, and go on where they were", async () => {
    const folder = data();
    const recording = new Recording(folder);
    const names = Array.from({ length: 300 }, (_, n) => `ses_${n}`);
    for (const name of names) {
      recording.does(...newSession(name), status(name, "idle"));
      if (recording.recorder.size > 190) await recording.recorder.flush(20_000);
    }
    await recording.end();
    recording.does(session("created", "ses_last"));
    assert.ok(recording.recorder.size <= 200, `${recording.recorder.size} sessions are in memory`);
    for (const name of names) recording.does(...stepsOf(sampleConversation(name, 1, 1)));
    await recording.end();
    assert.equal(transcriptsIn(folder).length, 300);
    for (const name of names)
      assert.deepEqual((await readSound(folder, `${name}.md`)).told, toldBy(sampleConversation(name, 2)));
  });

  test("a session with open work stays in memory", async () => {
    const folder = data();
    const of = { sessionID: "ses_open", messageID: "msg_1", id: "prt_1" };
    const recording = new Recording(folder).does(
      session("created", "ses_open"),
      message("ses_open", "msg_1", "assistant"),
      openText(of),
      delta(of, "Once "),
    );
    for (let n = 0; n < 250; n++) {
      recording.does(...newSession(`ses_${n}`));
      if (n % 50 === 49) await recording.recorder.flush(20_000);
    }
    recording.does(delta(of, "upon"), wholeText(of, "Once upon"));
    await recording.end();
    assert.deepEqual((await readSound(folder, "ses_open.md")).told, ["assistant: Once upon"]);
  });

  test("a burst of a thousand entries in each of 20 sessions is recorded whole and in order", async () => {
    const folder = data();
    const recording = new Recording(folder, { format: "jsonl" });
    for (let n = 0; n < 20; n++)
      recording.does(session("created", `ses_${n}`), message(`ses_${n}`, "msg_1", "assistant"));
    for (let at = 0; at < 1_000; at++) {
      const id = `prt_${String(at).padStart(4, "0")}`;
      for (let n = 0; n < 20; n++)
        recording.does(wholeText({ sessionID: `ses_${n}`, messageID: "msg_1", id }, `Text ${at}`));
    }
    await recording.end();
    for (let n = 0; n < 20; n++) {
      const { told } = await readSound(folder, `ses_${n}.jsonl`);
      assert.deepEqual(
        told,
        Array.from({ length: 1_000 }, (_, at) => `assistant: Text ${at}`),
      );
    }
  });
});
