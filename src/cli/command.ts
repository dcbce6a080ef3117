/** Defines a command once: commander's definition types its options, prints its help, and completes it. */
import { Command, type CommandUnknownOpts, InvalidArgumentError, Option } from "@commander-js/extra-typings";
import { readAgentName } from "../agents/foreign.ts";
import { AGENT_NAMES } from "../agents/registry.ts";
import type { CommandContext } from "./context.ts";

/** 0: found or done. 1: nothing found. 2: an error. */
export type ExitCode = 0 | 1 | 2;

interface About {
  /** One line. Only of a command in a group: the others have theirs in all-commands.ts. */
  summary?: string;
  /** More sentences, for the command's own help. */
  description?: string;
  /** Command lines, each with what it does. */
  examples: Readonly<Record<string, string>>;
  /** Reason for exit status 1, as half a sentence: `no call failed`. Absent if the command never exits with it. */
  nothing?: string;
}

/** Formats examples for the end of help. */
function helpExamples(examples: About["examples"]): string {
  const lines = Object.entries(examples).map(([line, does]) => `  ${line}\n      ${does}`);
  return `\nExamples:\n${lines.join("\n")}`;
}

/** Creates a command without arguments and options. */
export function createCommand(name: string, { summary = "", description = "", examples, nothing }: About): Command {
  const one = nothing === undefined ? "" : `, 1 if ${nothing}`;
  return new Command(name)
    .summary(summary)
    .description([summary, description].filter(Boolean).join("\n\n"))
    .addHelpText("after", `${helpExamples(examples)}\n\nExit status: 0 on success${one}, 2 on an error.`);
}

/** First key of each object of `--json`, but for `errors`. New keys do not raise it; a removed or changed key does. */
export interface Versioned {
  version: 1;
}

export interface RunnableCommand {
  definition: CommandUnknownOpts;
  /** Returns the work with the arguments that were parsed last. */
  parsed(): Work;
}

export type Work = (context: CommandContext) => Promise<ExitCode>;

/** Joins a definition and its work, which gets arguments and options as the definition types them. */
export function runnable<Args extends unknown[], Options extends Record<string, unknown>>(
  definition: Command<Args, Options>,
  run: (context: CommandContext, args: Args, options: Options) => Promise<ExitCode>,
): RunnableCommand {
  const parsed = (): Work => {
    const [args, options] = [definition.processedArgs, definition.opts()];
    return (context) => {
      if (options["team"] === true && definition.options.includes(team)) context.askTeam();
      return run(context, args, options);
    };
  };
  return { definition, parsed };
}

/** Commands that share the first of their two words. */
export interface CommandGroup {
  definition: CommandUnknownOpts;
  commands: readonly RunnableCommand[];
}

export function commandGroup(
  name: string,
  examples: About["examples"],
  commands: readonly RunnableCommand[],
): CommandGroup {
  const definition = new Command(name).helpCommand(false).addHelpText("after", helpExamples(examples));
  for (const each of commands) definition.addCommand(each.definition);
  return { definition, commands };
}

/** Options of a command, as its definition types them. */
export type OptionsOf<Definition extends { opts(): unknown }> = ReturnType<Definition["opts"]>;

// Arguments and options that several commands have.

export const SESSION = "A path, a session id or the beginning of one, latest, or - for standard input.";
/** For commands that refuse standard input. */
export const STORED_SESSION = "A path, a session id or the beginning of one, or latest.";

export const project = new Option(
  "--project <path>",
  "Only sessions of the project in this folder or below it, or of the projects with this name.",
);
export const agent = new Option("--agent <name>", "Only sessions of this agent.")
  .choices(AGENT_NAMES)
  .argParser(agentName);
export const tag = new Option(
  "--tag <name>",
  "Only sessions with this tag (see `transcripts tag`). May be given several times, for sessions with all of them.",
).argParser(several);
export const team = new Option("--team", "Asks the team's database instead of this machine: see `transcripts push`.");
export const noRedact = new Option(
  "--no-redact",
  "Prints passwords, keys and tokens as they are. Needs the session's file: the store has none of them.",
);

/** `what`: what they restrict. */
export function since(what: string) {
  const forms = "2026-01-31, an ISO time, today, yesterday, or an age such as 12h, 7d, 4w";
  return new Option("--since <date>", `Only ${what} since then: ${forms}.`);
}

export function until(what: string) {
  const does = `Only ${what} until then; a date includes its whole day. Same forms as --since.`;
  return new Option("--until <date>", does);
}

/** Creates a question about many sessions. `what`: what `--since` and `--until` restrict. */
export function createQuestion(name: string, about: About, what: string) {
  return createCommand(name, about)
    .addOption(since(what))
    .addOption(until(what))
    .addOption(project)
    .addOption(agent)
    .addOption(tag)
    .addOption(team);
}

/** `--json` with one object on each line. `what`: the subject of a line. */
export function jsonLines(what: string) {
  return new Option("--json", `Prints JSON, one line for ${what}.`);
}

/** `--json` with one object. */
export function jsonObject(what: string) {
  return new Option("--json", `Prints one JSON object: ${what}.`);
}

/** Default number of rows on a terminal, for questions about all sessions. */
export const SCREENFUL = 20;

// Values of options.

function agentName(text: string): string {
  try {
    return readAgentName(text);
  } catch (error) {
    throw new InvalidArgumentError(error instanceof Error ? error.message : "");
  }
}

/** Parses a whole number above 0. */
export function positiveInteger(text: string): number {
  return integerFrom(1, text);
}

/** Parses a whole number. */
export function wholeNumber(text: string): number {
  return integerFrom(0, text);
}

function integerFrom(least: 0 | 1, text: string): number {
  if (/^\d{1,9}$/.test(text) && Number(text) >= least) return Number(text);
  throw new InvalidArgumentError(`Give a whole number${least === 1 ? " above 0" : ""}.`);
}

/** Adds a value to those of an option that may be given several times. */
export function several(text: string, before: string[] | undefined): string[] {
  return [...(before ?? []), text];
}
