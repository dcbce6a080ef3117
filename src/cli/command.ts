/** What a command of `transcripts` is, and what it is given to work with. Only `main.ts` touches the process. */
import type { Colors } from "picocolors/types.js";

/** 0: found or done. 1: nothing found. 2: an error. */
export type ExitCode = 0 | 1 | 2;

export interface CommandContext {
  /**
   * Data goes here, written in blocks if it goes into a pipe or a file. Resolves when it may go on. Rejects with
   * `ClosedOutput` if the reader went away: let that pass, it ends the program quietly.
   */
  out(text: string): Promise<void>;
  /** Writes what `out` holds back: for output that somebody waits for, such as a followed session. */
  flush(): Promise<void>;
  /** Notes, warnings and scope lines go here, one line each, to standard error. */
  note(text: string): void;
  stdin: AsyncIterable<Uint8Array>;
  env: Readonly<Record<string, string | undefined>>;
  /** Folder that the command was started in, absolute. */
  cwd: string;
  home: string;
  /** Columns of the terminal, or what `COLUMNS` says. Infinity in a pipe or a file: lines stay whole there. */
  columns: number;
  /** Whether standard output is a terminal. */
  isTerminal: boolean;
  /** Colours for standard output; they do nothing where it is no terminal or `NO_COLOR` is set. */
  colors: Colors;
  /** A bar on standard error for work that takes longer than a second; does nothing where that is no terminal. */
  progress(total: number, unit: string): Progress;
  now(): Date;
  /** At the end the process is to be killed: something hangs in it that an exit would wait for. */
  abandon(): void;
  /** The user interrupted, or standard output was closed. */
  signal: AbortSignal;
}

export interface Progress {
  advance(by?: number): void;
  end(): void;
}

export interface ArgumentDefinition {
  /** As in the help: `SESSION`. */
  name: string;
  does: string;
  required: boolean;
  variadic?: boolean;
  choices?: readonly string[];
}

export interface OptionDefinition {
  /** As in the help: `--last <n>`, `-o, --output <file>`. */
  flags: string;
  does: string;
  /** How the value is read; text if left out. An `integer` is above 0, a `count` may be 0, `texts` may be given several times. Dates take `2026-01-31`, an ISO time, or `today`, `yesterday`, `7d`, `12h`; a day that is an `end-date` is meant whole. */
  value?: "integer" | "count" | "date" | "end-date" | "texts";
  choices?: readonly string[];
  default?: string | number;
}

export interface CommandDefinition {
  /** One word, or two of a command that is one of a group: `snippets extract`. */
  name: string;
  /** One line for the list of commands. */
  does: string;
  /** More, for the command's own help: plain sentences. */
  description?: string;
  arguments: readonly ArgumentDefinition[];
  options: readonly OptionDefinition[];
  /** At least one. */
  examples: readonly { command: string; does: string }[];
  /** What `--json` prints: one object a line, or one object. The schema is in `schemas/`, under the command's name. */
  json?: "lines" | "object";
  load(): Promise<CommandModule>;
}

export interface CommandModule {
  run(context: CommandContext, args: readonly string[], options: CommandOptions): Promise<ExitCode>;
}

/** Values by the option's long name in camelCase: text, texts, numbers, dates, or true. */
export type CommandOptions = Readonly<Record<string, string | readonly string[] | number | boolean | Date | undefined>>;

/** Something that the user can mend: exit code 2, and the message as it stands, without a stack trace. */
export class CliError extends Error {
  override readonly name = "CliError";

  /** `next` says what to do now: a whole sentence. */
  constructor(problem: string, next: string, options?: ErrorOptions) {
    super(`${problem} ${next}`, options);
  }
}
