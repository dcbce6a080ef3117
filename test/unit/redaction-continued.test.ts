import assert from "node:assert/strict";
import { judgedEnd } from "../../src/agents/opencode/opencode-endings.ts";
import { createRedaction } from "../../src/transcript/create-recorder.ts";
import { RecordingFolder } from "../../src/transcript/recording-folder.ts";
import { KeptFiles } from "../../src/transcript/kept-files.ts";
import type { Draft } from "../../src/transcript/entry-draft.ts";
import { EntryRedactor, type PreparedEntry } from "../../src/transcript/entry-redactor.ts";
import { Timeline } from "../../src/transcript/timeline/session-timeline.ts";
import { nodeFileSystem } from "../../src/transcript/files/node-file-system.ts";
import { describe, test } from "../support/runner.ts";

/** Put together here, so that no scanner of the repository takes it for a real one. */
const SECRET = ["ghp", "aB3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0eF3hI6"].join("_");

describe("a secret in a text that is written in two pieces", () => {
  test("is found although it is cut between them", async () => {
    const drafts = splitText(`The key is ${SECRET.slice(0, 20)}`, `${SECRET.slice(20)}, keep it.`);
    assert.equal(drafts.length, 3, "the text must have been forced");
    const prepared = await prepareAll(drafts);
    const said = prepared.map(({ entry }) => ("content" in entry ? entry.content : "")).join("");
    for (let at = 0; at + 8 <= SECRET.length; at++) assert.ok(!said.includes(SECRET.slice(at, at + 8)), said);
    assert.match(said, /, keep it\.$/);
  });

  test("leaves nothing behind, wherever it is cut", async () => {
    for (const [before, secret] of [
      ["The key is ", SECRET],
      ["The key is ", ["sk", "aB3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0eF3hI6"].join("-")],
      ["Use DB_PASSWORD=", "Hunter2-Elephant-77"],
    ] as const) {
      for (let cut = 1; cut < secret.length; cut++) {
        const drafts = splitText(before + secret.slice(0, cut), `${secret.slice(cut)} and so on.`);
        const prepared = await prepareAll(drafts);
        const said = prepared.map(({ entry }) => ("content" in entry ? entry.content : "")).join("");
        assert.match(said, /^[\w= ]+\[REDACTED:[a-z-]+\] and so on\.$/);
        assert.ok(said.startsWith(before), said);
      }
    }
  });
});

async function prepareAll(drafts: readonly Draft[]): Promise<PreparedEntry[]> {
  const redactor = preparation();
  return Promise.all(drafts.map((draft) => redactor.prepare("ses_1", draft)));
}

/** The drafts of a text of which a part was written because a call behind it could not wait. */
function splitText(first: string, second: string) {
  const now = 1_000_000;
  const drafts: Draft[] = [];
  const timeline = new Timeline(
    () => now,
    (draft) => drafts.push(draft),
  );
  const of = { sessionID: "ses_1", messageID: "msg_1" };
  const text = { kind: "text" as const, ...of, partID: "prt_1", reasoning: false, startMs: now };
  timeline.accept({ ...text, text: first, done: false });
  timeline.accept({ kind: "call", ...of, partID: "prt_2", callID: "call_1", tool: "bash", input: {} });
  timeline.accept({ ...text, text: first + second, endMs: now, done: true });
  return drafts;
}

function preparation(): EntryRedactor {
  const folder = new RecordingFolder({ fs: nodeFileSystem, dataFolder: "/nowhere" });
  const files = new KeptFiles(nodeFileSystem, folder);
  return new EntryRedactor({
    files,
    redaction: createRedaction(),
    judgeEnd: judgedEnd,
    maxInlineChars: undefined,
  });
}
