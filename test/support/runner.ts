/**
 * One set of test functions for both runtimes: `bun test` and `node --test`.
 * Assertions come from `node:assert/strict`, which both have.
 */
import fc from "fast-check";

const runner = process.versions["bun"] ? await import("bun:test") : await import("node:test");

/** `npm run test:long`: all samples, rounds and forms; else a selection of those that show the same in another place. */
export const isLong = process.env["TEST_LONG"] === "1";
/** Runs of a property. */
export const runs = (long: number): number => (isLong ? long : Math.ceil(long / 3));

type Body = () => void | Promise<void>;

/** Time limit of the test that runs now, as a time. Tests of a process run one after another. */
let endsAt = Infinity;
/** Longest delay of a timer. */
const MAX_DELAY_MS = 2 ** 31 - 1;

/**
 * A property ends a little before its test has to, because a test that reaches its time limit while a counterexample is made
 * smaller would say nothing about it. One that failed reports the smallest counterexample so far with seed and path, and
 * one that only took too long fails too, with its seed.
 */
fc.configureGlobal({
  // `npm test` judges a change, so it draws the same values each time. `test:long` looks for what nobody has met yet.
  ...(isLong ? {} : { seed: 1 }),
  get interruptAfterTimeLimit() {
    return Math.max(1, Math.min(0.8 * (endsAt - Date.now()), MAX_DELAY_MS));
  },
  markInterruptAsFailure: true,
  includeErrorInReport: true,
});

/**
 * Time limit of a test and of what runs before and after tests, unless they set their own. So long that only what hangs
 * reaches it, on a machine that does other work too: a wait ends when its condition holds, not when a clock says so.
 */
const LIMIT_MS = 5 * 60_000;

export const describe: (name: string, body: () => void) => unknown = runner.describe;

function plainTest(name: string, body: Body, ownLimitMs = 0): void {
  const timeoutMs = Math.max(ownLimitMs, LIMIT_MS);
  const timed: Body = () => {
    endsAt = Date.now() + timeoutMs;
    return body();
  };
  if (process.versions["bun"]) (runner.test as (n: string, b: Body, t: number) => void)(name, timed, timeoutMs);
  else (runner.test as (n: string, o: { timeout: number }, b: Body) => void)(name, { timeout: timeoutMs }, timed);
}

function skippedTest(name: string, body: Body): void {
  (runner.test.skip as (n: string, b: Body) => void)(name, body);
}

/** A test; the optional third argument is a longer time limit in milliseconds. */
export const test = Object.assign(plainTest, {
  /**
   * A test that is counted as skipped, not as passed, where the machine lacks what it needs. The reason, such as `no git`,
   * is added to its title; `false`: it runs.
   */
  skipIf: (reason: string | false) =>
    reason === false ? plainTest : (name: string, body: Body) => skippedTest(`${name} (skipped: ${reason})`, body),
});
export const beforeAll = (body: Body, ownLimitMs = 0): void => {
  const timeoutMs = Math.max(ownLimitMs, LIMIT_MS);
  if ("beforeAll" in runner) runner.beforeAll(body, timeoutMs);
  else runner.before(body, { timeout: timeoutMs });
};
export const afterAll = (body: Body, ownLimitMs = 0): void => {
  const timeoutMs = Math.max(ownLimitMs, LIMIT_MS);
  if ("afterAll" in runner) runner.afterAll(body, timeoutMs);
  else runner.after(body, { timeout: timeoutMs });
};
