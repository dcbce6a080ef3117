/** Calls and results of a whole input of any source. */
import type { ParsedContentBlock, TranscriptMessage } from "../parse/model.ts";
import { readTranscript } from "../parse/read-transcript.ts";
import { refusingContent } from "../sessions/refuse-content.ts";
import type { ErrorScanOptions, ToolBlocks } from "./errors-options.ts";
import { onceThrough, type ScanInput } from "./find-input.ts";

export async function allToolBlocks(input: ScanInput, options: ErrorScanOptions): Promise<ToolBlocks> {
  let ids = 0;
  const generateId = (): string => String((ids += 1));
  const reader = readTranscript(
    "",
    refusingContent(onceThrough(input), "The file", { mayBeEmpty: true, mayBeUnknown: true }),
    {
      ...options,
      pricing: "flat",
      generateId,
    },
  );
  const messages: TranscriptMessage[] = [];
  const blocks: ParsedContentBlock[] = [];
  for await (const batch of reader.batches()) {
    for (const read of batch) {
      const calls = read.blocks.filter(({ block_type }) => block_type === "tool_use" || block_type === "tool_result");
      if (calls.length === 0) continue;
      messages.push(read.message);
      for (const block of calls) blocks.push(withoutBulk(block));
    }
  }
  return { messages, blocks };
}

/** Inputs and outputs are most of a session, and only those of failures are needed. */
function withoutBulk(block: ParsedContentBlock): ParsedContentBlock {
  return { ...block, tool_input: null, result_text: block.status === "completed" ? null : block.result_text };
}
