/** `transcripts init` */
import { join, relative, resolve } from "node:path";
import { parseOptions } from "../../config.ts";
import { nodeFileSystem } from "../../transcript/files/node-file-system.ts";
import { layTemplates } from "../../templates/lay-templates.ts";
import { DATA_FOLDER } from "../../transcript/transcript-paths.ts";
import { badArguments, type CommandContext, type CommandOptions, type ExitCode, type RunCommand } from "../command.ts";
import { type ClaudeCodeSetup, ENABLE, setUpClaudeCode } from "../init/claude-code-plugin.ts";
import { addPlugin, type Addition, newConfig, type PluginKey, pluginKey } from "../init/plugin-config.ts";
import { configText, isOpencode2, projectAt, type Project } from "../init/project-config.ts";
import type { Output } from "../output-schemas.ts";
import { writeWhole } from "../write-file.ts";
import { TranscriptsError } from "../../transcripts-error.ts";

interface Plan {
  config: string;
  change: "created" | "changed" | "unchanged";
  /** List that the plugin is in. */
  key: PluginKey;
  /** New text, if it changes. */
  text: string | undefined;
  /** Absolute path of the data folder. */
  folder: string;
}

export const run: RunCommand = async (context, _args, options) => {
  const dryRun = options.flag("dryRun");
  if (options.flag("claudeCode")) return initClaudeCode(context, options, dryRun);
  const project = await projectAt(context.cwd, options.flag("kilo") ? "kilo" : undefined);
  const isNewForm = project.agent === "opencode" && (await isOpencode2(context.env));
  const plan = await planFor(project, isNewForm ? "plugins" : "plugin", context.plugin);
  const { text } = plan;
  if (!dryRun && text !== undefined) await writeWhole(plan.config, (write) => write(text));
  const files = await layTemplates(plan.folder, { fs: nodeFileSystem, dryRun });
  const result = {
    version: 1 as const,
    dry_run: dryRun,
    config: { path: plan.config, change: plan.change },
    folder: plan.folder,
    files,
    claude_code: null,
  };
  if (options.flag("json")) await context.printObject(result);
  else await context.out(toldIn(context, result, plan.key, project));
  return 0;
};

async function initClaudeCode(context: CommandContext, options: CommandOptions, dryRun: boolean): Promise<ExitCode> {
  if (options.flag("kilo")) throw badArguments("--claude-code and --kilo exclude each other.", "Run it once for each.");
  const setup = await setUpClaudeCode(context, dryRun);
  const { folder, files, plugin, commands } = setup;
  const result: Output<"init"> = {
    version: 1,
    dry_run: dryRun,
    config: null,
    folder,
    files,
    claude_code: { plugin, commands },
  };
  if (options.flag("json")) await context.printObject(result);
  else await context.out(setupText(context, setup, dryRun));
  return 0;
}

function setupText({ colors }: CommandContext, setup: ClaudeCodeSetup, dryRun: boolean): string {
  const { folder, files, plugin, commands } = setup;
  const lines: string[] = [];
  const written = files.filter(({ change }) => change !== "unchanged").length;
  const wrote = colors.green(dryRun ? "would write" : "wrote");
  if (written > 0) lines.push(`${wrote} the plugin to ${folder} (${written} of ${files.length} files)`);
  if (plugin === "unchanged") lines.push("Claude Code already has the plugin: unchanged");
  if (plugin === "disabled") lines.push(`Claude Code has the plugin, but it is turned off. Turn it on: ${ENABLE}`);
  if (plugin === "pending") lines.push("The program claude is not on the path. Install the plugin with:");
  const ran = plugin === "pending" ? " " : colors.green(dryRun ? "would run" : "ran");
  lines.push(...commands.map((command) => `${ran} ${command}`));
  if (!dryRun && (plugin === "installed" || plugin === "updated"))
    lines.push("The next session of Claude Code is added to the index after each turn.");
  return `${lines.join("\n")}\n`;
}

async function planFor({ agent, root, configs }: Project, otherwise: PluginKey, plugin: string): Promise<Plan> {
  const read = await Promise.all(
    configs.map(async (config) => {
      const text = await configText(config);
      return { config, key: pluginKey(text, otherwise), addition: additionTo(config, text, otherwise, plugin) };
    }),
  );
  const folderOf = (raw: unknown): string => resolve(root, parseOptions(raw).options.directory);
  for (const { config, key, addition } of read) {
    if (addition.kind === "present") {
      return { config, key, change: "unchanged", text: undefined, folder: folderOf(addition.options) };
    }
  }
  for (const { config, key, addition } of read) {
    if (addition.kind === "added")
      return { config, key, change: "changed", text: addition.text, folder: folderOf(undefined) };
  }
  const text = newConfig(otherwise, plugin, `https://${agent === "kilo" ? "app.kilo" : "opencode"}.ai/config.json`);
  const config = join(root, `${agent}.json`);
  return { config, key: otherwise, change: "created", text, folder: join(root, DATA_FOLDER) };
}

function additionTo(
  config: string,
  text: string,
  otherwise: PluginKey,
  plugin: string,
): Exclude<Addition, { kind: "broken" }> {
  const addition = addPlugin(text, otherwise, plugin);
  if (addition.kind !== "broken") return addition;
  throw new TranscriptsError(
    "bad_file",
    `${config} cannot be read as JSON: ${addition.problem}.`,
    "Fix it and run this again. Nothing was changed.",
  );
}

function toldIn(
  { cwd, colors, plugin }: CommandContext,
  result: Output<"init"> & { config: object },
  key: PluginKey,
  { agent }: Pick<Project, "agent">,
): string {
  const shown = (path: string): string => relative(cwd, path) || path;
  const { config, folder, files, dry_run: dryRun } = result;
  const file = shown(config.path);
  const added = colors.green(dryRun ? "would add" : "added");
  const made = colors.green(dryRun ? "would create" : "created");
  const updated = colors.green(dryRun ? "would update" : "updated");
  const lines: string[] = [];
  if (config.change === "unchanged") lines.push(`${file} already has the plugin: unchanged`);
  if (config.change === "changed") lines.push(`${added} "${plugin}" to "${key}" in ${file}`);
  if (config.change === "created") lines.push(`${made} ${file} with "${key}": ["${plugin}"]`);
  for (const { path, change } of files) {
    if (change === "created") lines.push(`${made} ${shown(path)}`);
    if (change === "updated") lines.push(`${updated} ${shown(path)}, which was unchanged from an earlier version`);
  }
  const kept = files.filter(({ change }) => change === "unchanged").length;
  if (kept > 0) lines.push(`${shown(folder)} already has ${kept} of its ${files.length} files: unchanged`);
  if (!dryRun && config.change !== "unchanged") {
    lines.push(`${agent === "kilo" ? "Kilo" : "opencode"} records the next session that it starts here.`);
  }
  return `${lines.join("\n")}\n`;
}
