/** Parses a whole session. */
import type { SessionContent } from "./content.ts";
import type { ConversationReader } from "./conversation.ts";
import type { ParsedContentBlock, ParseResult, TranscriptMessage } from "./model.ts";
import type { ParseOptions } from "./parse-options.ts";
import { TranscriptReader } from "./read-transcript.ts";
import { correlateToolCalls } from "./tool-calls.ts";

/** A caller that keeps whole sessions in memory may have little of it. */
const MAX_LINE_BYTES = 5 * 1024 * 1024;

/** Parses a session into rows for a database. Each row gets `sessionId` unchanged. Errors of the input itself reject. */
export async function parseContent(
  sessionId: string,
  content: SessionContent,
  options: ParseOptions = {},
): Promise<ParseResult> {
  const errors: ParseResult["errors"] = [];
  const reader = new TranscriptReader(sessionId, content, {
    maxLineBytes: MAX_LINE_BYTES,
    ...options,
    onLineError: (line, error, detail) => {
      errors.push(detail);
      options.onLineError?.(line, error, detail);
    },
  });
  return { ...(await wholeConversation(reader)), session_id: sessionId, errors };
}

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
