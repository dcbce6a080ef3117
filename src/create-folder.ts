import { existsSync, mkdirSync } from "node:fs";
import { dirname } from "node:path";

/**
 * Creates a folder, and those above it, for this user only (0700). Returns false if it exists. Does not use Node's
 * `recursive`, which never ends where the file system refuses a folder with ENOENT, as /proc does.
 */
export function createFolder(path: string): boolean {
  if (existsSync(path)) return false;
  const parent = dirname(path);
  if (parent !== path) createFolder(parent);
  try {
    mkdirSync(path, { mode: 0o700 });
    return true;
  } catch (error) {
    // Another program was faster.
    if (existsSync(path)) return false;
    throw error;
  }
}
