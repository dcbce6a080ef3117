/** What this program itself has brought into a session: a search must not find what an earlier search printed. */
import { parseShell, type ShellPipeline, type ShellStage } from "../calls/shell-syntax.ts";

/** The words of one command: its assignments, its program, its arguments. Quotes are removed. */
type ShellCommand = readonly string[];

/** The tools that print sessions or take what was said in them, by themselves or as a server's of any name. */
const OWN_TOOL = /(?:^|[^a-z0-9])(?:find_in_transcripts|query_snippets|extract_snippet)$/i;
/** The same with names that other servers have too: `mcp__sentry__list_errors`. */
const COMMON_TOOL = /^(?:.*transcripts[^a-z0-9]+)?(?:read_session|list_sessions|list_errors)$/i;

const COMMANDS = new Set("find show list entries errors timeline tail stats export snippets".split(" "));
const PROGRAM = /(?:^|[/\\])(?:opencode-)?transcripts(?:@[\w.^~-]{1,100}|\.(?:js|ts|cmd|exe|ps1))?$/i;
/** Its file in a clone or in `node_modules`. */
const MAIN_FILE = /(?:^|[/\\])(?:dist|src)[/\\]cli[/\\]main\.[jt]s$/;
const PACKAGE = /(?:^|[/\\])opencode-transcripts(?:[/\\]|$)/;

/** Words after which a command stands, or a value of theirs. */
const BEFORE_COMMAND = new Set(
  (
    "npx bunx pnpx pnpm yarn npm bun deno node exec dlx sudo doas time nohup nice stdbuf command env run x " +
    "if then else elif while until do xargs timeout setsid chronic unbuffer caffeinate"
  ).split(" "),
);
const ASSIGNMENT = /^\w{1,100}=/;
const DURATION = /^\d+(?:\.\d+)?[smhd]?$/;

/** Fields in which tools for shells take the command. */
const COMMAND_FIELDS = new Set(["command", "cmd", "script"]);

/** Scripts within more than this many others are skipped. */
const MAX_DEPTH = 6;
/** A substitution that names a program: `"$(which transcripts)" find x`. */
const NAMES_PROGRAM =
  /(?:\$\(|`)\s*(?:which|command\s+-v|type\s+-[pP]|realpath|readlink(?:\s+-f)?)\s+([^\s()`]{1,1000})\s*[)`]/;

const SHELL = /(?:^|[/\\])(?:ba|z|k|da|a|fi)?sh$/;
/** `-c`, `-lc`, and as `script` and `su` have it, `-qc`. */
const SCRIPT_OPTION = /^-[a-zA-Z]*c$/;
/** Programs whose argument after `-c` is a script. */
const RUNS_SCRIPT = /(?:^|[/\\])(?:script|su|flock|parallel|runuser)$/;
/** Programs whose arguments together are a script. */
const RUNS_WORDS = /(?:^|[/\\])(?:eval|watch|ssh)$/;

/** Whether a call asks this program for what stands in sessions. Neither its input nor its result is conversation. */
export function isOwnRecall(toolName: string | null, input: unknown): boolean {
  if (toolName !== null && (OWN_TOOL.test(toolName) || COMMON_TOOL.test(toolName))) return true;
  if (typeof input !== "object" || input === null || Array.isArray(input)) return false;
  return Object.entries(input).some(
    ([key, value]: [string, unknown]) => COMMAND_FIELDS.has(key) && isOwnCommand(value),
  );
}

/** A line for a shell, or a list of words: the program with its arguments, a shell with its script. */
function isOwnCommand(command: unknown): boolean {
  if (typeof command === "string") return /transcripts/i.test(command) && hasOwn(shellCommands(command));
  if (!Array.isArray(command)) return false;
  const words = command.map(String);
  if (!words.some((word) => /transcripts/i.test(word))) return false;
  return hasOwn(words.length === 1 ? shellCommands(words[0] ?? "") : commandsOfWords(words));
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

/** Whether a command of ours that prints sessions stands there, after options for all commands. */
function printsSessions(words: ShellCommand, from: number): boolean {
  const command = words.slice(from).find((word) => !word.startsWith("-"));
  return command !== undefined && COMMANDS.has(command);
}

/** Returns all commands that a line runs, those of substitutions and of scripts for another shell too. */
function shellCommands(line: string): ShellCommand[] {
  const found: ShellCommand[] = [];
  takePipelines(parseShell(line), 0, found);
  return found;
}

/** A command that is given as a list of words, and the scripts that it hands to another shell. */
function commandsOfWords(words: ShellCommand): ShellCommand[] {
  const found: ShellCommand[] = [];
  take(words, null, 0, found);
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

/** Braces and `!` are words of their own to the reader. */
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

/** Which options take a value is not known, so each place after options may be where the script begins. */
function scriptsAfterOptions(words: ShellCommand, hasHost: boolean): string[] {
  const first = words.findIndex((word) => !word.startsWith("-"));
  if (first === -1) return [];
  const from = first + (hasHost ? 1 : 0);
  const places = first === 0 ? [from] : [from, from + 1];
  return places.map((place) => words.slice(place).join(" ")).filter((script) => script !== "");
}
