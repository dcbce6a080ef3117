/** Entries that take long to prepare, and the small ones after them. */
import assert from "node:assert/strict";
import { readFileSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { TranscriptEntry } from "../../src/transcript/format/entry-types.ts";
import type { Redaction } from "../../src/transcript/entry-redactor.ts";
import { bash, data, INPUT, resultsOf, withCalls } from "../support/recording/calls-recorded.ts";
import {
  call,
  completed,
  message,
  part,
  running,
  session,
  userText,
  wholeText,
  type HostStep,
} from "../support/recording/host-steps.ts";
import { readSound, Recording } from "../support/recording/recording.ts";
import { afterAll, describe, test } from "../support/runner.ts";
import { makeTempDir, removeTempDirs } from "../support/temp-dir.ts";

afterAll(removeTempDirs);

const LIMIT = 8 * 2 ** 20;
const SHORT = "line\n\n...1999999 lines truncated...";

const outputOf = (entries: readonly TranscriptEntry[]): unknown => resultsOf(entries)[0]?.output;

/** The folder in which the host keeps whole outputs. */
const HOST = makeTempDir();

/** A host's file with the whole output, of that size. */
function outputFile(bytes: number): string {
  const path = join(HOST, "tool_1");
  writeFileSync(path, "");
  truncateSync(path, bytes);
  return path;
}

const cutByHost = (outputPath: string): object =>
  completed(INPUT, SHORT, { metadata: { truncated: true, outputPath } });

describe("the limit of one output", () => {
  for (const format of ["markdown", "jsonl"] as const) {
    const name = format === "markdown" ? "ses_1.md" : "ses_1.jsonl";
    for (const [what, bytes, expected] of [
      ["a file of 8 MiB is recorded whole", LIMIT, "\0".repeat(LIMIT)],
      ["of a larger one, the host's shortened text is recorded", LIMIT + 1, SHORT],
    ] as const) {
      test(`${what}, ${format}`, async () => {
        const folder = data();
        const path = outputFile(bytes);
        await new Recording(folder, { hostOutputs: [HOST], format })
          .does(...withCalls([bash("call_1"), cutByHost(path)]))
          .end();
        const { entries } = await readSound(folder, name);
        assert.equal(outputOf(entries), expected);
        assert.match(JSON.stringify(resultsOf(entries)[0]?.metadata), /tool_1/, "the entry names the host's file");
      });
    }

    test(`a larger output that the host did not shorten is cut at the end of a line, ${format}`, async () => {
      const folder = data();
      const end = completed(INPUT, "line\n".repeat(2_000_000));
      await new Recording(folder, { format }).does(...withCalls([bash("call_1"), end])).end();
      const output = String(outputOf((await readSound(folder, name)).entries));
      assert.ok(output.length <= LIMIT + 20 && output.length > LIMIT - 20);
      assert.match(output.slice(-50), /\nline\n\.\.\. \(truncated\)$/);
    });
  }
});

/** Redaction that answers for what is large only when `release` is called. */
function slowRedaction(): { redaction: Redaction; release: () => void } {
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const waitFor = async (value: unknown): Promise<void> => {
    if (JSON.stringify(value).length > 1_000_000) await released;
  };
  const redaction: Redaction = {
    value: async (value) => (await waitFor(value), value),
    text: async (text) => (await waitFor(text), text),
  };
  return { redaction, release };
}

const HUGE = "x".repeat(9_000_000);
const place = (n: number, messageID = "msg_1") => ({ sessionID: "ses_1", messageID, id: `prt_${n}` });
const STEPS: Record<string, HostStep[]> = {
  prompt: [message("ses_1", "msg_0", "user"), userText(place(0, "msg_0"), HUGE)],
  "text attachment": [
    message("ses_1", "msg_0", "user"),
    userText(place(0, "msg_0"), "See the file."),
    part(place(1, "msg_0"), "file", {
      mime: "text/plain",
      url: `data:text/plain;base64,${Buffer.from(HUGE).toString("base64")}`,
    }),
  ],
  reasoning: [message("ses_1", "msg_1", "assistant"), wholeText(place(1), HUGE, "reasoning")],
  answer: [message("ses_1", "msg_1", "assistant"), wholeText(place(1), HUGE)],
  "input of a call": [
    message("ses_1", "msg_1", "assistant"),
    call(bash("call_large", 1), running({ command: HUGE })),
    call(bash("call_large", 1), completed({ command: HUGE }, "done")),
  ],
  output: [
    message("ses_1", "msg_1", "assistant"),
    call(bash("call_large", 1), running(INPUT)),
    call(bash("call_large", 1), completed(INPUT, HUGE.slice(0, 5_000_000))),
  ],
};
const AFTER = [
  message("ses_1", "msg_1", "assistant"),
  call(bash("call_small", 5), running(INPUT)),
  call(bash("call_small", 5), completed(INPUT, "small")),
  wholeText(place(6), "The answer."),
  message("ses_1", "msg_1", "assistant", { time: { created: 1, completed: 2 } }),
  message("ses_1", "msg_2", "user"),
  userText(place(7, "msg_2"), "Go on."),
];
const FILES = ["ses_1.md", "ses_1.jsonl"];

for (const [what, steps] of Object.entries(STEPS)) {
  const all = [session("created", "ses_1"), ...steps, ...AFTER];

  /** All entries in order; those after the huge one come last. */
  const assertInOrder = async (folder: string): Promise<void> => {
    const plain = data();
    await new Recording(plain, { format: "both" }).does(...all).end();
    for (const name of FILES) {
      const { told } = await readSound(folder, name);
      assert.deepEqual(told, (await readSound(plain, name)).told);
      assert.deepEqual(told.slice(-2), ["assistant: The answer.", "user: Go on."]);
    }
  };

  describe(`a huge ${what}`, () => {
    test("comes before what follows it, however long its redaction takes", async () => {
      const folder = data();
      const { redaction, release } = slowRedaction();
      const recording = new Recording(folder, { format: "both", redaction }).does(...all);
      await sleep(200);
      release();
      await recording.end();
      await assertInOrder(folder);
    });

    test("that is not ready when the process ends is recorded in order when the session goes on", async () => {
      const folder = data();
      const { redaction } = slowRedaction();
      const first = new Recording(folder, { format: "both", redaction }).does(...all);
      await first.recorder.flush(200, "all", "now");
      await new Recording(folder, { format: "both" }).does(...all).end();
      await assertInOrder(folder);
    });
  });
}

test("a small entry that cannot be prepared is the only one lost", async () => {
  const folder = data();
  const redaction: Redaction = {
    value: async (value) => {
      if (JSON.stringify(value).includes("small")) throw new Error("cannot be redacted");
      return value;
    },
    text: async (text) => text,
  };
  const recording = new Recording(folder, { redaction }).does(session("created", "ses_1"), ...AFTER);
  await recording.recorder.flush(5_000, "all", "now");
  const file = readFileSync(join(folder, "transcripts/ses_1.md"), "utf8");
  assert.match(file, /1 entry is missing here/);
  assert.match(file, /The answer\./);
});
