/** Writes files with consecutive numbers into a folder. */
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { errorCode } from "../../transcript/files/fault.ts";
import type { FileSystem } from "../../transcript/files/file-system.ts";

/** Maximum number of attempts; each fails only because of another save at the same moment. */
const MAX_ATTEMPTS = 1_000;
/** Longest wait before the next attempt, in milliseconds; random, so that saves do not meet again. */
const MAX_YIELD_MS = 20;
/** Maximum length of a slug, in characters. */
const MAX_SLUG_CHARS = 60;
const USED = /^(\d{3,6})_/;

export interface NumberedFileOptions {
  fs: FileSystem;
  /** Writes a complete new file, creating its folder; "exists" if the name is taken. */
  writeNew: (path: string, data: Uint8Array) => Promise<"written" | "exists">;
}

/**
 * Writes `NNN_slug.md` with the next number and returns the file's name. Simultaneous saves never get the same number: a
 * name is taken by one, and of two names with one number, those that see the other give way. Rejects with the file system's
 * error.
 */
export async function writeNumbered(
  folder: string,
  slug: string,
  content: string,
  { fs, writeNew }: NumberedFileOptions,
): Promise<string> {
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const number = Math.max(0, ...(await numbersIn(fs, folder))) + 1;
    const name = `${String(number).padStart(3, "0")}_${slug}.md`;
    const path = join(folder, name);
    if ((await writeNew(path, Buffer.from(content, "utf8"))) === "exists") continue;
    if ((await numbersIn(fs, folder)).filter((each) => each === number).length === 1) return name;
    await fs.unlink(path);
    await sleep(Math.random() * MAX_YIELD_MS);
  }
  throw new Error(`No free number was found in ${folder}: try again.`);
}

/** Returns the file name part for a title: letters and digits of any script in lower case, joined by hyphens. */
export function slugOf(title: string): string {
  const words =
    title
      .normalize("NFKC")
      .toLowerCase()
      .match(/[\p{L}\p{N}\p{M}]+/gu) ?? [];
  const slug = words.join("-").slice(0, MAX_SLUG_CHARS);
  return slug.replace(/[\ud800-\udbff]$/, "").replace(/-+$/, "") || "session";
}

/** Returns the numbers of the files in a folder; none if there is no folder. */
async function numbersIn(fs: FileSystem, folder: string): Promise<number[]> {
  const names = await fs.readdir(folder).catch((error: unknown) => {
    if (errorCode(error) === "ENOENT") return [];
    throw error;
  });
  return names.flatMap((name) => USED.exec(name)?.[1] ?? []).map(Number);
}
