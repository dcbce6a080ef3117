/** A host for benchmarks: hooks without opencode around them. */
import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Hooks, PluginInput } from "@opencode-ai/plugin";
import { createHooks } from "../src/host/opencode-1/hooks.ts";

/** Returns about this many bytes of text, like program output; no two are the same. */
export function textOf(bytes: number, seed: number): string {
  const line = (at: number): string => `${seed}.${at} src/module-${at % 17}.ts: const value = compute(${at * seed});`;
  const lines: string[] = [];
  for (let length = 0, at = 0; length < bytes; at++) length += lines.push(line(at)) && line(at).length + 1;
  return lines.join("\n").slice(0, bytes);
}

/** Returns the plugin's hooks for a separate folder, with a client that knows no session. */
export async function hooksIn(directory: string, options: Record<string, unknown> = {}): Promise<Hooks> {
  const client = {
    session: { get: async () => ({ data: undefined }), messages: async () => ({ data: [] }) },
    app: { log: async () => ({}) },
    tui: { showToast: async () => ({}) },
  };
  // The benchmark replaces the host: these are all the fields that the plugin reads.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  const input = { client, directory, worktree: directory } as unknown as PluginInput;
  return createHooks(input, options);
}

/** Returns the `event` hook, which takes events as objects of any kind. */
export function tellerOf(hooks: Hooks): (event: unknown) => Promise<void> {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the hook reads fields one by one
  const hook = hooks.event as unknown as (input: { event: unknown }) => Promise<void>;
  return (event) => hook({ event });
}

export async function inTemporaryFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), "transcripts-bench-")));
  try {
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Hooks and events of one session, in opencode's order, with calls of `bytes` each way. */
export class FakeSession {
  readonly id: string;
  #next = 0;

  constructor(number: number) {
    this.id = `ses_bench${String(number).padStart(6, "0")}`;
  }

  /** Returns the event that begins the session. */
  created(): unknown {
    const info = { id: this.id, title: "Bench", directory: "/bench", version: "0", time: { created: Date.now() } };
    return { type: "session.created", properties: { sessionID: this.id, info } };
  }

  message(): unknown {
    const info = { id: this.#messageID, sessionID: this.id, role: "assistant", time: { created: Date.now() } };
    return { type: "message.updated", properties: { sessionID: this.id, info } };
  }

  call(input: unknown, output: string): FakeCall {
    const number = this.#next++;
    const callID = `call_${number}`;
    const part = {
      id: `prt_${String(number).padStart(12, "0")}`,
      sessionID: this.id,
      messageID: this.#messageID,
      type: "tool",
      tool: "bash",
      callID,
    };
    const event = (state: unknown): unknown => ({
      type: "message.part.updated",
      properties: { sessionID: this.id, part: { ...part, state }, time: Date.now() },
    });
    const start = Date.now();
    return {
      about: { tool: "bash", sessionID: this.id, callID },
      args: input,
      output,
      running: event({ status: "running", input, time: { start } }),
      completed: event({ status: "completed", input, output, title: "", metadata: {}, time: { start, end: start } }),
    };
  }

  get #messageID(): string {
    return `msg_${this.id}`;
  }
}

export interface FakeCall {
  about: { tool: string; sessionID: string; callID: string };
  args: unknown;
  output: string;
  running: unknown;
  completed: unknown;
}
