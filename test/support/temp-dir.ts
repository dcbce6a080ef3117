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
  for (const path of made.splice(0)) rmSync(path, { recursive: true, force: true });
}
