import { setTimeout as sleep } from "node:timers/promises";

/** Resolves once the check holds. Waits for it as long as the test's own time limit allows. */
export async function eventually(check: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await check())) await sleep(5);
}
