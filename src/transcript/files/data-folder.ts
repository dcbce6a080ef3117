/** Checks a project's data folder for links that a cloned repository may have planted. */
import { realpath } from "node:fs/promises";
import { dirname, isAbsolute, join, relative, sep } from "node:path";
import { errorCode, LINK_OUT, WriteFault } from "./fault.ts";

/** Folders in a data folder where something is written for every session. */
export const WRITTEN_FOLDERS: readonly string[] = ["transcripts", "sessions"];

/**
 * Throws a `WriteFault` if a symbolic link on the way to one of the folders, relative to `dataFolder`, leads out of the
 * project. A data folder that was configured outside of the project is the boundary itself.
 */
export async function refuseLinkOut(project: string, dataFolder: string, folders: readonly string[]): Promise<void> {
  const isInside = isWithin(project, dataFolder);
  const boundary = await realPlace(isInside ? project : dataFolder);
  const paths = folders.map((folder) => join(dataFolder, folder));
  const places = await Promise.all(paths.map(async (path) => ({ path, real: await realPlace(path) })));
  for (const { path, real } of places) {
    if (isWithin(boundary, real)) continue;
    throw new WriteFault(
      LINK_OUT,
      `Nothing is recorded: the symbolic link ${path} leads out of the project, to ${real}. Remove the link, or allow it with the option "followLinks": true.`,
    );
  }
}

/**
 * Error codes for a path that does not exist or cannot be accessed. The writers report the latter, and retry.
 */
const NOWHERE: ReadonlySet<string | undefined> = new Set(["ENOENT", "ENOTDIR", "ELOOP", "EACCES"]);

/** Resolves symbolic links, also for a path that does not exist yet. */
async function realPlace(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    if (!NOWHERE.has(errorCode(error)) || dirname(path) === path) throw error;
    return join(await realPlace(dirname(path)), relative(dirname(path), path));
  }
}

/** Returns whether a path is the folder or inside it, by name. */
export function isWithin(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}
