/** Joins results with the inputs of their calls, which files do not repeat. */
import type { ToolUseEntry, TranscriptEntry } from "./entry-types.ts";

/** Maximum number of calls without a result that are remembered; beyond it the oldest is dropped, since some never end. */
const MAX_CALLS = 1000;

/** Calls whose results have not been read yet. */
export class CallInputs {
  readonly #calls: ToolUseEntry[] = [];

  /** Remembers a call until its result. A corrected call replaces the earlier one. */
  remember(call: ToolUseEntry): void {
    const earlier = this.#calls.findIndex((known) => known.callID === call.callID && known.partID === call.partID);
    if (earlier !== -1) this.#calls.splice(earlier, 1);
    this.#calls.push(call);
    if (this.#calls.length > MAX_CALLS) this.#calls.shift();
  }

  /** Removes and returns the call of a result: the one with its part id, or else the last one with its call id. */
  take({ callID, partID }: { callID?: unknown; partID?: unknown }): ToolUseEntry | undefined {
    const isOf = (call: ToolUseEntry): boolean => call.callID === callID;
    const same = this.#calls.findLastIndex((call) => isOf(call) && call.partID === partID);
    const at = same === -1 ? this.#calls.findLastIndex(isOf) : same;
    return at === -1 ? undefined : this.#calls.splice(at, 1)[0];
  }
}

/** Returns an entry as it is written after its call: a result without the input. A replacing result has its own. */
export function withoutInput(entry: TranscriptEntry): TranscriptEntry | Omit<TranscriptEntry, "input"> {
  if (entry.type !== "tool_result" || entry.continues !== undefined) return entry;
  const { input: _, ...rest } = entry;
  return rest;
}
