/** The one helper for work in threads. */
import assert from "node:assert/strict";
import { BrokenThread, WorkerThread } from "../../src/worker-thread.ts";
import { describe, test } from "../support/runner.ts";

const CHILD = new URL("../support/worker-thread-child.ts", import.meta.url);

function thread(answer?: () => Promise<unknown>): WorkerThread<string, string> {
  return new WorkerThread(CHILD, { data: undefined, ...(answer === undefined ? {} : { answer }) });
}

describe("a thread", () => {
  test("runs several tasks, and a failure affects only its own task", async () => {
    const child = thread();
    const failing = assert.rejects(child.run("fail"), /failed on purpose/);
    assert.deepEqual(await Promise.all([child.run("a"), child.run("b")]), ["a done", "b done"]);
    await failing;
    // Longer than the test may take: the thread ends by itself.
    await child.close(60_000);
  });

  test("asks its caller, and its task fails with the error of the answer", async () => {
    const child = thread(async () => "this much");
    assert.equal(await child.run("ask"), "this much");
    await child.stop();
    const error = new RangeError("too much");
    const refused = thread(() => Promise.reject(error));
    assert.equal(await refused.run("ask").catch((reason: unknown) => reason), error);
    assert.equal(await refused.run("next"), "next done");
    await refused.stop();
  });

  test("returns from a cancelled task at once", async () => {
    const child = thread();
    const cancelling = new AbortController();
    const waiting = child.run("wait", cancelling.signal);
    cancelling.abort(new Error("enough"));
    await assert.rejects(waiting, /enough/);
    assert.equal(await child.run("next"), "next done");
    await child.stop();
  });

  test("does not begin a task that was cancelled while the thread started", async () => {
    const child = thread();
    await assert.rejects(child.run("exit", AbortSignal.abort(new Error("enough"))), /enough/);
    assert.equal(await child.run("next"), "next done");
    await child.stop();
  });

  test("that ends or cannot start fails all its tasks, later ones too", async () => {
    const child = thread();
    await Promise.all(["wait", "exit"].map((task) => assert.rejects(child.run(task), BrokenThread)));
    await assert.rejects(child.run("next"), BrokenThread);
    const absent = new WorkerThread(new URL("file:///no/such/thread.js"), { data: undefined });
    assert.equal(await absent.ready, false);
    await assert.rejects(absent.run("next"), BrokenThread);
  });
});
