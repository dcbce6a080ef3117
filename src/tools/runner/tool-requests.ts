/** Runs tool calls with shared resources: one store, opened by the first call that needs it. */
import { openStore, storePlace } from "../../store/open-store.ts";
import { localPlace } from "../../store/store-place.ts";
import type { Store } from "../../store/store.ts";
import { failure } from "../failure.ts";
import { STORE_SUGGESTIONS, type StorePurpose, type ToolAnswer, type ToolContext, type ToolExecute } from "../tool.ts";

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
  readonly #stores = new Map<StorePurpose, Promise<Store>>();

  constructor({ env, home }: ToolSurroundings) {
    this.#where = { env, home };
  }

  /** Rejects only with the signal's reason. */
  async run({ tool, args, cwd, sessionId }: ToolCallRequest, signal: AbortSignal): Promise<ToolAnswer> {
    const context: ToolContext = {
      where: { ...this.#where, cwd },
      sessionId,
      signal,
      openStore: (purpose) => this.#open(purpose),
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
    const stores = [...this.#stores.values()];
    this.#stores.clear();
    for (const store of stores) {
      // A store that could not be opened needs no closing.
      await (await store.catch(() => undefined))?.close();
    }
  }

  /** Returns the open store. If opening failed, the next call tries again. */
  #open(purpose: StorePurpose): Promise<Store> {
    // All share one connection to a SQLite file, because a second one would wait for it in the same thread.
    const use = storePlace(this.#where).backend === "postgres" ? purpose : "figures";
    const known = this.#stores.get(use);
    if (known !== undefined) return known;
    const place = use === "figures" ? localPlace(this.#where) : this.#where;
    const opening = openStore(place, { readOnly: use === "question" });
    this.#stores.set(use, opening);
    opening.catch(() => {
      if (this.#stores.get(use) === opening) this.#stores.delete(use);
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
