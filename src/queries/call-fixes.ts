import { allTools } from "../agents/all-tools.ts";
import { fixesOf, type ToolFix } from "../fixes/find-fixes.ts";
import type { ParsedContentBlock, ToolCall, TranscriptMessage } from "../parse/model.ts";

/** Returns an item for each call that failed, was rejected or interrupted, in order. Only failed ones can have a fix. */
export function findFixes(
  messages: readonly TranscriptMessage[],
  blocks: readonly ParsedContentBlock[],
  calls: readonly ToolCall[],
): ToolFix[] {
  return fixesOf(messages, blocks, calls, allTools);
}
