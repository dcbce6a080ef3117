import { setTimeout as sleep } from "node:timers/promises";

/** Less than the time limit of a test, five minutes, so that the condition is named. */
const MAX_MS = 4 * 60_000;

/** Resolves once the check holds. Rejects after four minutes. */
export async function eventually(check: () => boolean | Promise<boolean>): Promise<void> {
  await found(async () => ((await check()) ? true : undefined));
}

/** Resolves with the first result of `find` that is not undefined. Rejects after four minutes. */
export async function found<T>(find: () => T | undefined | Promise<T | undefined>, everyMs = 5): Promise<T> {
  const end = performance.now() + MAX_MS;
  for (;;) {
    const result = await find();
    if (result !== undefined) return result;
    if (performance.now() > end) throw new Error(`still not so after ${MAX_MS / 1000} s: ${find.toString()}`);
    await sleep(everyMs);
  }
}
