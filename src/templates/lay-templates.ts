import { join } from "node:path";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { errorCode } from "../transcript/files/fault.ts";
import type { FileSystem } from "../transcript/files/file-system.ts";
import { writeNewFile } from "../transcript/files/new-file.ts";

/** Folders with the templates, relative to this file, to the bundle that contains it, or to the bundle's chunks. */
const FOLDERS = ["./.openfleet/", "./templates/.openfleet/", "../../templates/.openfleet/"];

/** Files for a new project. npm leaves `.gitignore` files out of packages, so they have another name there. */
const TEMPLATES: readonly { to: string; from: readonly string[] }[] = [
  { to: "transcripts/.gitignore", from: ["transcripts/.gitignore", "transcripts/gitignore"] },
  { to: "transcripts/README.md", from: ["transcripts/README.md"] },
  { to: "sessions/.gitignore", from: ["sessions/.gitignore", "sessions/gitignore"] },
];

export interface LaidFile {
  path: string;
  change: "created" | "unchanged";
}

export interface LayOptions {
  fs: FileSystem;
}

/**
 * Creates the missing templates in a project's data folder; a file that exists is never replaced. Rejects with the file
 * system's error if one cannot be written.
 */
export async function layTemplates(dataFolder: string, { fs }: LayOptions): Promise<LaidFile[]> {
  return Promise.all(
    TEMPLATES.map(async ({ to, from }): Promise<LaidFile> => {
      const path = join(dataFolder, to);
      if (await exists(fs, path)) return { path, change: "unchanged" };
      const written = await writeNewFile(fs, path, await templateText(from));
      return { path, change: written === "written" ? "created" : "unchanged" };
    }),
  );
}

async function exists(fs: FileSystem, path: string): Promise<boolean> {
  try {
    await fs.stat(path);
    return true;
  } catch (error) {
    if (errorCode(error) === "ENOENT") return false;
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
