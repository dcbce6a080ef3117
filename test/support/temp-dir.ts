import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const made: string[] = [];

/** A new folder that `removeTempDirs` removes. */
export function makeTempDir(): string {
  const path = mkdtempSync(join(tmpdir(), "opencode-transcripts-"));
  made.push(path);
  return path;
}

export function removeTempDirs(): void {
  for (const path of made.splice(0)) remove(path);
}

/** Removes a folder, also while a process in the background still writes to it: `maxRetries` does not begin anew then. */
function remove(path: string): void {
  for (let left = 100; ; left -= 1) {
    try {
      rmSync(path, { recursive: true, force: true });
      return;
    } catch (error) {
      if (left === 0) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 100);
    }
  }
}
