/** Runs `transcripts` in this process, as a user would in a shell. */
import { ClosedOutput, type Installation, Interrupted } from "../../../src/cli/context.ts";
import { runProgram } from "../../../src/cli/program.ts";
import { REPOSITORY } from "../repository.ts";

export interface CliSetting {
  home: string;
  /** Entry of this package in a host's list of plugins. */
  plugin?: string;
  installation?: Installation;
  cwd?: string;
  env?: Readonly<Record<string, string>>;
  stdin?: string;
  /** Columns of a terminal; without them standard output is a pipe. */
  terminal?: number;
  now?: Date;
  signal?: AbortSignal;
  /** Called with each piece of standard output, as it comes. */
  onOutput?: (text: string) => void;
  /** The same of standard error. */
  onNote?: (text: string) => void;
  /** The reader of standard output goes away after so many writes. */
  closesAfter?: number;
}

export interface CliRun {
  exitCode: number;
  stdout: string;
  stderr: string;
}

export async function runCli(argv: readonly string[], setting: CliSetting): Promise<CliRun> {
  const {
    home,
    plugin,
    installation = { folder: REPOSITORY, runtime: process.execPath },
    cwd = home,
    env = {},
    stdin = "",
    terminal,
    now = new Date(),
    signal,
    onOutput,
    onNote,
    closesAfter,
  } = setting;
  let stdout = "";
  let stderr = "";
  let writes = 0;
  const exitCode = await runProgram(argv, {
    stdout: {
      isTerminal: terminal !== undefined,
      columns: terminal,
      write: async (text) => {
        writes += 1;
        if (closesAfter !== undefined && writes > closesAfter) throw new ClosedOutput("closed");
        stdout += text;
        onOutput?.(text);
      },
    },
    stderr: {
      isTerminal: false,
      write: async (text) => {
        stderr += text;
        onNote?.(text);
      },
    },
    stdin: chunksOf(stdin),
    env,
    cwd,
    home,
    ...(plugin === undefined ? {} : { plugin }),
    installation,
    now: () => now,
    signal: signal ?? new AbortController().signal,
  });
  return { exitCode, stdout, stderr };
}

/** Interrupts a run with this controller's signal, as Ctrl-C does. */
export function interrupt(controller: AbortController): void {
  controller.abort(new Interrupted(130));
}

async function* chunksOf(text: string): AsyncGenerator<Uint8Array> {
  if (text !== "") yield Buffer.from(text);
}
