/** Collects the rows of a whole session. */
import type { ConversationReader } from "./conversation.ts";
import type { ParsedContentBlock, ParseResult, TranscriptMessage } from "./model.ts";
import { correlateToolCalls } from "./tool-calls.ts";

/** Reads a conversation to its end. */
export async function wholeConversation(reader: ConversationReader): Promise<Omit<ParseResult, "session_id">> {
  const byMessage = new Map<TranscriptMessage, ParsedContentBlock[]>();
  for await (const batch of reader.batches()) {
    for (const { message, blocks } of batch) {
      const known = byMessage.get(message);
      if (known === undefined) byMessage.set(message, blocks);
      else known.push(...blocks);
    }
  }
  const messages = [...byMessage.keys()];
  const contentBlocks = [...byMessage.values()].flat();
  const { error_count: _, ...summary } = reader.summary();
  const toolCalls = correlateToolCalls(messages, contentBlocks);
  return { ...summary, messages, content_blocks: contentBlocks, tool_calls: toolCalls };
}
