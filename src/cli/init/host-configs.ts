/** Examines the configuration of opencode and Kilo, for `doctor`. */
import { access } from "node:fs/promises";
import { parseOptions } from "../../config.ts";
import {
  type ConfigPlace,
  configPlaces,
  type HostSurroundings,
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
export async function hostConfigs(where: HostSurroundings): Promise<HostConfig[]> {
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
  return [...configs.values()];
}

function isThere(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
