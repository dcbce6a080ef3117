/** Parses the arguments with commander, using the definitions. */
import { Argument, Command, CommanderError, InvalidArgumentError, Option } from "commander";
import type { ArgumentDefinition, CommandDefinition, OptionDefinition, OptionValues } from "./command.ts";
import { DEFINITIONS, GROUPS } from "./command-definitions.ts";
import { readDate, readEndDate } from "../parse/read-date.ts";
import { VERSION } from "../version.ts";

export type ReadArguments =
  | { kind: "command"; definition: CommandDefinition; arguments: readonly string[]; options: OptionValues }
  /** Help or the version, for standard output. */
  | { kind: "text"; text: string }
  | { kind: "wrong"; message: string };

interface Setting {
  columns: number;
  now: Date;
}

/** Maximum width of help, since long lines are hard to read. */
const MAX_HELP_COLUMNS = 100;
const DOES =
  "Reads the sessions of coding agents: transcripts of this package, session files of Claude Code, and opencode's own store.";
const SESSIONS = "A SESSION is a path, a session id or the beginning of one, latest, or - for standard input.";

/** Never throws. */
export function readArguments(argv: readonly string[], setting: Setting): ReadArguments {
  let read: ReadArguments | undefined;
  let text = "";
  let message = "";
  const helpColumns = (): number => Math.min(setting.columns, MAX_HELP_COLUMNS);
  const program = createProgram().configureOutput({
    writeOut: (piece) => (text += piece),
    writeErr: (piece) => (message += piece),
    outputError: (error) => (message += error.replace(/^error: /, "transcripts: ")),
    getOutHelpWidth: helpColumns,
    getErrHelpWidth: helpColumns,
  });
  for (const definition of definitionsFor(argv)) {
    const [first = "", second] = definition.name.split(" ");
    const parent = second === undefined ? program : groupNamed(first, program);
    parent.addCommand(createCommand(definition, parent, setting, (command) => (read = command)));
  }
  try {
    program.parse(plainArguments(argv), { from: "user" });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode === 0) return { kind: "text", text };
    return { kind: "wrong", message };
  }
  return read ?? { kind: "text", text };
}

/** Rewrites `help snippets extract` to `snippets extract --help`, since commander's `help` takes only one word. */
function plainArguments(argv: readonly string[]): readonly string[] {
  if (argv.length === 0) return ["--help"];
  return argv[0] === "help" && argv.length > 2 ? [...argv.slice(1), "--help"] : argv;
}

/** Returns only the commands that the first word can mean, because creating all of them takes most of the time. */
function definitionsFor([first]: readonly string[]): readonly CommandDefinition[] {
  const meant = DEFINITIONS.filter(({ name }) => name.split(" ", 1)[0] === first);
  return meant.length > 0 ? meant : DEFINITIONS;
}

/** Creates the program, without commands. They take over its settings. */
function createProgram(): Command {
  return new Command("transcripts")
    .description(DOES)
    .version(VERSION, "-V, --version", "Prints the version.")
    .helpOption("-h, --help", "Prints this help.")
    .helpCommand("help [command]", "Prints the help of a command.")
    .addHelpText("after", `\n${SESSIONS}\n\nExit status: 0 found or done, 1 nothing found, 2 an error.`)
    .showHelpAfterError("Run `transcripts --help` for usage.")
    .exitOverride()
    .configureHelp({
      subcommandTerm: (command) =>
        command.commands.length > 0
          ? `${command.name()} <command>`
          : [command.name(), ...command.registeredArguments.map(termOf)].join(" "),
    });
}

/** Returns the group of commands, which is added to the program if it is not there yet. */
function groupNamed(name: string, program: Command): Command {
  const known = program.commands.find((command) => command.name() === name);
  if (known !== undefined) return known;
  const group = commandOf(program, name, GROUPS[name] ?? "").helpCommand(false);
  program.addCommand(group);
  return group;
}

function createCommand(
  definition: CommandDefinition,
  parent: Command,
  { now }: Setting,
  found: (command: ReadArguments) => void,
): Command {
  const { name, does, description, examples } = definition;
  const command = commandOf(parent, name, does, description).addHelpText("after", () => examplesText(examples));
  for (const argument of definition.arguments) command.addArgument(createArgument(argument));
  for (const option of definition.options) command.addOption(createOption(option, now));
  return command.action(() => {
    found({ kind: "command", definition, arguments: command.args, options: command.opts() });
  });
}

function commandOf(parent: Command, name: string, does: string, description?: string): Command {
  return new Command(name.split(" ").at(-1))
    .copyInheritedSettings(parent)
    .summary(does)
    .description(description === undefined ? does : `${does}\n\n${description}`)
    .showHelpAfterError(`Run \`transcripts ${name} --help\` for usage.`);
}

function createArgument({ name, does, required, variadic, choices }: ArgumentDefinition): Argument {
  const shown = variadic ? `${name}...` : name;
  const argument = new Argument(required ? `<${shown}>` : `[${shown}]`, does);
  return choices ? argument.choices(choices) : argument;
}

function termOf(argument: Argument): string {
  const name = argument.variadic ? `${argument.name()}...` : argument.name();
  return argument.required ? `<${name}>` : `[${name}]`;
}

function createOption({ flags, does, choices, default: usual, value: type }: OptionDefinition, now: Date): Option {
  const option = new Option(flags, does);
  if (choices) option.choices(choices);
  if (usual !== undefined) option.default(usual);
  return type === undefined ? option : option.argParser((text, before: unknown) => PARSERS[type](text, now, before));
}

type Parser = (text: string, now: Date, before: unknown) => unknown;

const PARSERS: Readonly<Record<NonNullable<OptionDefinition["value"]>, Parser>> = {
  integer: (text) => readInteger(text, 1),
  count: (text) => readInteger(text, 0),
  texts: (text, _now, before) => withText(before, text),
  date: (text, now) => dateOrFail(readDate(text, now)),
  "end-date": (text, now) => dateOrFail(readEndDate(text, now)),
};

function withText(before: unknown, text: string): string[] {
  const texts: unknown[] = Array.isArray(before) ? before : [];
  return [...texts.filter((each) => typeof each === "string"), text];
}

function readInteger(text: string, least: 0 | 1): number {
  if (/^\d{1,9}$/.test(text) && Number(text) >= least) return Number(text);
  throw new InvalidArgumentError(`Give a whole number${least === 1 ? " above 0" : ""}.`);
}

function dateOrFail(date: Date | undefined): Date {
  if (date !== undefined) return date;
  throw new InvalidArgumentError("Give a date such as 2026-01-31, today, yesterday, or an age such as 12h, 7d, 4w.");
}

function examplesText(examples: CommandDefinition["examples"]): string {
  const lines = examples.map(({ command, does }) => `  ${command}\n      ${does}`);
  return `\nExamples:\n${lines.join("\n")}`;
}
