/**
 * One set of test functions for both runtimes: `bun test` and `node --test`.
 * Assertions come from `node:assert/strict`, which both have.
 */
const runner = process.versions["bun"] ? await import("bun:test") : await import("node:test");

type Body = () => void | Promise<void>;

export const describe: (name: string, body: () => void) => unknown = runner.describe;
/** A test; the optional third argument is its time limit in milliseconds. */
export const test = (name: string, body: Body, timeoutMs = 30_000): void => {
  if (process.versions["bun"]) (runner.test as (n: string, b: Body, t: number) => void)(name, body, timeoutMs);
  else (runner.test as (n: string, o: { timeout: number }, b: Body) => void)(name, { timeout: timeoutMs }, body);
};
/** Like `test`: bun's own limit of 5 s is too short for a server that starts on a busy machine. */
export const beforeAll = (body: Body, timeoutMs = 60_000): void => {
  if ("beforeAll" in runner) runner.beforeAll(body, timeoutMs);
  else runner.before(body, { timeout: timeoutMs });
};
export const afterAll = (body: Body, timeoutMs = 60_000): void => {
  if ("afterAll" in runner) runner.afterAll(body, timeoutMs);
  else runner.after(body, { timeout: timeoutMs });
};
