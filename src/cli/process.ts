/** Runs the program in this process. With `main.ts` the only file of the command line that touches the process. */
import { homedir } from "node:os";
import type { Writable } from "node:stream";
import { ClosedOutput, Interrupted, type Output } from "./io.ts";
import { runProgram } from "./program.ts";

/** 128 and the number of the signal. */
const SIGNALS = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const;

/** `exit` ends the process at once, even if standard input is still open. What was written has been handed over by then. */
export async function runProcess(exit: (code: number) => never): Promise<never> {
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
    stdin: process.stdin,
    env: process.env,
    cwd: process.cwd(),
    home: process.env["HOME"] ?? homedir(),
    now: () => new Date(),
    signal: interruption.signal,
  });
  exit(exitCode);
}

function outputOn(stream: Writable & { isTTY?: boolean; columns?: number }): Output {
  // A failed write is told to its callback; without this listener the event would end the process with a stack trace.
  stream.on("error", () => undefined);
  return {
    isTerminal: stream.isTTY === true,
    get columns() {
      return stream.columns;
    },
    write: (text) =>
      new Promise((resolve, reject) => {
        stream.write(text, (error) => {
          if (error) reject(isClosed(error) ? new ClosedOutput("closed", { cause: error }) : error);
          else resolve();
        });
      }),
  };
}

function isClosed(error: Error): boolean {
  return "code" in error && (error.code === "EPIPE" || error.code === "ERR_STREAM_DESTROYED" || error.code === "EOF");
}
