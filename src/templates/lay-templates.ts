import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";

/** Where the templates are, seen from this file: beside it, beside the bundle that it is part of, or that bundle is in pieces. */
const FOLDERS = ["./.openfleet/", "./templates/.openfleet/", "../../templates/.openfleet/"];

/** The files that a new project gets. npm leaves `.gitignore` files out of packages, so it has another name there. */
const TEMPLATES = [
  { to: "transcripts/README.md", from: ["transcripts/README.md"] },
  { to: "transcripts/.gitignore", from: ["transcripts/.gitignore", "transcripts/gitignore"] },
  { to: "sessions/.gitkeep", from: ["sessions/.gitkeep", "sessions/gitkeep"] },
] as const;

/**
 * Lays the templates in a project's data folder. A file that is there stays as it is.
 * Rejects with the file system's error if one cannot be written.
 */
export async function layTemplates(
  dataFolder: string,
  join: (...segments: string[]) => string,
  writeNew: (path: string, data: Uint8Array) => Promise<unknown>,
): Promise<void> {
  for (const { to, from } of TEMPLATES) await writeNew(join(dataFolder, to), await firstOf(from));
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
