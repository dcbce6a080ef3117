import assert from "node:assert/strict";
import { existsSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { nodeFileSystem } from "../../src/files/node-file-system.ts";
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
import { readSound, transcriptsIn } from "../support/recording/recording.ts";
import { newSession, sampleConversation, stepsOf, toldBy } from "../support/recording/sample.ts";
import { afterAll, describe, test } from "../support/runner.ts";
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
  for (let left = 600; left > 0 && host.toasts.length % 2 === 1; left--) await sleep(5);
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
  const interrupted = host.toasts.filter((toast) => toast.includes("Recording is interrupted"));
  const works = host.toasts.filter((toast) => toast.includes("Recording works again"));
  assert.equal(
    works.length,
    interrupted.length,
    `each episode is told once with its end: ${what}\n${host.toasts.join("\n")}`,
  );
  assert.equal(host.toasts.length, 2 * works.length, `and nothing else is told: ${host.toasts.join("\n")}`);
  assert.deepEqual(host.logs.toSorted(), host.toasts.toSorted());
}

const kinds: Omit<FaultPlan, "nth">[] = [
  { code: "ENOSPC" },
  { code: "EACCES" },
  { code: "EIO" },
  { code: "EIO", how: "after" },
  { how: "short" },
  { code: "ENOSPC", times: 8 },
  { code: "EIO", how: "after", times: 4 },
  { how: "short", times: 5 },
];

describe("a disk whose Nth call fails while sessions are recorded", () => {
  for (const kind of kinds) {
    const name = `${kind.how ?? "before"} ${kind.code ?? ""} x${kind.times ?? 1}`;
    test(`${name}: the host notices nothing, and everything is recorded once it works`, async () => {
      for (let nth = 1; ; nth += 1) {
        const plan = { nth, ...kind };
        const outcome = await run(plan);
        await checkWhole(outcome, plan);
        rmSync(outcome.folder, { recursive: true });
        if (outcome.faulty.faults === 0) {
          assert.ok(nth > 3, "some calls failed");
          break;
        }
      }
      assert.deepEqual(rejections, []);
    }, 300_000);
  }
});

describe("a disk that fails for long", () => {
  test("what memory cannot hold is dropped, counted and told, in each file", async () => {
    const project = makeTempDir();
    const faulty = new FaultyFileSystem(nodeFileSystem);
    const host = new PluginHost(project, { ...OPTIONS, maxInlineChars: 1_000_000 }, { fs: faulty });
    await host.does(session("created", "ses_1"), message("ses_1", "msg_1", "assistant"));
    faulty.plan = { nth: 1, times: Infinity, code: "ENOSPC" };
    const count = 40;
    for (let n = 100; n < 100 + count; n++) {
      const place = { sessionID: "ses_1", messageID: "msg_1", id: `prt_${n}`, callID: `call_${n}`, tool: "bash" };
      await host.does(call(place, running({ n })), call(place, completed({ n }, "x".repeat(500_000))));
      await sleep(1);
    }
    await sleep(50);
    faulty.plan = undefined;
    await host.does(
      message("ses_1", "msg_2", "user"),
      userText({ sessionID: "ses_1", messageID: "msg_2", id: "prt_999" }, "Last."),
    );
    await host.dispose();
    await sleep(1);
    const folder = join(project, ".openfleet");
    for (const path of ["ses_1.md", "ses_1.jsonl"]) {
      const { told, entries } = await readSound(folder, path);
      const gaps = entries.flatMap((entry) =>
        entry.type === "session_event" && entry.name === "missing entries" ? [entry.data] : [],
      );
      const missing = gaps.reduce((sum: number, data) => sum + missingIn(data), 0);
      assert.ok(missing > 0, path);
      assert.equal(told.length + missing, 2 * count + 1, `${path}: what is there and what is counted missing is all`);
      assert.equal(new Set(told).size, told.length, "nothing stands twice");
    }
    assert.deepEqual(
      host.toasts.map((toast) => toast.slice(1, 20)),
      ["Recording is interr", "Recording works aga"],
    );
    assert.match(host.toasts[1] ?? "", /[1-9]\d* entries are missing/);
  }, 60_000);

  test("a result whose call was dropped carries its input itself", async () => {
    const project = makeTempDir();
    const faulty = new FaultyFileSystem(nodeFileSystem);
    const host = new PluginHost(project, { ...OPTIONS, maxInlineChars: 1_000_000 }, { fs: faulty });
    const text = (n: number) =>
      userText({ sessionID: "ses_1", messageID: `msg_${n}`, id: `prt_${n}` }, "x".repeat(4_000_000));
    await host.does(session("created", "ses_1"), message("ses_1", "msg_1", "assistant"));
    faulty.plan = { nth: 1, times: Infinity, code: "ENOSPC" };
    for (const n of [10, 11, 12, 13]) await host.does(message("ses_1", `msg_${n}`, "user"), text(n));
    await sleep(60);
    const place = { sessionID: "ses_1", messageID: "msg_20", id: "prt_20", callID: "call_20", tool: "bash" };
    await host.does(message("ses_1", "msg_20", "assistant"), call(place, running({ command: "ls" })));
    await sleep(20);
    faulty.plan = undefined;
    await sleep(2_500);
    await host.does(call(place, completed({ command: "ls" }, "a.txt")));
    await host.dispose();
    for (const path of ["ses_1.md", "ses_1.jsonl"]) {
      const { told } = await readSound(join(project, ".openfleet"), path);
      assert.deepEqual(told.slice(-1), ['completed: {"command":"ls"} a.txt'], path);
      assert.ok(!told.some((line) => line.startsWith("use:")), "the call itself was dropped");
    }
  });

  test("a file in place of the folder: recording goes on when it is gone", async () => {
    const project = makeTempDir();
    writeFileSync(join(project, ".openfleet"), "in the way");
    const host = new PluginHost(project, OPTIONS);
    await host.does(...newSession("ses_1"));
    // The first attempt may have to wait for a busy machine.
    for (let left = 1_000; left > 0 && host.toasts.length === 0; left--) await sleep(10);
    assert.deepEqual(
      host.toasts.map((toast) => toast.slice(1, 20)),
      ["Recording is interr"],
    );
    rmSync(join(project, ".openfleet"));
    await host.does(...newSession("ses_2"));
    await host.dispose();
    const folder = join(project, ".openfleet");
    assert.deepEqual((await readSound(folder, "ses_1.md")).told, toldBy(sampleConversation("ses_1")));
    assert.deepEqual((await readSound(folder, "ses_2.md")).told, toldBy(sampleConversation("ses_2")));
    assert.ok(existsSync(join(folder, "transcripts/README.md")), "the templates follow");
    await sleep(1);
    assert.equal(host.toasts.length, 2);
  });

  test("a folder that is removed while sessions are recorded is made again", async () => {
    const project = makeTempDir();
    const folder = join(project, ".openfleet");
    const host = new PluginHost(project, OPTIONS);
    await host.does(...newSession("ses_1"));
    await host.dispose();
    rmSync(folder, { recursive: true });
    await host.does(...stepsOf(sampleConversation("ses_1", 1, 1)));
    await host.dispose();
    const { told } = await readSound(folder, "ses_1.md");
    assert.deepEqual(told, toldBy(sampleConversation("ses_1", 1, 1)));
  });
});

function missingIn(data: unknown): number {
  return typeof data === "object" && data !== null && "missing" in data && typeof data.missing === "number"
    ? data.missing
    : 0;
}
