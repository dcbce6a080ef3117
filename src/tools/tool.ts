/**
 * What a tool is, wherever it is offered: opencode, an MCP client, a script. Its definition (`tool.ts` in its folder) is
 * light, since programs load all of them when they start; its work (`run.ts`) is loaded with the first call.
 */
import type * as z from "zod/mini";
import type { Where } from "../sessions/session-ref.ts";
import type { Store } from "../store/store.ts";

export type ArgumentShape = Readonly<Record<string, z.ZodMiniType>>;

export interface ToolDefinition<Shape extends ArgumentShape = ArgumentShape> {
  /** In snake_case, the same everywhere. */
  name: string;
  /** For people. */
  title: string;
  /** For the model: when to call it and what comes back. Each word is paid for in every request. */
  description: string;
  /** Made with `arguments.ts`. Those that may be left out are optional; the work knows their defaults. */
  args: Shape;
  /** Arguments of a call that works, shown when a call does not. */
  example: Readonly<Record<string, unknown>>;
  /** It changes nothing but the index. */
  readOnly: boolean;
}

/** The arguments of a call once `readArguments` has checked them. */
export type ToolArguments<Shape extends ArgumentShape> = {
  [Name in keyof Shape]: z.output<Shape[Name]>;
};

/** What a tool works with. */
export interface ToolContext {
  /** Where sessions are looked for, and from where paths and the current project start. */
  where: Where;
  /** The session that the caller is in, where the host tells it: what `session_id` is if a call leaves it out. */
  sessionId: string | undefined;
  /** The caller's model may see `data` too, so that a budget of tokens holds for that as well. Default: false. */
  showsData?: boolean;
  /** The caller does not wait any more. */
  signal: AbortSignal;
  /** Opens the store with the first call, and gives the same one to all: do not close it. Rejects with a `StoreError`. */
  openStore(): Promise<Store>;
  now(): Date;
}

/** What a call gives: the same in two forms. */
export interface ToolAnswer {
  /** For the model: compact, with its citations. Of a call that failed: what happened, and what to do now. */
  text: string;
  /** For programs: the shape of the command line's `--json`. */
  data: ToolData;
  /** Default: false. */
  isError?: boolean;
}

export type ToolData = { version: typeof TOOL_DATA_VERSION } & Record<string, unknown>;

/** A key may be added without a new version. */
export const TOOL_DATA_VERSION = 1;

/** Takes arguments as a model wrote them. Rejects if the signal was given, and for nothing else. */
export type ToolExecute = (rawArguments: unknown, context: ToolContext) => Promise<ToolAnswer>;
