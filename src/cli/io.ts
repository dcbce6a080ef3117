/** Inputs and outputs of the program, passed in so that tests run it in their own process. */

/** Name of this package, by which a host installs it. */
export const PLUGIN = "opencode-transcripts";

export interface Output {
  /** Resolves when the text is written. Rejects with `ClosedOutput` if the reader closed the output. */
  write(text: string): Promise<void>;
  isTerminal: boolean;
  /** Width of a terminal. */
  columns?: number | undefined;
}

/** This package, and what runs it. */
export interface Installation {
  /** Absolute path of the package's folder. */
  folder: string;
  /** Absolute path of Node or Bun. */
  runtime: string;
}

export interface Io {
  stdout: Output;
  stderr: Output;
  stdin: AsyncIterable<Uint8Array>;
  env: Readonly<Record<string, string | undefined>>;
  /** Absolute path of the working directory. */
  cwd: string;
  home: string;
  /** Entry of a host's list of plugins for this package. Default: its name. */
  plugin?: string;
  installation: Installation;
  now(): Date;
  /** Kills the process without running any more code. */
  kill?(): void;
  /** Aborted by a signal; its reason is an `Interrupted`. */
  signal: AbortSignal;
}

/** The reader closed the output, as `head` does. Not an error: the program ends without a message. */
export class ClosedOutput extends Error {
  override readonly name = "ClosedOutput";
}

/** A signal asked the process to end. */
export class Interrupted extends Error {
  override readonly name = "Interrupted";
  /** 128 plus the signal's number, as in a shell. */
  readonly exitCode: number;

  constructor(exitCode: number) {
    super("interrupted");
    this.exitCode = exitCode;
  }
}

/** Reads standard input as text, and stops once it is longer than `maxBytes`. */
export async function textOf(input: AsyncIterable<Uint8Array>, maxBytes: number): Promise<string> {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of input) {
    pieces.push(piece);
    bytes += piece.byteLength;
    if (bytes > maxBytes) break;
  }
  return Buffer.concat(pieces).toString("utf8");
}
