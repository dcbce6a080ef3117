/** Calls tools in this process, on a machine of the test's own. */
import assert from "node:assert/strict";
import { openStore } from "../../../src/store/open-store.ts";
import type { Store } from "../../../src/store/store.ts";
import { toolWork } from "../../../src/tools/runner/tool-requests.ts";
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

/** The texts of all answers, each call with the offset that the one before names; none is longer than it may be. */
export async function allAnswers(
  machine: Pick<Machine, "call">,
  tool: string,
  args: Record<string, unknown>,
): Promise<string[]> {
  const texts: string[] = [];
  for (let offset: number | undefined = 0; offset !== undefined;) {
    const { text, isError } = await machine.call(tool, { ...args, offset });
    assert.notEqual(isError, true, text);
    if (typeof args["max_chars"] === "number") assert.ok(text.length <= args["max_chars"], String(text.length));
    texts.push(text);
    const next = /^More: the same arguments with offset (\d+)\.$/m.exec(text)?.[1];
    assert.ok(next === undefined || Number(next) > offset, "a page that goes nowhere");
    offset = next === undefined ? undefined : Number(next);
  }
  return texts;
}
