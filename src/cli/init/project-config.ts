/** Finds opencode's or Kilo's configuration of a project. */
import { execFile } from "node:child_process";
import { access } from "node:fs/promises";
import { dirname, join } from "node:path";
import { type HostName, type HostSurroundings } from "../../agents/opencode/host-config.ts";
import { nodeSessionFiles, textOfFile } from "../../places/session-files.ts";
import { TranscriptsError } from "../../transcripts-error.ts";

/** Names of configuration files, all of which the agent reads. The plugin is added to the first. */
const NAMES: Readonly<Record<HostName, readonly string[]>> = {
  opencode: ["opencode.jsonc", "opencode.json", ".opencode/opencode.jsonc", ".opencode/opencode.json"],
  kilo: ["kilo.jsonc", "kilo.json", ".kilo/kilo.jsonc", ".kilo/kilo.json"],
};

/** Maximum wait for `opencode --version`, in milliseconds. */
const VERSION_MS = 5_000;

export interface Project {
  agent: HostName;
  /** Root folder of the project. */
  root: string;
  /** Absolute paths of its configuration files, in order of preference. */
  configs: readonly string[];
}

/**
 * Returns the nearest folder upwards with a configuration or a repository; else the folder itself. The home is a project only
 * if it is that folder. Without `agent` the project is Kilo's if that is the only one with a configuration there.
 */
export async function projectAt({ cwd, home }: Omit<HostSurroundings, "env">, agent?: HostName): Promise<Project> {
  for (let at = cwd; at === cwd || at !== home; at = dirname(at)) {
    for (const each of agent === undefined ? (["opencode", "kilo"] as const) : [agent]) {
      const configs = await present(NAMES[each].map((name) => join(at, name)));
      if (configs.length > 0) return { agent: each, root: at, configs };
    }
    const isRepository = (await present([join(at, ".git")])).length > 0;
    if (isRepository) return { agent: agent ?? "opencode", root: at, configs: [] };
    if (at === dirname(at)) break;
  }
  return { agent: agent ?? "opencode", root: cwd, configs: [] };
}

/** Returns the folder with the user's own configuration, and the files in it, in order of preference. */
export async function userConfigs(
  agent: HostName,
  { env, home }: Omit<HostSurroundings, "cwd">,
): Promise<Pick<Project, "root" | "configs">> {
  const root = join(env["XDG_CONFIG_HOME"] || join(home, ".config"), agent);
  return { root, configs: await present([".jsonc", ".json"].map((end) => join(root, agent + end))) };
}

/** Returns the root of the repository that a folder is in; undefined if there is none. */
export async function repositoryOf(folder: string): Promise<string | undefined> {
  for (let at = folder; ; at = dirname(at)) {
    if ((await present([join(at, ".git")])).length > 0) return at;
    if (at === dirname(at)) return undefined;
  }
}

/** Returns whether the `opencode` on the path is 2.x. False if there is none, or if it does not say. */
export async function isOpencode2(env: Readonly<Record<string, string | undefined>>): Promise<boolean> {
  const options = { env: { ...env }, timeout: VERSION_MS, killSignal: "SIGKILL" } as const;
  const said = await new Promise<string>((resolve) => {
    execFile("opencode", ["--version"], options, (error, stdout) => resolve(error === null ? stdout : ""));
  });
  return Number(/(\d+)\.\d+\.\d+/.exec(said)?.[1] ?? 0) >= 2;
}

/** Reads a configuration. Rejects with the file system's error, and for anything but a file. */
export async function configText(path: string): Promise<string> {
  const text = await textOfFile(path, nodeSessionFiles);
  if (text === undefined)
    throw new TranscriptsError(
      "bad_file",
      `${path} is not a regular file.`,
      "Put a configuration there, or remove it.",
    );
  return text;
}

async function present(paths: readonly string[]): Promise<string[]> {
  const isThere = await Promise.all(
    paths.map((path) =>
      access(path).then(
        () => true,
        () => false,
      ),
    ),
  );
  return paths.filter((_, at) => isThere[at]);
}
