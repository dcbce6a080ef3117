/** Reads the calls and figures of a session without keeping its texts, which are most of it. */
import type { ConversationReader } from "./conversation.ts";
import type { ParsedContentBlock, TranscriptMessage } from "./model.ts";

export interface ReadCalls {
  /** Messages with calls or results, in the order in which they began. */
  messages: TranscriptMessage[];
  /** Calls and results, with the texts of failed ones only. */
  blocks: ParsedContentBlock[];
}

/** Reads all calls. `onMessage` is called for each piece of a message, which is whole when all was read. */
export async function readCalls(
  reader: ConversationReader,
  onMessage?: (message: TranscriptMessage) => void,
): Promise<ReadCalls> {
  const messages = new Set<TranscriptMessage>();
  const blocks: ParsedContentBlock[] = [];
  for await (const batch of reader.batches()) {
    for (const read of batch) {
      onMessage?.(read.message);
      const calls = read.blocks.filter(({ block_type }) => block_type === "tool_use" || block_type === "tool_result");
      if (calls.length === 0) continue;
      messages.add(read.message);
      for (const block of calls) blocks.push(withoutBulk(block));
    }
  }
  return { messages: [...messages].toSorted((a, b) => a.ordinal - b.ordinal), blocks };
}

function withoutBulk(block: ParsedContentBlock): ParsedContentBlock {
  return { ...block, tool_input: null, result_text: block.status === "completed" ? null : block.result_text };
}
