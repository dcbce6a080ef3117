/** What this program itself has brought into a session: a search must not find what an earlier search printed. */
import { commandsOfWords, shellCommands, type ShellCommand } from "./shell-commands.ts";

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
