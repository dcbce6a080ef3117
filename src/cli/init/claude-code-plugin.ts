/** Installs this package's plugin into Claude Code: `transcripts init --claude-code`. */
import { execFile } from "node:child_process";
import { mkdir, readdir, readFile } from "node:fs/promises";
import { dirname, join, relative, sep } from "node:path";
import { z } from "zod";
import { errorCode } from "../../transcript/files/fault.ts";
import { shellQuoted, shellWord } from "../../calls/shell-syntax.ts";
import { userDataFolder } from "../../user-folders.ts";
import { TranscriptsError } from "../../transcripts-error.ts";
import type { CommandContext } from "../context.ts";
import { PACKAGE } from "../../user-folders.ts";
import { writeWhole } from "../../write-file.ts";

/** Name under which Claude Code knows the plugin: its own and that of its marketplace. */
const INSTALLED = `${PACKAGE}@${PACKAGE}`;
const MARKETPLACE = ".claude-plugin/marketplace.json";
/** Files and folders of the package that make up the plugin. */
const PARTS = [".claude-plugin/plugin.json", ".mcp.json", "hooks", "skills"];
/** The program in files of the package, which Claude Code copies without `dist` and dependencies. */
const MAIN = "${CLAUDE_PLUGIN_ROOT}/dist/cli/main.js";
/** Maximum time of a command of Claude Code, in milliseconds. */
const COMMAND_MS = 60_000;

export interface ClaudeCodeSetup {
  /** Folder with the plugin, from which Claude Code copies it. */
  folder: string;
  /** False if `claude` is not on the path. */
  isInstalled: boolean;
  /** Commands that were run, or that are left to be run. */
  commands: string[];
}

/**
 * Copies the plugin to a folder of its own, where it names this program and Node by their paths, and has `claude` install
 * it from there. Claude Code would copy the whole folder of the package, with `node_modules` in a working copy.
 */
export async function setUpClaudeCode(context: CommandContext): Promise<ClaudeCodeSetup> {
  const folder = join(userDataFolder(context), "claude-code");
  for (const [name, text] of await pluginTexts(context)) {
    const path = join(folder, name);
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    await writeWhole(path, (write) => write(text));
  }
  const added = [
    ["plugin", "marketplace", "add", folder],
    ["plugin", "install", INSTALLED],
  ];
  const installed = await claude(context, ["plugin", "list", "--json"]);
  // Claude Code does not install a version again that it already has.
  const isThere = Plugins.parse(JSON.parse(installed ?? "[]")).some(({ id }) => id === INSTALLED);
  const commands = isThere ? [["plugin", "uninstall", INSTALLED], ...added] : added;
  if (installed !== undefined) for (const words of commands) await claude(context, words);
  const shown = commands.map((words) => ["claude", ...words].map(shellWord).join(" "));
  return { folder, isInstalled: installed !== undefined, commands: shown };
}

/** Returns the plugin's files by their paths in its folder. */
async function pluginTexts({ installation: { folder, runtime } }: CommandContext): Promise<Map<string, string>> {
  const main = join(folder, "dist/cli/main.js");
  const texts = new Map<string, string>();
  for (const name of (await Promise.all(PARTS.map((part) => filesIn(folder, part)))).flat()) {
    const text = await readFile(join(folder, name), "utf8");
    texts.set(name, name.endsWith(".json") ? withProgram(text, runtime, main) : text);
  }
  const plugins = [{ name: PACKAGE, source: "./", description: "Keeps every session, and looks up earlier ones." }];
  const marketplace = { name: PACKAGE, description: "Made by transcripts init.", owner: { name: PACKAGE }, plugins };
  return texts.set(MARKETPLACE, `${JSON.stringify(marketplace, null, 2)}\n`);
}

/** Returns the file, or the files in the folder and below, relative to `root`. */
async function filesIn(root: string, name: string): Promise<string[]> {
  try {
    const inside = await readdir(join(root, name), { recursive: true, withFileTypes: true });
    const files = inside.filter((entry) => entry.isFile());
    return files.map((entry) => relative(root, join(entry.parentPath, entry.name)).replaceAll(sep, "/")).toSorted();
  } catch (error) {
    if (errorCode(error) === "ENOTDIR") return [name];
    throw error;
  }
}

/** Returns a JSON file with the paths of Node and of this program, in commands of a shell and in lists of arguments. */
function withProgram(json: string, runtime: string, main: string): string {
  const value: unknown = JSON.parse(json, (key, word: unknown) => {
    if (key === "command" && word === "node") return runtime;
    if (typeof word !== "string") return word;
    if (word === MAIN) return main;
    return word.replace(`node "${MAIN}"`, () => `${shellQuoted(runtime)} ${shellQuoted(main)}`);
  });
  return `${JSON.stringify(value, null, 2)}\n`;
}

const Plugins = z.array(z.object({ id: z.string() }));

/** Runs a `claude` command and returns its standard output, or undefined if Claude Code is not installed. */
function claude({ env, cwd }: CommandContext, words: readonly string[]): Promise<string | undefined> {
  const options = { env: { ...env }, cwd, timeout: COMMAND_MS, killSignal: "SIGKILL" } as const;
  return new Promise((resolve, reject) => {
    execFile("claude", words, options, (error, stdout, stderr) => {
      if (error === null) return resolve(stdout);
      // Windows has `claude` as a script, which cannot be started like this.
      if (typeof error.code === "string") return resolve(undefined);
      const said = (stderr.trim() || stdout.trim()).split("\n").at(-1) ?? "";
      const problem = `\`claude ${words.join(" ")}\` failed: ${said || `exit status ${error.code}`}.`;
      const next = "Update Claude Code and run this again, or run the command yourself.";
      reject(new TranscriptsError("bad_file", problem, next, { cause: error }));
    });
  });
}
