/** Runs the program in this process: its real outputs, signals and folders. */
import { fstatSync, writeSync } from "node:fs";
import { resolve, sep } from "node:path";
import type { Writable } from "node:stream";
import { errorCode } from "../transcript/files/fault.ts";
import { TranscriptsError } from "../transcripts-error.ts";
import { homeFolder, PACKAGE } from "../user-folders.ts";
import { ClosedOutput, Interrupted, type Output } from "./context.ts";
import { runProgram } from "./program.ts";

/** 128 plus the number of the signal. */
const SIGNALS = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const;

/**
 * Ends the process at once, even if standard input is still open. All output has been written by then. `folder`: the
 * folder of this package.
 */
export async function runProcess(exit: (code: number) => never, folder: string): Promise<never> {
  const cwd = workingDirectory();
  if (cwd === undefined) {
    process.stderr.write("transcripts: The current folder no longer exists. Change to another folder and try again.\n");
    return exit(2);
  }
  const interruption = new AbortController();
  for (const [signal, exitCode] of Object.entries(SIGNALS)) {
    process.on(signal, () => {
      if (interruption.signal.aborted) exit(exitCode);
      interruption.abort(new Interrupted(exitCode));
    });
  }
  const exitCode = await runProgram(process.argv.slice(2), {
    stdout: outputOn(process.stdout),
    stderr: outputOn(process.stderr),
    // Created when it is read, since most commands never do.
    get stdin() {
      return process.stdin;
    },
    env: process.env,
    cwd,
    plugin: folder.includes(`${sep}node_modules${sep}`) ? PACKAGE : resolve(folder),
    installation: { folder: resolve(folder), runtime: process.execPath },
    home: homeFolder(process.env),
    now: () => new Date(),
    signal: interruption.signal,
  });
  exit(exitCode);
}

function workingDirectory(): string | undefined {
  try {
    return process.cwd();
  } catch {
    return undefined;
  }
}

const CLOSED = new Set(["EPIPE", "ERR_STREAM_DESTROYED", "EOF"]);
const FULL = new Set(["ENOSPC", "EDQUOT", "EFBIG"]);

/**
 * Writes to a stream of the process. Each write resolves when everything is written. A file is written without the stream,
 * since Node's ends with success when only a part of a text fits on the disk.
 */
export function outputOn(stream: Writable & { fd: number; isTTY?: boolean; columns?: number }): Output {
  const isFile = fstatSync(stream.fd).isFile();
  // The callback of a write gets its error; without a listener the event would end the process with a stack trace.
  stream.on("error", () => undefined);
  const write = async (text: string): Promise<void> => {
    if (isFile) return writeAll(stream.fd, text);
    await new Promise<void>((resolve, reject) => {
      stream.write(text, (error) => (error ? reject(error) : resolve()));
    });
  };
  return {
    isTerminal: stream.isTTY === true,
    get columns() {
      return stream.columns;
    },
    write: (text) =>
      write(text).catch((error: unknown) => {
        throw outputError(error);
      }),
  };
}

function writeAll(descriptor: number, text: string): void {
  for (let bytes = Buffer.from(text); bytes.length > 0;) bytes = bytes.subarray(writeSync(descriptor, bytes));
}

function outputError(error: unknown): unknown {
  const code = errorCode(error) ?? "";
  if (CLOSED.has(code)) return new ClosedOutput("closed", { cause: error });
  if (!FULL.has(code)) return error;
  const problem = "No space left on device: output is incomplete.";
  const next = "Free some space, or print it to another place.";
  return new TranscriptsError("output_full", problem, next, { cause: error });
}
