/** The thread of the tools: used where one can be had, given back, and never a reason to hang. */
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { ToolCallRequest } from "../../src/tools/runner/tool-requests.ts";
import { ToolRunner, type ToolRunnerOptions } from "../../src/tools/runner/tool-runner.ts";
import { sampleSession, SESSION, storeSession } from "../support/cli/claude-lines.ts";
import { afterAll, describe, test } from "../support/runner.ts";
import { makeTempDir, removeTempDirs } from "../support/temp-dir.ts";

afterAll(removeTempDirs);

const never = new AbortController().signal;
const ODD_THREAD = new URL("../support/tools/odd-thread-child.ts", import.meta.url);

function request(tool: string, cwd: string, args: unknown = {}): ToolCallRequest {
  return { tool, args, cwd };
}

/** A runner with the odd thread, and what that noted so far. */
function odd(more: Partial<ToolRunnerOptions> = {}): { runner: ToolRunner; home: string; noted: () => string[] } {
  const home = makeTempDir();
  const noted = (): string[] => {
    const file = join(home, "thread.log");
    return existsSync(file) ? readFileSync(file, "utf8").trim().split("\n") : [];
  };
  const runner = new ToolRunner({ env: {}, home, workerUrl: ODD_THREAD, ...more });
  return { runner, home, noted };
}

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((resolve) => setTimeout(resolve, 5));
}

describe("the runner of tools", () => {
  test("calls tools in its thread, several at once", async () => {
    const home = makeTempDir();
    storeSession(home, sampleSession());
    const env = { XDG_DATA_HOME: join(home, "data") };
    const runner = new ToolRunner({ env, home });
    const [read, listed, wrong, unknown, kept] = await Promise.all([
      runner.call(request("read_session", home), never),
      runner.call(request("list_sessions", home), never),
      runner.call(request("read_session", home, { last: "many" }), never),
      runner.call(request("no_tool", home), never),
      runner.call(request("query_snippets", home), never),
    ]);
    assert.match(read.text, /And with tax\?/);
    assert.match(listed.text, new RegExp(SESSION));
    assert.equal(wrong.isError, true);
    assert.match(unknown.text, /There is no tool with that name/);
    assert.match(kept.text, /"total_count": 0/);
    await runner.close();
    await assert.rejects(runner.call(request("list_sessions", home), never), /closed/);
  });

  test("says so where no thread can be started", async () => {
    const { runner, home } = odd({ workerUrl: new URL("file:///no/such/thread.js") });
    await assert.rejects(runner.call(request("answer", home), never), /No thread for tools could be started/);
    await runner.close();
  });

  test("ends a call at once when its caller stops waiting", async () => {
    const { runner, home, noted } = odd();
    const cancelling = new AbortController();
    const call = runner.call(request("silent", home), cancelling.signal);
    await until(() => noted().includes("task"));
    cancelling.abort(new Error("enough"));
    await assert.rejects(call, /enough/);
    await until(() => noted().includes("cancel"));
    assert.match((await runner.call(request("answer", home), never)).text, /^thread/);
    await assert.rejects(runner.call(request("answer", home), AbortSignal.abort(new Error("too late"))), /too late/);
    await runner.close();
  });

  test("answers a call that takes too long as failed", async () => {
    const { runner, home } = odd({ callMs: 50 });
    const { isError, text, code } = await runner.call(request("silent", home), never);
    assert.equal(isError, true);
    assert.match(text, /^silent failed\. It took longer than \d+ seconds and was given up\. Ask for less/);
    assert.equal(code, "timeout");
    await runner.close();
  });

  test("replaces the thread after a call that took too long, since it may hang", async () => {
    const { runner, home, noted } = odd({ callMs: 3_000 });
    const first = (await runner.call(request("answer", home), never)).text;
    assert.equal((await runner.call(request("loop", home), never)).isError, true);
    assert.ok(noted().includes("task"));
    const { text } = await runner.call(request("answer", home), never);
    assert.match(text, /^thread/);
    assert.notEqual(text, first);
    await runner.close();
  });

  test("fails running calls if the thread breaks, and starts another for the next", async () => {
    const { runner, home } = odd();
    const first = (await runner.call(request("answer", home), never)).text;
    const waiting = runner.call(request("silent", home), never);
    await Promise.all([
      assert.rejects(runner.call(request("break", home), never), /broken on purpose|has ended/),
      assert.rejects(waiting, /broken on purpose|has ended/),
    ]);
    const second = (await runner.call(request("answer", home), never)).text;
    assert.match(second, /^thread/);
    assert.notEqual(second, first);
    await runner.close();
  });

  test("ends the thread that is not needed, and starts it again when it is", async () => {
    const { runner, home, noted } = odd({ idleMs: 1 });
    const first = (await runner.call(request("answer", home), never)).text;
    await until(() => noted().includes("close"));
    assert.notEqual((await runner.call(request("answer", home), never)).text, first);
    await runner.close();
  });

  test("ends running calls when it closes", async () => {
    const { runner, home, noted } = odd();
    const call = runner.call(request("silent", home), never);
    await until(() => noted().includes("task"));
    const closed = runner.close();
    await assert.rejects(call, /has ended/);
    await closed;
    await runner.close();
  });
});
