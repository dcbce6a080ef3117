/** `transcripts mcp` as a client starts it, from the sources or as it is built. */
import { spawn, type ChildProcessWithoutNullStreams } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { found } from "../recording/eventually.ts";
import { REPOSITORY } from "../repository.ts";
import { isLong } from "../runner.ts";

export const BUILT = join(REPOSITORY, "dist/cli/main.js");
const SOURCES = join(REPOSITORY, "src/cli/main.ts");

/** Forms of the program to test, by name: as users have it, and its sources too in `npm run test:long`. */
export function forms(): (readonly [name: string, main: string])[] {
  if (!existsSync(BUILT)) throw new Error("Build the package first: npm run build.");
  return [["built", BUILT], ...(isLong ? ([["sources", SOURCES]] as const) : [])];
}

export function environment(home: string): Record<string, string> {
  const { PATH = "", SystemRoot = "" } = process.env;
  return { PATH, SystemRoot, HOME: home, XDG_DATA_HOME: join(home, "data") };
}

/** A client of the official SDK with a server of its own. Close it when done. */
export async function connect(
  main: string,
  home: string,
  { args = [], env = {} }: { args?: readonly string[]; env?: Record<string, string> } = {},
): Promise<{ client: Client; pid: number; errors: () => string }> {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [main, "mcp", ...args],
    env: { ...environment(home), ...env },
    cwd: home,
    stderr: "pipe",
  });
  let errors = "";
  transport.stderr?.on("data", (chunk: Buffer) => (errors += chunk.toString("utf8")));
  const client = new Client({ name: "test", version: "1.0.0" });
  await client.connect(transport);
  const { pid } = transport;
  if (pid === null) throw new Error("the server has no process");
  return { client, pid, errors: () => errors };
}

/** A server that is spoken to line by line. */
export class RawServer {
  readonly child: ChildProcessWithoutNullStreams;
  /** All that it printed on standard output. */
  stdout = "";
  readonly ended: Promise<number | null>;

  constructor(main: string, home: string, env: Record<string, string> = {}) {
    this.child = spawn(process.execPath, [main, "mcp"], { cwd: home, env: { ...environment(home), ...env } });
    this.child.stdout.setEncoding("utf8").on("data", (piece: string) => {
      this.stdout += piece;
    });
    // A server that is gone makes writing to it fail: tests look at how it ended.
    this.child.stdin.on("error", () => undefined);
    this.ended = new Promise((resolve) => this.child.once("exit", resolve));
  }

  send(...messages: readonly unknown[]): void {
    for (const message of messages) {
      this.child.stdin.write(`${typeof message === "string" ? message : JSON.stringify(message)}\n`);
    }
  }

  /** The messages that it sent so far, each line of them JSON. */
  get messages(): Record<string, unknown>[] {
    const lines = this.stdout.slice(0, this.stdout.lastIndexOf("\n") + 1).split("\n");
    return lines.filter((line) => line !== "").map((line) => parsed(line));
  }

  /** Waits for the answer to a request. */
  async answer(id: unknown): Promise<Record<string, unknown>> {
    return found(() => this.messages.find((message) => message["id"] === id && !("method" in message)));
  }
}

function parsed(line: string): Record<string, unknown> {
  const value: unknown = JSON.parse(line);
  if (typeof value !== "object" || value === null) throw new Error(`no message: ${line}`);
  return { ...value };
}

export const INITIALIZE = {
  jsonrpc: "2.0",
  id: "init",
  method: "initialize",
  params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "raw", version: "1" } },
};
export const INITIALIZED = { jsonrpc: "2.0", method: "notifications/initialized" };

export function toolCall(id: unknown, name: string, args: unknown): Record<string, unknown> {
  return { jsonrpc: "2.0", id, method: "tools/call", params: { name, arguments: args } };
}
