/** Reads an input through one source, without the detection and the defaults that go before it. */
import { Assembler } from "../../../src/parse/assembler.ts";
import type { InputUnit } from "../../../src/parse/message-draft.ts";
import type { Format } from "../../../src/agents/agent.ts";
import type { ReadOptions } from "../../../src/parse/content.ts";
import type {
  LineAccount,
  ParsedContentBlock,
  ParseError,
  SessionMetadata,
  TranscriptMessage,
  TranscriptStats,
} from "../../../src/parse/model.ts";
import { correlateToolCalls } from "../../../src/parse/tool-calls.ts";

export interface SourceReading {
  units: InputUnit[];
  messages: TranscriptMessage[];
  blocks: ParsedContentBlock[];
  errors: ParseError[];
  lines: LineAccount;
  metadata: SessionMetadata;
  stats: TranscriptStats;
}

export interface ReadingOptions extends Partial<ReadOptions> {
  /** Bytes a chunk, one after the other and again from the first on; default: all at once. */
  chunkBytes?: readonly number[];
}

export async function readSource(
  source: Format,
  input: string | Uint8Array,
  { chunkBytes = [], ...options }: ReadingOptions = {},
): Promise<SourceReading> {
  const errors: ParseError[] = [];
  const units: InputUnit[] = [];
  const byMessage = new Map<TranscriptMessage, ParsedContentBlock[]>();
  let ids = 0;
  const assembler = new Assembler({
    sessionId: "session",
    maxInlineContentBytes: 256 * 1024,
    generateId: () => `id ${ids++}`,
    pricing: () => null,
    format: { ...source, isRedacted: true },
    onProblem: (problem) => void errors.push(problem),
  });
  const bytes = typeof input === "string" ? Buffer.from(input) : input;
  const defaults = { maxLineBytes: 5 * 1024 * 1024 };
  for await (const batch of source.read(chunksOf(bytes, chunkBytes), { ...defaults, ...options })) {
    for (const unit of batch) {
      units.push(structuredClone(unit));
      for (const { message, blocks } of assembler.add(unit))
        byMessage.set(message, [...(byMessage.get(message) ?? []), ...blocks]);
    }
  }
  assembler.finish();
  const messages = [...byMessage.keys()];
  const blocks = [...byMessage.values()].flat();
  correlateToolCalls(messages, blocks);
  const { lines, metadata, stats } = assembler;
  return { units, messages, blocks, errors, lines, metadata, stats };
}

async function* chunksOf(bytes: Uint8Array, sizes: readonly number[]): AsyncGenerator<Uint8Array> {
  if (sizes.length === 0) {
    yield bytes;
    return;
  }
  let at = 0;
  for (let turn = 0; at < bytes.length; turn += 1) {
    const size = Math.max(1, sizes[turn % sizes.length] ?? 1);
    yield bytes.slice(at, at + size);
    at += size;
  }
}

/** Returns the conversation of a session, by the fields that every source of it must agree on. */
export function conversation({ messages, blocks }: Pick<SourceReading, "messages" | "blocks">): object[] {
  return messages.map((message) => ({
    type: message.message_type,
    role: message.role,
    kind: message.user_kind,
    id: message.message_type === "assistant" ? message.source_id : null,
    model: message.model,
    provider: message.provider,
    tokens: [message.tokens_in, message.tokens_out, message.cache_read, message.cache_write],
    reasoningTokens: message.metadata.reasoning_tokens,
    cost: message.cost_usd,
    subtype: message.metadata.subtype,
    data: message.metadata["data"],
    origin: message.metadata.origin,
    command: message.metadata.command,
    added: message.metadata["added_by_host"],
    // Entries of calls do not say whose they are, nor that the answer was cut off.
    agent: message.has_text || message.has_thinking ? message.metadata["agent"] : null,
    interrupted: message.has_text ? message.metadata.interrupted : null,
    blocks: blocks.filter((block) => block.message_id === message.id).map(said),
  }));
}

function said(block: ParsedContentBlock): object {
  return {
    type: block.block_type,
    uuid: block.source_uuid,
    text: block.content_text ?? block.thinking_text ?? block.result_text,
    tool: block.tool_name,
    call: block.tool_use_id ?? block.tool_result_id,
    input: block.tool_input,
    isError: block.is_error,
    status: block.status,
    title: block.metadata["title"],
    media: block.metadata.media_type,
    details: block.metadata["details"],
    child: block.metadata["subagent_session_id"],
  };
}

/** Lines of a file. A line feed at its end begins no line. */
export function linesIn(bytes: Uint8Array): number {
  const feeds = bytes.filter((byte) => byte === 10).length;
  return feeds + (bytes.length > 0 && bytes.at(-1) !== 10 ? 1 : 0);
}
