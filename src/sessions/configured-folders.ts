import { dirname, join, resolve } from "node:path";
import { type Fields, isFields } from "../parse/json-fields.ts";
import type { SessionFiles } from "./session-files.ts";
import type { Where } from "./session-ref.ts";
import { textOfFile } from "./text-file.ts";

const NAMES = ["opencode.json", "opencode.jsonc"];
/** The package by its name, with a version, or by a path to it. */
const PLUGIN = /(?:^|[\\/])opencode-transcripts(?:$|[@\\/])/;
/** A configuration is written by hand; anything larger is something else. */
const MAX_BYTES = 1024 * 1024;

/**
 * The folders that opencode's configuration gives our recorder, with its option `directory`: of the files for the
 * project (from `cwd` upwards to `root`, in `.opencode` too) and of the user's own. Without the option there are none.
 * What cannot be read or understood is passed over: it is opencode that complains about it.
 */
export async function configuredFolders(
  { cwd, env, home }: Pick<Where, "cwd" | "env" | "home">,
  root: string,
  files: Pick<SessionFiles, "openRead" | "stat">,
): Promise<string[]> {
  const own = join(env["XDG_CONFIG_HOME"] || join(home, ".config"), "opencode");
  const folders = [...upwards(cwd, root).flatMap((folder) => [folder, join(folder, ".opencode")]), own];
  const paths = folders.flatMap((folder) => NAMES.map((name) => join(folder, name)));
  if (env["OPENCODE_CONFIG"]) paths.push(resolve(cwd, env["OPENCODE_CONFIG"]));
  const configs = await Promise.all(paths.map((path) => readConfig(path, files)));
  const directories = configs.flatMap((config) => (config === undefined ? [] : directoriesIn(config)));
  return [...new Set(directories.map((directory) => resolve(root, directory)))];
}

/** The folders from one upwards to another, both included; just the first if it is not inside the other. */
function upwards(start: string, end: string): string[] {
  const folders = [start];
  for (let at = start; at !== end; at = dirname(at)) {
    if (dirname(at) === at) return [start];
    folders.push(dirname(at));
  }
  return folders;
}

async function readConfig(path: string, files: Pick<SessionFiles, "openRead" | "stat">): Promise<Fields | undefined> {
  const text = await textOfFile(path, files, MAX_BYTES).catch(() => undefined);
  if (text === undefined) return undefined;
  const { parse } = await import("jsonc-parser");
  const config: unknown = parse(text.replace(/^\ufeff/, ""), [], { allowTrailingComma: true });
  return isFields(config) ? config : undefined;
}

/** `directory` in each `"plugin": [["opencode-transcripts", { … }]]`. */
function directoriesIn({ plugin }: Fields): string[] {
  if (!Array.isArray(plugin)) return [];
  return plugin.flatMap((entry: unknown) => {
    if (!Array.isArray(entry)) return [];
    const [name, options]: unknown[] = entry;
    if (typeof name !== "string" || !PLUGIN.test(name) || !isFields(options)) return [];
    const { directory } = options;
    return typeof directory === "string" && directory.trim() !== "" ? [directory.trim()] : [];
  });
}
