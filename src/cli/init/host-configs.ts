/** Examines the configuration of opencode and Kilo, for `doctor`. */
import { access } from "node:fs/promises";
import { parseOptions } from "../../config.ts";
import {
  type ConfigPlace,
  configPlaces,
  type HostSurroundings,
  type PluginEntry,
  pluginEntries,
} from "../../agents/opencode/host-config.ts";
import { reasonOf } from "../../places/reasons.ts";
import { problemIn } from "./plugin-config.ts";
import { configText } from "./project-config.ts";

/** A configuration file, or another place where a host finds the plugin. */
export interface HostConfig {
  path: string;
  scope: ConfigPlace["scope"];
  /** Null if the file cannot be read. */
  plugin: boolean | null;
  /** Problems in the file or in the plugin's options. */
  problems: string[];
}

/** Returns the configuration that hosts read here: what has the plugin, what is broken, and the files of the project. */
export async function hostConfigs(where: HostSurroundings): Promise<{ configs: HostConfig[]; warnings: string[] }> {
  // opencode 2.x reads up to the root of the file system.
  const places = (["opencode", "kilo"] as const).flatMap((host) => configPlaces(host, where, undefined));
  const entries = await pluginEntries(places, where);
  const configs = new Map<string, HostConfig>();
  for (const { path, scope, options } of entries) {
    const known = configs.get(path)?.problems ?? [];
    // Kilo reads some of opencode's files.
    const problems = new Set([...known, ...parseOptions(options).problems.map(({ message }) => message)]);
    configs.set(path, { path, scope, plugin: true, problems: [...problems] });
  }
  for (const { path, scope, kind } of places) {
    if (kind !== "file" || configs.has(path) || !(await isThere(path))) continue;
    const problem = await configText(path).then(problemIn, reasonOf);
    if (problem !== undefined) configs.set(path, { path, scope, plugin: null, problems: [problem] });
    else if (scope === "project") configs.set(path, { path, scope, plugin: false, problems: [] });
  }
  return { configs: [...configs.values()], warnings: [...doubled("opencode", entries), ...doubled("kilo", entries)] };
}

/** Returns a warning if a host loads the plugin twice. It takes the same entry in two files as one. */
function doubled(host: ConfigPlace["host"], entries: readonly PluginEntry[]): string[] {
  const bySpec = new Map(entries.filter((entry) => entry.host === host).map((entry) => [entry.spec, entry]));
  if (bySpec.size < 2) return [];
  const named = Array.from(bySpec.values(), ({ spec, path }) => `${spec} (${path})`).join(", ");
  const isOfProject = [...bySpec.values()].some(({ scope }) => scope === "project");
  const command = `transcripts init --remove${isOfProject ? "" : " --global"}${host === "kilo" ? " --kilo" : ""}`;
  return [`${host} loads the plugin more than once: ${named}. \`${command}\` removes it from one place.`];
}

function isThere(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
