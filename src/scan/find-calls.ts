/** Which call a result belongs to, as far as a search needs it: what tool it was, and whether it was our own. */
import type { ParsedContentBlock } from "../parse/model.ts";
import { isOwnRecall } from "./find-own-output.ts";

export interface FoundCall {
  line: number;
  tool: string | null;
  isOwn: boolean;
}

/** A call as drafts have it, or as blocks have it. */
interface Call {
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
    const same = id === null ? undefined : this.#calls.get(id);
    if (same) {
      same.push(call);
      this.isAmbiguous = true;
    } else if (id !== null) {
      this.#calls.set(id, [call]);
    }
    return call;
  }

  of(resultId: string, line: number): FoundCall | undefined {
    const calls = this.#calls.get(resultId);
    return calls?.findLast((call) => call.line <= line) ?? calls?.[0];
  }
}
