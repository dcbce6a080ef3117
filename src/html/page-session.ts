import type {
  ParsedContentBlock,
  ParseError,
  ParseResult,
  SessionMetadata,
  ToolCall,
  TranscriptMessage,
  TranscriptStats,
} from "../parse/model.ts";

/** A message with its blocks, in the order of the conversation. */
export interface PageEntry {
  message: TranscriptMessage;
  blocks: readonly ParsedContentBlock[];
  /** The message was given before; these are blocks of it that came late. */
  amends?: boolean;
}

/** A picture that goes into the page itself. */
export interface PageImage {
  /** `image/png`, `image/jpeg`, `image/gif`, `image/webp` or `image/avif`; others become a note. */
  mediaType: string;
  bytes: Uint8Array;
}

/** A session as the page shows it, with the sessions of its subagents. */
export interface PageSession {
  /** Null: the first prompt stands in for it. */
  title: string | null;
  metadata: SessionMetadata;
  stats: TranscriptStats;
  /**
   * In order. It is gone over twice, once for the list of turns and once for the page, so a generator will not do: give
   * an array, or an object that reads the file anew each time.
   */
  messages: Iterable<PageEntry> | AsyncIterable<PageEntry>;
  /** Brings results to their calls. Blocks that it does not name are shown where they stand. */
  toolCalls: readonly ToolCall[];
  /** Sessions of subagents. One that a call names is shown below that call, any other at the end. */
  children: readonly PageSession[];
  errors: readonly ParseError[];
  /** Finds the bytes of an image block; undefined if they were not kept. Without it, images become notes. */
  readImage?: (block: ParsedContentBlock) => Promise<PageImage | undefined>;
}

/** What the parser made, as the page takes it. */
export function pageSession(result: ParseResult, children: readonly PageSession[] = []): PageSession {
  const blocks = Map.groupBy(result.content_blocks, (block) => block.message_id);
  return {
    title: result.metadata.title,
    metadata: result.metadata,
    stats: result.stats,
    messages: result.messages.map((message) => ({ message, blocks: blocks.get(message.id) ?? [] })),
    toolCalls: result.tool_calls,
    children,
    errors: result.errors,
  };
}
