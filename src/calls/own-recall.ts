/** Detects this program's own output in a session, so that a search does not find what an earlier search printed. */
import { shellLineOf } from "./ending.ts";
import { BEFORE_PROGRAM } from "./shell-programs.ts";
import { parseShell, type ShellPipeline, type ShellStage } from "./shell-syntax.ts";

/** Words of one command, without quotes: assignments, program, arguments. */
type ShellCommand = readonly string[];

/** Matches the tools that print or take session text, as names of their own or of a server with any name. */
const OWN_TOOL = /(?:^|[^a-z0-9])(?:find_in_transcripts|find_fixes|query_snippets|extract_snippet)$/i;
/** Matches tools whose names other servers have too: `mcp__sentry__list_errors`. */
const COMMON_TOOL = /^(?:.*transcripts[^a-z0-9]+)?(?:read_session|list_sessions|list_errors)$/i;

const COMMANDS = new Set("find show list entries errors fixes timeline tail stats export snippets".split(" "));
const PROGRAM = /(?:^|[/\\])(?:opencode-)?transcripts(?:@[\w.^~-]{1,100}|\.(?:js|ts|cmd|exe|ps1))?$/i;
/** Matches the program's file in a clone or in `node_modules`. */
const MAIN_FILE = /(?:^|[/\\])(?:dist|src)[/\\]cli[/\\]main\.[jt]s$/;
const PACKAGE = /(?:^|[/\\])opencode-transcripts(?:[/\\]|$)/;

/** Words followed by a command or their own value, including runtimes, which start the program's file. */
const BEFORE_COMMAND: ReadonlySet<string> = new Set([...BEFORE_PROGRAM, "bun", "deno", "node", "x"]);
const ASSIGNMENT = /^\w{1,100}=/;
const DURATION = /^\d+(?:\.\d+)?[smhd]?$/;

/** Maximum nesting of scripts; deeper ones are skipped. */
const MAX_DEPTH = 6;
/** Matches a substitution that names a program: `"$(which transcripts)" find x`. */
const NAMES_PROGRAM =
  /(?:\$\(|`)\s*(?:which|command\s+-v|type\s+-[pP]|realpath|readlink(?:\s+-f)?)\s+([^\s()`]{1,1000})\s*[)`]/;

const SHELL = /(?:^|[/\\])(?:ba|z|k|da|a|fi)?sh$/;
/** Matches `-c`, `-lc`, and `-qc` as of `script` and `su`. */
const SCRIPT_OPTION = /^-[a-zA-Z]*c$/;
/** Programs with a script after `-c`. */
const RUNS_SCRIPT = /(?:^|[/\\])(?:script|su|flock|parallel|runuser)$/;
/** Programs whose arguments form a script. */
const RUNS_WORDS = /(?:^|[/\\])(?:eval|watch|ssh)$/;

/** Returns whether a call asks this program for session text. Its input and result are then not conversation. */
export function isOwnRecall(toolName: string | null, input: unknown): boolean {
  if (toolName !== null && (OWN_TOOL.test(toolName) || COMMON_TOOL.test(toolName))) return true;
  const line = shellLineOf(input);
  return line !== null && /transcripts/i.test(line) && hasOwn(shellCommands(line));
}

function hasOwn(commands: readonly ShellCommand[]): boolean {
  const isInPackage = commands.some(([program, folder = ""]) => program === "cd" && PACKAGE.test(folder));
  return commands.some((words) => runsOwn(words, isInPackage));
}

function runsOwn(words: ShellCommand, isInPackage: boolean): boolean {
  let mayFollow = true;
  let isAfterWrapper = false;
  for (const [at, word] of words.entries()) {
    if (mayFollow && isProgram(word, isInPackage) && printsSessions(words, at + 1)) return true;
    const name = word.slice(Math.max(word.lastIndexOf("/"), word.lastIndexOf("\\")) + 1);
    const isOption = word.startsWith("-");
    if (mayFollow && BEFORE_COMMAND.has(name)) isAfterWrapper = true;
    else if (!ASSIGNMENT.test(word) && !DURATION.test(word) && !isOption) {
      // The value of an option, such as `sudo -u NAME`.
      if (!isAfterWrapper || !(words[at - 1] ?? "").startsWith("-")) mayFollow = false;
    }
    if (!mayFollow) return false;
  }
  return false;
}

function isProgram(word: string, isInPackage: boolean): boolean {
  return PROGRAM.test(word) || (MAIN_FILE.test(word) && (isInPackage || PACKAGE.test(word)));
}

/** Returns whether the arguments have a command that prints sessions, after general options. */
function printsSessions(words: ShellCommand, from: number): boolean {
  const command = words.slice(from).find((word) => !word.startsWith("-"));
  return command !== undefined && COMMANDS.has(command);
}

/** Returns all commands that a line runs, including those in substitutions and scripts for another shell. */
function shellCommands(line: string): ShellCommand[] {
  const found: ShellCommand[] = [];
  takePipelines(parseShell(line), 0, found);
  return found;
}

function takePipelines(pipelines: readonly ShellPipeline[], depth: number, found: ShellCommand[]): void {
  for (const { stages } of pipelines) {
    // `cat <<EOF | sh`: the text goes to the end of the pipe.
    const fed = stages.find((stage) => stage.fed !== null)?.fed ?? null;
    for (const stage of stages) {
      takePipelines(stage.substitutions, depth, found);
      take(wordsOf(stage), fed, depth, found);
    }
  }
}

/** Removes braces and `!`, which the shell parser treats as words. */
function wordsOf({ words }: ShellStage): string[] {
  const first = words.findIndex(({ text }) => text !== "{" && text !== "}" && text !== "!");
  return first === -1 ? [] : words.slice(first).map(({ text }) => text.replace(NAMES_PROGRAM, "$1"));
}

function take(words: ShellCommand, fed: string | null, depth: number, found: ShellCommand[]): void {
  if (words.length === 0) return;
  found.push(words);
  if (depth >= MAX_DEPTH) return;
  for (const script of scriptsIn(words, fed)) takePipelines(parseShell(script), depth + 1, found);
}

function scriptsIn(words: ShellCommand, fed: string | null): string[] {
  const at = words.findIndex((word) => SHELL.test(word) || RUNS_SCRIPT.test(word) || RUNS_WORDS.test(word));
  const program = words[at];
  if (program === undefined) return [];
  const rest = words.slice(at + 1);
  if (RUNS_WORDS.test(program)) return scriptsAfterOptions(rest, program.endsWith("ssh"));
  const option = rest.findIndex((word) => SCRIPT_OPTION.test(word));
  const script = option === -1 ? undefined : rest[option + 1];
  if (script !== undefined) return [script];
  return SHELL.test(program) && fed !== null ? [fed] : [];
}

/** Returns all positions where a script may begin: after each option, since it is unknown which options take a value. */
function scriptsAfterOptions(words: ShellCommand, hasHost: boolean): string[] {
  const first = words.findIndex((word) => !word.startsWith("-"));
  if (first === -1) return [];
  const from = first + (hasHost ? 1 : 0);
  const places = first === 0 ? [from] : [from, from + 1];
  return places.map((place) => words.slice(place).join(" ")).filter((script) => script !== "");
}
