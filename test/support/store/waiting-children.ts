import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface, type Interface } from "node:readline";
import type { StoreWhere } from "../../../src/store/open-store.ts";

export interface WaitingChild {
  process: ChildProcess;
  /** Lets it begin. */
  go(): void;
  /** What it printed at its end; undefined if it was killed. */
  end(): Promise<unknown>;
}

/** Stores a suggestion. */
export async function suggestionChild(where: StoreWhere, snippet: string): Promise<WaitingChild> {
  return waitingChild("suggest-child.ts", [JSON.stringify(where), snippet]);
}

/** A process of its own that has loaded all it needs, and waits. */
async function waitingChild(script: string, args: readonly string[]): Promise<WaitingChild> {
  const file = join(import.meta.dirname, script);
  const child = spawn(process.execPath, [file, ...args], { stdio: ["pipe", "pipe", "inherit"] });
  const closed = once(child, "close");
  const lines = createInterface({ input: child.stdout });
  const said = linesOf(lines);
  await once(lines, "line");
  return {
    process: child,
    go: () => void child.stdin.write("go\n"),
    end: async () => {
      await closed;
      const last = said.at(-1);
      return last === undefined || last === "ready" ? undefined : JSON.parse(last);
    },
  };
}

function linesOf(lines: Interface): string[] {
  const said: string[] = [];
  lines.on("line", (line) => said.push(line));
  return said;
}
