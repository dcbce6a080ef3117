/** Runs a stage of the tests so that nothing in it can hold up the run, and counts its tests. */
import { spawn } from "node:child_process";

export interface StageOptions {
  cwd: string;
  env: NodeJS.ProcessEnv;
  /** Time limit in milliseconds. A stage that takes longer is ended and has failed. */
  limitMs: number;
  /** Time in milliseconds that its children get to end after it has ended. Default: 10 seconds. */
  childrenMs?: number;
}

/** Process groups of the stages that run now. */
const running = new Set<number>();

/**
 * Runs a command in a process group of its own, and ends the whole group with it. Its exit decides, not the end of its
 * output, which a child that hangs may keep open.
 */
export function runStage(
  [program = "", ...args]: readonly string[],
  { cwd, env, limitMs, childrenMs = 10_000 }: StageOptions,
): Promise<{ output: string; code: number }> {
  return new Promise((resolve) => {
    endWithThisProcess();
    const child = spawn(program, args, { cwd, env, stdio: ["ignore", "pipe", "pipe"], detached: true });
    let output = "";
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding("utf8").on("data", (piece: string) => {
        output += piece;
      });
    }
    const group = child.pid;
    if (group !== undefined) running.add(group);
    const limit = setTimeout(() => {
      output += `\nEnded after ${limitMs / 1_000} seconds.\n`;
      endGroup(group);
    }, limitMs);
    child.once("error", ({ message }) => {
      clearTimeout(limit);
      resolve({ output: `${output}${message}`, code: 1 });
    });
    child.once("exit", (code) => {
      clearTimeout(limit);
      const end = (): void => {
        clearTimeout(late);
        endGroup(group);
        child.stdout.destroy();
        child.stderr.destroy();
        resolve({ output, code: code ?? 1 });
      };
      const late = setTimeout(end, childrenMs);
      child.once("close", end);
    });
  });
}

let isWatching = false;

/** Ends the stages if this process is ended. */
function endWithThisProcess(): void {
  if (isWatching) return;
  isWatching = true;
  const signals = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 };
  for (const [signal, code] of Object.entries(signals)) process.once(signal, () => process.exit(code));
  process.once("exit", () => {
    for (const group of running) endGroup(group);
  });
}

function endGroup(group: number | undefined): void {
  if (group === undefined) return;
  running.delete(group);
  try {
    process.kill(-group, "SIGKILL");
  } catch {
    // All of its processes have ended.
  }
}

export interface Counts {
  passed: number;
  failed: number;
  skipped: number;
}

/** The sums that bun's and node's test runners print at their end. Bun prints no sum of skipped tests if there are none. */
export function countsIn(output: string): Counts | undefined {
  const sumOf = (word: "pass" | "fail" | "cancelled" | "skip" | "skipped"): number | undefined => {
    const lines = output.match(new RegExp(`^(?:(?:ℹ |# )${word} \\d+| *\\d+ ${word})$`, "gm"));
    const digits = /\d+/.exec(lines?.at(-1) ?? "")?.[0];
    return digits === undefined ? undefined : Number(digits);
  };
  const [passed, failed] = [sumOf("pass"), sumOf("fail")];
  const skipped = sumOf("skip") ?? sumOf("skipped") ?? 0;
  if (passed === undefined || failed === undefined) return undefined;
  // Node counts a test that reached its time limit as cancelled.
  return { passed, failed: failed + (sumOf("cancelled") ?? 0), skipped };
}
