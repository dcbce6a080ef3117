/**
 * Where a `ToolRunner` finds its files: beside this one, by addresses that a bundler does not follow, since all of the
 * store and the parser hang on them. `scripts/build.ts` lays files with their names beside each bundle.
 */
import type { ToolRunnerOptions } from "./tool-runner.ts";

export const NEAR_FILES: Pick<ToolRunnerOptions, "workerUrl" | "loadCalls"> = {
  workerUrl: near("tool-worker"),
  loadCalls: () => import(near("tool-calls").href),
};

/** As this file: `.ts` where it runs as it was written, `.js` where it was built. */
function near(name: string): URL {
  return new URL(`./${name}${import.meta.url.slice(-3)}`, import.meta.url);
}
