/** The stages of `npm test`: none can be blocked or outlived by a child. */
import assert from "node:assert/strict";
import { countsIn, runStage, type StageOptions } from "../../scripts/run-stage.ts";
import { isWindows } from "../support/machine.ts";
import { eventually } from "../support/recording/eventually.ts";
import { describe, test } from "../support/runner.ts";

const OPTIONS: StageOptions = { cwd: process.cwd(), env: process.env, limitMs: 60_000, childrenMs: 200 };

async function assertEnded(output: string): Promise<void> {
  const pid = Number(/child (\d+)/.exec(output)?.[1]);
  await eventually(() => {
    try {
      process.kill(pid, 0);
      return false;
    } catch {
      return true;
    }
  });
}

describe("a stage", () => {
  test.skipIf(isWindows)("ends although a child keeps its output open, and the child ends with it", async () => {
    const { output, code } = await runStage(["sh", "-c", "sleep 900 & echo child $!; exit 3"], OPTIONS);
    assert.equal(code, 3);
    await assertEnded(output);
  });

  test.skipIf(isWindows)("that hangs is ended with its children, and has failed", async () => {
    const { output, code } = await runStage(["sh", "-c", "sleep 900 & echo child $!; wait"], {
      ...OPTIONS,
      limitMs: 500,
    });
    assert.equal(code, 1);
    assert.match(output, /Ended after 0.5 seconds/);
    await assertEnded(output);
  });

  test("that cannot start has failed", async () => {
    assert.equal((await runStage(["no-such-program-here"], OPTIONS)).code, 1);
  });

  test("counts skipped tests as skipped, whichever runner prints them", () => {
    assert.deepEqual(countsIn(" 427 pass\n 32 skip\n 3 fail\n"), { passed: 427, failed: 3, skipped: 32 });
    assert.deepEqual(countsIn(" 5 pass\n 0 fail\n"), { passed: 5, failed: 0, skipped: 0 });
    for (const sign of ["# ", "ℹ "])
      assert.deepEqual(countsIn(`${sign}pass 12\n${sign}fail 0\n${sign}cancelled 0\n${sign}skipped 4\n`), {
        passed: 12,
        failed: 0,
        skipped: 4,
      });
    assert.equal(countsIn("no tests here"), undefined);
  });
});
