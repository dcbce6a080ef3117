/** `opencode serve` in a sandbox, with a client to drive it. */
import assert from "node:assert/strict";
import { OpencodeClient } from "./client.ts";
import { EventFeed } from "./event-feed.ts";
import { exportSession, spawnOpencode, type Finished, type Running } from "./process.ts";
import { createSandbox, type Sandbox, type SandboxOptions } from "./sandbox.ts";

export interface Opencode {
  readonly sandbox: Sandbox;
  readonly client: OpencodeClient;
  /** Everything that happened in the project since the server began. */
  readonly feed: EventFeed;
  readonly process: Running;
  /** What `opencode export` prints for the session, run beside the server on the same data. */
  export(sessionID: string): Promise<string>;
  /** Ends the server. `serve` dies of these signals at once: whatever the plugin does about them is what is tested. */
  stop(signal?: NodeJS.Signals): Promise<Finished>;
}

/** Starts a server in a sandbox of its own, or in a given one (a second process on the same project). */
export async function startOpencode(setup: SandboxOptions | Sandbox): Promise<Opencode> {
  const sandbox = "root" in setup ? setup : await createSandbox(setup);
  const running = spawnOpencode(sandbox, ["serve", "--port", "0", "--hostname", "127.0.0.1"]);
  const [, url = ""] = await running.printed(/listening on (http:\/\/\S+)/);
  return {
    sandbox,
    client: new OpencodeClient(url),
    feed: await EventFeed.open(url),
    process: running,
    export: (sessionID) => exportSession(sandbox, sessionID),
    stop: (signal) => running.stop(signal),
  };
}

/** The server leaves out `raw`, the arguments that a call had when it was aborted. */
const withoutRaw = (json: string): unknown =>
  JSON.parse(json, (key, value: unknown) => (key === "raw" ? undefined : value));

/**
 * What `opencode export` prints for each of the sessions, from one server without plugins: every process of opencode
 * costs seconds of processor time to start. That both say the same is checked with the first session.
 */
export async function exportSessions(sandbox: Sandbox, sessionIDs: readonly string[]): Promise<string[]> {
  const [first] = sessionIDs;
  if (first === undefined) return [];
  const printed = await exportSession(sandbox, first);
  if (sessionIDs.length === 1) return [printed];
  await sandbox.configure([]);
  const server = await startOpencode(sandbox);
  try {
    const exports = await Promise.all(
      sessionIDs.map(async (id) => {
        const of = `/session/${id}`;
        const [info, messages] = await Promise.all([
          server.client.request("GET", of),
          server.client.request("GET", `${of}/message`),
        ]);
        return { info, messages };
      }),
    );
    assert.deepEqual(
      withoutRaw(JSON.stringify(exports[0])),
      withoutRaw(printed),
      "the server and `opencode export` differ",
    );
    return exports.map((each) => JSON.stringify(each));
  } finally {
    await server.stop();
    server.feed.close();
  }
}
