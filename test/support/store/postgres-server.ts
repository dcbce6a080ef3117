/** A real PostgreSQL for tests, from npm: on loopback at a free port, with its data in a temporary folder. */
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import pg from "pg";
import { REPOSITORY } from "../repository.ts";

export interface PostgresServer {
  /** Of its first database, with user and password. */
  url: string;
  /** Makes an empty database, or a copy of the one at an address, and resolves to its address. */
  newDatabase(copied?: string): Promise<string>;
  stop(): Promise<void>;
}

export interface PostgresServerOptions {
  /** Waits for the disk as a real one does. Default: false, which is for tests. */
  durable?: boolean;
}

/** Another program may take the port between the moment when it was free and the server's start. */
const TRIES = 3;
const START_MS = 120_000;
/** A server that takes longer to end is killed. */
const END_MS = 40_000;
/** Not `process.execPath`: the child runs under Node. */
const NODE = join(REPOSITORY, "node_modules/.bin/node");

/** Starts a server of its own, in a second or two. It ends with this process, which it does not keep running. */
export async function startPostgres(options: PostgresServerOptions = {}): Promise<PostgresServer> {
  for (let tries = 1; ; tries++) {
    try {
      return await started(options);
    } catch (error) {
      if (tries === TRIES) throw error;
    }
  }
}

async function started({ durable = false }: PostgresServerOptions): Promise<PostgresServer> {
  const folder = mkdtempSync(join(tmpdir(), "opencode-transcripts-postgres-"));
  const args = [join(import.meta.dirname, "postgres-child.ts"), folder, `${await freePort()}`];
  const child = spawn(NODE, durable ? [...args, "durable"] : args, { stdio: ["pipe", "pipe", "inherit"] });
  const stop = (): Promise<void> => ended(child);
  try {
    const url = await addressFrom(child);
    for (const handle of [child, child.stdin, child.stdout]) if ("unref" in handle) handle.unref();
    return { url, newDatabase: (copied) => newDatabase(url, copied), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function addressFrom({ stdout, pid }: ChildProcess): Promise<string> {
  if (stdout === null) throw new Error("PostgreSQL's process has no output.");
  const late = AbortSignal.timeout(START_MS);
  for await (const line of createInterface({ input: stdout, signal: late })) {
    const told: unknown = JSON.parse(line);
    if (typeof told === "object" && told !== null && "url" in told) return String(told.url);
    throw new Error(`PostgreSQL did not start: ${line}`);
  }
  throw new Error(`PostgreSQL did not start: its process ${pid} ${late.aborted ? "takes too long" : "ended"}.`);
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, "exit");
  child.ref();
  child.stdin?.end();
  const late = setTimeout(() => child.kill("SIGKILL"), END_MS);
  await exit;
  clearTimeout(late);
}

let databases = 0;

async function newDatabase(url: string, copied = "template1"): Promise<string> {
  const name = `test_${process.pid}_${++databases}`;
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(`CREATE DATABASE ${name} TEMPLATE ${copied.replace(/^.*\//, "")}`);
  } finally {
    await client.end();
  }
  return url.replace(/[^/]*$/, name);
}

/** One that nobody listens on now. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  if (typeof address !== "object" || address === null) throw new Error("There is no free port.");
  return address.port;
}
