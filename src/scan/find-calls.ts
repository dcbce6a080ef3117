/** Which call a result belongs to, as far as a search needs it: what tool it was, and whether it was our own. */
import type { ParsedContentBlock } from "../parse/model.ts";
import { isOwnRecall } from "./find-own-output.ts";

export interface FoundCall {
  line: number;
  tool: string | null;
  isOwn: boolean;
}

/** A call as drafts have it, or as blocks have it. */
export interface Call {
  line: number;
  tool: string | null;
  id: string | null;
  input: unknown;
}

export function callOf(block: ParsedContentBlock): Call | undefined {
  if (block.block_type !== "tool_use") return undefined;
  return { line: block.line_number, tool: block.tool_name, id: block.tool_use_id, input: block.tool_input };
}

/** Calls by id. Where an id was used again, a result belongs to the last call before it, else to the first one after. */
export class CallBook {
  /** An id has several calls, of which some may be repeats. */
  isAmbiguous = false;
  readonly #calls = new Map<string, FoundCall[]>();

  add({ line, tool, id, input }: Call): FoundCall {
    const call = { line, tool, isOwn: isOwnRecall(tool, input) };
    if (id !== null) this.put(id, call);
    return call;
  }

  /** A call of which all is known. Calls come in the order of their lines. */
  put(id: string, call: FoundCall): void {
    const same = this.#calls.get(id);
    if (same) {
      same.push(call);
      this.isAmbiguous = true;
    } else {
      this.#calls.set(id, [call]);
    }
  }

  /** All calls, those of one id in order. */
  *entries(): Generator<[id: string, call: FoundCall]> {
    for (const [id, calls] of this.#calls) for (const call of calls) yield [id, call];
  }

  of(resultId: string, line: number): FoundCall | undefined {
    const calls = this.#calls.get(resultId);
    return calls?.findLast((call) => call.line <= line) ?? calls?.[0];
  }
}
