/** `transcripts init` */
import { join, relative, resolve } from "node:path";
import { parseOptions } from "../../config.ts";
import { nodeFileSystem } from "../../transcript/files/node-file-system.ts";
import { layTemplates } from "../../templates/lay-templates.ts";
import { createCommand, jsonObject, runnable, type Versioned } from "../command.ts";
import { badArguments, type CommandContext } from "../context.ts";
import { type ClaudeCodeSetup, ENABLE, setUpClaudeCode } from "../init/claude-code-plugin.ts";
import { addPlugin, type Addition, newConfig, type PluginKey, pluginKey } from "../init/plugin-config.ts";
import { configText, type HostAgent, isOpencode2, projectAt, type Project } from "../init/project-config.ts";
import { writeWhole } from "../write-file.ts";
import { TranscriptsError } from "../../transcripts-error.ts";

const definition = createCommand("init", {
  summary: "Makes opencode, or Kilo, record the sessions of this project; or adds the plugin to Claude Code.",
  description:
    "Adds the plugin to the project's opencode.json or opencode.jsonc, keeping its comments and layout, or creates the file. " +
    "With --kilo, or in a project that has only kilo.json or kilo.jsonc, it does the same for Kilo. A configuration of opencode 2.x " +
    "lists the plugin under `plugins`, any other under `plugin`; if the file does not show its version, `opencode --version` decides. " +
    "Also creates the files in .openfleet/ that explain the transcripts and keep them out of git. Existing files are not overwritten. " +
    "Run from a working copy, it adds the path of that folder instead of the plugin's name. With --claude-code it instead runs " +
    "`claude plugin install` for this user. That plugin has hooks that add each session to the index in the background, the MCP server " +
    "and the skill. It names this program and Node by their paths, so run this again when they have moved.",
  examples: {
    "transcripts init --dry-run": "Shows what would change.",
    "transcripts init": "Sets up the project in the current folder.",
    "transcripts init --kilo": "Sets it up for Kilo.",
    "transcripts init --claude-code": "Keeps every session of Claude Code.",
  },
})
  .option("--dry-run", "Prints what would change, and changes nothing.")
  .option("--kilo", "Sets up Kilo.")
  .option("--claude-code", "Installs the plugin in Claude Code.")
  .addOption(jsonObject("what changed"));

export interface InitOutput extends Versioned {
  /** Nothing was written. */
  dry_run: boolean;
  /** Absolute path of opencode's or Kilo's configuration file; null with --claude-code. */
  config: { path: string; change: "created" | "changed" | "unchanged" } | null;
  /** Absolute path of the transcripts folder; with --claude-code that of the plugin. */
  folder: string;
  /** Files that explain the transcripts and keep them out of the repository, or those of the plugin. */
  files: { path: string; change: "created" | "updated" | "unchanged" }[];
  /** Null without --claude-code. */
  claude_code: Pick<ClaudeCodeSetup, "plugin" | "commands"> | null;
}

/** Output of the command, as JSON and as lines for people. */
interface Done {
  result: InitOutput;
  lines: string[];
}

export const command = runnable(definition, async (context, _args, options) => {
  const { kilo: isKilo, claudeCode: isClaudeCode, dryRun = false } = options;
  if (isKilo && isClaudeCode)
    throw badArguments("--claude-code and --kilo exclude each other.", "Run it once for each.");
  const { result, lines } = isClaudeCode
    ? await initClaudeCode(context, dryRun)
    : await initProject(context, dryRun, isKilo ? "kilo" : undefined);
  if (options.json) await context.printObject(result);
  else await context.out(`${lines.join("\n")}\n`);
  return 0;
});

const PAST = { add: "added", create: "created", write: "wrote", run: "ran" } as const;

function verb({ colors }: CommandContext, name: keyof typeof PAST, dryRun: boolean): string {
  return colors.green(dryRun ? `would ${name}` : PAST[name]);
}

async function initClaudeCode(context: CommandContext, dryRun: boolean): Promise<Done> {
  const { folder, files, plugin, commands } = await setUpClaudeCode(context, dryRun);
  const lines: string[] = [];
  const written = files.filter(({ change }) => change !== "unchanged").length;
  const write = verb(context, "write", dryRun);
  if (written > 0) lines.push(`${write} the plugin to ${folder} (${written} of ${files.length} files)`);
  if (plugin === "unchanged") lines.push("Claude Code already has the plugin: unchanged");
  if (plugin === "disabled") lines.push(`Claude Code has the plugin, but it is turned off. Turn it on: ${ENABLE}`);
  if (plugin === "pending") lines.push("The program claude is not on the path. Install the plugin with:");
  const ran = plugin === "pending" ? " " : verb(context, "run", dryRun);
  lines.push(...commands.map((command) => `${ran} ${command}`));
  if (!dryRun && (plugin === "installed" || plugin === "updated"))
    lines.push("The next session of Claude Code is added to the index after each turn.");
  const claude_code = { plugin, commands };
  return { result: { version: 1, dry_run: dryRun, config: null, folder, files, claude_code }, lines };
}

async function initProject(context: CommandContext, dryRun: boolean, asked?: HostAgent): Promise<Done> {
  const project = await projectAt(context.cwd, asked);
  const isNewForm = project.agent === "opencode" && (await isOpencode2(context.env));
  const { config, key, text, folder } = await planFor(project, isNewForm ? "plugins" : "plugin", context.plugin);
  if (!dryRun && text !== undefined) await writeWhole(config.path, (write) => write(text));
  const files = await layTemplates(folder, { fs: nodeFileSystem, dryRun });
  const shown = (path: string): string => relative(context.cwd, path) || path;
  const [file, entry] = [shown(config.path), JSON.stringify(context.plugin)];
  const create = verb(context, "create", dryRun);
  const lines = {
    unchanged: [`${file} already has the plugin: unchanged`],
    changed: [`${verb(context, "add", dryRun)} ${entry} to "${key}" in ${file}`],
    created: [`${create} ${file} with "${key}": [${entry}]`],
  }[config.change];
  for (const { path, change } of files) {
    if (change === "created") lines.push(`${create} ${shown(path)}`);
  }
  const kept = files.filter(({ change }) => change === "unchanged").length;
  if (kept > 0) lines.push(`${shown(folder)} already has ${kept} of its ${files.length} files: unchanged`);
  if (!dryRun && config.change !== "unchanged")
    lines.push(`${project.agent === "kilo" ? "Kilo" : "opencode"} records the next session that it starts here.`);
  return { result: { version: 1, dry_run: dryRun, config, folder, files, claude_code: null }, lines };
}

interface Plan {
  config: NonNullable<InitOutput["config"]>;
  /** List that the plugin is in. */
  key: PluginKey;
  /** New text, if it changes. */
  text?: string;
  /** Absolute path of the data folder. */
  folder: string;
}

async function planFor({ agent, root, configs }: Project, otherwise: PluginKey, plugin: string): Promise<Plan> {
  const read = await Promise.all(
    configs.map(async (path) => {
      const text = await configText(path);
      return { path, key: pluginKey(text, otherwise), addition: additionTo(path, text, otherwise, plugin) };
    }),
  );
  const folderOf = (raw: unknown): string => resolve(root, parseOptions(raw).options.directory);
  const chosen = read.find(({ addition }) => addition.kind === "present") ?? read[0];
  if (chosen === undefined) {
    const text = newConfig(otherwise, plugin, `https://${agent === "kilo" ? "app.kilo" : "opencode"}.ai/config.json`);
    const config = { path: join(root, `${agent}.json`), change: "created" as const };
    return { config, key: otherwise, text, folder: folderOf(undefined) };
  }
  const { path, key, addition } = chosen;
  if (addition.kind === "present")
    return { config: { path, change: "unchanged" }, key, folder: folderOf(addition.options) };
  return { config: { path, change: "changed" }, key, text: addition.text, folder: folderOf(undefined) };
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
