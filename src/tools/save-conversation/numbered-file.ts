import { join } from "node:path";
import { errorCode } from "../../transcript/files/fault.ts";
import type { FileSystem } from "../../transcript/files/file-system.ts";

/**
 * Maximum number of attempts, starting with the first number that looks free. Each number that is taken was taken by a
 * concurrent save.
 */
const MAX_ATTEMPTS = 1_000;
/** Maximum length of a slug, in characters. */
const MAX_SLUG_CHARS = 60;
const USED = /^(\d{3,6})_/;
const USED_OR_RESERVED = /^\.?(\d{3,6})(?:_|\.reserved$)/;

export interface NumberedFileOptions {
  fs: FileSystem;
  /** Writes a complete new file, creating its folder; "exists" if the name is taken. */
  writeNew: (path: string, data: Uint8Array) => Promise<"written" | "exists">;
}

/**
 * Writes `NNN_slug.md` with the next free number and returns the file's name. Concurrent saves never get the same
 * number: a reservation file holds it while its owner checks that it is unused. Rejects with the file system's error.
 */
export async function writeNumbered(
  folder: string,
  slug: string,
  content: string,
  { fs, writeNew }: NumberedFileOptions,
): Promise<string> {
  const first = (await highest(fs, folder, USED_OR_RESERVED)) + 1;
  for (let number = first; number < first + MAX_ATTEMPTS; number++) {
    const digits = String(number).padStart(3, "0");
    const reservation = join(folder, `.${digits}.reserved`);
    if ((await writeNew(reservation, new Uint8Array())) === "exists") continue;
    try {
      // Its previous owner may have written the file and released the number since the check.
      if ((await highest(fs, folder, USED)) >= number) continue;
      const name = `${digits}_${slug}.md`;
      // "exists" would be our own file, from a first attempt that succeeded but was reported as failed.
      await writeNew(join(folder, name), Buffer.from(content, "utf8"));
      return name;
    } finally {
      // A leftover reservation only costs a number.
      await fs.unlink(reservation).catch(() => undefined);
    }
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

/** Returns the highest number among the names in a folder; 0 if there is none, or no folder. */
async function highest(fs: FileSystem, folder: string, pattern: RegExp): Promise<number> {
  const names = await fs.readdir(folder).catch((error: unknown) => {
    if (errorCode(error) === "ENOENT") return [];
    throw error;
  });
  return Math.max(0, ...names.map((name) => Number(pattern.exec(name)?.[1] ?? 0)));
}
