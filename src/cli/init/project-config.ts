/** Finds opencode's or Kilo's configuration of a project. */
import { execFile } from "node:child_process";
import { access } from "node:fs/promises";
import { dirname, join } from "node:path";
import { nodeSessionFiles, textOfFile } from "../../sessions/session-files.ts";
import { TranscriptsError } from "../../transcripts-error.ts";

export type HostAgent = "opencode" | "kilo";

/** Names of configuration files, all of which the agent reads. The plugin is added to the first, unless another has it. */
const NAMES: Readonly<Record<HostAgent, readonly string[]>> = {
  opencode: ["opencode.jsonc", "opencode.json", ".opencode/opencode.jsonc", ".opencode/opencode.json"],
  kilo: ["kilo.jsonc", "kilo.json", ".kilo/kilo.jsonc", ".kilo/kilo.json"],
};

/** Maximum wait for `opencode --version`, in milliseconds. */
const VERSION_MS = 5_000;

export interface Project {
  agent: HostAgent;
  /** Root folder of the project. */
  root: string;
  /** Absolute paths of its configuration files, in order of preference. */
  configs: readonly string[];
}

/**
 * Returns the nearest folder upwards with a configuration or a repository; else the folder itself. Without `agent` the
 * project is Kilo's if that is the only one with a configuration there.
 */
export async function projectAt(folder: string, agent?: HostAgent): Promise<Project> {
  for (let at = folder; ; at = dirname(at)) {
    for (const each of agent === undefined ? (["opencode", "kilo"] as const) : [agent]) {
      const configs = await present(NAMES[each].map((name) => join(at, name)));
      if (configs.length > 0) return { agent: each, root: at, configs };
    }
    const isRepository = (await present([join(at, ".git")])).length > 0;
    if (isRepository) return { agent: agent ?? "opencode", root: at, configs: [] };
    if (at === dirname(at)) return { agent: agent ?? "opencode", root: folder, configs: [] };
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
