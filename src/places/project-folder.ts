/** The folder of the current project. */
import { dirname, join, resolve } from "node:path";
import { DATA_FOLDER } from "../transcript/transcript-paths.ts";
import { factsAt, nodeSessionFiles, type SessionFiles } from "./session-files.ts";
import type { Where } from "./session-ref.ts";

/** Returns the project folder of `cwd`: the nearest one upwards with `.openfleet` or `.git`, or else `cwd`. */
export function currentProject(
  { cwd }: Pick<Where, "cwd">,
  files: Pick<SessionFiles, "stat"> = nodeSessionFiles,
): string {
  return nearestWith([DATA_FOLDER, ".git"], cwd, files) ?? cwd;
}

/** Returns the nearest folder, from `start` upwards, that contains one of the names; undefined if none does. */
export function nearestWith(
  names: readonly string[],
  start: string,
  files: Pick<SessionFiles, "stat">,
): string | undefined {
  for (let folder = resolve(start); ; folder = dirname(folder)) {
    for (const name of names) {
      if (factsAt(join(folder, name), files) !== undefined) return folder;
    }
    if (dirname(folder) === folder) return undefined;
  }
}
