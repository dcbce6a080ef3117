/** Folders of this user. */
import { existsSync, mkdirSync } from "node:fs";
import { homedir, userInfo } from "node:os";
import { dirname, isAbsolute, join, resolve } from "node:path";

/** Name of this package, by which a host installs it. */
export const PACKAGE = "opencode-transcripts";

/** The process environment and the user's home. */
export interface UserPlace {
  env: Readonly<Record<string, string | undefined>>;
  home: string;
}

/** Returns the user's home, also where `HOME` is empty, for which `homedir` returns the current folder. */
export function homeFolder({ HOME: home }: UserPlace["env"]): string {
  if (home) return home;
  return home === undefined ? homedir() : userInfo().homedir;
}

/** Returns the folder for this program's data of a user, which may not exist. */
export function userDataFolder({ env, home }: UserPlace): string {
  const given = env["XDG_DATA_HOME"] ?? "";
  // The XDG specification says to ignore relative paths.
  const data = isAbsolute(given) ? given : join(home, ".local", "share");
  return join(data, PACKAGE);
}

/** Returns the folder in which opencode or Kilo keeps its data. */
export function hostDataFolder(host: string, { env, home }: UserPlace): string {
  return join(env["XDG_DATA_HOME"] || join(home, ".local", "share"), host);
}

/** Returns the folder in the first of these environment variables that is set, or else the usual one below the home folder. */
export function agentFolder(
  { env, home, cwd }: UserPlace & { cwd: string },
  variables: readonly string[],
  usual: string,
): string {
  const named = variables.map((name) => env[name]).find(Boolean);
  return named === undefined ? join(home, usual) : configuredFolder(cwd, named, home);
}

/** Returns a path from a setting: relative to `root`, or with `~` for the home folder. */
export function configuredFolder(root: string, path: string, home: string): string {
  return resolve(root, path.trim().replace(/^~(?=$|[\\/])/, home));
}

/**
 * Creates a folder, and those above it, for this user only (0700). Returns false if it exists. Does not use Node's
 * `recursive`, which never ends where the file system refuses a folder with ENOENT, as /proc does.
 */
export function createFolder(path: string): boolean {
  if (existsSync(path)) return false;
  const parent = dirname(path);
  if (parent !== path) createFolder(parent);
  try {
    mkdirSync(path, { mode: 0o700 });
    return true;
  } catch (error) {
    // Another program was faster.
    if (existsSync(path)) return false;
    throw error;
  }
}
