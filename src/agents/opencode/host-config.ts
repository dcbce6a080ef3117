/** Configuration of opencode and Kilo: the places where they read it, and this plugin's entries there. */
import { dirname, isAbsolute, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { fieldOf, type Fields, isFields, textOf } from "../../parse/json-fields.ts";
import {
  factsAt,
  mapFiles,
  namesIn,
  nodeSessionFiles,
  type SessionFiles,
  textOfFile,
} from "../../places/session-files.ts";
import type { Where } from "../../places/session-ref.ts";
import { PACKAGE } from "../../user-folders.ts";

export type HostName = "opencode" | "kilo";

/** Where each host reads its configuration. Kilo also reads opencode's files of a project. */
const HOSTS: Readonly<Record<HostName, { names: readonly string[]; folders: readonly string[] }>> = {
  opencode: { names: ["opencode"], folders: [".opencode"] },
  kilo: { names: ["kilo", "opencode"], folders: [".kilo", ".kilocode"] },
};

/** Folders of an administrator's configuration. */
const MANAGED: Readonly<Partial<Record<NodeJS.Platform, string>>> = {
  darwin: "/Library/Application Support",
  win32: process.env["ProgramData"] ?? "C:\\ProgramData",
};

/** `project`: in the project's folder or above it. `user`: for all projects of this user. */
export type ConfigScope = "project" | "user";

export interface ConfigPlace {
  scope: ConfigScope;
  /** A configuration file, a folder of plugins, or the name of a variable with the configuration itself. */
  path: string;
  kind: "file" | "plugins" | "variable";
}

/** Entry for this plugin in a configuration, or a file in a folder of plugins that loads it. */
export interface PluginEntry extends ConfigPlace {
  /** As configured: a name, a path, a URL. */
  spec: string;
  options: unknown;
}

/** The surroundings that decide which configuration a host reads. */
export type HostSurroundings = Pick<Where, "cwd" | "env" | "home">;

type Files = Pick<SessionFiles, "list" | "openRead" | "realpath" | "stat">;

/**
 * Returns the places where a host may read configuration, in the order in which it does, even if they do not exist. Those of
 * the project are in `cwd` and above it up to `top`; opencode 2.x reads up to the root of the file system.
 */
export function configPlaces(
  host: HostName,
  { cwd, env, home }: HostSurroundings,
  top: string | undefined,
): ConfigPlace[] {
  const { names, folders } = HOSTS[host];
  const own = join(env["XDG_CONFIG_HOME"] || join(home, ".config"), host);
  const place = (scope: ConfigScope, kind: ConfigPlace["kind"], path: string): ConfigPlace => ({
    scope,
    kind,
    path,
  });
  const filesIn = (folder: string, scope: ConfigScope): ConfigPlace[] =>
    names.flatMap((name) => [".json", ".jsonc"].map((end) => place(scope, "file", join(folder, name + end))));
  const folder = (path: string, scope: ConfigScope): ConfigPlace[] => [
    ...filesIn(path, scope),
    ...["plugin", "plugins"].map((name) => place(scope, "plugins", join(path, name))),
  ];
  const variable = (name: string): string => env[`${host.toUpperCase()}_${name}`] ?? "";
  const above = upwards(cwd, top).toReversed();
  const content = variable("CONFIG_CONTENT") === "" ? [] : [`${host.toUpperCase()}_CONFIG_CONTENT`];
  return [
    place("user", "file", join(own, "config.json")),
    ...folder(own, "user"),
    ...[variable("CONFIG")].filter(Boolean).map((path) => place("user", "file", resolve(cwd, path))),
    ...above.flatMap((each) => filesIn(each, "project")),
    // In the home, such a folder is read for all projects.
    ...above
      .filter((each) => each !== home)
      .flatMap((each) => folders.flatMap((name) => folder(join(each, name), "project"))),
    ...folders.flatMap((name) => folder(join(home, name), "user")),
    ...[variable("CONFIG_DIR")].filter(Boolean).flatMap((path) => folder(resolve(cwd, path), "user")),
    ...content.map((name) => place("user", "variable", name)),
    ...filesIn(join(MANAGED[process.platform] ?? "/etc", host), "user"),
  ];
}

/** Returns the folders from one upwards to another, inclusive, or to the root of the file system. */
function upwards(start: string, end: string | undefined): string[] {
  const folders = [start];
  for (let at = start; at !== end && dirname(at) !== at; at = dirname(at)) folders.push(dirname(at));
  return folders;
}

/** Returns this plugin's entries in some places. Skips files that cannot be read or parsed, since the hosts report those. */
export async function pluginEntries(
  places: readonly ConfigPlace[],
  { env }: Pick<HostSurroundings, "env">,
  files: Files = nodeSessionFiles,
): Promise<PluginEntry[]> {
  const folders = [...new Set(places.map(({ path }) => dirname(path)))];
  // Most of the folders do not exist, and asking for each of their files takes time.
  const known = new Set(folders.filter((folder) => factsAt(folder, files)?.kind === "folder"));
  const found = await mapFiles(places, async (place) => {
    if (place.kind === "variable") return entriesIn(place, env[place.path] ?? "", files);
    if (!known.has(dirname(place.path))) return [];
    if (place.kind === "plugins") return filesOfPlugin(place, files);
    return entriesIn(place, (await configTextIn(place.path, files)) ?? "", files);
  });
  return found.flat();
}

/** Maximum size of a configuration file that is read. */
const MAX_BYTES = 1024 * 1024;

async function configTextIn(path: string, files: Files): Promise<string | undefined> {
  return textOfFile(path, files, MAX_BYTES).catch(() => undefined);
}

async function entriesIn(place: ConfigPlace, text: string, files: Files): Promise<PluginEntry[]> {
  if (!/"plugins?"/.test(text)) return [];
  const { parse } = await import("jsonc-parser");
  const config: unknown = parse(text.replace(/^\ufeff/, ""), [], { allowTrailingComma: true });
  const form = pluginKey(config);
  const entries: PluginEntry[] = [];
  for (const key of form === undefined ? PLUGIN_KEYS : [form]) {
    const list = fieldOf(config, key);
    for (const entry of Array.isArray(list) ? list : []) {
      const { spec, options } = specOf(entry);
      if (spec === undefined || !(await isThisPlugin(spec, dirname(place.path), files))) continue;
      entries.push({ ...place, spec, options });
    }
  }
  return entries;
}

/** Names of the list of plugins: that of 1.x and Kilo, and that of opencode 2.x. */
const PLUGIN_KEYS = ["plugin", "plugins"] as const;
export type PluginKey = (typeof PLUGIN_KEYS)[number];

/** Keys that only the form of opencode 1.x has. With one of them, 2.x reads the whole file in that form. */
const KEYS_OF_1 = (
  "plugin agent command permission provider mode tools server reference snapshot attachment autoshare " +
  "disabled_providers enabled_providers layout logLevel small_model"
).split(" ");
/** Keys that only the form of opencode 2.x has. 1.x refuses a file with an unknown key. */
const KEYS_OF_2 = ["plugins", "agents", "commands", "permissions", "providers", "snapshots", "attachments"];

/** Returns the list that hosts read in a configuration; undefined if the file is of the form of both versions. */
export function pluginKey(config: unknown): PluginKey | undefined {
  const has = (keys: readonly string[]): boolean => keys.some((key) => fieldOf(config, key) !== undefined);
  if (has(KEYS_OF_1)) return "plugin";
  if (has(KEYS_OF_2)) return "plugins";
  const servers = fieldOf(config, "mcp");
  if (!isFields(servers) || Object.keys(servers).length === 0) return undefined;
  return servers["servers"] === undefined ? "plugin" : "plugins";
}

/** Reads an entry: `"name"`, `["name", { … }]` of 1.x or `{ "package": "name", "options": { … } }` of 2.x. */
export function specOf(entry: unknown): { spec: string | undefined; options: unknown } {
  if (isFields(entry)) return { spec: textOf(entry, "package"), options: entry["options"] };
  const [spec, options]: unknown[] = Array.isArray(entry) ? entry : [entry];
  return { spec: typeof spec === "string" ? spec : undefined, options };
}

/** Matches the package by name, with a version, by address, or by a path that names it. */
const BY_NAME = /(?:^|[\\/])opencode-transcripts(?:$|\.git\b|[@#\\/])/;

/**
 * Returns whether an entry in a folder's configuration loads this plugin: by its name, or by the path of a folder or file of
 * this package, whatever the folder is called and through any link.
 */
export async function isThisPlugin(spec: string, folder: string, files: Files = nodeSessionFiles): Promise<boolean> {
  const path = pathOf(spec, folder);
  const name = path === undefined ? undefined : await packageOf(path, files);
  return name === undefined ? BY_NAME.test(spec) : name === PACKAGE;
}

/** Returns the absolute path that an entry names; undefined for a package of a registry. */
function pathOf(spec: string, folder: string): string | undefined {
  try {
    if (spec.startsWith("file:")) return fileURLToPath(spec);
  } catch {
    return undefined;
  }
  return spec.startsWith(".") || isAbsolute(spec) ? resolve(folder, spec) : undefined;
}

/** Returns the name of the package that a file or folder belongs to; undefined if there is none. */
async function packageOf(path: string, files: Files): Promise<string | undefined> {
  const real = realOf(path, files);
  for (const folder of real === undefined ? [] : upwards(real, undefined)) {
    const text = await textOfFile(join(folder, "package.json"), files, MAX_BYTES).catch(() => undefined);
    if (text === undefined) continue;
    try {
      return textOf(JSON.parse(text), "name") ?? "";
    } catch {
      return "";
    }
  }
  return undefined;
}

function realOf(path: string, files: Files): string | undefined {
  try {
    return files.realpath(path);
  } catch {
    return undefined;
  }
}

/** Matches what a module imports. */
const IMPORTED = /(?:\bfrom\s*|\bimport\s*\(?\s*|\brequire\s*\(\s*)["']([^"'\n]+)["']/g;

/** Returns the files of a plugin folder that load this plugin: a link to it, or a module that imports it. */
async function filesOfPlugin(place: ConfigPlace, files: Files): Promise<PluginEntry[]> {
  const entries: PluginEntry[] = [];
  for (const name of namesIn(place.path, files)) {
    if (!/\.[tj]s$/.test(name)) continue;
    const path = join(place.path, name);
    const text = (await configTextIn(path, files)) ?? "";
    const specs = [path, ...Array.from(text.matchAll(IMPORTED), ([, spec = ""]) => spec)];
    const isOurs = await Promise.all(specs.map((spec) => isThisPlugin(spec, place.path, files)));
    if (isOurs.includes(true)) entries.push({ ...place, path, spec: path, options: undefined });
  }
  return entries;
}

/** Returns the options of entries that are objects. */
export function optionsOf(entries: readonly PluginEntry[]): Fields[] {
  return entries.flatMap(({ options }) => (isFields(options) ? [options] : []));
}
