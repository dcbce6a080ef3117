/** The stages of `npm test`: no child can block or outlive one, and the end of the output says which tests failed. */
import assert from "node:assert/strict";
import { type FailedTest, failedTestsIn, listOf } from "../../scripts/failed-tests.ts";
import { countsIn, runStage, type StageOptions } from "../../scripts/run-stage.ts";
import { onWindows } from "../support/machine.ts";
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
  test.skipIf(onWindows)("ends although a child keeps its output open, and the child ends with it", async () => {
    const { output, code } = await runStage(["sh", "-c", "sleep 900 & echo child $!; exit 3"], OPTIONS);
    assert.equal(code, 3);
    await assertEnded(output);
  });

  test.skipIf(onWindows)("that hangs is ended with its children, and has failed", async () => {
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

  test("counts a test that reached its time limit as failed", () => {
    const counts = countsIn("# pass 12\n# fail 1\n# cancelled 2\n# skipped 0\n");
    assert.deepEqual(counts, { passed: 12, failed: 3, skipped: 0 });
  });
});

const UNDER_BUN = `
test/unit/prices.test.ts:
(pass) prices > are loaded [1.20ms]
something that the test printed
1 | import { test } from "bun:test";
2 | test("add up", () => assert.equal(sum, 12));
                                      ^
AssertionError: Expected values to be strictly equal:

11 !== 12

      at innerFail (node:assert:50:32)
      at <anonymous> (/home/me/test/unit/prices.test.ts:2:35)
(fail) prices > add up [18.76ms]
(fail) prices > in time [5000.10ms]
  ^ this test timed out after 5000ms.

test/unit/places.test.ts:

# Unhandled error between tests
-------------------------------
error: Cannot find module "./gone.ts"
-------------------------------

2 tests failed:
(fail) prices > add up [18.76ms]
(fail) prices > in time [5000.10ms]
  ^ this test timed out after 5000ms.

 1 pass
 2 fail
`;

const UNDER_NODE = `TAP version 13
# Subtest: prices
    # Subtest: are loaded
    ok 1 - are loaded
      ---
      duration_ms: 0.084747
      ...
    # Subtest: add up
    not ok 2 - add up
      ---
      duration_ms: 12.917436
      location: '/home/me/test/unit/prices.test.ts:2:25'
      failureType: 'testCodeFailure'
      error: |-
        Expected values to be strictly equal:
        
        11 !== 12
        
      code: 'ERR_ASSERTION'
      stack: |-
        TestContext.<anonymous> (file:///home/me/test/unit/prices.test.ts:2:35)
        Test.run (node:internal/test_runner/test:1047:25)
      ...
    # Subtest: in time
    not ok 3 - in time
      ---
      location: '/home/me/test/unit/prices.test.ts:9:25'
      failureType: 'testTimeoutFailure'
      error: 'test timed out after 20ms'
      ...
    1..3
not ok 1 - prices
  ---
  failureType: 'subtestsFailed'
  error: '2 subtests failed'
  ...
`;

describe("the failed tests of a stage", () => {
  test("are found in what bun prints, with message and place", () => {
    assert.deepEqual(failedTestsIn(UNDER_BUN, "unit"), [
      {
        name: "prices > add up",
        message: [
          "AssertionError: Expected values to be strictly equal:",
          "11 !== 12",
          "      at <anonymous> (/home/me/test/unit/prices.test.ts:2:35)",
        ],
      },
      { name: "prices > in time", message: ["this test timed out after 5000ms."] },
      {
        name: "test/unit/places.test.ts, outside of its tests",
        message: ['error: Cannot find module "./gone.ts"'],
      },
    ]);
  });

  test("are found in what node prints, with suite, message and place", () => {
    assert.deepEqual(failedTestsIn(UNDER_NODE, "node"), [
      {
        name: "prices > add up",
        message: [
          "Expected values to be strictly equal:",
          "11 !== 12",
          "at TestContext.<anonymous> (file:///home/me/test/unit/prices.test.ts:2:35)",
        ],
      },
      { name: "prices > in time", message: ["test timed out after 20ms", "at /home/me/test/unit/prices.test.ts:9:25"] },
    ]);
  });

  test("are the stage itself if its output names none", () => {
    assert.deepEqual(failedTestsIn("one\ntwo\n", "lint"), [{ name: "lint", message: ["one", "two"] }]);
  });

  test("are listed in so few lines that the end of a log of two runs has them all", () => {
    const failed = (count: number): FailedTest[] =>
      Array.from({ length: count }, (_, at) => ({
        name: `test ${at}`,
        message: Array<string>(100).fill("x".repeat(9_999)),
      }));
    for (const count of [1, 2, 5, 20, 40, 41, 5_000]) {
      const list = listOf(failed(count));
      assert.ok(list.length <= 90, `${count} failed tests take ${list.length} lines`);
      assert.ok(list.every((line) => line.length <= 301));
      for (let at = 0; at < Math.min(count, 40); at++) assert.ok(list.includes(`  test ${at}`));
    }
    assert.equal(listOf(failed(41)).at(-1), "  … and 1 more");
  });
});
