import assert from "node:assert/strict";
import type { FaultEvent } from "../../src/transcript/files/fault.ts";
import { Notices } from "../../src/host/notices.ts";
import { describe, test } from "../support/runner.ts";

const FULL = { code: "ENOSPC", message: "The disk is full: free some space." };
const fails = (path: string): FaultEvent & { kind: "fault" } => ({ kind: "fault", path, fault: FULL });
const works = (path: string, missing = 0): FaultEvent => ({
  kind: "recovered",
  path,
  fault: FULL,
  missing,
});

/** Notices, and what a host is told by them. */
function make(): { notices: Notices; told: () => Promise<string[]> } {
  const told: string[] = [];
  const keep = (kind: string) => async (options: unknown) => {
    told.push(`${kind} ${/"message":"((?:[^"\\]|\\.)*)"/.exec(JSON.stringify(options))?.[1]}`);
  };
  const client = { app: { log: keep("log") }, tui: { showToast: keep("toast") } };
  const notices = new Notices(
    () => client,
    async () => "config.json",
  );
  const settled = async (): Promise<string[]> => {
    await notices.deliver(1_000);
    return told.splice(0);
  };
  return { notices, told: settled };
}

describe("messages to the user", () => {
  test("go to the log and to a toast, never in the caller's stack", async () => {
    const { notices, told } = make();
    notices.warn("Something.");
    assert.deepEqual(await told(), ["log opencode-transcripts: Something.", "toast Something."]);
    notices.warn("Something.");
    assert.deepEqual(await told(), [], "and once");
  });

  test("report a failing disk with the first file, and its end with the last, with all that is missing", async () => {
    const { notices, told } = make();
    for (const path of ["a", "b", "c"]) notices.fault(fails(path));
    const begin = await told();
    assert.equal(begin.length, 2);
    assert.match(begin[1] ?? "", /^toast Recording is interrupted: The disk is full: free some space\. File: a\./);
    notices.fault(works("a", 2));
    notices.fault(works("c"));
    assert.deepEqual(await told(), []);
    notices.fault(works("b", 3));
    assert.match(
      (await told())[1] ?? "",
      /^toast Recording works again: 5 entries are missing; the transcripts say where\.$/,
    );
    notices.fault(fails("a"));
    assert.equal((await told()).length, 2, "a new episode is told anew");
    notices.fault(works("a"));
    assert.match((await told())[1] ?? "", /nothing is missing/);
  });

  test("report each of our own failures once, up to a limit", async () => {
    const { notices, told } = make();
    for (let n = 0; n < 3; n++) notices.failure(new TypeError("x is undefined"));
    const once = await told();
    assert.equal(once.length, 2);
    assert.match(once[1] ?? "", /TypeError: x is undefined.*Please report it/);
    for (let n = 0; n < 1_000; n++) notices.failure(new Error(`number ${n}`));
    assert.ok((await told()).length <= 40);
  });

  test("put several problems on a line each in the log, and in one toast", async () => {
    const { notices, told } = make();
    notices.warn("One.");
    notices.failure(new TypeError("x"));
    notices.fault({ ...fails("a"), fault: { code: "EROFS", message: "Read-only." } });
    const lines = await told();
    const toasts = lines.filter((line) => line.startsWith("toast"));
    assert.deepEqual([lines.length - toasts.length, toasts.length], [3, 1]);
    assert.match(
      toasts[0] ?? "",
      /One\..*TypeError.*Read-only\..* The option .*directory.* can be changed in config\.json\./,
    );
  });

  test("survive anything that can be thrown", async () => {
    const { notices, told } = make();
    const hostile = Object.defineProperties(new Error("x"), {
      message: {
        get: () => {
          throw new Error("hostile");
        },
      },
    });
    for (const thrown of [hostile, undefined, null, "text", Symbol("s"), Object.create(null), new Proxy({}, {})]) {
      notices.failure(thrown);
    }
    assert.ok((await told()).every((line) => line.includes("unknown")));
  });
});
