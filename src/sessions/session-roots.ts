import { basename, dirname, isAbsolute, join, resolve } from "node:path";
import { isWithin } from "../transcript/files/data-folder.ts";
import { DATA_FOLDER } from "../transcript/transcript-paths.ts";
import { nodeSessionFiles, type SessionFiles, textOfFile } from "./session-files.ts";
import type { SessionRoot, Where } from "./session-ref.ts";
import { type Fields, isFields } from "../parse/json-fields.ts";

/** Names of the databases; unusual channels have their own. */
const DATABASE_NAMES = { opencode: /^opencode(?:-[\w.-]+)?\.db$/, kilo: /^kilo(?:-[\w.-]+)?\.db$/ };

/**
 * Returns the places where sessions may be, even if they do not exist, the current project first:
 *
 * - `.openfleet/transcripts` of the project: in the nearest folder from `cwd` upwards that has an `.openfleet`; and
 *   the folder that the recorder's option `directory` names in opencode's configuration. No symbolic link may lead out
 *   of the project unless the user's own configuration has `followLinks`;
 * - Claude Code's `projects`: in each folder of `CLAUDE_CONFIG_DIR` (several with commas between them; each may be the
 *   `projects` folder itself), or else in `~/.claude` and in `$XDG_CONFIG_HOME/claude`;
 * - opencode's database: `OPENCODE_DB`, or else those in `$XDG_DATA_HOME/opencode`;
 * - Kilo's, if there is one: `KILO_DB`, or else those in `$XDG_DATA_HOME/kilo`.
 *
 * Returns `where.roots` if given.
 */
export async function sessionRoots(where: Where, files: SessionFiles = nodeSessionFiles): Promise<SessionRoot[]> {
  if (where.roots !== undefined) return [...where.roots];
  const data = await nearestWith([DATA_FOLDER], where.cwd, files);
  const root = (await nearestWith([".git"], where.cwd, files)) ?? where.cwd;
  const { folders, followLinks } = await recorderConfig(where, root, files);
  const recorded = new Set([join(data ?? where.cwd, DATA_FOLDER), ...folders]);
  /** Project that contains the folder; for a folder configured outside of it, the folder itself. */
  const within = (folder: string): Pick<SessionRoot, "within"> => {
    if (followLinks) return {};
    const project = [root, data ?? where.cwd].find((each) => isWithin(each, folder));
    return { within: project ?? folder };
  };
  const projects = await Promise.all(claudeFolders(where).map((folder) => projectsIn(folder, files)));
  const databases = await opencodeDatabases(where, files);
  const ofKilo = await databasesOf("kilo", where, files);
  return [
    ...[...recorded].map(
      (path) => ({ source: "transcript", path: join(path, "transcripts"), ...within(path) }) as const,
    ),
    ...[...new Set(projects)].map((path) => ({ source: "claude-code", path }) as const),
    ...databases.map((path) => ({ source: "opencode-store", path }) as const),
    ...ofKilo.map((path) => ({ source: "opencode-store", path, agent: "kilo" }) as const),
  ];
}

/** Returns the nearest folder, from `start` upwards, that contains one of the names; undefined if none does. */
export async function nearestWith(
  names: readonly string[],
  start: string,
  files: Pick<SessionFiles, "stat">,
): Promise<string | undefined> {
  for (let folder = resolve(start); ; folder = dirname(folder)) {
    for (const name of names) {
      if ((await kindOf(join(folder, name), files)) !== undefined) return folder;
    }
    if (dirname(folder) === folder) return undefined;
  }
}

/** Returns the configuration folders of Claude Code. */
export function claudeFolders({ env, home, cwd }: Where): string[] {
  const named = (env["CLAUDE_CONFIG_DIR"] ?? "").split(",").map((path) => path.trim());
  const given = named.filter((path) => path !== "").map((path) => resolve(cwd, path.replace(/^~(?=$|[\\/])/, home)));
  return given.length > 0
    ? given
    : [join(home, ".claude"), join(env["XDG_CONFIG_HOME"] || join(home, ".config"), "claude")];
}

async function projectsIn(folder: string, files: SessionFiles): Promise<string> {
  const projects = join(folder, "projects");
  const isItself = basename(folder) === "projects" && (await kindOf(projects, files)) !== "folder";
  return isItself ? folder : projects;
}

/** Returns opencode's databases, the usual one first, whether it exists or not. */
export async function opencodeDatabases(
  where: Pick<Where, "env" | "home">,
  files: SessionFiles = nodeSessionFiles,
): Promise<string[]> {
  const { env, home } = where;
  const found = await databasesOf("opencode", where, files);
  if ((env["OPENCODE_DB"] ?? "") !== "") return found;
  // The usual one is returned even if it does not exist, so that the user sees where sessions are searched.
  return [...new Set([join(dataFolderOf("opencode", env, home), "opencode.db"), ...found])];
}

/** Returns the folder in which opencode or Kilo keeps its data. */
export function dataFolderOf(agent: string, env: Where["env"], home: string): string {
  return join(env["XDG_DATA_HOME"] || join(home, ".local", "share"), agent);
}

/** Returns the database named by `OPENCODE_DB` or `KILO_DB`, or else those that are there. */
async function databasesOf(
  agent: keyof typeof DATABASE_NAMES,
  { env, home }: Pick<Where, "env" | "home">,
  files: SessionFiles,
): Promise<string[]> {
  const folder = dataFolderOf(agent, env, home);
  const named = env[`${agent.toUpperCase()}_DB`] ?? "";
  if (named === ":memory:") return [];
  if (named !== "") return [isAbsolute(named) ? named : join(folder, named)];
  const entries = await files.list(folder).catch(() => []);
  return entries
    .filter(({ name }) => DATABASE_NAMES[agent].test(name))
    .map(({ name }) => join(folder, name))
    .toSorted();
}

/** Returns the kind of a file or folder; undefined if it is missing or inaccessible. */
export async function kindOf(path: string, files: Pick<SessionFiles, "stat">): Promise<string | undefined> {
  try {
    return (await files.stat(path)).kind;
  } catch {
    return undefined;
  }
}

/** Names of the agents' files, and of the folders that contain them in a project and in the user's configuration. */
const AGENTS = ["opencode", "kilo"];
/** Matches the package by name, with a version, or by path. */
const PLUGIN = /(?:^|[\\/])opencode-transcripts(?:$|[@\\/])/;
/** Maximum size of a configuration file that is read. */
const MAX_BYTES = 1024 * 1024;

interface RecorderConfig {
  /** Folders named by the option `directory`; none without the option. */
  folders: string[];
  /** The user's own configuration has the option `followLinks`. That of a project does not count, as it may have come with a clone. */
  followLinks: boolean;
}

/**
 * Reads the recorder's folders from opencode's and Kilo's configuration: the files of the project (from `cwd` upwards to
 * `root`, also in `.opencode` and `.kilo`) and the user's own. Skips files that cannot be read or parsed, since the agents
 * report those.
 */
async function recorderConfig(
  { cwd, env, home }: Pick<Where, "cwd" | "env" | "home">,
  root: string,
  files: Pick<SessionFiles, "openRead" | "stat">,
): Promise<RecorderConfig> {
  const configs = env["XDG_CONFIG_HOME"] || join(home, ".config");
  const named = ["OPENCODE_CONFIG", "KILO_CONFIG"].flatMap((name) => env[name] || []);
  const namesIn = (folder: string, agent: string): string[] => [
    join(folder, `${agent}.json`),
    join(folder, `${agent}.jsonc`),
  ];
  const optionsIn = async (paths: readonly string[]): Promise<Fields[]> => {
    return (await Promise.all(paths.map((path) => readConfig(path, files)))).flatMap(pluginOptions);
  };
  const ofProject = await optionsIn(
    upwards(cwd, root).flatMap((folder) =>
      AGENTS.flatMap((agent) => [...namesIn(folder, agent), ...namesIn(join(folder, `.${agent}`), agent)]),
    ),
  );
  const ofUser = await optionsIn([
    ...AGENTS.flatMap((agent) => namesIn(join(configs, agent), agent)),
    ...named.map((path) => resolve(cwd, path)),
  ]);
  const directories = [...ofProject, ...ofUser].flatMap(({ directory }) =>
    typeof directory === "string" && directory.trim() !== "" ? [directory.trim()] : [],
  );
  return {
    folders: [...new Set(directories.map((directory) => resolve(root, directory)))],
    followLinks: ofUser.some(({ followLinks }) => followLinks === true),
  };
}

/** Returns the folders from one upwards to another, inclusive; only the first if it is not inside the other. */
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

/** Returns the options in each `["opencode-transcripts", { … }]`, and in 2.x `{ "package": …, "options": { … } }`. */
function pluginOptions(config: Fields | undefined): Fields[] {
  return ["plugin", "plugins"].flatMap((key) => {
    const list = config?.[key];
    if (!Array.isArray(list)) return [];
    return list.flatMap((entry: unknown) => {
      const [name, options]: unknown[] = Array.isArray(entry)
        ? entry
        : isFields(entry)
          ? [entry["package"], entry["options"]]
          : [];
      return typeof name === "string" && PLUGIN.test(name) && isFields(options) ? [options] : [];
    });
  });
}
