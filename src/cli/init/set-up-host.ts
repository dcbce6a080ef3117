/** Adds the plugin to a configuration of opencode or Kilo, or removes it there. */
import { mkdir } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { parseOptions } from "../../config.ts";
import {
  configPlaces,
  type ConfigScope,
  type HostName,
  isThisPlugin,
  type PluginEntry,
  pluginEntries,
} from "../../agents/opencode/host-config.ts";
import { type LaidFile, layTemplates } from "../../templates/lay-templates.ts";
import { isWithin } from "../../transcript/files/data-folder.ts";
import { nodeFileSystem } from "../../transcript/files/node-file-system.ts";
import { configuredFolder } from "../../user-folders.ts";
import { TranscriptsError } from "../../transcripts-error.ts";
import { badArguments, type CommandContext, confirmed } from "../context.ts";
import { writeWhole } from "../../write-file.ts";
import { addPlugin, type Change, newConfig, removePlugin } from "./plugin-config.ts";
import { configText, isOpencode2, projectAt, repositoryOf, userConfigs } from "./project-config.ts";

export interface SetUpChoices {
  /** Undefined: Kilo if the project has only its configuration, otherwise opencode. */
  agent: HostName | undefined;
  /** `user`: in the user's own configuration, for all projects. */
  scope: ConfigScope;
  /** Writes into a home or the root of the file system without a question. */
  isConfirmed: boolean;
}

export interface SetUp {
  /** Configuration files that have the plugin, or had it. */
  configs: { path: string; change: "created" | "changed" | "unchanged" }[];
  /** Absolute path of the data folder. */
  folder: string;
  files: LaidFile[];
  lines: string[];
}

/** A host's configuration here, to add the plugin or to remove it. */
interface Found {
  agent: HostName;
  /** Root of the project. */
  root: string;
  isSecond: boolean;
  entries: PluginEntry[];
  /** Files of the chosen scope, in order of preference. */
  configs: readonly string[];
  /** The file to create if there is none. */
  newPath: string;
}

/** Adds the plugin, unless the host already loads it here, and the templates of a project. */
export async function setUpHost(context: CommandContext, choices: SetUpChoices): Promise<SetUp> {
  const { scope, isConfirmed } = choices;
  const found = await find(context, choices);
  const { root, agent, entries } = found;
  if (scope === "project" && !isConfirmed) await askAbout(context, root);
  // An entry in the user's configuration is also loaded in this project, where a second one would be of no use.
  const effective = scope === "user" ? entries.filter((entry) => entry.scope === "user") : entries;
  const lines: string[] = [];
  const configs: SetUp["configs"] = [];
  if (effective.length > 0) {
    for (const path of new Set(effective.map((entry) => entry.path))) {
      configs.push({ path, change: "unchanged" });
      lines.push(`${shown(context, root, path)} already has the plugin: unchanged`);
    }
  } else {
    const { path, change, line } = await add(context, found);
    configs.push({ path, change });
    lines.push(line);
  }
  const others = new Set(entries.filter((entry) => !effective.includes(entry)).map(({ path }) => path));
  for (const path of others)
    lines.push(`${shown(context, root, path)} has the plugin too: \`transcripts init --remove\` removes it there`);
  const options = parseOptions(effective.at(-1)?.options).options;
  const folder = configuredFolder(root, options.directory, context.home);
  const files = scope === "user" ? [] : await layTemplates(folder, { fs: nodeFileSystem });
  lines.push(...templateLines(context, root, folder, files));
  if (configs.some(({ change }) => change !== "unchanged")) {
    const where = scope === "user" ? "in any project" : "here";
    lines.push(`${agent === "kilo" ? "Kilo" : "opencode"} records the next session that it starts ${where}.`);
  }
  return { configs, folder, files, lines };
}

/** Removes the plugin from the files of the project, or from the user's own. Transcripts stay. */
export async function removeFromHost(context: CommandContext, choices: SetUpChoices): Promise<SetUp> {
  const { scope } = choices;
  const { root, entries } = await find(context, choices);
  const configs: SetUp["configs"] = [];
  const lines: string[] = [];
  const own = entries.filter((entry) => entry.scope === scope);
  for (const path of new Set(own.map((entry) => entry.path))) {
    if (own.find((entry) => entry.path === path)?.kind !== "file") {
      lines.push(`${shown(context, root, path)} loads the plugin: remove it yourself`);
      configs.push({ path, change: "unchanged" });
      continue;
    }
    const specs = await Promise.all(
      own.map(async ({ spec }) => ((await isThisPlugin(spec, dirname(path))) ? [spec] : [])),
    );
    const { text } = changed(
      path,
      removePlugin(await configText(path), (spec) => specs.flat().includes(spec)),
    );
    await writeWhole(path, (write) => write(text));
    configs.push({ path, change: "changed" });
    lines.push(`${done(context, "removed")} the plugin from ${shown(context, root, path)}`);
  }
  if (configs.length === 0)
    lines.push(
      scope === "user"
        ? "Your own configuration does not have the plugin: unchanged"
        : "No configuration of this project has the plugin: unchanged",
    );
  for (const path of new Set(entries.filter((entry) => entry.scope !== scope).map((entry) => entry.path))) {
    const command = scope === "user" ? "transcripts init --remove" : "transcripts init --remove --global";
    lines.push(`${shown(context, root, path)} has the plugin too: \`${command}\` removes it there`);
  }
  const folder = configuredFolder(root, parseOptions(own.at(-1)?.options).options.directory, context.home);
  return { configs, folder, files: [], lines };
}

async function find(context: CommandContext, { agent: asked, scope }: SetUpChoices): Promise<Found> {
  const project = await projectAt(context, asked);
  const { agent, root } = project;
  const isSecond = agent === "opencode" && (await isOpencode2(context.env));
  // Up to the root of the repository in 1.x; without a repository, and in 2.x, up to that of the file system.
  const top = isSecond ? undefined : await repositoryOf(context.cwd);
  const entries = await pluginEntries(configPlaces(agent, context, top), context);
  if (scope === "project")
    return { agent, root, isSecond, entries, configs: project.configs, newPath: join(root, `${agent}.json`) };
  const own = await userConfigs(agent, context);
  return { agent, root, isSecond, entries, configs: own.configs, newPath: join(own.root, `${agent}.json`) };
}

async function add(
  context: CommandContext,
  { agent, root, isSecond, configs, newPath }: Found,
): Promise<{ path: string; change: "created" | "changed"; line: string }> {
  const { plugin } = context;
  const otherwise = isSecond ? "plugins" : "plugin";
  const [path] = configs;
  const entry = JSON.stringify(plugin);
  if (path === undefined) {
    const text = newConfig(otherwise, plugin, `https://${agent === "kilo" ? "app.kilo" : "opencode"}.ai/config.json`);
    await mkdir(dirname(newPath), { recursive: true });
    await writeWhole(newPath, (write) => write(text));
    const line = `${done(context, "created")} ${shown(context, root, newPath)} with "${otherwise}": [${entry}]`;
    return { path: newPath, change: "created", line };
  }
  const { text, key } = changed(path, addPlugin(await configText(path), otherwise, plugin));
  await writeWhole(path, (write) => write(text));
  const line = `${done(context, "added")} ${entry} to "${key}" in ${shown(context, root, path)}`;
  return { path, change: "changed", line };
}

function changed(path: string, change: Change): Exclude<Change, { kind: "broken" }> {
  if (change.kind === "changed") return change;
  throw new TranscriptsError(
    "bad_file",
    `${path} cannot be read as JSON: ${change.problem}.`,
    "Fix it and run this again. Nothing was changed.",
  );
}

/** Asks before files are written into a home or the root of the file system, which is mostly a mistake. */
async function askAbout(context: CommandContext, root: string): Promise<void> {
  if (root !== context.home && dirname(root) !== root) return;
  const what = root === context.home ? "your home folder" : "the root of the file system";
  const problem = `The project would be ${root}, ${what}: all sessions below it would be recorded there.`;
  if (await confirmed(context, problem)) return;
  throw badArguments("Nothing was changed.", "Run this in the folder of a project, or with --global for all projects.");
}

function templateLines(context: CommandContext, root: string, folder: string, files: readonly LaidFile[]): string[] {
  const created = files.filter(({ change }) => change === "created");
  const lines = created.map(({ path }) => `${done(context, "created")} ${shown(context, root, path)}`);
  const kept = files.length - created.length;
  if (kept > 0)
    lines.push(`${shown(context, root, folder)} already has ${kept} of its ${files.length} files: unchanged`);
  return lines;
}

/** Returns a path in the project relative to the working directory; an absolute path for any other. */
function shown({ cwd }: CommandContext, root: string, path: string): string {
  return isWithin(root, path) ? relative(cwd, path) || path : path;
}

/** Marks what was done. */
export function done({ colors }: CommandContext, verb: string): string {
  return colors.green(verb);
}
