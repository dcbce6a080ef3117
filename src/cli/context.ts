/** Creates the context of a command. */
import picocolors from "picocolors";
import { badArguments, type CommandContext } from "./command.ts";
import { type Io, type Output, PLUGIN } from "./io.ts";
import { createProgress, type ShownProgress } from "./terminal/progress.ts";
import { guardJson, guardOutput, neutralBlock } from "../neutral-text.ts";
import type { Archive } from "../sessions/session-ref.ts";
import type { Store } from "../store/store.ts";

/** Size of output blocks in characters, unless standard output is a terminal. */
const BLOCK_CHARS = 65_536;
/** Width of a terminal that does not report it. */
const USUAL_COLUMNS = 80;
/** Minimum width for the layout; a narrower terminal wraps the lines. */
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
    // If standard error is closed, notes are dropped.
    await io.stderr.write(line).catch(() => undefined);
  };
  const { archive, closeArchive } = lazyArchive(io);
  const context: CommandContext = {
    out: (text) => out.write(text),
    printLine: (value) => out.write(`${guardJson(JSON.stringify(value))}\n`),
    printObject: (value) => out.write(`${guardJson(JSON.stringify(value, null, 2))}\n`),
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
    plugin: io.plugin ?? PLUGIN,
    installation: io.installation,
    archive,
    confirmed: (problem) => confirmed(context, problem),
    columns: columnsOf(io),
    isTerminal: io.stdout.isTerminal,
    colors: picocolors.createColors(colored),
    progress: (total) => {
      shown?.end();
      shown = createProgress(io.stderr, total);
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
    await closeArchive();
    await notes;
    if (isAbandoned) io.kill?.();
  };
  return { context, close };
}

/** Opens the store with the first question. */
function lazyArchive(io: Io): { archive: Archive; closeArchive: () => Promise<void> } {
  let opened: Promise<Store> | undefined;
  let loaded: Archive | undefined;
  const open = (): Promise<Store> =>
    (opened ??= import("../store/open-store.ts").then(({ openStoreToRead }) => openStoreToRead(io)));
  const archive = async (): Promise<Archive> => {
    const { storeArchive } = await import("../queries/archive.ts");
    return (loaded ??= storeArchive(io, open));
  };
  return {
    archive: {
      besides: async (found) => (await archive()).besides(found),
      named: async (storedId, found) => (await archive()).named(storedId, found),
      withDropped: async (ref) => (await archive()).withDropped(ref),
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

interface BlockWriter {
  write(text: string): Promise<void>;
  flush(): Promise<void>;
}

/** Buffers small texts, because a write per line makes long outputs several times as slow. */
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

async function confirmed(context: CommandContext, problem: string): Promise<boolean> {
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
