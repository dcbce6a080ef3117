import assert from "node:assert/strict";
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { nodeFileSystem } from "../../src/transcript/files/node-file-system.ts";
import { writeNewFile } from "../../src/transcript/files/new-file.ts";
import { saveConversation, type SaveConversationOptions } from "../../src/tools/save-conversation/save.ts";
import { NO_REDACTION } from "../../src/transcript/create-recorder.ts";
import { FaultyFileSystem, type FaultPlan } from "../support/faulty-file-system.ts";
import { PlayedSession } from "../support/played-session.ts";
import { onWindows, withoutRoot } from "../support/machine.ts";
import { afterAll, describe, test } from "../support/runner.ts";
import { startSaving, type Saving, type SavingOptions } from "../support/saving.ts";
import { makeTempDir, removeTempDirs } from "../support/temp-dir.ts";

const NOW = new Date(2026, 0, 5, 12);

function dataFolder(): string {
  return join(makeTempDir(), ".openfleet");
}

/** A recorder that holds a short session. */
async function withSession(options: Partial<SavingOptions> = {}): Promise<{ saving: Saving; folder: string }> {
  const folder = options.dataFolder ?? dataFolder();
  const saving = startSaving({ now: () => NOW, ...options, dataFolder: folder });
  await saving.record(new PlayedSession("ses_a").user("Hello there").answer("Hi.").idle().records);
  return { saving, folder };
}

/** One or more sentences for a person: no stack, no file of ours, no class of an error. */
function assertPlain(answer: string): void {
  assert.match(answer, /^[A-Z].*[.)]$/s, answer);
  assert(!/\n\s+at |node:|\.ts:|\.js:|undefined|\[object|TypeError/.test(answer), answer);
}

describe("save_conversation where there is nothing to save", () => {
  afterAll(removeTempDirs);

  test("a session without a message", async () => {
    const folder = dataFolder();
    const saving = startSaving({ dataFolder: folder });
    saving.recorder.accept({ kind: "session", sessionID: "ses_empty", isNew: true });
    assert.equal(await saving.save("ses_empty"), "There is nothing to save yet: this session has no messages.");
    assert(!existsSync(join(folder, "sessions", "2026-01-05")));
  });

  test("a session that nobody knows", async () => {
    const saving = startSaving({ dataFolder: dataFolder() });
    assert.equal(await saving.save("ses_unknown"), "There is nothing to save yet: this session has no messages.");
  });

  test("a session id that is a path", async () => {
    const folder = dataFolder();
    const saving = startSaving({ dataFolder: folder });
    for (const id of ["../../../etc/passwd", "", "/", "a\0b", "x".repeat(10_000)]) assertPlain(await saving.save(id));
  });
});

describe("save_conversation of a session that was never recorded", () => {
  for (const format of ["markdown", "jsonl"] as const) {
    test(`takes it from the host (${format})`, async () => {
      const stored = new PlayedSession("ses_old", { isNew: false }).user("Long ago").answer("Yes.").idle().records;
      const history = new Map([["ses_old", stored]]);
      const saving = startSaving({ dataFolder: dataFolder(), format, history });
      const { text } = await saving.saved("ses_old");
      assert.match(text, /^- \*\*Messages\*\*: 2 \(1 user, 1 assistant\)$/m);
      assert.match(text, /^- Long ago$/m);
      assert.match(text, /^> Yes\.$/m);
    });
  }
});

describe("save_conversation on a disk that fails", () => {
  for (const place of [["sessions"], ["sessions", "2026-01-05"]]) {
    test(`a file is in the place of the folder ${place.join("/")}`, async () => {
      const { saving, folder } = await withSession();
      rmSync(join(folder, ...place), { recursive: true, force: true });
      writeFileSync(join(folder, ...place), "in the way");
      const answer = await saving.save("ses_a");
      assert.match(
        answer,
        /^The conversation was not saved\. A part of the path is a file, not a folder: remove or rename it\. /,
      );
      assertPlain(answer);
    });
  }

  test.skipIf(onWindows)("the folder is not writable", async () => {
    const { saving, folder } = await withSession();
    chmodSync(join(folder, "sessions"), 0o500);
    await withoutRoot(folder, async () => {
      const answer = await saving.save("ses_a");
      assert.match(answer, /^The conversation was not saved\. Permission denied: /);
    });
    chmodSync(join(folder, "sessions"), 0o700);
  });

  test("the transcript cannot be written", async () => {
    const answer = await saveConversation("ses_a", {}, withRecorder({ complete: false, waiting: 3, missing: 0 }));
    assert.equal(
      answer,
      "The conversation was not saved: its transcript cannot be written at the moment. Check the disk and try again.",
    );
  });

  test("the transcript is not whole yet", async () => {
    const { saving, folder } = await withSession();
    const options = withRecorder({ complete: false, waiting: 3, missing: 0 }, folder);
    const answer = await saveConversation(
      "ses_a",
      {},
      { ...options, recorder: { ...options.recorder, path: async () => "ses_a.md" } },
    );
    assert.match(answer, /^Saved as /);
    assert.match(answer, /\nSome of the latest entries are not on disk yet; they follow when writing works again\.$/);
    assert.equal(saving.summaries.length, 0);
  });

  test("entries are missing from the transcript", async () => {
    const { saving } = await withSession();
    await saving.record(
      new PlayedSession("ses_a", { isNew: false }).event("missing entries", "7 are missing.", { missing: 7 }).records,
    );
    assert.match((await saving.saved("ses_a")).text, /^- \*\*Incomplete\*\*: 7 entries/m);
  });

  for (const code of ["ENOSPC", "EACCES", "EROFS", "EIO", "EMFILE"]) {
    for (const how of ["before", "after"] as const) {
      test(`each call in turn fails with ${code}, ${how} it is made`, () => everyCallFails({ code, how }));
    }
  }

  test("each call fails from the Nth on", () => everyCallFails({ code: "EIO", times: 1_000_000 }));
});

/** Fails the Nth call for every N: whatever happens, the answer is plain and tells the truth. */
async function everyCallFails(plan: Omit<FaultPlan, "nth">): Promise<void> {
  const { folder } = await withSession();
  let saved = 0;
  for (let nth = 1, faults = 1; faults > 0; nth += 1) {
    rmSync(join(folder, "sessions"), { recursive: true, force: true });
    const fs = new FaultyFileSystem(nodeFileSystem, { ...plan, nth });
    const answer = await startSaving({ dataFolder: folder, fs, now: () => NOW }).save("ses_a");
    ({ faults } = fs);
    assertPlain(answer);
    const path = /^Saved as (.+\.md):/.exec(answer)?.[1];
    if (path !== undefined) saved += 1;
    if (path !== undefined) assert.match(readFileSync(path, "utf8"), /^# Hello there\n[^]*\n```\n$/);
    else assert.match(answer, /^The conversation was not saved\. /);
  }
  assert(saved > 0, "the last run, without a fault, saves");
}

/** Options with a recorder that says this of its transcripts, of which there may be none. */
function withRecorder(
  report: { complete: boolean; waiting: number; missing: number },
  folder = dataFolder(),
): SaveConversationOptions {
  return {
    recorder: { recall: async () => undefined, flush: async () => report, path: async () => "none.md" },
    redaction: NO_REDACTION,
    dataFolder: folder,
    transcriptsFolder: join(folder, "transcripts"),
    formats: ["markdown"],
    fs: nodeFileSystem,
    writeNew: (path, data) => writeNewFile(nodeFileSystem, path, data),
    now: () => NOW,
    shown: (path) => path,
    fileName: (path) => path,
  };
}

describe("save_conversation with hostile arguments", () => {
  const wrong: [what: string, args: unknown, problem: string][] = [
    ["a text for compact", { compact: "yes" }, 'compact: "yes" is not allowed. It must be true or false.'],
    ["a list", [], "[] is not allowed. It must be an object."],
    ["a text", "note", '"note" is not allowed. It must be an object.'],
    ["a note of a megabyte", { note: "x".repeat(1_000_000) }, "It must be a text of at most 10000 characters."],
    ["a note that is an object", { note: { toString: () => "x" } }, "note: {} is not allowed."],
    ["an unknown one", { note: "n", other: 1 }, '"other" is not known. Use one of these: note, compact.'],
  ];
  for (const [what, args, problem] of wrong) {
    test(`${what} is refused in words, and nothing is written`, async () => {
      const { saving, folder } = await withSession();
      const answer = await saving.save("ses_a", args);
      assert.ok(answer.startsWith("The conversation was not saved. ") && answer.includes(problem), answer);
      assert(!existsSync(join(folder, "sessions", "2026-01-05")));
    });
  }

  const harmless: [what: string, args: unknown][] = [
    ["none at all", undefined],
    ["null", null],
    ["nulls", { note: null, compact: null }],
    ["a note that is a number", { note: 5, __proto__: null }],
  ];
  for (const [what, args] of harmless) {
    test(`${what} do no harm`, async () => {
      const { saving } = await withSession();
      assert.match(await saving.save("ses_a", args), /^Saved as /);
    });
  }

  test("an object that throws when it is read", async () => {
    const { saving } = await withSession();
    const args = Object.defineProperty({}, "note", { enumerable: true, get: () => assert.fail("do not look") });
    assertPlain(`${await saving.save("ses_a", args)}.`);
  });
});

describe("save_conversation and the host's summary", () => {
  test("asks for one only if told to, and says when it comes", async () => {
    const { saving } = await withSession();
    await saving.save("ses_a", {});
    await saving.save("ses_a", { compact: false });
    assert.deepEqual(saving.summaries, []);
    const answer = await saving.save("ses_a", { compact: true });
    assert.deepEqual(saving.summaries, ["ses_a"]);
    assert.match(answer, /\nThe conversation will be summarized when this turn ends\.$/);
  });

  test("asks for none if nothing was saved", async () => {
    const { saving } = await withSession();
    await saving.save("ses_other", { compact: true });
    assert.deepEqual(saving.summaries, []);
  });

  test("says that a host cannot", async () => {
    const { folder } = await withSession();
    const options = withRecorder({ complete: true, waiting: 0, missing: 0 }, folder);
    const recorder = { ...options.recorder, path: async () => "ses_a.md" };
    const answer = await saveConversation("ses_a", { compact: true }, { ...options, recorder });
    assert.match(answer, /\nThe conversation cannot be summarized from here; run \/compact by hand\.$/);
  });
});

describe("save_conversation and secrets", () => {
  afterAll(removeTempDirs);
  /** Put together here, so that no scanner takes this file for a leak. */
  const SECRET = ["ghp", "16C7e42F292c6912E7710c838347Ae178B4a"].join("_");

  test("a secret in title, prompt, answer, error and note does not reach the disk", async () => {
    const folder = dataFolder();
    const saving = startSaving({ dataFolder: folder, redact: true });
    await saving.record(secretSession(SECRET).records);
    const { text, path } = await saving.saved("ses_secret", { note: `Remember ${SECRET}!` });
    assert(!text.includes(SECRET.slice(8)) && !path.toLowerCase().includes(SECRET.slice(8).toLowerCase()));
    assert.match(text, /^> Remember \[REDACTED:[\w-]+\]!$/m);
    assert.match(text, /^# Use \[REDACTED:[\w-]+\] here$/m);
  });

  test("a secret in a transcript that was begun without redaction does not go into the saved file", async () => {
    const folder = dataFolder();
    mkdirSync(folder);
    await startSaving({ dataFolder: folder, redact: false }).record(secretSession(SECRET).records);
    const { text, path } = await startSaving({ dataFolder: folder, redact: true }).saved("ses_secret");
    assert(!text.includes(SECRET.slice(8)), text);
    assert(!path.toLowerCase().includes(SECRET.slice(8).toLowerCase()));
  });

  test("with redaction off everything is unchanged", async () => {
    const saving = startSaving({ dataFolder: dataFolder() });
    await saving.record(secretSession(SECRET).records);
    assert.match((await saving.saved("ses_secret", { note: SECRET })).text, new RegExp(`^> ${SECRET}$`, "m"));
  });
});

function secretSession(secret: string): PlayedSession {
  return new PlayedSession("ses_secret", { title: `Use ${secret} here` })
    .user(`My token is ${secret}`)
    .answer(`I use ${secret}.`, [
      { tool: "bash", input: { command: "x" }, end: { status: "error", output: `refused: ${secret}` } },
    ])
    .idle();
}
