import assert from "node:assert/strict";
import { existsSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { FileSystem } from "../../src/transcript/files/file-system.ts";
import { nodeFileSystem } from "../../src/transcript/files/node-file-system.ts";
import { type FaultPlan, FaultyFileSystem } from "../support/faulty-file-system.ts";
import {
  call,
  completed,
  event,
  message,
  running,
  session,
  userText,
  type HostStep,
} from "../support/recording/host-steps.ts";
import { PluginHost } from "../support/recording/plugin-host.ts";
import { eventually } from "../support/recording/eventually.ts";
import { readSound, readTranscript, Recording, transcriptsIn } from "../support/recording/recording.ts";
import { newSession, sampleConversation, stepsOf, toldBy } from "../support/recording/sample.ts";
import { afterAll, describe, isLong, test } from "../support/runner.ts";
import { makeTempDir, removeTempDirs } from "../support/temp-dir.ts";

const rejections: unknown[] = [];
process.on("unhandledRejection", (reason) => rejections.push(reason));

afterAll(removeTempDirs);

const OPTIONS = { format: "both", redact: false, maxInlineChars: 5 };
const ATTACHMENT = {
  type: "file",
  mime: "text/plain",
  url: "data:text/plain,hello",
  id: "prt_x1",
  sessionID: "ses_1",
  messageID: "msg_x",
};
const WITH_FILE: HostStep[] = [
  message("ses_1", "msg_x", "user"),
  userText({ sessionID: "ses_1", messageID: "msg_x", id: "prt_x0" }, "With a file"),
  event("message.part.updated", { part: ATTACHMENT }),
];
const TOLD = [...toldBy(sampleConversation("ses_1", 2)), "user: With a file"];

interface Outcome {
  host: PluginHost;
  faulty: FaultyFileSystem;
  folder: string;
}

/** Records a session and its subagent's through a disk that fails. */
async function run(plan?: FaultPlan): Promise<Outcome> {
  const project = makeTempDir();
  const faulty = new FaultyFileSystem(nodeFileSystem, plan);
  const host = new PluginHost(project, OPTIONS, { fs: faulty });
  await host.does(...newSession("ses_1"), ...newSession("ses_2", 1, { parentID: "ses_1" }));
  await sleep(1);
  await host.does(...stepsOf(sampleConversation("ses_1", 1, 1)), ...WITH_FILE);
  await host.dispose();
  // Notices go out behind the host's own work, and the last one when the disk has worked once more.
  for (let left = 600; left > 0 && host.logs.length % 2 === 1; left--) await sleep(5);
  await sleep(5);
  return { host, faulty, folder: join(project, ".openfleet") };
}

async function checkWhole({ folder, host }: Outcome, plan: FaultPlan | undefined): Promise<void> {
  const what = JSON.stringify(plan);
  assert.deepEqual(transcriptsIn(folder), ["ses_1.jsonl", "ses_1.md", "ses_1/ses_2.jsonl", "ses_1/ses_2.md"], what);
  for (const path of ["ses_1.md", "ses_1.jsonl"])
    assert.deepEqual((await readSound(folder, path)).told, TOLD, `${path} ${what}`);
  const child = toldBy(sampleConversation("ses_2"));
  for (const path of ["ses_1/ses_2.md", "ses_1/ses_2.jsonl"])
    assert.deepEqual((await readSound(folder, path)).told, child, `${path} ${what}`);
  const interrupted = host.logs.filter((toast) => toast.includes("Recording is interrupted"));
  const works = host.logs.filter((toast) => toast.includes("Recording works again"));
  assert.equal(
    works.length,
    interrupted.length,
    `each episode is told once with its end: ${what}\n${host.logs.join("\n")}`,
  );
  assert.equal(host.logs.length, 2 * works.length, `and nothing else is told: ${host.logs.join("\n")}`);
  assert.ok(host.logs.every((line) => line.startsWith('"opencode-transcripts: ')));
  assert.ok(host.logs.every((line) => host.toasts.join().includes(line.replace(/^"opencode-transcripts: |"$/g, ""))));
}

/** Before the call is made, after it, and in its middle; once, and again at each of the next attempts. */
const kinds: Omit<FaultPlan, "nth">[] = [
  { code: "ENOSPC" },
  { code: "EIO", how: "after" },
  { code: "ENOSPC", times: 8 },
  { how: "short", times: 5 },
];
/** The same ways with another code or number. */
const more: typeof kinds = [
  { code: "EACCES" },
  { code: "EIO" },
  { how: "short" },
  { code: "EIO", how: "after", times: 4 },
];

/** Recordings at the same time. */
const AT_ONCE = 8;

describe("a disk whose Nth call fails while sessions are recorded", () => {
  for (const kind of isLong ? [...kinds, ...more] : kinds) {
    const name = `${kind.how ?? "before"} ${kind.code ?? ""} x${kind.times ?? 1}`;
    test(`${name}: the host notices nothing, and everything is recorded once it works`, async () => {
      const failsAt = async (nth: number): Promise<boolean> => {
        const plan = { nth, ...kind };
        const outcome = await run(plan);
        await checkWhole(outcome, plan);
        rmSync(outcome.folder, { recursive: true });
        return outcome.faulty.faults > 0;
      };
      // Most of the time goes into waiting for the next attempt.
      for (let first = 1; ; first += AT_ONCE) {
        const some = await Promise.all(Array.from({ length: AT_ONCE }, (_, at) => failsAt(first + at)));
        if (!some.includes(false)) continue;
        assert.ok(first + some.indexOf(false) > 3, "some calls failed");
        break;
      }
      assert.deepEqual(rejections, []);
    });
  }
});

/**
 * Runs `act`, which makes `count` entries, while every call of the disk fails, until all of them wait at the writers of
 * both files or were dropped. The session has two prompts before them.
 */
async function whileFull(
  recording: Recording,
  faulty: FaultyFileSystem,
  count: number,
  act: () => void,
): Promise<void> {
  recording.does(session("created", "ses_1"), ...prompt(1, "First"));
  await recording.recorder.flush(20_000);
  faulty.plan = { nth: 1, times: Infinity, code: "ENOSPC" };
  recording.does(...prompt(2, "Second"));
  await eventually(() => recording.faults.length === 2);
  act();
  await eventually(async () => {
    const { waiting, missing } = await recording.recorder.flush(1);
    return waiting + missing >= 2 * (count + 1);
  });
  faulty.plan = undefined;
}

function prompt(n: number, text: string): HostStep[] {
  const place = { sessionID: "ses_1", messageID: `msg_${n}`, id: `prt_0000_0${n}` };
  return [
    message("ses_1", place.messageID, "user"),
    userText(place, text),
    message("ses_1", `msg_${n}_answer`, "assistant"),
  ];
}

describe("a disk that fails for long", () => {
  test("entries beyond the memory limit are dropped, counted and reported, in each file", async () => {
    const folder = join(makeTempDir(), ".openfleet");
    const faulty = new FaultyFileSystem(nodeFileSystem);
    const recording = new Recording(folder, { format: "both", maxInlineChars: 1_000_000, fs: faulty });
    const calls = Array.from({ length: 40 }, (_, n) => bash(n));
    await whileFull(recording, faulty, 2 * calls.length, () => {
      for (const [n, place] of calls.entries()) {
        recording.does(call(place, running({ n })), call(place, completed({ n }, "x".repeat(500_000))));
      }
    });
    recording.does(
      message("ses_1", "msg_9", "user"),
      userText({ sessionID: "ses_1", messageID: "msg_9", id: "prt_9" }, "Last."),
    );
    const report = await recording.recorder.flush(20_000, "all", "now");
    assert.equal(report.waiting, 0);
    let counted = 0;
    for (const path of ["ses_1.md", "ses_1.jsonl"]) {
      const { told, entries } = await readSound(folder, path);
      const gaps = entries.flatMap((entry) =>
        entry.type === "session_event" && entry.name === "missing entries" ? [entry.data] : [],
      );
      const missing = gaps.reduce((sum: number, data) => sum + missingIn(data), 0);
      assert.ok(missing > 0, path);
      assert.equal(
        told.length + missing,
        2 * calls.length + 3,
        `${path}: what is there and what is counted missing is all`,
      );
      assert.equal(new Set(told).size, told.length, "nothing stands twice");
      counted += missing;
    }
    assert.equal(report.missing, counted);
    assert.deepEqual(recording.faults.map(({ kind }) => kind).toSorted(byName), [
      "fault",
      "fault",
      "recovered",
      "recovered",
    ]);
  });

  test("a file in place of the folder: recording continues when it is gone", async () => {
    const project = makeTempDir();
    const folder = join(project, ".openfleet");
    writeFileSync(folder, "in the way");
    const host = new PluginHost(project, OPTIONS);
    await host.does(...newSession("ses_1"));
    await eventually(() => host.toasts.length > 0);
    rmSync(folder);
    await host.does(...newSession("ses_2"));
    await host.dispose();
    await eventually(() => host.toasts.length > 1);
    assert.deepEqual(
      host.toasts.map((toast) => toast.slice(1, 20)),
      ["Recording is interr", "Recording works aga"],
    );
    for (const id of ["ses_1", "ses_2"]) {
      assert.deepEqual((await readSound(folder, `${id}.md`)).told, toldBy(sampleConversation(id)));
    }
    assert.ok(existsSync(join(folder, "transcripts/README.md")), "the templates follow");
  });

  test("a folder that is removed while sessions are recorded is made again", async () => {
    const folder = join(makeTempDir(), ".openfleet");
    const recording = new Recording(folder, { format: "both" });
    const later = sampleConversation("ses_1", 1, 1);
    recording.does(
      session("created", "ses_1"),
      ...stepsOf(sampleConversation("ses_1")),
      message("ses_1", "msg_1", "assistant"),
      call(bash(9), running({ n: 1 })),
    );
    await recording.recorder.flush(20_000);
    rmSync(folder, { recursive: true });
    recording.does(...stepsOf(later));
    await recording.recorder.flush(20_000);
    recording.does(call(bash(9), completed({ n: 1 }, "one")));
    await recording.end();
    for (const path of ["ses_1.md", "ses_1.jsonl"]) {
      const { told, problems } = await readTranscript(folder, path);
      assert.deepEqual(
        told.filter((line) => !line.includes("0000")),
        [...toldBy(later), "completed: null one"],
      );
      assert.equal(problems.length, 1);
      assert.match(problems[0] ?? "", /call .*is not before it/, "its input was in the folder");
    }
  });
});

/** A place for the nth call of one answer. */
function bash(n: number) {
  const at = String(n).padStart(2, "0");
  return { sessionID: "ses_1", messageID: "msg_1", id: `prt_0000_c${at}`, callID: `call_${at}`, tool: "bash" };
}

function byName(a: string, b: string): number {
  return a < b ? -1 : 1;
}

function missingIn(data: unknown): number {
  return typeof data === "object" && data !== null && "missing" in data && typeof data.missing === "number"
    ? data.missing
    : 0;
}

describe("the end of a short run that cannot record", () => {
  const readOnly: FileSystem = {
    ...nodeFileSystem,
    ...Object.fromEntries(
      ["openAppend", "mkdir", "writeNew", "createMarker", "link", "rename"].map((name) => [
        name,
        async () => {
          throw Object.assign(new Error("read-only file system"), { code: "EROFS" });
        },
      ]),
    ),
  };
  for (const [what, fs] of [
    ["the folder is read-only", readOnly],
    ["the folder is linked out of the project", nodeFileSystem],
  ] as const) {
    test(`${what}: the host ends at once, and is told once which file to change`, async () => {
      const project = makeTempDir();
      const config = join(project, "opencode.json");
      writeFileSync(config, JSON.stringify({ plugin: ["opencode-transcripts"] }));
      if (fs === nodeFileSystem) symlinkSync(makeTempDir(), join(project, ".openfleet"));
      const host = new PluginHost(project, { redact: false }, { fs });
      await host.does(...newSession("ses_1"), ...newSession("ses_2"));
      await sleep(100);
      const began = performance.now();
      await host.dispose();
      assert.ok(performance.now() - began < 2_400, "the host waits");
      assert.equal(host.toasts.length, 1, host.toasts.join("\n"));
      assert.equal(host.logs.length, 1);
      assert.match(host.logs[0] ?? "", /^"opencode-transcripts: /);
      assert.ok(host.toasts[0]?.includes(config), host.toasts[0]);
    });
  }
});
