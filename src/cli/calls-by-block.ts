import type { ToolCall } from "../parse/model.ts";

/** Which call each block belongs to, by the block's id. */
export function callsByBlock(calls: readonly ToolCall[]): Map<string, ToolCall> {
  const byBlock = new Map<string, ToolCall>();
  for (const call of calls) {
    for (const place of [call.use, call.result]) if (place) byBlock.set(place.block_id, call);
  }
  return byBlock;
}
