/** Joins results with the inputs of their calls, which files do not repeat. */
import type { ToolUseEntry, TranscriptEntry } from "./entry-types.ts";
import { callOf, withCall } from "./section-context.ts";

/** Calls whose results have not been read yet. */
export class CallInputs {
  #calls: ToolUseEntry[] = [];

  /** Remembers a call until its result. A corrected call replaces the earlier one. */
  remember(call: ToolUseEntry): void {
    this.#calls = withCall(this.#calls, call);
  }

  /** Removes and returns the call of a result: the one with its part id, or else the last one with its call id. */
  take({ callID, partID }: { callID?: unknown; partID?: unknown }): ToolUseEntry | undefined {
    const at = callOf(this.#calls, callID, partID);
    return at === -1 ? undefined : this.#calls.splice(at, 1)[0];
  }
}

/** Returns an entry as it is written after its call: a result without the input. A replacing result has its own. */
export function withoutInput(entry: TranscriptEntry): TranscriptEntry | Omit<TranscriptEntry, "input"> {
  if (entry.type !== "tool_result" || entry.continues !== undefined) return entry;
  const { input: _, ...rest } = entry;
  return rest;
}
