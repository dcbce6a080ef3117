/** One error for all that a caller can fix. */
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { openStore } from "../../src/store/open-store.ts";
import { resolveSession } from "../../src/sessions/resolve-session.ts";
import { failure } from "../../src/tools/failure.ts";
import { isSessionError, isStoreError, TranscriptsError } from "../../src/transcripts-error.ts";
import { REPOSITORY } from "../support/repository.ts";
import { afterAll, describe, test } from "../support/runner.ts";
import { makeTempDir, removeTempDirs } from "../support/temp-dir.ts";

afterAll(removeTempDirs);

/** Errors that no caller sees: they end or repeat something inside, or become another error. */
const INTERNAL = [
  "BrokenThread",
  "ClosedOutput",
  "ConcurrentWriteError",
  "Interrupted",
  "UnexpectedValue",
  "WriteFault",
];

describe("errors", () => {
  test("for callers have one class", () => {
    const folder = join(REPOSITORY, "src");
    const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".ts"));
    const classes = files.flatMap((name) =>
      Array.from(readFileSync(join(folder, name), "utf8").matchAll(/class (\w+) extends Error/g), ([, found]) => found),
    );
    assert.deepEqual(new Set(classes), new Set([...INTERNAL, "TranscriptsError"]));
  });

  test("of a session and of the store differ, and name the next step to a tool too", async () => {
    const home = makeTempDir();
    const where = { cwd: home, home, env: {} };
    const lost = await resolveSession("no-such-session", where).catch((error: unknown) => error);
    assert.equal(isStoreError(lost), false);
    assert.ok(isSessionError(lost));
    assert.deepEqual([lost.code, lost.field], ["not_found", undefined]);
    const answer = failure("read_session", lost);
    assert.match(answer.text, /No session has an id that begins with .*Call list_sessions to see all sessions\.$/);
    const absent = await openStore(where, { readOnly: true }).catch((error: unknown) => error);
    assert.equal(isSessionError(absent), false);
    assert.ok(isStoreError(absent));
    assert.equal(absent.code, "unavailable");
  });

  test("about an argument pass its name on to a tool; a bug is called one", () => {
    const mistake = new TranscriptsError("bad_arguments", "It is invalid.", "Leave it out.", { field: "since" });
    assert.deepEqual(failure("list_sessions", mistake), {
      text: "list_sessions failed. since: It is invalid. Leave it out.",
      code: "bad_arguments",
      isError: true,
    });
    assert.match(failure("list_sessions", new TypeError("x is undefined")).text, /This should not happen/);
  });
});
