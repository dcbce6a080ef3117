/** The outside world of the program, handed in so that tests run it in their own process. */

export interface Output {
  /** Resolves when it is handed over. Rejects with `ClosedOutput` if nobody reads any more. */
  write(text: string): Promise<void>;
  isTerminal: boolean;
  /** Of a terminal. */
  columns?: number | undefined;
}

export interface Io {
  stdout: Output;
  stderr: Output;
  stdin: AsyncIterable<Uint8Array>;
  env: Readonly<Record<string, string | undefined>>;
  cwd: string;
  home: string;
  now(): Date;
  /** Kills the process, which runs no code of ours then. */
  kill?(): void;
  /** Aborted by a signal; its reason is an `Interrupted`. */
  signal: AbortSignal;
}

/** The reader of an output went away, as `head` does when it has enough. No error: the program ends quietly. */
export class ClosedOutput extends Error {
  override readonly name = "ClosedOutput";
}

/** What was printed could not be written: a full disk. `message` is whole. */
export class FailedOutput extends Error {
  override readonly name = "FailedOutput";
}

/** The process was told to end by a signal. */
export class Interrupted extends Error {
  override readonly name = "Interrupted";
  /** 128 and the signal's number, as a shell has it. */
  readonly exitCode: number;

  constructor(exitCode: number) {
    super("interrupted");
    this.exitCode = exitCode;
  }
}
