import { setTimeout as sleep } from "node:timers/promises";

/** Longer than the time limit of any test, which comes first. */
const MAX_MS = 180_000;

/** Resolves once the check holds. Rejects after three minutes, so that a test that failed lets its process end. */
export async function eventually(check: () => boolean | Promise<boolean>): Promise<void> {
  const end = performance.now() + MAX_MS;
  while (!(await check())) {
    if (performance.now() > end) throw new Error(`still not so after ${MAX_MS / 1000} s: ${check.toString()}`);
    await sleep(5);
  }
}
