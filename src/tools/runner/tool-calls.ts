/** Calls of tools with what they share: one store, opened with the first call that needs it. */
import { openStore } from "../../store/open-store.ts";
import type { Store } from "../../store/store.ts";
import { failure } from "../failure.ts";
import { toolWork } from "../registry.ts";
import type { ToolAnswer, ToolContext } from "../tool.ts";

/** A call, as it may be sent to another thread. */
export interface ToolCallRequest {
  tool: string;
  /** As the model wrote them. */
  args: unknown;
  cwd: string;
  sessionId?: string | undefined;
  showsData: boolean;
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

  /** Rejects with the signal's reason, and for nothing else. */
  async call({ tool, args, cwd, sessionId, showsData }: ToolCallRequest, signal: AbortSignal): Promise<ToolAnswer> {
    const context: ToolContext = {
      where: { ...this.#where, cwd },
      sessionId,
      showsData,
      signal,
      openStore: () => this.#open(),
      now: () => new Date(),
    };
    try {
      const execute = await toolWork(tool);
      if (execute !== undefined) return await execute(args, context);
      return failure(tool, new Error("There is no tool of that name."));
    } catch (error) {
      signal.throwIfAborted();
      return failure(tool, error);
    }
  }

  async close(): Promise<void> {
    const store = this.#store;
    this.#store = undefined;
    // One that could not be opened needs no closing.
    await (await store?.catch(() => undefined))?.close();
  }

  /** The one that is open. What could not be opened is tried again with the next call. */
  #open(): Promise<Store> {
    const opening = (this.#store ??= openStore(this.#where));
    opening.catch(() => {
      if (this.#store === opening) this.#store = undefined;
    });
    return opening;
  }
}
