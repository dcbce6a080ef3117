import type { FileSystem } from "../../files/file-system.ts";

/** Numbers that are tried; more than these sessions are not saved on one day. */
const MAX_NUMBER = 100_000;
/** Longest slug, in characters. */
const MAX_SLUG_CHARS = 60;

export interface NumberedFileOptions {
  fs: FileSystem;
  join: (...segments: string[]) => string;
  /** Writes a whole new file and makes its folder; "exists" if the name is taken. */
  writeNew: (path: string, data: Uint8Array) => Promise<"written" | "exists">;
}

/**
 * Writes `NNN_slug.md` with the next free number. Two saves at once never get the same: a number is reserved by
 * a file of its own name while its owner looks whether it is used. Returns the file's name.
 */
export async function writeNumbered(
  folder: string,
  slug: string,
  content: (name: string) => string,
  { fs, join, writeNew }: NumberedFileOptions,
): Promise<string> {
  for (let number = (await highest(fs, folder)) + 1; number <= MAX_NUMBER; number++) {
    const digits = String(number).padStart(3, "0");
    const reservation = join(folder, `.${digits}.reserved`);
    if ((await writeNew(reservation, new Uint8Array())) === "exists") continue;
    try {
      // Its last owner may have written the file and let go of the number since we looked.
      if ((await highest(fs, folder)) >= number) continue;
      const name = `${digits}_${slug}.md`;
      await writeNew(join(folder, name), Buffer.from(content(name), "utf8"));
      return name;
    } finally {
      await fs.unlink(reservation).catch(() => undefined);
    }
  }
  throw new Error(`All ${MAX_NUMBER} numbers of the day are taken.`);
}

/** A file name's part from a title: letters and digits of any script, lower case, joined by hyphens. */
export function slugOf(title: string): string {
  const words = title.normalize("NFKC").toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  const slug = words.join("-").slice(0, MAX_SLUG_CHARS);
  return slug.replace(/[\ud800-\udbff]$/, "").replace(/-+$/, "") || "session";
}

/** The highest number that a file in the folder has; 0 if there is none, or no folder. */
async function highest(fs: FileSystem, folder: string): Promise<number> {
  const names = await fs.readdir(folder).catch(() => []);
  return Math.max(0, ...names.map((name) => Number(/^(\d{3,6})_/.exec(name)?.[1] ?? 0)));
}
