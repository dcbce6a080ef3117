/** A whole session at once. */
import type { TranscriptInput } from "../format/index.ts";
import type { ParsedContentBlock, ParseResult, ToolCall, ToolStats, TranscriptMessage } from "./model.ts";
import type { ParseOptions } from "./options.ts";
import { TranscriptReader } from "./read-transcript.ts";
import { correlateToolCalls } from "./tool-calls.ts";

/**
 * Reads a session of any source into rows for a database. `sessionId` is put into each row as it is.
 *
 * `input` is the content, not a path: text, bytes, a stream or an iterable of either. Content never makes it reject:
 * damaged lines are in `errors`, and `lines` accounts for each of them. A failure of the input itself rejects.
 */
export async function parseTranscript(
  sessionId: string,
  input: TranscriptInput,
  options: ParseOptions = {},
): Promise<ParseResult> {
  const errors: ParseResult["errors"] = [];
  const reader = new TranscriptReader(sessionId, input, {
    ...options,
    windowLines: Number.POSITIVE_INFINITY,
    onLineError: (line, error, detail) => {
      errors.push(detail);
      options.onLineError?.(line, error, detail);
    },
  });
  const messages: TranscriptMessage[] = [];
  const contentBlocks: ParsedContentBlock[] = [];
  for await (const batch of reader.batches()) {
    for (const { message, blocks } of batch) {
      messages.push(message);
      for (const block of blocks) contentBlocks.push(block);
    }
  }
  const { source, stats, lines, unknown_lines, metadata, aborted } = reader.summary();
  const toolCalls = correlateToolCalls(messages, contentBlocks);
  return {
    session_id: sessionId,
    source,
    messages,
    content_blocks: contentBlocks,
    tool_calls: toolCalls,
    stats: { ...stats, ...endings(toolCalls, stats.tools) },
    errors,
    lines,
    unknown_lines,
    metadata,
    aborted,
  };
}

/** What the whole tells better than the stream: results may name their call in another way than by its id. */
function endings(calls: readonly ToolCall[], known: Record<string, ToolStats>): Partial<ParseResult["stats"]> {
  const tools = new Map(Object.entries(known).map(([name, { calls }]) => [name, { calls, errors: 0 }]));
  let pending = 0;
  for (const { status, tool_name } of calls) {
    if (status === "pending") pending += 1;
    const tool = status === "error" ? tools.get(tool_name ?? "") : undefined;
    if (tool) tool.errors += 1;
  }
  return { tools: Object.fromEntries(tools), tool_pending_count: pending };
}
