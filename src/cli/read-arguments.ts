/** The arguments, read by commander after the definitions. */
import { Argument, Command, CommanderError, InvalidArgumentError, Option } from "commander";
import type { ArgumentDefinition, CommandDefinition, CommandOptions, OptionDefinition } from "./command.ts";
import { DEFINITIONS } from "./definitions.ts";
import { readDate } from "./read-date.ts";
import { VERSION } from "../version.ts";

export type ReadArguments =
  | { kind: "command"; definition: CommandDefinition; arguments: readonly string[]; options: CommandOptions }
  /** Help or the version, for standard output. */
  | { kind: "text"; text: string }
  | { kind: "wrong"; message: string };

interface Setting {
  columns: number;
  now: Date;
}

/** Help is not wider than this: long lines are hard to read. */
const MAX_HELP_COLUMNS = 100;
const DOES =
  "Reads back the sessions of coding agents: transcripts of opencode, session files of Claude Code, and opencode's own store.";
const SESSIONS = "A SESSION is a path, a session id or the beginning of one, latest, or - for standard input.";

/** Never throws. */
export function readArguments(argv: readonly string[], setting: Setting): ReadArguments {
  let read: ReadArguments | undefined;
  let text = "";
  let message = "";
  const program = createProgram(setting, (command) => (read = command));
  for (const command of [program, ...program.commands]) {
    command.exitOverride().configureOutput({
      writeOut: (piece) => (text += piece),
      writeErr: (piece) => (message += piece),
      outputError: (error) => (message += error.replace(/^error: /, "transcripts: ")),
      getOutHelpWidth: () => helpColumns(setting),
      getErrHelpWidth: () => helpColumns(setting),
    });
  }
  try {
    program.parse(argv.length === 0 ? ["--help"] : argv, { from: "user" });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode === 0) return { kind: "text", text };
    return { kind: "wrong", message };
  }
  return read ?? { kind: "text", text };
}

function createProgram(setting: Setting, found: (command: ReadArguments) => void): Command {
  const program = new Command("transcripts")
    .description(DOES)
    .version(VERSION, "-V, --version", "Prints the version.")
    .helpOption("-h, --help", "Prints this help.")
    .helpCommand("help [command]", "Prints the help of a command.")
    .addHelpText("after", `\n${SESSIONS}\n\nExit status: 0 found or done, 1 nothing found, 2 an error.`)
    .showHelpAfterError("Run `transcripts --help` for what there is.")
    .configureHelp({
      subcommandTerm: (command) => [command.name(), ...command.registeredArguments.map(termOf)].join(" "),
    });
  for (const definition of DEFINITIONS) program.addCommand(createCommand(definition, setting, found), {});
  return program;
}

function createCommand(
  definition: CommandDefinition,
  { now }: Setting,
  found: (command: ReadArguments) => void,
): Command {
  const { name, does, description, examples } = definition;
  const command = new Command(name)
    .summary(does)
    .description(description === undefined ? does : `${does}\n\n${description}`)
    .helpOption("-h, --help", "Prints this help.")
    .addHelpText("after", () => examplesText(examples))
    .showHelpAfterError(`Run \`transcripts ${name} --help\` for what there is.`);
  for (const argument of definition.arguments) command.addArgument(createArgument(argument));
  for (const option of definition.options) command.addOption(createOption(option, now));
  return command.action(() => {
    found({ kind: "command", definition, arguments: command.args, options: command.opts<CommandOptions>() });
  });
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

function createOption(definition: OptionDefinition, now: Date): Option {
  const option = new Option(definition.flags, definition.does);
  if (definition.choices) option.choices(definition.choices);
  if (definition.default !== undefined) option.default(definition.default);
  if (definition.value === "integer") option.argParser((text: string) => readInteger(text, 1));
  if (definition.value === "count") option.argParser((text: string) => readInteger(text, 0));
  if (definition.value === "date") option.argParser((text: string) => readDateOrFail(text, now));
  return option;
}

function readInteger(text: string, least: 0 | 1): number {
  if (/^\d{1,9}$/.test(text) && Number(text) >= least) return Number(text);
  throw new InvalidArgumentError(`Give a whole number${least === 1 ? " above 0" : ""}.`);
}

function readDateOrFail(text: string, now: Date): Date {
  const date = readDate(text, now);
  if (date !== undefined) return date;
  throw new InvalidArgumentError("Give a date such as 2026-01-31, today, yesterday, or an age such as 12h, 7d, 4w.");
}

function examplesText(examples: CommandDefinition["examples"]): string {
  const lines = examples.map(({ command, does }) => `  ${command}\n      ${does}`);
  return `\nExamples:\n${lines.join("\n")}`;
}

function helpColumns({ columns }: Setting): number {
  return Math.min(columns, MAX_HELP_COLUMNS);
}
