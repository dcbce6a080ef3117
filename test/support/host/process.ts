/** Runs the opencode of this repository's development dependencies as child processes. */
import { spawn, type ChildProcess } from "node:child_process";
import { randomUUID } from "node:crypto";
import { open, readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { found } from "../recording/eventually.ts";
import type { Sandbox } from "./sandbox.ts";

export const BINARY = fileURLToPath(new URL("../../../node_modules/.bin/opencode", import.meta.url));

export interface Finished {
  code: number | null;
  signal: NodeJS.Signals | null;
  stdout: string;
  stderr: string;
}

export interface Running {
  readonly pid: number;
  /** What it printed so far. */
  readonly stdout: string;
  readonly stderr: string;
  /** Resolves when the process has ended and its output is read. */
  readonly finished: Promise<Finished>;
  /** Resolves with the first match in what it prints on standard output; rejects if it ends without one. */
  printed(pattern: RegExp): Promise<RegExpExecArray>;
  /** Sends the signal if the process still runs, and waits for its end. */
  stop(signal?: NodeJS.Signals): Promise<Finished>;
}

/** Children that have not ended: killed when this process ends, whatever the reason. */
const alive = new Set<ChildProcess>();
process.once("exit", () => {
  for (const child of alive) child.kill("SIGKILL");
});

/**
 * Starts `opencode ARGS` in the sandbox's project. `stdin` is written and closed at once. Signals that this process
 * ignores (SIGINT, if a shell started it in the background) are not ignored by the child: Node and Bun reset them.
 */
export function spawnOpencode(sandbox: Sandbox, args: readonly string[], stdin = ""): Running {
  return spawnProgram(BINARY, args, { cwd: sandbox.projectDir, env: sandbox.env, stdin });
}

export function spawnProgram(
  program: string,
  args: readonly string[],
  { cwd, env, stdin = "" }: { cwd: string; env: NodeJS.ProcessEnv; stdin?: string },
): Running {
  const child = spawn(program, args, { cwd, env, stdio: ["pipe", "pipe", "pipe"] });
  alive.add(child);
  const output = { stdout: "", stderr: "" };
  const listeners = new Set<() => void>();
  for (const name of ["stdout", "stderr"] as const) {
    child[name].setEncoding("utf8").on("data", (piece: string) => {
      output[name] += piece;
      for (const listener of listeners) listener();
    });
  }
  child.stdin.on("error", () => {}); // A process that ends before it reads its input is no fault of the test.
  child.stdin.end(stdin);

  const finished = new Promise<Finished>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code, signal) => {
      alive.delete(child);
      resolve({ code, signal, ...output });
    });
  });
  const printed = (pattern: RegExp): Promise<RegExpExecArray> =>
    new Promise((resolve, reject) => {
      const look = (): void => {
        const match = pattern.exec(output.stdout);
        if (match) resolve(match);
      };
      listeners.add(look);
      look();
      void finished.then(
        () => reject(new Error(`opencode ended without printing ${pattern}\n${output.stdout}\n${output.stderr}`)),
        reject,
      );
    });

  return {
    pid: child.pid ?? -1,
    get stdout() {
      return output.stdout;
    },
    get stderr() {
      return output.stderr;
    },
    finished,
    printed,
    stop: (signal = "SIGTERM") => {
      child.kill(signal);
      return finished;
    },
  };
}

/** Runs `opencode ARGS` to its end. */
export function runOpencode(sandbox: Sandbox, args: readonly string[], stdin = ""): Promise<Finished> {
  return spawnOpencode(sandbox, args, stdin).finished;
}

/**
 * What `opencode export` prints for one session: JSON. It goes to a file, for the process may end before a pipe has
 * taken all of a long one.
 */
export async function exportSession(sandbox: Sandbox, sessionID: string): Promise<string> {
  const path = join(sandbox.root, `export-${sessionID}-${randomUUID()}.json`);
  return found(async () => {
    const { code, stderr } = await exportTo(path, sandbox, sessionID);
    if (code === 0) return readFile(path, "utf8");
    // Two processes that open the database of a killed one at the same moment: one of them gives up.
    if (stderr.includes("database is locked")) return undefined;
    throw new Error(`opencode export ${sessionID} ended with ${code}: ${stderr}`);
  });
}

async function exportTo(
  path: string,
  sandbox: Sandbox,
  sessionID: string,
): Promise<{ code: number | null; stderr: string }> {
  const file = await open(path, "w");
  try {
    const child = spawn(BINARY, ["export", sessionID], {
      cwd: sandbox.projectDir,
      env: sandbox.env,
      stdio: ["ignore", file.fd, "pipe"],
    });
    alive.add(child);
    let stderr = "";
    child.stderr?.setEncoding("utf8").on("data", (piece: string) => {
      stderr += piece;
    });
    return await new Promise((resolve, reject) => {
      child.once("error", reject);
      child.once("close", (code) => {
        alive.delete(child);
        resolve({ code, stderr });
      });
    });
  } finally {
    await file.close();
  }
}
