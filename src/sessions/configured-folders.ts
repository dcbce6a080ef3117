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

export interface RecorderConfig {
  /** The folders that the option `directory` names. Without the option there are none. */
  folders: string[];
  /** Whether the user's own configuration has the option `followLinks`; a project's may have come with a clone. */
  followLinks: boolean;
}

/**
 * What opencode's configuration says of our recorder's folders: the files for the project (from `cwd` upwards to `root`,
 * in `.opencode` too) and the user's own. What cannot be read or understood is passed over: it is opencode that complains
 * about it.
 */
export async function recorderConfig(
  { cwd, env, home }: Pick<Where, "cwd" | "env" | "home">,
  root: string,
  files: Pick<SessionFiles, "openRead" | "stat">,
): Promise<RecorderConfig> {
  const own = join(env["XDG_CONFIG_HOME"] || join(home, ".config"), "opencode");
  const named = env["OPENCODE_CONFIG"];
  const optionsIn = async (folders: readonly string[], more: readonly string[] = []): Promise<Fields[]> => {
    const paths = [...folders.flatMap((folder) => NAMES.map((name) => join(folder, name))), ...more];
    return (await Promise.all(paths.map((path) => readConfig(path, files)))).flatMap(pluginOptions);
  };
  const ofProject = await optionsIn(upwards(cwd, root).flatMap((folder) => [folder, join(folder, ".opencode")]));
  const ofUser = await optionsIn([own], named ? [resolve(cwd, named)] : []);
  const directories = [...ofProject, ...ofUser].flatMap(({ directory }) =>
    typeof directory === "string" && directory.trim() !== "" ? [directory.trim()] : [],
  );
  return {
    folders: [...new Set(directories.map((directory) => resolve(root, directory)))],
    followLinks: ofUser.some(({ followLinks }) => followLinks === true),
  };
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

/** The options in each `"plugin": [["opencode-transcripts", { … }]]`. */
function pluginOptions(config: Fields | undefined): Fields[] {
  const plugin = config?.["plugin"];
  if (!Array.isArray(plugin)) return [];
  return plugin.flatMap((entry: unknown) => {
    if (!Array.isArray(entry)) return [];
    const [name, options]: unknown[] = entry;
    return typeof name === "string" && PLUGIN.test(name) && isFields(options) ? [options] : [];
  });
}
