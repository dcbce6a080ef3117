/** What a command works with, made from the outside world. */
import picocolors from "picocolors";
import type { CommandContext } from "./command.ts";
import type { Io, Output } from "./io.ts";
import { createProgress, type ShownProgress } from "./terminal/progress.ts";
import { guardOutput, neutralBlock } from "../neutral-text.ts";

/** Text is handed over in blocks of about this many characters, unless somebody watches. */
const BLOCK_CHARS = 65_536;
/** Where a terminal does not tell its width. */
const USUAL_COLUMNS = 80;
/** Narrower than this nothing can be laid out; lines are then cut by the terminal. */
const MIN_COLUMNS = 20;

export function createContext(io: Io): { context: CommandContext; close: () => Promise<void> } {
  const colored = hasColors(io);
  const out = createBlockWriter(io.stdout, colored);
  let shown: ShownProgress | undefined;
  let notes = Promise.resolve();
  let isAbandoned = false;
  const writeNote = async (before: Promise<void>, line: string): Promise<void> => {
    await before;
    shown?.clear();
    // A closed standard error leaves nobody to tell.
    await io.stderr.write(line).catch(() => undefined);
  };
  const context: CommandContext = {
    out: (text) => out.write(text),
    flush: () => out.flush(),
    note: (text) => {
      const line = `${neutralBlock(text.trimEnd())}\n`;
      notes = writeNote(notes, line);
    },
    get stdin() {
      return io.stdin;
    },
    env: io.env,
    cwd: io.cwd,
    home: io.home,
    columns: columnsOf(io),
    isTerminal: io.stdout.isTerminal,
    colors: picocolors.createColors(colored),
    progress: (total, unit) => {
      shown?.end();
      shown = createProgress(io.stderr, total, unit);
      return shown;
    },
    now: () => io.now(),
    abandon: () => {
      isAbandoned = true;
    },
    signal: io.signal,
  };
  const close = async (): Promise<void> => {
    shown?.end();
    await notes;
    if (isAbandoned) io.kill?.();
  };
  return { context, close };
}

/** `NO_COLOR` wins over `FORCE_COLOR`, and both over the terminal. */
function hasColors({ env, stdout }: Io): boolean {
  if (env["NO_COLOR"]) return false;
  const forced = env["FORCE_COLOR"];
  if (forced !== undefined && forced !== "") return forced !== "0" && forced !== "false";
  return stdout.isTerminal && env["TERM"] !== "dumb";
}

function columnsOf({ env, stdout }: Io): number {
  const told = Number.parseInt(env["COLUMNS"] ?? "", 10);
  const fromEnv = told > 0 ? told : undefined;
  const columns = stdout.isTerminal ? stdout.columns || fromEnv || USUAL_COLUMNS : (fromEnv ?? Infinity);
  return Math.max(columns, MIN_COLUMNS);
}

interface BlockWriter {
  write(text: string): Promise<void>;
  flush(): Promise<void>;
}

/** Collects small texts: a write of its own for each line makes long outputs several times as slow. */
function createBlockWriter(output: Output, colored: boolean): BlockWriter {
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
    write: async (text) => {
      if (text === "") return;
      held.push(text);
      chars += text.length;
      if (output.isTerminal || chars >= BLOCK_CHARS) await flush();
    },
  };
}
