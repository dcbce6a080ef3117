import { errorCode } from "../../files/fault.ts";
import type { FileSystem } from "../../files/file-system.ts";

/** Numbers that are tried from the first that looks free; each one that is taken was taken by another save at once. */
const MAX_ATTEMPTS = 1_000;
/** Longest slug, in characters. */
const MAX_SLUG_CHARS = 60;
const USED = /^(\d{3,6})_/;
const USED_OR_RESERVED = /^\.?(\d{3,6})(?:_|\.reserved$)/;

export interface NumberedFileOptions {
  fs: FileSystem;
  join: (...segments: string[]) => string;
  /** Writes a whole new file and makes its folder; "exists" if the name is taken. */
  writeNew: (path: string, data: Uint8Array) => Promise<"written" | "exists">;
}

/**
 * Writes `NNN_slug.md` with the next free number. Two saves at once never get the same: a number is reserved by
 * a file of its own name while its owner looks whether it is used. Returns the file's name.
 * Rejects with the file system's error.
 */
export async function writeNumbered(
  folder: string,
  slug: string,
  content: string,
  { fs, join, writeNew }: NumberedFileOptions,
): Promise<string> {
  const first = (await highest(fs, folder, USED_OR_RESERVED)) + 1;
  for (let number = first; number < first + MAX_ATTEMPTS; number++) {
    const digits = String(number).padStart(3, "0");
    const reservation = join(folder, `.${digits}.reserved`);
    if ((await writeNew(reservation, new Uint8Array())) === "exists") continue;
    try {
      // Its last owner may have written the file and let go of the number since we looked.
      if ((await highest(fs, folder, USED)) >= number) continue;
      const name = `${digits}_${slug}.md`;
      // "exists" would be our own work: a first attempt that succeeded and was reported as failed.
      await writeNew(join(folder, name), Buffer.from(content, "utf8"));
      return name;
    } finally {
      // A reservation that stays behind costs a number, not more.
      await fs.unlink(reservation).catch(() => undefined);
    }
  }
  throw new Error(`No free number was found in ${folder}: try again.`);
}

/** A file name's part from a title: letters and digits of any script, lower case, joined by hyphens. */
export function slugOf(title: string): string {
  const words =
    title
      .normalize("NFKC")
      .toLowerCase()
      .match(/[\p{L}\p{N}\p{M}]+/gu) ?? [];
  const slug = words.join("-").slice(0, MAX_SLUG_CHARS);
  return slug.replace(/[\ud800-\udbff]$/, "").replace(/-+$/, "") || "session";
}

/** The highest number in the names of a folder; 0 if there is none, or no folder. */
async function highest(fs: FileSystem, folder: string, pattern: RegExp): Promise<number> {
  const names = await fs.readdir(folder).catch((error: unknown) => {
    if (errorCode(error) === "ENOENT") return [];
    throw error;
  });
  return Math.max(0, ...names.map((name) => Number(pattern.exec(name)?.[1] ?? 0)));
}
