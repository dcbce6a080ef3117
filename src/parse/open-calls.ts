/** Tracks calls without a result while a session is read. */
import type { ToolStats, ToolStatus } from "./model.ts";

/** Calls without a result yet, and results without a call, by call id. */
export class OpenCalls {
  readonly #calls = new Waiting<ToolStats>();
  readonly #results = new Waiting<ToolStatus>();
  #withoutId = 0;

  /** Adds a call. Returns its status if its result came first. */
  begin(id: string | null, tool: ToolStats): ToolStatus | undefined {
    if (id === null) {
      this.#withoutId += 1;
      return undefined;
    }
    const early = this.#results.take(id);
    if (early === undefined) this.#calls.put(id, tool);
    return early;
  }

  /** Adds a result. Returns the call's tool if the call came first. */
  end(id: string | null, status: ToolStatus): ToolStats | undefined {
    if (id === null) return undefined;
    const tool = this.#calls.take(id);
    if (!tool) this.#results.put(id, status);
    return tool;
  }

  open(): number {
    return this.#withoutId + this.#calls.size;
  }
}

/** Values by id. */
class Waiting<V> {
  readonly #values = new Map<string, V[]>();
  size = 0;

  put(id: string, value: V): void {
    entryOf(this.#values, id, (): V[] => []).push(value);
    this.size += 1;
  }

  /** Returns the last value added. */
  take(id: string): V | undefined {
    const values = this.#values.get(id);
    if (values === undefined) return undefined;
    this.size -= 1;
    if (values.length === 1) this.#values.delete(id);
    return values.pop();
  }
}

/** Returns the value of a key, creating it if necessary. */
export function entryOf<V>(map: Map<string, V>, key: string, make: () => V): V {
  const found = map.get(key);
  if (found !== undefined) return found;
  const made = make();
  map.set(key, made);
  return made;
}
