/** Runs the program in this process. With `main.ts` the only file of the command line that touches the process. */
import { homedir } from "node:os";
import { Interrupted } from "./io.ts";
import { outputOn } from "./process-output.ts";
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
    stdout: outputOn(1, () => process.stdout),
    stderr: outputOn(2, () => process.stderr),
    // Made when it is read: most commands never do.
    get stdin() {
      return process.stdin;
    },
    env: process.env,
    cwd: process.cwd(),
    home: process.env["HOME"] ?? homedir(),
    now: () => new Date(),
    kill: () => process.kill(process.pid, "SIGKILL"),
    signal: interruption.signal,
  });
  exit(exitCode);
}
