/** `transcripts init` */
import { join, relative, resolve } from "node:path";
import { parseOptions } from "../../config.ts";
import { nodeFileSystem } from "../../files/node-file-system.ts";
import { layTemplates } from "../../templates/lay-templates.ts";
import { DATA_FOLDER } from "../../transcript/paths.ts";
import { CliError, type CommandContext, type CommandOptions, type ExitCode } from "../command.ts";
import { addPlugin, type Addition, NEW_CONFIG, PLUGIN } from "../init/plugin-config.ts";
import { configText, projectAt, type Project } from "../init/project-config.ts";
import { printObject } from "../output.ts";
import { flag } from "../option-values.ts";
import type { InitResult } from "../schemas/init.ts";
import { writeWhole } from "../write-file.ts";

interface Plan {
  config: string;
  change: "created" | "changed" | "unchanged";
  /** The new text, if there is to be one. */
  text: string | undefined;
  /** The data folder, absolute. */
  folder: string;
}

export async function run(
  context: CommandContext,
  _args: readonly string[],
  options: CommandOptions,
): Promise<ExitCode> {
  const dryRun = flag(options, "dryRun");
  const project = await projectAt(context.cwd);
  const plan = await planFor(project);
  if (!dryRun && plan.text !== undefined) await writeWhole(plan.config, plan.text);
  const files = await layTemplates(plan.folder, { fs: nodeFileSystem, join, dryRun });
  const result: InitResult = {
    version: 1,
    dry_run: dryRun,
    config: { path: plan.config, change: plan.change },
    folder: plan.folder,
    files,
  };
  if (flag(options, "json")) await printObject(context, result);
  else await context.out(toldIn(context, result));
  return 0;
}

async function planFor({ root, configs }: Project): Promise<Plan> {
  const read = await Promise.all(configs.map(async (config) => ({ config, addition: await additionTo(config) })));
  const folderOf = (raw: unknown): string => resolve(root, parseOptions(raw).options.directory);
  for (const { config, addition } of read) {
    if (addition.kind === "present") {
      return { config, change: "unchanged", text: undefined, folder: folderOf(addition.options) };
    }
  }
  for (const { config, addition } of read) {
    if (addition.kind === "added")
      return { config, change: "changed", text: addition.text, folder: folderOf(undefined) };
  }
  return { config: join(root, "opencode.json"), change: "created", text: NEW_CONFIG, folder: join(root, DATA_FOLDER) };
}

async function additionTo(config: string): Promise<Exclude<Addition, { kind: "broken" }>> {
  const addition = addPlugin(await configText(config));
  if (addition.kind !== "broken") return addition;
  throw new CliError(
    `${config} cannot be read as JSON: ${addition.problem}.`,
    "Mend it, then run this again. Nothing was changed.",
  );
}

function toldIn({ cwd, colors }: CommandContext, result: InitResult): string {
  const shown = (path: string): string => relative(cwd, path) || path;
  const { config, folder, files, dry_run: dryRun } = result;
  const file = shown(config.path);
  const added = colors.green(dryRun ? "would add" : "added");
  const made = colors.green(dryRun ? "would make" : "made");
  const updated = colors.green(dryRun ? "would update" : "updated");
  const lines: string[] = [];
  if (config.change === "unchanged") lines.push(`${file} has the plugin already: unchanged`);
  if (config.change === "changed") lines.push(`${added} "${PLUGIN}" to "plugin" in ${file}`);
  if (config.change === "created") lines.push(`${made} ${file} with "plugin": ["${PLUGIN}"]`);
  for (const { path, change } of files) {
    if (change === "created") lines.push(`${made} ${shown(path)}`);
    if (change === "updated") lines.push(`${updated} ${shown(path)}, which an earlier version made`);
  }
  const kept = files.filter(({ change }) => change === "unchanged").length;
  if (kept > 0) lines.push(`${shown(folder)} has ${kept} of its ${files.length} files already: unchanged`);
  if (!dryRun && config.change !== "unchanged") lines.push("opencode records the next session that it starts here.");
  return `${lines.join("\n")}\n`;
}
