/**
 * Types of a tool, wherever it is offered: in opencode, to an MCP client, in a script. Its definition (`tool-definitions.ts`)
 * is light, because programs load all of them at start; its work (`run-*.ts`) is loaded with the first call.
 */
import type * as z from "zod/mini";
import type { Where } from "../places/session-ref.ts";
import type { Store } from "../store/store.ts";

export type ArgumentShape = Readonly<Record<string, z.ZodMiniType>>;

export interface ToolDefinition<Shape extends ArgumentShape = ArgumentShape> {
  /** Name in snake_case, the same everywhere. */
  name: string;
  title: string;
  /** For the model: when to call the tool and what it returns. Each word costs tokens in every request. */
  description: string;
  /** Built with `arguments.ts`. The tool's code applies the defaults of optional ones. */
  args: Shape;
  /** Arguments of a valid call, shown when a call fails. */
  example: Readonly<Record<string, unknown>>;
  /** The tool changes nothing except the index. */
  readOnly: boolean;
}

/** Arguments of a call after `readArguments`. */
export type ToolArguments<Shape extends ArgumentShape> = {
  [Name in keyof Shape]: z.output<Shape[Name]>;
};

export interface ToolContext {
  /** Places where sessions are searched. Its folder is the base for relative paths and the current project. */
  where: Where;
  /** The caller's session, if the host provides it: the default for `session_id`. */
  sessionId: string | undefined;
  /** Aborted when the caller no longer waits. */
  signal: AbortSignal;
  /**
   * Opens the store of this machine on the first call and returns the same one to all callers: do not close it. Rejects
   * with a `TranscriptsError`.
   */
  openStore(): Promise<Store>;
  now(): Date;
}

export interface ToolAnswer {
  /** For the model: compact, with citations. For a failed call: what happened, and what to do now. */
  text: string;
  isError?: boolean;
  /** Code of the error of a failed call. */
  code?: string;
}

/** Takes arguments as a model wrote them. Rejects only if the signal was aborted. */
export type ToolExecute = (rawArguments: unknown, context: ToolContext) => Promise<ToolAnswer>;

/** Name of a job that takes `{ session }` and stores the session's suggestions as snippets, each once. Not offered as a tool. */
export const STORE_SUGGESTIONS = "store_suggestions";
