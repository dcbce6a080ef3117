/** Runs a command: parses the arguments, reports errors, returns an exit code. */
import { type Argument, Command, CommanderError, type CommandUnknownOpts } from "@commander-js/extra-typings";
import { reasonOf } from "../places/reasons.ts";
import { type Candidate, TranscriptsError } from "../transcripts-error.ts";
import { VERSION } from "../version.ts";
import type { CommandGroup, ExitCode, RunnableCommand, Work } from "./command.ts";
import { ClosedOutput, type CommandContext, createContext, Interrupted, type Io } from "./context.ts";
import { commandsFor, type ListedCommand } from "./commands/all-commands.ts";

/** Maximum time for a command to clean up after an interruption, in milliseconds. */
const GRACE_MS = 300;

/** Runs `transcripts` with `argv` (without node and the script). Never rejects. */
export async function runProgram(argv: readonly string[], io: Io): Promise<number> {
  const { context, close } = createContext(io);
  let exitCode: number;
  try {
    exitCode = await untilInterrupted(run(argv, context), io.signal);
  } catch (error) {
    exitCode = tellFailure(error, context);
  }
  try {
    // Output from before the failure is useful.
    await context.flush();
  } catch (error) {
    if (!(error instanceof ClosedOutput)) exitCode = tellFailure(error, context);
  }
  await close();
  return exitCode;
}

async function run(argv: readonly string[], context: CommandContext): Promise<ExitCode> {
  const parsed = await parseArguments(argv, context.columns);
  if (parsed.kind === "command") return parsed.work(context);
  if (parsed.kind === "wrong") {
    context.note(parsed.message);
    return 2;
  }
  await context.out(parsed.text);
  return 0;
}

export type ParsedArguments =
  | { kind: "command"; work: Work }
  /** Help or the version, for standard output. */
  | { kind: "text"; text: string }
  | { kind: "wrong"; message: string };

/** Maximum width of help, since long lines are hard to read. */
const MAX_HELP_COLUMNS = 100;
const DOES = "Finds what was said, what failed, what fixed it and what it cost in the sessions of coding agents";
const SESSIONS = "A SESSION is a path, a session id or the beginning of one, latest, or - for standard input.";
const EXAMPLES = `Examples:
  transcripts serve --open
      Shows all sessions in the browser.
  transcripts find connection refused
      Shows where this was said.
  transcripts errors latest --fixes
      Shows what failed in the newest session, and what fixed it.`;

/** Never rejects because of the arguments. */
export async function parseArguments(argv: readonly string[], columns: number): Promise<ParsedArguments> {
  let work: Work | undefined;
  let text = "";
  let message = "";
  const helpColumns = (): number => Math.min(columns, MAX_HELP_COLUMNS);
  const program = createProgram().configureOutput({
    writeOut: (piece) => (text += piece),
    writeErr: (piece) => (message += piece),
    outputError: (error) => (message += error.replace(/^error: /, "transcripts: ")),
    getOutHelpWidth: helpColumns,
    getErrHelpWidth: helpColumns,
  });
  const words = plainArguments(argv);
  // Everything that reads the agents' files takes longer to load than the version to print.
  if (words[0] !== "--version" && words[0] !== "-V") {
    const { AGENT_TITLES } = await import("../agents/registry.ts");
    program.description(`${DOES}: ${AGENT_TITLES.join(", ")}.`);
  }
  const commands = await commandsFor(words);
  for (const { definition, loaded } of commands) {
    if (loaded !== undefined) addTo(program, loaded, (chosen) => (work = chosen.parsed()));
    program.addCommand(definition);
  }
  try {
    program.parse(wordsToUnknown(words, commands), { from: "user" });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    return error.exitCode === 0 ? { kind: "text", text } : { kind: "wrong", message: withMeant(message, argv) };
  }
  return work === undefined ? { kind: "text", text } : { kind: "command", work };
}

/** Words for a command that other programs use. */
const MEANT: Readonly<Record<string, string>> = {
  search: "find",
  grep: "find",
  ls: "list",
  sessions: "list",
  cat: "show",
  diff: "changes",
  cost: "stats",
  usage: "stats",
  rm: "forget",
  setup: "init",
};

/** Adds what an unknown command probably means, where its name is not similar. */
function withMeant(message: string, [word = ""]: readonly string[]): string {
  const meant = Object.hasOwn(MEANT, word) ? MEANT[word] : undefined;
  if (meant === undefined || !message.includes(`unknown command '${word}'`)) return message;
  const [first = "", ...rest] = message.split("\n").filter((line) => !line.startsWith("(Did you mean"));
  return [first, `(Did you mean ${meant}?)`, ...rest].join("\n");
}

/** Rewrites `help snippets extract` to `snippets extract --help`, so that the arguments begin with the command. */
function plainArguments(argv: readonly string[]): readonly string[] {
  if (argv.length === 0) return ["--help"];
  if (argv[0] === "--") return argv.slice(1);
  return argv[0] === "help" && argv.length > 1 ? [...argv.slice(1), "--help"] : argv;
}

/** Returns the words up to the first that should name a command but does not: if `--help` follows it, commander prints help. */
function wordsToUnknown(words: readonly string[], commands: readonly ListedCommand[]): readonly string[] {
  let level: readonly CommandUnknownOpts[] = commands.map(({ definition }) => definition);
  for (const [at, word] of words.entries()) {
    if (level.length === 0 || word.startsWith("-") || word === "help") break;
    const named = level.find((command) => command.name() === word);
    if (named === undefined) return words.slice(0, at + 1);
    level = named.commands;
  }
  return words;
}

/** Creates the program, without commands. They take over its settings. */
function createProgram(): Command {
  return new Command("transcripts")
    .description(`${DOES}.`)
    .version(VERSION, "-V, --version", "Prints the version.")
    .helpOption("-h, --help", "Prints this help.")
    .commandsGroup("Setting up:")
    .helpCommand("help [command]", "Prints the help of a command.")
    .addHelpText("after", `\n${EXAMPLES}\n\n${SESSIONS}\n\nExit status: 0 found or done, 1 nothing found, 2 an error.`)
    .showHelpAfterError("Run `transcripts --help` for usage.")
    .exitOverride()
    .configureHelp({
      minWidthToWrap: 20,
      subcommandTerm: (command) =>
        command.commands.length > 0
          ? `${command.name()} <command>`
          : [command.name(), ...command.registeredArguments.map(termOf)].join(" "),
    });
}

/** Gives a command, and those of a group, the settings of this run. Commands are created once for all runs. */
function addTo(
  parent: CommandUnknownOpts,
  command: RunnableCommand | CommandGroup,
  found: (command: RunnableCommand) => void,
  path = command.definition.name(),
): void {
  const { definition } = command;
  definition.copyInheritedSettings(parent).showHelpAfterError(`Run \`transcripts ${path} --help\` for usage.`);
  if ("parsed" in command) definition.action(() => found(command));
  else for (const each of command.commands) addTo(definition, each, found, `${path} ${each.definition.name()}`);
}

function termOf(argument: Argument): string {
  const name = argument.variadic ? `${argument.name()}...` : argument.name();
  return argument.required ? `<${name}>` : `[${name}]`;
}

/** Ends a command on an interruption, even if it waits for input that never comes. */
async function untilInterrupted(running: Promise<number>, signal: AbortSignal): Promise<number> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const interrupted = new Promise<never>((_, reject) => {
    const end = (): void => {
      timer = setTimeout(() => reject(signal.reason), GRACE_MS);
    };
    if (signal.aborted) end();
    else signal.addEventListener("abort", end, { once: true });
  });
  try {
    const exitCode = await Promise.race([running, interrupted]);
    return signal.reason instanceof Interrupted ? signal.reason.exitCode : exitCode;
  } finally {
    clearTimeout(timer);
    interrupted.catch(() => undefined);
  }
}

function tellFailure(error: unknown, context: CommandContext): number {
  if (error instanceof ClosedOutput) return 0;
  if (context.signal.reason instanceof Interrupted) return context.signal.reason.exitCode;
  context.note(`transcripts: ${described(error, context)}`);
  return 2;
}

function described(error: unknown, { env }: CommandContext): string {
  if (!(error instanceof Error)) return String(error);
  if (error instanceof TranscriptsError) {
    const { message, candidates } = error;
    return [message, ...candidates.slice(0, 10).map(candidate)].join("\n");
  }
  if (env["DEBUG"] && error.stack) return error.stack;
  // The file system or another program refused something; anything else is a bug.
  if ("code" in error && "syscall" in error) {
    const place = "path" in error && typeof error.path === "string" ? error.path : undefined;
    if (place === undefined) return error.message;
    return `${place} cannot be used: ${reasonOf(error)}. Check the path and its permissions.`;
  }
  return `${error.message.replace(/\.?$/, ".")} This should not happen. DEBUG=1 shows where.`;
}

function candidate({ id, path, database, modifiedMs }: Candidate): string {
  return `  ${id}  ${new Date(modifiedMs).toISOString()}  ${path ?? database ?? ""}`;
}
