/** An entry that takes long to prepare, mostly a result, and the small ones behind it. */
import assert from "node:assert/strict";
import { readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { FileSystem } from "../../src/transcript/files/file-system.ts";
import { nodeFileSystem } from "../../src/transcript/files/node-file-system.ts";
import type { TranscriptEntry } from "../../src/transcript/format/entry-types.ts";
import type { Redaction } from "../../src/transcript/entry-redactor.ts";
import { bash, data, INPUT, resultsOf, withCalls } from "../support/recording/calls-recorded.ts";
import { eventually } from "../support/recording/eventually.ts";
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

/** The folder in which the host keeps whole outputs. */
const HOST = makeTempDir();
const WHOLE = "line\n".repeat(2_000_000);
const SHORT = "line\n\n...1999999 lines truncated...";

/** The host's file with the whole output, on a disk that answers for it only when `release` is called. */
function slowDisk(): { fs: FileSystem; path: string; release: () => void } {
  const path = join(HOST, "tool_1");
  writeFileSync(path, WHOLE);
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const fs: FileSystem = {
    ...nodeFileSystem,
    openRead: async (name) => {
      if (name === path) await released;
      return nodeFileSystem.openRead(name);
    },
  };
  return { fs, path, release };
}

/** The large result, then a small one, an answer and the next turn. */
function stepsWith(end: object): HostStep[] {
  return [
    ...withCalls([bash("call_large", 1), end], [bash("call_small", 2), completed(INPUT, "small")]),
    wholeText({ sessionID: "ses_1", messageID: "msg_1", id: "prt_3" }, "The answer."),
    message("ses_1", "msg_1", "assistant", { time: { created: 1, completed: 2 } }),
    message("ses_1", "msg_2", "user"),
    userText({ sessionID: "ses_1", messageID: "msg_2", id: "prt_4" }, "Go on."),
  ];
}

const cutByHost = (outputPath: string): object =>
  completed(INPUT, SHORT, { metadata: { truncated: true, outputPath } });

const SMALL = ["assistant: The answer.", 'completed: {"command":"x"} small', "user: Go on."];
const small = (told: readonly string[]): string[] => told.filter((line) => SMALL.includes(line)).toSorted();
const missing = (entries: readonly TranscriptEntry[]) =>
  entries.flatMap((entry) => (entry.type === "session_event" && entry.name === "missing output" ? [entry] : []));
const outputOf = (entries: readonly TranscriptEntry[], callID: string): unknown =>
  resultsOf(entries).find((entry) => entry.callID === callID)?.output;

for (const format of ["markdown", "jsonl"] as const) {
  const name = format === "markdown" ? "ses_1.md" : "ses_1.jsonl";

  describe(`a large output, ${format}`, () => {
    test("holds back no entry behind it, and is recorded whole when it is ready", async () => {
      const folder = data();
      const { fs, path, release } = slowDisk();
      const recording = new Recording(folder, { hostOutputs: [HOST], format, fs }).does(...stepsWith(cutByHost(path)));
      await eventually(
        async () => small((await readSound(folder, name).catch(() => ({ told: [] }))).told).length === 3,
      );
      const before = await readSound(folder, name);
      assert.deepEqual(small(before.told), SMALL);
      assert.equal(outputOf(before.entries, "call_large"), undefined);
      release();
      await recording.end();
      const { entries } = await readSound(folder, name);
      assert.equal(outputOf(entries, "call_large"), WHOLE);
      assert.deepEqual(missing(entries), []);
    });

    test("that is not ready when the process ends is recorded as the host cut it, and counted", async () => {
      const folder = data();
      const { fs, path } = slowDisk();
      const recording = new Recording(folder, { hostOutputs: [HOST], format, fs, events: false }).does(
        ...stepsWith(cutByHost(path)),
      );
      await recording.end(1_000);
      const { entries, told } = await readSound(folder, name);
      assert.deepEqual(small(told), SMALL);
      assert.equal(outputOf(entries, "call_large"), SHORT);
      const [event, ...others] = missing(entries);
      assert.deepEqual(others, []);
      assert.deepEqual(event?.data, { callID: "call_large", bytes: WHOLE.length, path });
      assert.match(`${event?.text}`, /10,000,000 bytes, 35 characters are recorded/);
    });

    test("that is not ready at the exit event is recorded all the same", async () => {
      const folder = data();
      const { fs, path } = slowDisk();
      const recording = new Recording(folder, { hostOutputs: [HOST], format, fs }).does(...stepsWith(cutByHost(path)));
      await eventually(
        async () => small((await readSound(folder, name).catch(() => ({ told: [] }))).told).length === 3,
      );
      recording.recorder.flushSync();
      const { entries } = await readSound(folder, name);
      assert.equal(outputOf(entries, "call_large"), SHORT);
      assert.equal(missing(entries).length, 1);
    });

    test("that was cut at the end of a process is completed in the next, once", async () => {
      const folder = data();
      const { fs, path } = slowDisk();
      await new Recording(folder, { hostOutputs: [HOST], format, fs }).does(...stepsWith(cutByHost(path))).end(1_000);
      for (let life = 0; life < 2; life += 1) {
        await new Recording(folder, { hostOutputs: [HOST], format }).does(...stepsWith(cutByHost(path))).end();
        const { entries, told } = await readSound(folder, name);
        assert.deepEqual(small(told), SMALL);
        assert.equal(resultsOf(entries).length, 2);
        assert.equal(outputOf(entries, "call_large"), WHOLE);
        assert.equal(missing(entries).length, 1);
      }
    });

    test("that was cut at the end of a process stays so once the host has removed the whole", async () => {
      const folder = data();
      const { fs, path } = slowDisk();
      await new Recording(folder, { hostOutputs: [HOST], format, fs }).does(...stepsWith(cutByHost(path))).end(1_000);
      rmSync(path);
      const file = join(folder, "transcripts", name);
      const before = readFileSync(file, "utf8");
      await new Recording(folder, { hostOutputs: [HOST], format }).does(...stepsWith(cutByHost(path))).end();
      assert.equal(readFileSync(file, "utf8"), before);
    });

    test("that is larger than what is recorded is counted", async () => {
      const folder = data();
      const path = join(HOST, "tool_1");
      writeFileSync(path, "");
      truncateSync(path, 300 * 2 ** 20);
      await new Recording(folder, { hostOutputs: [HOST], format }).does(...stepsWith(cutByHost(path))).end();
      const { entries } = await readSound(folder, name);
      assert.equal(outputOf(entries, "call_large"), SHORT);
      assert.equal(missing(entries).length, 1);
      assert.match(`${missing(entries)[0]?.text}`, /314,572,800 bytes.*More than 256 MiB are not recorded/);
    });
  });
}

describe("a large output that the host did not cut", () => {
  test("is cut at a line if the process ends before its file is written", async () => {
    const folder = data();
    const fs: FileSystem = {
      ...nodeFileSystem,
      // Never answers.
      writeNew: (path, bytes) =>
        path.includes("outputs") ? new Promise(() => undefined) : nodeFileSystem.writeNew(path, bytes),
    };
    const recording = new Recording(folder, { fs }).does(...stepsWith(completed(INPUT, WHOLE)));
    await recording.end(1_000);
    const { entries, told } = await readSound(folder, "ses_1.md");
    assert.deepEqual(small(told), SMALL);
    const output = String(outputOf(entries, "call_large"));
    assert.ok(output.startsWith("line\nline\n") && output.length <= 20_100);
    assert.deepEqual(
      missing(entries).map(({ data }) => data),
      [{ callID: "call_large", bytes: WHOLE.length }],
    );
  });

  test("is recorded whole, before the answer to it if it is ready soon", async () => {
    const folder = data();
    const large = WHOLE.slice(0, 1_000_000);
    await new Recording(folder, { hostOutputs: [HOST], format: "both" })
      .does(...stepsWith(completed(INPUT, large)))
      .end();
    for (const name of ["ses_1.md", "ses_1.jsonl"]) {
      const { entries, told } = await readSound(folder, name);
      assert.equal(outputOf(entries, "call_large"), large);
      assert.deepEqual(small(told), SMALL);
      const answer = entries.findIndex(({ type }) => type === "assistant");
      assert.ok(entries.findIndex((entry) => "callID" in entry && entry.callID === "call_large") < answer);
      assert.deepEqual(
        resultsOf(entries.slice(0, answer)).map(({ callID }) => callID),
        ["call_large", "call_small"],
      );
      assert.deepEqual(missing(entries), []);
    }
  });
});

/** Redaction that answers for what is large only when `release` is called. */
function slowRedaction(): { redaction: Redaction; release: () => void } {
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const waitFor = async (value: unknown): Promise<void> => {
    if (JSON.stringify(value).length > 1_000_000) await released;
  };
  const redaction: Redaction = {
    values: async (values) => (await waitFor(values), [...values]),
    text: async (text) => (await waitFor(text), text),
  };
  return { redaction, release };
}

/** Beginning of each huge entry, by which it is found even if it is cut. */
const MARK = "huge:";
const HUGE_TEXT = MARK + "x".repeat(9_000_000);
const place = (n: number) => ({ sessionID: "ses_1", messageID: "msg_1", id: `prt_${n}` });
const HUGE_STEPS: Record<string, HostStep[]> = {
  prompt: [message("ses_1", "msg_0", "user"), userText({ ...place(0), messageID: "msg_0" }, HUGE_TEXT)],
  "text attachment": [
    message("ses_1", "msg_0", "user"),
    userText({ ...place(0), messageID: "msg_0" }, "See the file."),
    part({ ...place(1), messageID: "msg_0" }, "file", {
      mime: "text/plain",
      url: `data:text/plain;base64,${Buffer.from(HUGE_TEXT).toString("base64")}`,
    }),
  ],
  reasoning: [message("ses_1", "msg_1", "assistant"), wholeText(place(1), HUGE_TEXT, "reasoning")],
  answer: [message("ses_1", "msg_1", "assistant"), wholeText(place(1), HUGE_TEXT)],
  "input of a call": [
    message("ses_1", "msg_1", "assistant"),
    call(bash("call_large", 1), running({ command: HUGE_TEXT })),
    call(bash("call_large", 1), completed({ command: HUGE_TEXT }, "done")),
  ],
};

for (const [what, steps] of Object.entries(HUGE_STEPS)) {
  const all = [
    session("created", "ses_1"),
    ...steps,
    message("ses_1", "msg_1", "assistant"),
    call(bash("call_small", 5), running(INPUT)),
    call(bash("call_small", 5), completed(INPUT, "small")),
    wholeText(place(6), "The answer."),
    message("ses_1", "msg_1", "assistant", { time: { created: 1, completed: 2 } }),
    message("ses_1", "msg_2", "user"),
    userText({ ...place(7), messageID: "msg_2" }, "Go on."),
  ];
  const files = ["ses_1.md", "ses_1.jsonl"];
  const smallIn = async (folder: string, name: string): Promise<string[]> =>
    small((await readSound(folder, name).catch(() => ({ told: [] }))).told);
  const wholes = (folder: string, entries: readonly TranscriptEntry[]): number =>
    entries.filter((entry) => {
      const [attachment] = entry.type === "user" ? (entry.attachments ?? []) : [];
      const kept = attachment?.path && readFileSync(join(folder, "transcripts", attachment.path), "utf8");
      const input = entry.type === "tool_use" ? entry.input : undefined;
      return [kept, "content" in entry && entry.content, isCommand(input) && input.command].includes(HUGE_TEXT);
    }).length;

  describe(`a huge ${what}`, () => {
    test("holds back no entry behind it, and is recorded whole when it is ready", async () => {
      const folder = data();
      const { redaction, release } = slowRedaction();
      const recording = new Recording(folder, { hostOutputs: [HOST], format: "both", redaction }).does(...all);
      for (const name of files) await eventually(async () => (await smallIn(folder, name)).length === SMALL.length);
      release();
      await recording.end();
      for (const name of files) {
        const { entries, told } = await readSound(folder, name);
        assert.deepEqual(small(told), SMALL);
        assert.equal(wholes(folder, entries), 1);
        assert.ok(!entries.some((entry) => entry.type === "session_event" && entry.name === "missing text"));
      }
    });

    test("that is not ready when the process ends is counted, and whole when the session goes on", async () => {
      const folder = data();
      const { redaction } = slowRedaction();
      await new Recording(folder, { hostOutputs: [HOST], format: "both", redaction, events: false })
        .does(...all)
        .end(1_000);
      for (const name of files) {
        const { entries, told } = await readSound(folder, name);
        assert.deepEqual(small(told), SMALL);
        const [event, ...others] = entries.flatMap((entry) => (entry.type === "session_event" ? [entry] : []));
        assert.deepEqual(others, []);
        assert.match(`${event?.text}`, /^Of (a|an) [a-z ]+, (9|12),\d{3},\d{3} characters, .* recorded here/);
        assert.equal(event?.name, "missing text");
        if (event?.partID !== undefined) assert.ok(JSON.stringify(entries).includes(MARK));
      }
      await new Recording(folder, { hostOutputs: [HOST], format: "both", events: false }).does(...all).end();
      for (const name of files) {
        const { entries, told } = await readSound(folder, name);
        assert.deepEqual(small(told), SMALL);
        assert.equal(wholes(folder, entries), 1);
      }
    });
  });
}

function isCommand(input: unknown): input is { command: unknown } {
  return typeof input === "object" && input !== null && "command" in input;
}
