/** `transcripts init` */
import { Option } from "@commander-js/extra-typings";
import { createCommand, jsonObject, runnable, type Versioned } from "../command.ts";
import type { CommandContext } from "../context.ts";
import { setUpClaudeCode } from "../init/claude-code-plugin.ts";
import { removeFromHost, done, setUpHost, type SetUp, type SetUpChoices } from "../init/set-up-host.ts";

const definition = createCommand("init", {
  description:
    "Adds the plugin to the project's opencode.json or opencode.jsonc, and keeps its comments, or creates the file. With --global it is your " +
    "own configuration, for all projects. Nothing is added if opencode already loads the plugin here from anywhere. " +
    "With --kilo, or in a project that has only kilo.json or kilo.jsonc, it does the same for Kilo. The list of plugins is called " +
    "`plugins` in opencode 2.x and `plugin` in 1.x; if the file does not show which it is for, `opencode --version` decides. " +
    "Also creates the files in .openfleet/ that explain the transcripts and keep them out of git. Existing files are not overwritten. " +
    "From a working copy of this package, it adds the path of that folder instead of the plugin's name. --remove removes the plugin; " +
    "transcripts stay. With --claude-code it installs a plugin in Claude Code, for all your projects: " +
    "hooks that add each session to the store in the background, the MCP server, and the skill. The plugin contains the paths of this program " +
    "and of Node, so run this again when they have moved.",
  examples: {
    "transcripts init": "Sets up the project in the current folder.",
    "transcripts init --global": "Sets up all projects.",
    "transcripts init --remove": "Stops recording this project.",
    "transcripts init --kilo": "Sets up the project for Kilo.",
    "transcripts init --claude-code": "Keeps every session of Claude Code, in all projects.",
  },
})
  .option("--global", "Adds the plugin to your own configuration, for all projects.")
  .option("--remove", "Removes the plugin from the project's configuration; with --global from your own.")
  .option("--kilo", "Sets up Kilo.")
  .addOption(new Option("--claude-code", "Installs the plugin in Claude Code.").conflicts(["kilo", "global", "remove"]))
  .option("--yes", "Does not ask before it writes into your home folder or the root of the file system.")
  .addOption(jsonObject("what changed"));

export interface InitOutput extends Versioned {
  /** Configuration of opencode or Kilo that has the plugin, or had it: absolute paths. Empty with --claude-code. */
  configs: SetUp["configs"];
  /** Absolute path of the transcripts folder; with --claude-code that of the plugin. */
  folder: string;
  /** Files that explain the transcripts and keep them out of the repository. */
  files: SetUp["files"];
  /** Null without --claude-code. If it is not installed, the commands are left to be run. */
  claude_code: { is_installed: boolean; commands: string[] } | null;
}

/** Output of the command, as JSON and as lines for people. */
interface Done {
  result: InitOutput;
  lines: string[];
}

export const command = runnable(definition, async (context, _args, options) => {
  const { claudeCode: isClaudeCode, remove: isRemoval = false } = options;
  const { result, lines } = isClaudeCode
    ? await initClaudeCode(context)
    : await initHost(context, isRemoval, {
        agent: options.kilo ? "kilo" : undefined,
        scope: options.global ? "user" : "project",
        isConfirmed: options.yes ?? false,
      });
  if (options.json) await context.printObject(result);
  else await context.out(`${lines.join("\n")}\n`);
  return 0;
});

async function initHost(context: CommandContext, isRemoval: boolean, choices: SetUpChoices): Promise<Done> {
  const { lines, ...rest } = await (isRemoval ? removeFromHost : setUpHost)(context, choices);
  return { result: { version: 1, ...rest, claude_code: null }, lines };
}

async function initClaudeCode(context: CommandContext): Promise<Done> {
  const { folder, isInstalled, commands } = await setUpClaudeCode(context);
  const ran = isInstalled ? done(context, "ran") : " ";
  const lines = [
    `${done(context, "wrote")} the plugin to ${folder}`,
    ...(isInstalled ? [] : ["The program claude is not on the path. Install the plugin with:"]),
    ...commands.map((command) => `${ran} ${command}`),
    ...(isInstalled ? ["The next session of Claude Code is added to the store after each turn."] : []),
  ];
  const claude_code = { is_installed: isInstalled, commands };
  return { result: { version: 1, configs: [], folder, files: [], claude_code }, lines };
}
