/** Which call a result belongs to, as far as a search needs it: what tool it was, and whether it was our own. */
import type { ParsedContentBlock } from "../parse/model.ts";
import { isOwnRecall } from "./find-own-output.ts";

export interface FoundCall {
  line: number;
  tool: string | null;
  isOwn: boolean;
}

/** Calls by id. Where an id was used again, a result belongs to the last call before it, else to the first one after. */
export class CallBook {
  readonly #calls = new Map<string, FoundCall[]>();

  add(block: ParsedContentBlock): FoundCall | undefined {
    if (block.block_type !== "tool_use") return undefined;
    const { tool_name: tool, tool_use_id: id, line_number: line } = block;
    const call = { line, tool, isOwn: isOwnRecall(tool, block.tool_input) };
    if (id === null) return call;
    const same = this.#calls.get(id);
    if (same) same.push(call);
    else this.#calls.set(id, [call]);
    return call;
  }

  of(resultId: string, line: number): FoundCall | undefined {
    const calls = this.#calls.get(resultId);
    return calls?.findLast((call) => call.line <= line) ?? calls?.[0];
  }
}
