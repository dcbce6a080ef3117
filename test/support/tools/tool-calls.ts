/** Calls tools in this process, on a machine of the test's own. */
import { openStore } from "../../../src/store/open-store.ts";
import type { Store } from "../../../src/store/store.ts";
import { toolWork } from "../../../src/tools/runner/tool-requests.ts";
import { countTokens } from "../../../src/tools/tokens.ts";
import type { ToolAnswer, ToolContext } from "../../../src/tools/tool.ts";

export interface Machine {
  context: ToolContext;
  /** The answer to a call. */
  call(tool: string, args: unknown, more?: Partial<ToolContext>): Promise<ToolAnswer>;
  close(): Promise<void>;
}

/** `home`: also the folder that calls are made from, and where the store is. */
export function machineAt(home: string, env: Record<string, string> = {}): Machine {
  let store: Promise<Store> | undefined;
  const where = { env: { XDG_DATA_HOME: `${home}/data`, ...env }, home, cwd: home };
  const context: ToolContext = {
    where,
    sessionId: undefined,
    showsData: true,
    signal: new AbortController().signal,
    openStore: () => (store ??= openStore(where)),
    now: () => new Date(),
  };
  return {
    context,
    call: async (tool, args, more = {}) => {
      const execute = await toolWork(tool);
      if (execute === undefined) throw new Error(`no tool ${tool}`);
      return execute(args, { ...context, ...more });
    },
    close: async () => {
      await (await store)?.close();
      store = undefined;
    },
  };
}

/** The tokens of the longer of its two forms. */
export function tokensOf({ text, data }: ToolAnswer): number {
  return Math.max(countTokens(text), countTokens(JSON.stringify(data)));
}
