/** Properties of the machine that some tests need. */
import { execFileSync, spawnSync } from "node:child_process";

export const isWindows = process.platform === "win32";
export const isLinux = process.platform === "linux";
export const isRoot = process.getuid?.() === 0;
export const NOBODY = 65_534;

/** Reasons to skip a test. */
export const onWindows = isWindows && "on Windows";
export const notOnLinux = !isLinux && "not on Linux";
export const noProgram = (name: string, args?: readonly string[]): string | false =>
  !hasProgram(name, args) && `no ${name}`;

const hasProgram = (name: string, args: readonly string[] = ["--version"]): boolean =>
  spawnSync(name, args, { stdio: "ignore", timeout: 60_000 }).status === 0;

/** Runs `body` as the owner of a folder and of all that is in it, and without the right of root to write everywhere. */
export async function withoutRoot(folder: string, body: () => Promise<void>): Promise<void> {
  if (!isRoot) return body();
  execFileSync("chown", ["-R", `${NOBODY}`, folder]);
  process.seteuid?.(NOBODY);
  try {
    await body();
  } finally {
    process.seteuid?.(0);
  }
}
