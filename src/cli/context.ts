/** Inputs, outputs and store of a command, passed in so that tests can supply their own. */
import picocolors from "picocolors";
import { guardJson, guardOutput, neutralBlock } from "../neutral-text.ts";
import { PACKAGE } from "../user-folders.ts";
import type { Archive, Place, Where } from "../places/session-ref.ts";
import type { Store } from "../store/store.ts";
import type { StoreWhere } from "../store/store-place.ts";
import { TranscriptsError } from "../transcripts-error.ts";
import { createProgress, type Progress, type ShownProgress } from "./terminal/progress.ts";

export interface Output {
  /** Resolves when the text is written. Rejects with `ClosedOutput` if the reader closed the output. */
  write(text: string): Promise<void>;
  isTerminal: boolean;
  /** Width of a terminal. */
  columns?: number | undefined;
}

export interface Io {
  stdout: Output;
  stderr: Output;
  stdin: AsyncIterable<Uint8Array>;
  env: Readonly<Record<string, string | undefined>>;
  /** Absolute path of the working directory. */
  cwd: string;
  home: string;
  /**
   * Entry of a host's list of plugins for this package: its name, or the folder of a working copy, which a host could not
   * install by name. Default: its name.
   */
  plugin?: string;
  installation: Installation;
  now(): Date;
  /** Aborted by a signal; its reason is an `Interrupted`. */
  signal: AbortSignal;
}

/** This package, and what runs it. */
export interface Installation {
  /** Absolute path of the package's folder. */
  folder: string;
  /** Absolute path of Node or Bun. */
  runtime: string;
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

/** Size of output blocks in characters, unless standard output is a terminal. */
const BLOCK_CHARS = 65_536;
/** Width of a terminal that does not report it. */
const USUAL_COLUMNS = 80;
/** Minimum width for the layout; a narrower terminal wraps the lines. */
const MIN_COLUMNS = 20;

export type CommandContext = ReturnType<typeof createContext>["context"];

export function createContext(io: Io) {
  const colored = hasColors(io);
  const out = createBlockWriter(io.stdout, colored);
  let shown: ShownProgress | undefined;
  let notes = Promise.resolve();
  const writeNote = async (before: Promise<void>, line: string): Promise<void> => {
    await before;
    shown?.clear();
    // If standard error is closed, notes are dropped.
    await io.stderr.write(line).catch(() => undefined);
  };
  const { archive, closeArchive } = lazyArchive(() => context, io.signal);
  const { env, cwd, home, installation, signal } = io;
  const context = {
    env,
    cwd,
    home,
    installation,
    signal,
    plugin: io.plugin ?? PACKAGE,
    now: () => io.now(),
    get stdin() {
      return io.stdin;
    },
    /**
     * Writes data to standard output, in blocks if that is a pipe or a file. Resolves when more may be written. Rejects
     * with `ClosedOutput` if the reader closed the pipe: do not catch that, it ends the program without a message.
     */
    out: (text: string): Promise<void> => out.write(text),
    /** Writes one object as JSON, on one line. */
    printLine: (value: object): Promise<void> => out.write(`${guardJson(JSON.stringify(value))}\n`),
    /** Writes one object as JSON, indented. */
    printObject: (value: object): Promise<void> => out.write(`${guardJson(JSON.stringify(value, null, 2))}\n`),
    /** Writes what `out` has buffered, for output that somebody is waiting for, such as a followed session. */
    flush: (): Promise<void> => out.flush(),
    /** Writes a note, warning or scope line to standard error. */
    note: (text: string): void => {
      notes = writeNote(notes, `${neutralBlock(text.trimEnd())}\n`);
    },
    /** Sessions of the store, which is opened when a command first asks for them. */
    archive,
    /** The store is the team's database. */
    team: false,
    /** Places where sessions are searched, if not those of the agents. */
    roots: undefined as readonly Place[] | undefined,
    /** Has the command ask the team's database instead of this machine. */
    askTeam: (): void => {
      context.team = true;
      context.roots = [];
    },
    /** Columns of the terminal, or `COLUMNS`. Infinity for a pipe or a file, where lines are not wrapped. */
    columns: columnsOf(io),
    /** Standard output is a terminal. */
    isTerminal: io.stdout.isTerminal,
    /** Colours for standard output. Without effect if it is not a terminal or `NO_COLOR` is set. */
    colors: picocolors.createColors(colored),
    /** Shows a bar on standard error for work on sessions that takes longer than a second, if that is a terminal. */
    progress: (total: number): Progress => {
      shown?.end();
      shown = createProgress(io.stderr, total);
      return shown;
    },
  };
  const close = async (): Promise<void> => {
    shown?.end();
    await closeArchive();
    await notes;
  };
  return { context, close };
}

/** Opens the store with the first question. */
function lazyArchive(
  where: () => Where & StoreWhere,
  signal: AbortSignal,
): { archive: Archive; closeArchive: () => Promise<void> } {
  let opened: Promise<Store> | undefined;
  let loaded: Archive | undefined;
  const open = (): Promise<Store> =>
    (opened ??= import("../store/open-store.ts").then(({ openStoreToAsk }) => openStoreToAsk(where())));
  const archive = async (): Promise<Archive> => {
    const { storeArchive } = await import("../queries/stored-archive.ts");
    return (loaded ??= storeArchive(where(), { open, signal }));
  };
  return {
    archive: {
      completed: async (found, isWanted) => (await archive()).completed(found, isWanted),
      latest: async () => (await archive()).latest(),
      named: async (storedId, found) => (await archive()).named(storedId, found),
      stored: async (ref) => (await archive()).stored(ref),
    },
    closeArchive: async () => (await opened?.catch(() => undefined))?.close(),
  };
}

/** `NO_COLOR` takes precedence over `FORCE_COLOR`, and both over the terminal. */
function hasColors({ env, stdout }: Io): boolean {
  if (env["NO_COLOR"]) return false;
  const forced = env["FORCE_COLOR"];
  if (forced !== undefined && forced !== "") return forced !== "0" && forced !== "false";
  return stdout.isTerminal && env["TERM"] !== "dumb";
}

function columnsOf({ env, stdout }: Io): number {
  const asked = Number.parseInt(env["COLUMNS"] ?? "", 10);
  const fromEnv = asked > 0 ? asked : undefined;
  const columns = stdout.isTerminal ? stdout.columns || fromEnv || USUAL_COLUMNS : (fromEnv ?? Infinity);
  return Math.max(columns, MIN_COLUMNS);
}

/** Buffers small texts, because a write per line makes long outputs several times as slow. */
function createBlockWriter(output: Output, colored: boolean) {
  let held: string[] = [];
  let chars = 0;
  const flush = async (): Promise<void> => {
    if (held.length === 0) return;
    const text = held.join("");
    held = [];
    chars = 0;
    await output.write(guardOutput(text, colored));
  };
  return {
    flush,
    write: async (text: string): Promise<void> => {
      if (text === "") return;
      held.push(text);
      chars += text.length;
      if (output.isTerminal || chars >= BLOCK_CHARS) await flush();
    },
  };
}

/** Makes the error for arguments that are missing, not allowed, or cannot be combined. */
export function badArguments(problem: string, next: string): TranscriptsError {
  return new TranscriptsError("bad_arguments", problem, next);
}

/**
 * Resolves to whether the user said yes. `problem` names what will be lost. Rejects without a terminal; scripts use
 * `--yes`.
 */
export async function confirmed(context: CommandContext, problem: string): Promise<boolean> {
  if (!context.isTerminal)
    throw badArguments(problem, "Standard input is not a terminal, so you cannot be asked: add --yes to confirm.");
  context.note(`${problem} Type yes to continue:`);
  let answer = "";
  for await (const chunk of context.stdin) {
    answer += Buffer.from(chunk).toString();
    if (answer.includes("\n")) break;
  }
  return /^\s*y(?:es)?\s*$/i.test(answer);
}

/** Reads standard input as text, and stops once it is longer than `maxBytes`. */
export async function inputText(input: AsyncIterable<Uint8Array>, maxBytes: number): Promise<string> {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of input) {
    pieces.push(piece);
    bytes += piece.byteLength;
    if (bytes > maxBytes) break;
  }
  return Buffer.concat(pieces).toString("utf8");
}
