/** Files that are written whole or not at all. */
import { realpath, rename, rm, stat, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { errorCode } from "../files/fault.ts";

/**
 * Writes the file under a temporary name beside it and then renames it, so that nobody ever reads half of it.
 * A file that is there keeps its mode, and a symbolic link stays one. Rejects with the file system's error.
 */
export async function writeWhole(path: string, data: string | AsyncIterable<string>): Promise<void> {
  const target = await realTarget(path);
  const temporary = join(dirname(target), `.${basename(target)}.${process.pid}-${Math.random().toString(36).slice(2, 8)}.tmp`);
  try {
    await writeFile(temporary, data, { mode: (await modeOf(target)) ?? 0o644, flag: "wx" });
    await rename(temporary, target);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

async function realTarget(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    if (errorCode(error) === "ENOENT") return path;
    throw error;
  }
}

async function modeOf(path: string): Promise<number | undefined> {
  try {
    return (await stat(path)).mode & 0o777;
  } catch (error) {
    if (errorCode(error) === "ENOENT") return undefined;
    throw error;
  }
}
