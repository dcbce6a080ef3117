/** Properties of the machine that some tests need. */
import { spawnSync } from "node:child_process";

export const isWindows = process.platform === "win32";
export const isLinux = process.platform === "linux";
export const isRoot = process.getuid?.() === 0;

export const hasProgram = (name: string, args: readonly string[] = ["--version"]): boolean =>
  spawnSync(name, args, { stdio: "ignore", timeout: 60_000 }).status === 0;
