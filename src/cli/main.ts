#!/usr/bin/env node
/** The program `transcripts`. Node keeps what it compiles of the rest, which halves the time until a command runs. */
import module from "node:module";
import { homedir } from "node:os";
import { join } from "node:path";
import { VERSION } from "../version.ts";

const [argument, ...more] = process.argv.slice(2);

if (more.length === 0 && (argument === "--version" || argument === "-V")) {
  // Told without the rest of the program. A reader that went away is no error.
  process.stdout.on("error", () => undefined).write(`${VERSION}\n`);
} else {
  // Bun has none. Where it cannot be written, Node goes on without; NODE_DISABLE_COMPILE_CACHE=1 turns it off.
  if ("enableCompileCache" in module) module.enableCompileCache(cacheFolder());
  await import("./process.ts");
}

/** Of this user alone: whoever writes to it decides what runs. */
function cacheFolder(): string {
  const { XDG_CACHE_HOME: cache, LOCALAPPDATA: local, NODE_COMPILE_CACHE: chosen } = process.env;
  return chosen || join(cache || local || join(homedir(), ".cache"), "opencode-transcripts", "compiled");
}
