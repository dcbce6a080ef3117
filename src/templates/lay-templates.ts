import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { errorCode } from "../files/fault.ts";
import type { FileSystem } from "../files/file-system.ts";
import { replaceFile, writeNewFile } from "../files/new-file.ts";

/** Folders with the templates, relative to this file: beside it, beside the bundle it is part of, or beside that bundle's chunks. */
const FOLDERS = ["./.openfleet/", "./templates/.openfleet/", "../../templates/.openfleet/"];
/** A larger file is none of ours. */
const MAX_TEMPLATE_BYTES = 64 * 1024;

/**
 * The files that a new project gets. npm leaves `.gitignore` files out of packages, so there they have another name.
 * `earlier`: SHA-256 of each version that was released before, which may be replaced. Add the old one with each change.
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
    ],
  },
  { to: "sessions/.gitignore", from: ["sessions/.gitignore", "sessions/gitignore"], earlier: [] },
];

export interface LaidFile {
  path: string;
  /** `updated`: it was a template of an earlier version. `unchanged`: the current template, or somebody's own file. */
  change: "created" | "updated" | "unchanged";
}

export interface LayOptions {
  fs: FileSystem;
  join: (...segments: string[]) => string;
  /** Only reports what would be done. */
  dryRun?: boolean;
}

/**
 * Creates the templates in a project's data folder, and updates those that an earlier version of ours created. Any
 * other file of the same name stays as it is. Rejects with the file system's error if one cannot be written.
 */
export async function layTemplates(dataFolder: string, options: LayOptions): Promise<LaidFile[]> {
  const laid: LaidFile[] = [];
  for (const { to, from, earlier } of TEMPLATES) {
    const path = options.join(dataFolder, to);
    laid.push({ path, change: await lay(path, await templateText(from), earlier, options) });
  }
  return laid;
}

async function lay(
  path: string,
  template: Uint8Array,
  earlier: readonly string[],
  { fs, dryRun = false }: LayOptions,
): Promise<LaidFile["change"]> {
  const existing = await existingFile(path, fs);
  if (existing === undefined) {
    if (dryRun || (await writeNewFile(fs, path, template)) === "written") return "created";
    return "unchanged";
  }
  if (!earlier.includes(createHash("sha256").update(existing).digest("hex"))) return "unchanged";
  if (!dryRun) await replaceFile(fs, path, template);
  return "updated";
}

/** The content of a file that may be a template, empty if it cannot be one; undefined if there is no file. */
async function existingFile(path: string, fs: FileSystem): Promise<Uint8Array | undefined> {
  try {
    const { size, isDirectory } = await fs.stat(path);
    // A pipe has no size either, and opening one waits for a writer.
    if (isDirectory || size === 0 || size > MAX_TEMPLATE_BYTES) return new Uint8Array();
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

/** Read once for each process: templates are checked whenever a transcript is created. */
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
