#!/usr/bin/env node
/** The program `transcripts`. Enables Node's compile cache for the rest, so that a command starts in half the time. */
import * as module from "node:module";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { homeFolder } from "../user-folders.ts";
import { oldRuntime } from "./runtime.ts";

const problem = oldRuntime(process.versions);

if (problem !== undefined) {
  process.stderr.write(`${problem}\n`);
  process.exitCode = 2;
} else {
  // Bun has no compile cache. Node continues without it if the folder cannot be written; NODE_DISABLE_COMPILE_CACHE=1 turns
  // it off.
  if ("enableCompileCache" in module) module.enableCompileCache(cacheFolder());
  const { runProcess } = await import("./process.ts");
  await runProcess((code) => process.exit(code), fileURLToPath(new URL("../..", import.meta.url)));
}

/** Writable only by this user, because its content is executed. */
function cacheFolder(): string {
  const { NODE_COMPILE_CACHE: chosen, XDG_CACHE_HOME: caches, LOCALAPPDATA: local } = process.env;
  return chosen || join(caches || local || join(homeFolder(process.env), ".cache"), "opencode-transcripts", "compiled");
}
