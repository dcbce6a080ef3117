import { setImmediate } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/** Frees what nothing holds, so that a test can see what is held. */
export async function collectGarbage(): Promise<void> {
  // What a weak reference was made of stays until the turn of the event loop ends.
  await setImmediate();
  if (process.versions["bun"]) {
    Bun.gc(true);
    return;
  }
  setFlagsFromString("--expose-gc");
  runInNewContext("gc()");
}
