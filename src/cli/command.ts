/** A command of `transcripts` and its context. Only `main.ts` and `process.ts` touch the process. */
import { given } from "../given.ts";
import type { Between } from "../queries/figures.ts";
import { TranscriptsError } from "../transcripts-error.ts";
import type { Colors } from "picocolors/types.js";
import type { Io } from "./io.ts";
import type { Archive } from "../sessions/session-ref.ts";

/** 0: found or done. 1: nothing found. 2: an error. */
export type ExitCode = 0 | 1 | 2;

export interface CommandContext extends Pick<Io, "stdin" | "env" | "cwd" | "home" | "installation" | "now" | "signal"> {
  /**
   * Writes data to standard output, in blocks if that is a pipe or a file. Resolves when more may be written. Rejects
   * with `ClosedOutput` if the reader closed the pipe: do not catch that, it ends the program without a message.
   */
  out(text: string): Promise<void>;
  /** Writes one object as JSON, on one line. */
  printLine(value: object): Promise<void>;
  /** Writes one object as JSON, indented. */
  printObject(value: object): Promise<void>;
  /** Writes what `out` has buffered, for output that somebody is waiting for, such as a followed session. */
  flush(): Promise<void>;
  /** Writes a note, warning or scope line to standard error. */
  note(text: string): void;
  /**
   * Entry of a host's list of plugins for this package: its name, or the folder of a working copy, which a host could not
   * install by name.
   */
  plugin: string;
  /** Sessions of the store, which is opened when a command first asks for them. */
  archive: Archive;
  /**
   * Resolves to whether the user said yes. `problem` names what will be lost. Rejects without a terminal; scripts use
   * `--yes`.
   */
  confirmed(problem: string): Promise<boolean>;
  /** Columns of the terminal, or `COLUMNS`. Infinity for a pipe or a file, where lines are not wrapped. */
  columns: number;
  /** Standard output is a terminal. */
  isTerminal: boolean;
  /** Colours for standard output. Without effect if it is not a terminal or `NO_COLOR` is set. */
  colors: Colors;
  /** Shows a bar on standard error for work that takes longer than a second, if that is a terminal. */
  progress(total: number, unit: string): Progress;
  /** Has the process killed at its end, because something hangs in it that a normal exit would wait for. */
  abandon(): void;
}

export interface Progress {
  advance(by?: number): void;
  end(): void;
}

export interface ArgumentDefinition {
  /** As the help shows it: `SESSION`. */
  name: string;
  does: string;
  required: boolean;
  variadic?: boolean;
  choices?: readonly string[];
}

export interface OptionDefinition {
  /** As the help shows them: `--last <n>`, `-o, --output <file>`. */
  flags: string;
  does: string;
  /**
   * Type of the value; text if absent. An `integer` is above 0, a `count` may be 0, `texts` may be given several times.
   * Dates are `2026-01-31`, an ISO time, `today`, `yesterday`, `7d` or `12h`; an `end-date` includes its whole day.
   */
  value?: "integer" | "count" | "date" | "end-date" | "texts";
  choices?: readonly string[];
  default?: string | number;
  /** For `--json`: prints one object per line, or one object. Its schema is in `schemas/`, under the command's name. */
  json?: "lines" | "object";
}

export interface CommandDefinition {
  /** One word, or two for a command of a group: `snippets extract`. */
  name: string;
  /** One line, for the list of commands. */
  does: string;
  /** More sentences, for the command's own help. */
  description?: string;
  arguments: readonly ArgumentDefinition[];
  options: readonly OptionDefinition[];
  /** At least one. */
  examples: readonly { command: string; does: string }[];
  /** When the command exits with 1, as half a sentence: `no call failed`. Absent if it never does. */
  nothing?: string;
  load(): Promise<{ run: RunCommand }>;
}

export type RunCommand = (
  context: CommandContext,
  args: readonly string[],
  options: CommandOptions,
) => Promise<ExitCode>;

/** Values by the option's long name in camelCase. */
export type CommandOptions = Readonly<Record<string, string | readonly string[] | number | boolean | Date | undefined>>;

/** Makes the error for arguments that are missing, not allowed, or exclude each other. */
export function badArguments(problem: string, next: string): TranscriptsError {
  return new TranscriptsError("bad_arguments", problem, next);
}

// Typed access to options. Commander parses them by their definition, so a mismatch is a bug.

/** Returns whether a flag was given. */
export function flag(options: CommandOptions, name: string): boolean {
  return options[name] === true;
}

export function text(options: CommandOptions, name: string): string | undefined {
  const value = options[name];
  return typeof value === "string" ? value : undefined;
}

/** Returns all values of an option that may be given several times. */
export function texts(options: CommandOptions, name: string): string[] {
  const value = options[name];
  return Array.isArray(value) ? value.filter((each): each is string => typeof each === "string") : [];
}

export function integer(options: CommandOptions, name: string): number | undefined {
  const value = options[name];
  return typeof value === "number" ? value : undefined;
}

export function date(options: CommandOptions, name: string): Date | undefined {
  const value = options[name];
  return value instanceof Date ? value : undefined;
}

/** Returns `--since` and `--until`. Throws a `TranscriptsError` if they are in the wrong order. */
export function between(options: CommandOptions): Between {
  const [since, until] = [date(options, "since"), date(options, "until")];
  if (since !== undefined && until !== undefined && since >= until) {
    throw badArguments("--since must be earlier than --until.", "Swap the two dates.");
  }
  return given({ since, until });
}
