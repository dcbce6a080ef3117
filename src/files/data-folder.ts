/** Checks what a cloned repository may have planted in a project's data folder. */
import { readFile, realpath, stat } from "node:fs/promises";
import { dirname, isAbsolute, join, relative, sep } from "node:path";
import { errorCode, LINK_OUT, WriteFault } from "./fault.ts";

/** Patterns that match every name in a folder. */
const EVERYTHING: ReadonlySet<string> = new Set(["*", "/*", "**", "/**", "**/*"]);
/** A larger file is no list of rules. */
const MAX_RULES_BYTES = 1024 * 1024;
/** Files of ours that hold nothing of a session. */
const HARMLESS: ReadonlySet<string> = new Set([".gitignore", ".gitkeep", "README.md"]);

/**
 * Throws a `WriteFault` if a symbolic link on the way to one of the folders, relative to `dataFolder`, leads out of the
 * project. A data folder that was configured outside of the project is the boundary itself.
 */
export async function refuseLinkOut(project: string, dataFolder: string, folders: readonly string[]): Promise<void> {
  const isInside = isWithin(project, dataFolder);
  const boundary = await realPlace(isInside ? project : dataFolder);
  for (const folder of folders) {
    const path = join(dataFolder, folder);
    const real = await realPlace(path);
    if (isWithin(boundary, real)) continue;
    throw new WriteFault(
      LINK_OUT,
      `Nothing is recorded: ${path} leads out of the project, to ${real}, by a symbolic link. Remove the link, or allow it with the option "followLinks": true.`,
    );
  }
}

/** A sentence for the person if the `.gitignore` of a transcripts folder lets git see transcripts; otherwise undefined. */
export async function unignoredTranscripts(transcriptsFolder: string): Promise<string | undefined> {
  const path = join(transcriptsFolder, ".gitignore");
  const text = await plainText(path).catch(() => undefined);
  if (text === undefined) return undefined;
  let exposing: string | undefined = "it has no rule *";
  for (const line of text.split(/\r?\n/)) {
    const rule = line.trim();
    if (rule === "" || rule.startsWith("#")) continue;
    const pattern = rule.replace(/^!/, "");
    const isNegated = rule.startsWith("!");
    if (EVERYTHING.has(pattern)) exposing = isNegated ? rule : undefined;
    else if (isNegated && !HARMLESS.has(pattern.replace(/^\//, ""))) exposing = rule;
  }
  if (exposing === undefined) return undefined;
  return `Transcripts are not kept out of git: ${path} was changed (${exposing.slice(0, 80)}). Delete it, and it is restored.`;
}

/** Never waits for a pipe. */
async function plainText(path: string): Promise<string | undefined> {
  const facts = await stat(path);
  return facts.isFile() && facts.size <= MAX_RULES_BYTES ? readFile(path, "utf8") : undefined;
}

/**
 * Reasons for which a path has no real place: nothing is there, or nobody can write there. The latter is reported, and
 * tried again, by the writers.
 */
const NOWHERE: ReadonlySet<string | undefined> = new Set(["ENOENT", "ENOTDIR", "ELOOP", "EACCES"]);

/** The path without symbolic links; of what is not there yet, where it would be. */
async function realPlace(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    if (!NOWHERE.has(errorCode(error)) || dirname(path) === path) throw error;
    return join(await realPlace(dirname(path)), relative(dirname(path), path));
  }
}

/** Whether a path is the folder or in it, by their names. */
export function isWithin(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}
