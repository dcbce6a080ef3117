import { setTimeout as sleep } from "node:timers/promises";
import { LIMIT_MS } from "../runner.ts";

/** Less than the time limit of a test, so that the condition is named. */
const MAX_MS = LIMIT_MS - 60_000;

/** Resolves once the check holds. Rejects after four minutes. */
export async function eventually(check: () => boolean | Promise<boolean>): Promise<void> {
  const end = performance.now() + MAX_MS;
  while (!(await check())) {
    if (performance.now() > end) throw new Error(`still not so after ${MAX_MS / 1000} s: ${check.toString()}`);
    await sleep(5);
  }
}
