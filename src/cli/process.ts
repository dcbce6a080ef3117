/** Runs the program in this process. Only this file and `main.ts` touch the process. */
import { homedir } from "node:os";
import { resolve, sep } from "node:path";
import { Interrupted, PLUGIN } from "./io.ts";
import { outputOn } from "./process-output.ts";
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
    plugin: folder.includes(`${sep}node_modules${sep}`) ? PLUGIN : resolve(folder),
    installation: { folder: resolve(folder), runtime: process.execPath },
    home: process.env["HOME"] ?? homedir(),
    now: () => new Date(),
    kill: () => process.kill(process.pid, "SIGKILL"),
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
