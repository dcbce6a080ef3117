/** The plugin's hooks as a host calls them, with a client that keeps what it is asked. */
import assert from "node:assert/strict";
import { join } from "node:path";
import type { Hooks, PluginInput } from "@opencode-ai/plugin";
import type { FileSystem } from "../../../src/transcript/files/file-system.ts";
import { createHooks } from "../../../src/host/opencode-1/hooks.ts";
import type { HostStep } from "./host-steps.ts";

/** One request that the plugin made of its client. */
export interface Request {
  /** e.g. `tui.showToast`. */
  name: string;
  /** Steps that the host had done by then. */
  afterSteps: number;
  options: unknown;
}

export interface PluginHostOptions {
  fs?: FileSystem;
  /** Answers requests; default: with nothing. */
  answer?: (name: string, options: unknown) => unknown;
  /** Instead of the client that keeps what it is asked. */
  client?: unknown;
  /** Default: the directory. */
  worktree?: string;
}

type AnyHook = (input: unknown, output: unknown) => Promise<void>;

export class PluginHost {
  readonly hooks: Hooks;
  readonly requests: Request[] = [];
  #steps = 0;

  constructor(
    directory: string,
    options: unknown,
    { fs, answer = () => undefined, client, worktree = directory }: PluginHostOptions = {},
  ) {
    const request = (name: string) => async (asked: unknown) => {
      this.requests.push({ name, afterSteps: this.#steps, options: asked });
      return answer(name, asked);
    };
    const made = {
      session: {
        get: request("session.get"),
        messages: request("session.messages"),
        summarize: request("session.summarize"),
      },
      app: { log: request("app.log") },
      tui: { showToast: request("tui.showToast") },
    };
    // Whatever is noted of sessions on this machine is noted in the test's own folder.
    const { XDG_DATA_HOME: own } = process.env;
    process.env["XDG_DATA_HOME"] = join(directory, ".local/share");
    this.hooks = createHooks(pluginInput(directory, worktree, client ?? made), options, fs);
    if (own === undefined) delete process.env["XDG_DATA_HOME"];
    else process.env["XDG_DATA_HOME"] = own;
  }

  /** Calls the hooks one by one, with frozen values: each must resolve, and change nothing. */
  async does(...steps: HostStep[]): Promise<void> {
    for (const step of steps) {
      this.#steps += 1;
      const frozen = deepFrozen(step);
      const calls = frozen.kind === "event" ? [{ event: frozen.event }] : [frozen.input, frozen.output];
      const hook = hookOf(this.hooks, frozen.kind === "event" ? "event" : frozen.name);
      const given = JSON.stringify(calls);
      assert.equal(await hook(calls[0], calls[1]), undefined);
      assert.equal(JSON.stringify(calls), given, "the host's values are as they were");
    }
  }

  async dispose(): Promise<void> {
    await this.hooks.dispose?.();
  }

  /** The messages of the toasts so far. */
  get toasts(): string[] {
    return this.requests.flatMap(({ name, options }) => (name === "tui.showToast" ? [messageOf(options)] : []));
  }

  /** The messages in the host's log so far. */
  get logs(): string[] {
    return this.requests.flatMap(({ name, options }) => (name === "app.log" ? [messageOf(options)] : []));
  }
}

/** A hook, to be called with anything. */
export function hookOf(
  hooks: Hooks,
  name: "event" | "chat.message" | "tool.execute.before" | "tool.execute.after",
): AnyHook {
  const hook = hooks[name];
  assert.ok(hook);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the tests hand it what its types forbid
  return hook as AnyHook;
}

function pluginInput(directory: string, worktree: string, client: unknown): PluginInput {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a host has much more than the plugin uses
  return { directory, worktree, client, project: { id: "p" }, serverUrl: new URL("http://localhost") } as PluginInput;
}

function messageOf(options: unknown): string {
  return /"message":("(?:[^"\\]|\\.)*")/.exec(JSON.stringify(options))?.[1] ?? "";
}

function deepFrozen<T>(value: T): T {
  if (typeof value === "object" && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const member of Object.values(value)) deepFrozen(member);
  }
  return value;
}
