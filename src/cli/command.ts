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
  /** Shows a bar on standard error for work on sessions that takes longer than a second, if that is a terminal. */
  progress(total: number): Progress;
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
  /** For `--json`: prints one object per line, or one object. Its schema is in `output-schemas.ts`, under the command's name. */
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
  /** Reason for exit status 1, as half a sentence: `no call failed`. Absent if the command never exits with it. */
  nothing?: string;
  load(): Promise<{ run: RunCommand }>;
}

export type RunCommand = (
  context: CommandContext,
  args: readonly string[],
  options: CommandOptions,
) => Promise<ExitCode>;

/** Values of options by their long names in camelCase, as their definitions say. */
export type OptionValues = Readonly<Record<string, unknown>>;

/** Options of a call. Commander parses them by their definition, so a value of another type is a bug. */
export class CommandOptions {
  readonly #values: OptionValues;

  constructor(values: OptionValues = {}) {
    this.#values = values;
  }

  /** Returns whether a flag was given. */
  flag(name: string): boolean {
    return this.#values[name] === true;
  }

  /** Returns those of the options that were given. */
  given(...names: readonly string[]): string[] {
    return names.filter((name) => this.#values[name] !== undefined);
  }

  text(name: string): string | undefined {
    const value = this.#values[name];
    return typeof value === "string" ? value : undefined;
  }

  choice<Choice extends string>(name: string, choices: readonly Choice[]): Choice | undefined {
    return choices.find((choice) => choice === this.#values[name]);
  }

  /** Returns all values of an option that may be given several times. */
  texts(name: string): string[] {
    const value = this.#values[name];
    return Array.isArray(value) ? value.filter((each) => typeof each === "string") : [];
  }

  integer(name: string): number | undefined {
    const value = this.#values[name];
    return typeof value === "number" ? value : undefined;
  }

  date(name: string): Date | undefined {
    const value = this.#values[name];
    return value instanceof Date ? value : undefined;
  }

  /** Returns false with `--no-redact`. */
  get isRedacted(): boolean {
    return this.#values["redact"] !== false;
  }

  /** Returns false with `--no-subagents`. */
  get withSubagents(): boolean {
    return this.#values["subagents"] !== false;
  }
}

/** Makes the error for arguments that are missing, not allowed, or exclude each other. */
export function badArguments(problem: string, next: string): TranscriptsError {
  return new TranscriptsError("bad_arguments", problem, next);
}

/** Returns `--since` and `--until`. Throws a `TranscriptsError` if they are in the wrong order. */
export function between(options: CommandOptions, since = options.date("since")): Between {
  const until = options.date("until");
  if (since !== undefined && until !== undefined && since >= until)
    throw badArguments("--since must be earlier than --until.", "Swap the two dates.");
  return given({ since, until });
}
