import { basename, dirname, isAbsolute, join, resolve } from "node:path";
import { isWithin } from "../files/data-folder.ts";
import { DATA_FOLDER } from "../transcript/paths.ts";
import { recorderConfig } from "./configured-folders.ts";
import { nodeSessionFiles, type SessionFiles } from "./session-files.ts";
import type { SessionRoot, Where } from "./session-ref.ts";

/** opencode names its database after its channel where that is none of the usual ones. */
const DATABASE_NAME = /^opencode(?:-[\w.-]+)?\.db$/;

/**
 * The places where sessions may be, whether they are there or not, the current project first:
 *
 * - `.openfleet/transcripts` of the project: in the nearest folder from `cwd` upwards that has an `.openfleet`; and
 *   the folder that the recorder's option `directory` names in opencode's configuration. No symbolic link may lead out
 *   of the project unless the user's own configuration has `followLinks`;
 * - Claude Code's `projects`: in each folder of `CLAUDE_CONFIG_DIR` (several with commas between them; each may be the
 *   `projects` folder itself), or else in `~/.claude` and in `$XDG_CONFIG_HOME/claude`;
 * - opencode's database: `OPENCODE_DB`, or else those in `$XDG_DATA_HOME/opencode`.
 *
 * `where.roots`, where given, is the answer.
 */
export async function sessionRoots(where: Where, files: SessionFiles = nodeSessionFiles): Promise<SessionRoot[]> {
  if (where.roots !== undefined) return [...where.roots];
  const data = await nearestWith([DATA_FOLDER], where.cwd, files);
  const root = (await nearestWith([".git"], where.cwd, files)) ?? where.cwd;
  const { folders, followLinks } = await recorderConfig(where, root, files);
  const recorded = new Set([join(data ?? where.cwd, DATA_FOLDER), ...folders]);
  /** The project that the folder is in; a folder that was configured outside of it is the boundary itself. */
  const within = (folder: string): Pick<SessionRoot, "within"> => {
    if (followLinks) return {};
    const project = [root, data ?? where.cwd].find((each) => isWithin(each, folder));
    return { within: project ?? folder };
  };
  const projects = await Promise.all(claudeFolders(where).map((folder) => projectsIn(folder, files)));
  const databases = await opencodeDatabases(where, files);
  return [
    ...[...recorded].map(
      (path) => ({ source: "transcript", path: join(path, "transcripts"), ...within(path) }) as const,
    ),
    ...[...new Set(projects)].map((path) => ({ source: "claude-code", path }) as const),
    ...databases.map((path) => ({ source: "opencode-store", path }) as const),
  ];
}

/** The nearest folder, from `start` upwards, that holds one of the names; undefined if none does. */
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

function claudeFolders({ env, home, cwd }: Where): string[] {
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

async function opencodeDatabases({ env, home }: Where, files: SessionFiles): Promise<string[]> {
  const folder = join(env["XDG_DATA_HOME"] || join(home, ".local", "share"), "opencode");
  const named = env["OPENCODE_DB"] ?? "";
  if (named === ":memory:") return [];
  if (named !== "") return [isAbsolute(named) ? named : join(folder, named)];
  const usual = join(folder, "opencode.db");
  const entries = await files.list(folder).catch(() => []);
  const others = entries.filter(({ name }) => DATABASE_NAME.test(name)).map(({ name }) => join(folder, name));
  // The usual one is named even if it is not there, so that a person learns where it was looked for.
  return [...new Set([usual, ...others.toSorted()])];
}

async function kindOf(path: string, files: Pick<SessionFiles, "stat">): Promise<string | undefined> {
  try {
    return (await files.stat(path)).kind;
  } catch {
    // Not there, or not to be seen: the same for the search of a place.
    return undefined;
  }
}
