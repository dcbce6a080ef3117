/** Which calls wait for a result, while a session is read. */
import type { ToolStats, ToolStatus } from "./model.ts";

/** Calls without a result yet, and results without a call, by call id. */
export class OpenCalls {
  readonly #calls = new Map<string, ToolStats[]>();
  readonly #results = new Map<string, ToolStatus[]>();
  #withoutId = 0;

  /** How the call ended, if its result came before it. */
  begin(id: string | null, tool: ToolStats): ToolStatus | undefined {
    if (id === null) {
      this.#withoutId += 1;
      return undefined;
    }
    const early = takeFrom(this.#results, id);
    if (early === undefined) entryOf(this.#calls, id, (): ToolStats[] => []).push(tool);
    return early;
  }

  /** The tool that was called, if the call came before. */
  end(id: string | null, status: ToolStatus): ToolStats | undefined {
    if (id === null) return undefined;
    const tool = takeFrom(this.#calls, id);
    if (!tool) entryOf(this.#results, id, (): ToolStatus[] => []).push(status);
    return tool;
  }

  open(): number {
    let open = this.#withoutId;
    for (const calls of this.#calls.values()) open += calls.length;
    return open;
  }
}

/** The value of a key, made if it is not there. */
export function entryOf<V>(map: Map<string, V>, key: string, make: () => V): V {
  const found = map.get(key);
  if (found !== undefined) return found;
  const made = make();
  map.set(key, made);
  return made;
}

function takeFrom<V>(map: Map<string, V[]>, key: string): V | undefined {
  const list = map.get(key);
  const taken = list?.pop();
  if (list?.length === 0) map.delete(key);
  return taken;
}
