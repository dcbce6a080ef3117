/** Runs tool calls with shared resources: one store, opened by the first call that needs it. */
import { openStore } from "../../store/open-store.ts";
import type { Store } from "../../store/store.ts";
import { failure } from "../failure.ts";
import { STORE_SUGGESTIONS, type ToolAnswer, type ToolContext, type ToolExecute } from "../tool.ts";

/** A call in a form that can be sent to another thread. */
export interface ToolCallRequest {
  tool: string;
  /** Arguments as the model wrote them. */
  args: unknown;
  cwd: string;
  sessionId?: string | undefined;
}

export interface ToolSurroundings {
  env: Readonly<Record<string, string | undefined>>;
  home: string;
}

export class ToolCalls {
  readonly #where: ToolSurroundings;
  #store: Promise<Store> | undefined;

  constructor({ env, home }: ToolSurroundings) {
    this.#where = { env, home };
  }

  /** Rejects only with the signal's reason. */
  async run({ tool, args, cwd, sessionId }: ToolCallRequest, signal: AbortSignal): Promise<ToolAnswer> {
    const context: ToolContext = {
      where: { ...this.#where, cwd },
      sessionId,
      signal,
      openStore: () => this.#open(),
      now: () => new Date(),
    };
    try {
      const execute = await toolWork(tool);
      if (execute !== undefined) return await execute(args, context);
      return failure(tool, new Error("There is no tool with that name."));
    } catch (error) {
      signal.throwIfAborted();
      return failure(tool, error);
    }
  }

  async close(): Promise<void> {
    // A store that could not be opened needs no closing.
    const store = await this.#store?.catch(() => undefined);
    this.#store = undefined;
    await store?.close();
  }

  /** Returns the open store. If opening failed, the next call tries again. */
  #open(): Promise<Store> {
    if (this.#store !== undefined) return this.#store;
    const opening = openStore(this.#where);
    this.#store = opening;
    opening.catch(() => {
      if (this.#store === opening) this.#store = undefined;
    });
    return opening;
  }
}

/** Code of each tool, loaded with its first call. */
const WORK = new Map<string, () => Promise<{ execute: ToolExecute }>>([
  ["find_in_transcripts", () => import("../run-find-in-transcripts.ts")],
  ["read_session", () => import("../run-read-session.ts")],
  ["list_sessions", () => import("../run-list-sessions.ts")],
  ["list_errors", () => import("../run-list-errors.ts")],
  ["find_fixes", () => import("../run-find-fixes.ts")],
  ["extract_snippet", () => import("../run-extract-snippet.ts")],
  ["query_snippets", () => import("../run-query-snippets.ts")],
  [STORE_SUGGESTIONS, () => import("../run-store-suggestions.ts")],
]);

export async function toolWork(name: string): Promise<ToolExecute | undefined> {
  const load = WORK.get(name);
  return load && (await load()).execute;
}
