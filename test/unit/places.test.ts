import assert from "node:assert/strict";
import { isAbsolute, join, normalize, sep } from "node:path";
import { nodeFileSystem } from "../../src/transcript/files/node-file-system.ts";
import type { FileSystem } from "../../src/transcript/files/file-system.ts";
import { Timeouts } from "../../src/transcript/timeouts.ts";
import { attachmentPath, outputPath, safeSegment, transcriptPath } from "../../src/transcript/transcript-paths.ts";
import { SessionPlaces } from "../../src/transcript/session-place.ts";
import { FaultyFileSystem } from "../support/faulty-file-system.ts";
import { FakeTime } from "../support/recording/fake-time.ts";
import { describe, test } from "../support/runner.ts";

const CHILD = { kind: "session", sessionID: "ses_2", isNew: false, parentID: "ses_1" } as const;
const never = new Promise<never>(() => undefined);

interface Made {
  places: SessionPlaces;
  time: FakeTime;
  timeouts: Timeouts;
  asked: () => number;
}

const root = join("/", "transcripts");

/** A disk with these transcripts, of which only can be asked what is there. It answers at once. */
function diskWith(...paths: string[]): FileSystem {
  const files = new Set(paths.map((path) => join(root, path)));
  const absent = (path: string): Error => Object.assign(new Error(path), { code: "ENOENT" });
  return {
    ...nodeFileSystem,
    stat: async (path) => {
      if (!files.has(path)) throw absent(path);
      return { size: 1, mtimeMs: 0, isDirectory: false };
    },
    readdir: async () => [...new Set(paths.map((path) => path.split("/")[0] ?? ""))],
  };
}

function make(answer: (n: number) => Promise<typeof CHILD | undefined>, fs = diskWith()): Made {
  const time = new FakeTime();
  const timeouts = new Timeouts(time.delay);
  let asked = 0;
  const queries: ConstructorParameters<typeof SessionPlaces>[0]["queries"] = { session: () => answer(++asked) };
  const places = new SessionPlaces({ fs, root, format: "markdown", queries, timeouts });
  return { places, time, timeouts, asked: () => asked };
}

const fails = (): Promise<never> => Promise.reject(new Error("busy"));

/** The path once it is decided; undefined before. */
function watch(made: Made): { path: string | undefined } {
  const seen: { path: string | undefined } = { path: undefined };
  void made.places.path("ses_2", "markdown").then((path) => (seen.path = path));
  return seen;
}

describe("the place of a session whose parent the host has to be asked for", () => {
  for (const failures of [0, 1, 3, 6]) {
    test(`is right although the host fails ${failures} times first`, async () => {
      const made = make((n) => (n > failures ? Promise.resolve(CHILD) : fails()));
      const seen = watch(made);
      await made.time.advance(20_000);
      assert.equal(seen.path, join("ses_1", "ses_2.md").replaceAll(sep, "/"));
      assert.equal(made.asked(), failures + 1);
      assert.equal(made.time.waiting, 0, "no timer is left");
    });
  }

  test("is asked for again when the host says that there is no such session", async () => {
    const made = make((n) => Promise.resolve(n > 2 ? CHILD : undefined));
    const seen = watch(made);
    await made.time.advance(20_000);
    assert.equal(seen.path, "ses_1/ses_2.md");
  });

  test("is the top of the folder if the host never says, and stays there whatever is said later", async () => {
    const made = make(fails);
    const seen = watch(made);
    await made.time.advance(9_000);
    assert.equal(seen.path, undefined, "it is not decided early");
    await made.time.advance(60_000);
    assert.equal(seen.path, "ses_2.md");
    made.places.learn(CHILD);
    assert.equal(await made.places.path("ses_2", "markdown"), "ses_2.md");
  });

  test("does not hang on a host that does not answer", async () => {
    const made = make(() => never);
    const seen = watch(made);
    await made.time.advance(600_000);
    assert.equal(seen.path, "ses_2.md");
    assert.equal(made.time.waiting, 0);
  });

  test("is known as soon as the host reports it by itself", async () => {
    const made = make(() => never);
    const seen = watch(made);
    await made.time.advance(50);
    assert.equal(seen.path, undefined);
    made.places.learn(CHILD);
    await made.time.settle();
    assert.equal(seen.path, "ses_1/ses_2.md");
    assert.equal(made.time.waiting, 0);
  });

  test("is decided within a moment when the process ends, and an answer within that moment counts", async () => {
    for (const [answerMs, path] of [
      [undefined, "ses_2.md"],
      [400, "ses_1/ses_2.md"],
    ] as const) {
      const made = make(() => (answerMs === undefined ? never : made.time.delay(answerMs).then(() => CHILD)));
      const seen = watch(made);
      await made.time.advance(1);
      made.timeouts.hurry();
      await made.time.advance(600);
      assert.equal(seen.path, path);
    }
  });

  test("is asked for with all timeouts again in the plugin's next life", async () => {
    const made = make((n) => (n > 3 ? Promise.resolve(CHILD) : fails()));
    made.timeouts.hurry()();
    const seen = watch(made);
    await made.time.advance(20_000);
    assert.equal(seen.path, "ses_1/ses_2.md");
  });

  test("is where its file is, which an earlier process put there", async () => {
    const atTop = make(() => Promise.resolve(CHILD), diskWith("ses_2.md"));
    const seen = watch(atTop);
    await atTop.time.advance(20_000);
    assert.equal(seen.path, "ses_2.md");

    const inFolder = make(fails, diskWith("README.md", "ses_0/ses_9.md", "ses_1/ses_2.md"));
    const found = watch(inFolder);
    await inFolder.time.advance(60_000);
    assert.equal(found.path, "ses_1/ses_2.md");
  });

  test("is where its file is, although the disk fails at the first look", async () => {
    for (const times of [1, 2]) {
      const plan = { nth: 1, times, code: "EIO" };
      const faulty = new FaultyFileSystem(diskWith("ses_2.md"), plan);
      const made = make(() => Promise.resolve(CHILD), faulty);
      const seen = watch(made);
      await made.time.advance(20_000);
      assert.equal(seen.path, "ses_2.md");
      assert.equal(faulty.faults, times);
    }
  });

  test("is asked for once, however many want to know", async () => {
    const made = make(() => Promise.resolve(CHILD));
    const paths = Promise.all(Array.from({ length: 10 }, () => made.places.path("ses_2", "markdown")));
    await made.time.advance(20_000);
    assert.equal(new Set(await paths).size, 1);
    assert.equal(made.asked(), 1);
  });
});

describe("ids as names of files", () => {
  const hostile = [
    "../../etc/passwd",
    "..",
    ".",
    "",
    "/absolute",
    "C:\\x",
    "a/b",
    "a\\b",
    "nul\0byte",
    "x".repeat(10_000),
    "CON",
    "aux",
    "con.txt",
    "sp ace",
    "ünï",
    "\ud800",
    "line\nbreak",
    ".hidden",
    "-flag",
    "~",
    "%2e%2e",
    "*?<>|",
  ];

  test("never leave the folder, whatever they are", () => {
    for (const id of hostile) {
      for (const other of ["ses_1", ...hostile]) {
        for (const path of [
          transcriptPath("markdown", id, other),
          outputPath(id, other, 2),
          attachmentPath(id, other, ".png"),
        ]) {
          assert.ok(!isAbsolute(path) && normalize(path) === path.replaceAll("/", sep), path);
          for (const segment of path.split("/")) assert.match(segment, /^[A-Za-z0-9_][A-Za-z0-9_.-]{0,140}$/, path);
        }
      }
    }
  });

  test("are different names for different ids", () => {
    const names = hostile.map(safeSegment);
    assert.equal(new Set(names).size, hostile.length);
    assert.notEqual(safeSegment(safeSegment("../x")), safeSegment("../x"));
  });

  test("are not changed if they are plain", () => {
    for (const id of ["ses_5f3a", "call_0", "toolu_01AbC-9", "A"]) assert.equal(safeSegment(id), id);
  });
});
