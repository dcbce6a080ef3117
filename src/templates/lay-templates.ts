import { join } from "node:path";
import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { errorCode } from "../transcript/files/fault.ts";
import type { FileSystem } from "../transcript/files/file-system.ts";
import { replaceFile, writeNewFile } from "../transcript/files/new-file.ts";

/** Folders with the templates, relative to this file, to the bundle that contains it, or to the bundle's chunks. */
const FOLDERS = ["./.openfleet/", "./templates/.openfleet/", "../../templates/.openfleet/"];
const MAX_TEMPLATE_BYTES = 64 * 1024;

/**
 * Files for a new project. npm leaves `.gitignore` files out of packages, so they have another name there.
 * `earlier`: SHA-256 of each earlier version, which may be replaced. Add the old one with each change.
 */
const TEMPLATES: readonly { to: string; from: readonly string[]; earlier: readonly string[] }[] = [
  {
    to: "transcripts/.gitignore",
    from: ["transcripts/.gitignore", "transcripts/gitignore"],
    earlier: ["3575aa5c9e76c4c6809db35dec90d8624362dde1e612e771efae11113d541c0e"],
  },
  {
    to: "transcripts/README.md",
    from: ["transcripts/README.md"],
    earlier: [
      "fce355a9a5a38935a1b6461995b3728025c6a746990696ae44fc9c70fa95cd68",
      "1db01ef40b6e29044cd9cc2bce8edd6870f801ea13a6d0320cf27fe5967ff24a",
      "208b34dff65187985585dd2de7bd0491f1f82da3ff061f83d2730de84158db17",
    ],
  },
  { to: "sessions/.gitignore", from: ["sessions/.gitignore", "sessions/gitignore"], earlier: [] },
];

export interface LaidFile {
  path: string;
  /** `updated`: it was a template of an earlier version. `unchanged`: the current template, or the user's own file. */
  change: "created" | "updated" | "unchanged";
}

export interface LayOptions {
  fs: FileSystem;
  /** Reports changes without making them. */
  dryRun?: boolean;
  /** Skips existing files, because they were checked before. */
  onlyMissing?: boolean;
}

/**
 * Creates the templates in a project's data folder, and updates those of earlier versions. Any other file of the same name
 * is not changed. Rejects with the file system's error if one cannot be written.
 */
export async function layTemplates(dataFolder: string, options: LayOptions): Promise<LaidFile[]> {
  return Promise.all(
    TEMPLATES.map(async ({ to, from, earlier }) => {
      const path = join(dataFolder, to);
      return { path, change: await lay(path, await templateText(from), earlier, options) };
    }),
  );
}

async function lay(
  path: string,
  template: Uint8Array,
  earlier: readonly string[],
  { fs, dryRun = false, onlyMissing = false }: LayOptions,
): Promise<LaidFile["change"]> {
  const existing = await existingFile(path, fs, onlyMissing);
  if (existing === undefined) {
    if (dryRun || (await writeNewFile(fs, path, template)) === "written") return "created";
    return "unchanged";
  }
  if (!earlier.includes(createHash("sha256").update(existing).digest("hex"))) return "unchanged";
  if (!dryRun) await replaceFile(fs, path, template);
  return "updated";
}

/** Returns the content of an existing file, empty if it cannot be a template or is to be skipped; undefined if there is none. */
async function existingFile(path: string, fs: FileSystem, isUnread: boolean): Promise<Uint8Array | undefined> {
  try {
    const { size, isDirectory } = await fs.stat(path);
    // A pipe has no size either, and opening it would wait for a writer.
    if (isUnread || isDirectory || size === 0 || size > MAX_TEMPLATE_BYTES) return new Uint8Array();
    const handle = await fs.openRead(path);
    try {
      return await handle.read(0, MAX_TEMPLATE_BYTES);
    } finally {
      await handle.close();
    }
  } catch (error) {
    if (errorCode(error) === "ENOENT") return undefined;
    throw error;
  }
}

const texts = new Map<string, Promise<Uint8Array>>();

/** Templates, read once per process, since they are checked whenever a transcript is created. */
function templateText(names: readonly string[]): Promise<Uint8Array> {
  const [key = ""] = names;
  const known = texts.get(key);
  if (known !== undefined) return known;
  const text = firstOf(names);
  texts.set(key, text);
  text.catch(() => texts.delete(key));
  return text;
}

async function firstOf(names: readonly string[]): Promise<Uint8Array> {
  let failure: unknown;
  for (const path of FOLDERS.flatMap((folder) => names.map((name) => folder + name))) {
    try {
      return await readFile(fileURLToPath(new URL(path, import.meta.url)));
    } catch (error) {
      failure = error;
    }
  }
  throw failure;
}
