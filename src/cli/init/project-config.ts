/** Where opencode's configuration of a project is. */
import { access } from "node:fs/promises";
import { dirname, join } from "node:path";
import { CliError } from "../command.ts";
import { nodeSessionFiles } from "../../sessions/session-files.ts";
import { textOfFile } from "../../sessions/text-file.ts";

/** opencode reads all of these. Of several, the first gets the plugin, unless another has it. */
const NAMES = ["opencode.jsonc", "opencode.json", ".opencode/opencode.jsonc", ".opencode/opencode.json"];

export interface Project {
  /** The folder that is the project's root. */
  root: string;
  /** Its configuration files, absolute, in the order of preference. */
  configs: readonly string[];
}

/** The nearest folder upwards with a configuration or a repository in it; else the folder itself. */
export async function projectAt(folder: string): Promise<Project> {
  for (let at = folder; ; at = dirname(at)) {
    const configs = await present(NAMES.map((name) => join(at, name)));
    const isRepository = (await present([join(at, ".git")])).length > 0;
    if (configs.length > 0 || isRepository) return { root: at, configs };
    if (at === dirname(at)) return { root: folder, configs: [] };
  }
}

/** The text of a configuration. Rejects with the file system's error, and for anything but a file. */
export async function configText(path: string): Promise<string> {
  const text = await textOfFile(path, nodeSessionFiles);
  if (text === undefined)
    throw new CliError(`${path} is not a regular file.`, "Put a configuration there, or remove it.");
  return text;
}

async function present(paths: readonly string[]): Promise<string[]> {
  const found = await Promise.all(
    paths.map(async (path) => {
      try {
        await access(path);
        return [path];
      } catch {
        return [];
      }
    }),
  );
  return found.flat();
}
