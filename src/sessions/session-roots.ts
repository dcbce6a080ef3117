import { basename, dirname, isAbsolute, join, resolve } from "node:path";
import { isWithin } from "../transcript/files/data-folder.ts";
import { DATA_FOLDER } from "../transcript/transcript-paths.ts";
import { configuredFolder, hostDataFolder } from "../user-folders.ts";
import { configPlaces, type HostSurroundings, optionsOf, pluginEntries } from "./host-config.ts";
import { nodeSessionFiles, type SessionFiles } from "./session-files.ts";
import type { SessionRoot, Where } from "./session-ref.ts";

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
  const { env } = where;
  const found = await databasesOf("opencode", where, files);
  if ((env["OPENCODE_DB"] ?? "") !== "") return found;
  // The usual one is returned even if it does not exist, so that the user sees where sessions are searched.
  return [...new Set([join(hostDataFolder("opencode", where), "opencode.db"), ...found])];
}

/** Returns the database named by `OPENCODE_DB` or `KILO_DB`, or else those that are there. */
async function databasesOf(
  agent: keyof typeof DATABASE_NAMES,
  { env, home }: Pick<Where, "env" | "home">,
  files: SessionFiles,
): Promise<string[]> {
  const folder = hostDataFolder(agent, { env, home });
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

interface RecorderConfig {
  /** Folders named by the option `directory`; none without the option. */
  folders: string[];
  /** The user's own configuration has the option `followLinks`. That of a project does not count, as it may have come with a clone. */
  followLinks: boolean;
}

/** Reads the recorder's folders from the configuration of opencode and Kilo. */
async function recorderConfig(where: HostSurroundings, root: string, files: SessionFiles): Promise<RecorderConfig> {
  const places = (["opencode", "kilo"] as const).flatMap((host) => configPlaces(host, where, undefined));
  const entries = await pluginEntries(places, where, files);
  const ofUser = entries.filter(({ scope }) => scope === "user");
  const directories = optionsOf(entries).flatMap(({ directory }) =>
    typeof directory === "string" && directory.trim() !== "" ? [directory] : [],
  );
  return {
    folders: [...new Set(directories.map((directory) => configuredFolder(root, directory, where.home)))],
    followLinks: optionsOf(ofUser).some(({ followLinks }) => followLinks === true),
  };
}
