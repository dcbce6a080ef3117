/** Builds messages and blocks from drafts: one message for all pieces that share an id. */
import { plus } from "./cumulative-usage.ts";
import type { BlockDraft, CallUsage, MessageDraft, UsageDraft } from "./message-draft.ts";
import type { MessageMetadata, ParsedContentBlock, TranscriptMessage } from "./model.ts";
import type { Pricing } from "./pricing.ts";

export interface BuilderOptions {
  sessionId: string;
  maxInlineContentBytes: number;
  generateId: () => string;
  pricing: Pricing;
  /** Called for each new block, with additional values for rows of a store. */
  onBlock?: (block: ParsedContentBlock, origin: BlockOrigin) => void;
}

/** Origin of a block. */
export interface BlockOrigin {
  message: TranscriptMessage;
  /** Piece of the message that contains it. */
  piece: MessageDraft;
  place: Place;
}

/** Message that may get more pieces. */
export interface BuiltMessage {
  message: TranscriptMessage;
  /** Number of blocks so far. */
  blockCount: number;
  usage: UsageDraft | undefined;
  /** Cost recorded by the host, in US dollars. */
  recordedCostUsd: number | undefined;
  /** Usage and cost of its model calls, if they are recorded one by one: see `MessageDraft.usageId`. */
  calls: ModelCall[] | undefined;
}

type ModelCall = Pick<MessageDraft, "usage" | "costUsd" | "usageId">;

export interface Place {
  line: number;
  offset: number;
  /** See `InputUnit.identity`. */
  record?: string | undefined;
}

export class MessageBuilder {
  readonly #options: BuilderOptions;
  #ordinal = 0;

  constructor(options: BuilderOptions) {
    this.#options = options;
  }

  /** Returns a new message, without the blocks of the draft. */
  begin(draft: MessageDraft, place: Place): BuiltMessage {
    const message = this.#message(draft, place);
    return { message, blockCount: 0, usage: undefined, recordedCostUsd: undefined, calls: undefined };
  }

  /** Adds a piece to a message. Returns its new blocks. */
  extend(built: BuiltMessage, draft: MessageDraft, place: Place): ParsedContentBlock[] {
    const { message } = built;
    if (draft.type === "assistant" && message.message_type !== "assistant") beginAnswer(message, draft, place);
    message.source_id ??= draft.sourceId ?? null;
    message.request_id ??= draft.requestId ?? null;
    message.model ??= draft.model ?? null;
    message.provider ??= draft.provider ?? null;
    message.timestamp ??= draft.timestamp ?? null;
    const rows = draft.blocks.map((block) => {
      const row = this.#block(block, built, draft, place);
      built.blockCount += 1;
      this.#options.onBlock?.(row, { message, piece: draft, place });
      setFlag(message, block);
      return row;
    });
    addFacts(built, draft);
    return rows;
  }

  /** Sets the cost of a whole message: see `costOf`. */
  price({ message, usage, recordedCostUsd }: BuiltMessage): void {
    setCost(message, usage, recordedCostUsd ?? null, this.#options.pricing);
  }

  #message(draft: MessageDraft, place: Place): TranscriptMessage {
    const ordinal = this.#ordinal;
    this.#ordinal += 1;
    return {
      id: this.#options.generateId(),
      session_id: this.#options.sessionId,
      ordinal,
      line_number: place.line,
      byte_offset: place.offset,
      message_type: draft.type,
      role: draft.role,
      user_kind: draft.userKind ?? null,
      source_id: draft.sourceId ?? null,
      uuid: draft.uuid ?? null,
      parent_uuid: draft.parentUuid ?? null,
      request_id: draft.requestId ?? null,
      model: draft.model ?? null,
      provider: draft.provider ?? null,
      timestamp: draft.timestamp ?? null,
      cwd: draft.cwd ?? null,
      tokens_in: null,
      tokens_out: null,
      cache_read: null,
      cache_write: null,
      cost_usd: null,
      has_text: false,
      has_thinking: false,
      has_tool_use: false,
      has_tool_result: false,
      is_sidechain: draft.isSidechain ?? false,
      agent_id: draft.agentId ?? null,
      metadata: metadataOf(draft),
    };
  }

  #block(draft: BlockDraft, built: BuiltMessage, piece: MessageDraft, place: Place): ParsedContentBlock {
    const { type, text = null } = draft;
    const cut = text === null || type === "thinking" ? undefined : cutText(text, this.#options.maxInlineContentBytes);
    const metadata = draft.metadata ?? {};
    if (cut?.originalBytes !== undefined)
      Object.assign(metadata, { truncated: true, original_bytes: cut.originalBytes });
    const isResult = type === "tool_result";
    return {
      id: this.#options.generateId(),
      message_id: built.message.id,
      session_id: this.#options.sessionId,
      block_order: built.blockCount,
      line_number: place.line,
      source_uuid: piece.uuid ?? null,
      block_type: type,
      content_text: type === "text" ? (cut?.text ?? "") : type === "document" ? (cut?.text ?? null) : null,
      thinking_text: type === "thinking" ? text : null,
      tool_name: draft.toolName ?? null,
      tool_use_id: type === "tool_use" ? (draft.toolUseId ?? null) : null,
      tool_input: type === "tool_use" ? (draft.input ?? null) : null,
      tool_result_id: isResult ? (draft.toolUseId ?? null) : null,
      is_error: isResult ? (draft.isError ?? false) : null,
      exit_code: draft.exitCode ?? null,
      result_text: isResult ? (cut?.text ?? null) : null,
      status: draft.status ?? null,
      metadata,
    };
  }
}

function metadataOf({ type, usage, metadata = {} }: MessageDraft): MessageMetadata {
  if (type === "system" && usage !== undefined) metadata.subtype ??= "usage";
  return metadata;
}

/** Turns usage, of which the answer had not been read, into that answer. */
function beginAnswer(message: TranscriptMessage, draft: MessageDraft, place: Place): void {
  message.message_type = "assistant";
  message.role = draft.role;
  message.line_number = place.line;
  message.byte_offset = place.offset;
  message.uuid = draft.uuid ?? null;
  message.parent_uuid = draft.parentUuid ?? null;
  message.timestamp = draft.timestamp ?? message.timestamp;
  message.cwd = draft.cwd ?? null;
  delete message.metadata.subtype;
}

/** Sets the cost of a message: see `costOf`. */
export function setCost(
  message: TranscriptMessage,
  usage: UsageDraft | undefined,
  recorded: number | null,
  pricing: Pricing,
): void {
  const { cost, isEstimate } = costOf(message, usage, recorded, pricing);
  message.cost_usd = cost;
  setOrDelete(message.metadata, "cost_is_estimate", isEstimate);
  setOrDelete(message.metadata, "cost_is_recorded", recorded !== null && !isEstimate);
}

/** Fields of an answer that its price depends on. */
export type PricedAnswer = Pick<TranscriptMessage, "metadata" | "model" | "provider" | "timestamp">;

/** Returns the cost of an answer: that recorded by the host or, if that is missing or 0, that of the price table. */
export function costOf(
  answer: PricedAnswer,
  usage: UsageDraft | undefined,
  recorded: number | null,
  pricing: Pricing,
): { cost: number | null; isEstimate: boolean } {
  if (recorded) return { cost: recorded, isEstimate: false };
  const priced = usage === undefined ? null : tablePrice(answer, usage, pricing);
  // A free model has no price or a price of 0, so the recorded 0 is the cost.
  return { cost: priced ?? recorded, isEstimate: recorded === 0 && priced !== null && priced > 0 };
}

function tablePrice(answer: PricedAnswer, usage: UsageDraft, pricing: Pricing): number | null {
  const { provider, timestamp, metadata } = answer;
  const { speed, service_tier: tier, inference_geo: geo, cache_write_1h: cacheWrite1h = 0 } = metadata;
  const { tokensIn, tokensOut, cacheRead, cacheWrite } = usage;
  const calls: readonly CallUsage[] = usage.calls ?? [{ tokensIn, tokensOut, cacheRead, cacheWrite, cacheWrite1h }];
  let webSearches = metadata.web_searches;
  let sum: number | null = null;
  for (const call of calls) {
    // Spreading `call` instead would take several times as long.
    const price = pricing({
      model: call.model ?? answer.model,
      provider,
      timestamp,
      tokensIn: call.tokensIn,
      tokensOut: call.tokensOut,
      cacheRead: call.cacheRead,
      cacheWrite: call.cacheWrite,
      cacheWrite1h: call.cacheWrite1h,
      speed,
      tier,
      geo,
      webSearches,
    });
    if (price !== null) sum = (sum ?? 0) + price;
    // They are charged once for all calls.
    webSearches = undefined;
  }
  return sum;
}

/** Adds usage, cost and metadata of a piece to its message. */
function addFacts(built: BuiltMessage, draft: MessageDraft): void {
  const { usageId, copyKey, metadata: told } = draft;
  const { message } = built;
  const { metadata } = message;
  const { usage, costUsd } =
    usageId === undefined ? draft : withCall(built, { usageId, usage: draft.usage, costUsd: draft.costUsd });
  // A message begins with the metadata of its first piece.
  let isLowerBound = told === metadata ? undefined : metadata.tokens_out_is_lower_bound;
  // Pieces of one answer repeat its usage; only the output grows.
  if (usage && (!built.usage || usage.tokensOut >= built.usage.tokensOut)) {
    built.usage = usage;
    isLowerBound = told?.tokens_out_is_lower_bound;
    message.tokens_in = usage.tokensIn;
    message.tokens_out = usage.tokensOut;
    message.cache_read = usage.cacheRead;
    message.cache_write = usage.cacheWrite;
    if (usage.reasoning !== undefined) metadata.reasoning_tokens = usage.reasoning;
  }
  if (told && told !== metadata) Object.assign(metadata, told);
  if (copyKey !== undefined) metadata.copy_key ??= copyKey;
  const isCounted = isLowerBound !== true || metadata.stop_reason !== undefined;
  if (isCounted && metadata.tokens_out_is_lower_bound !== undefined) delete metadata.tokens_out_is_lower_bound;
  if (costUsd !== undefined) built.recordedCostUsd = Math.max(costUsd, built.recordedCostUsd ?? 0);
}

/** Returns the sums over the model calls of an answer after adding one; a repeated one replaces the earlier. */
function withCall(built: BuiltMessage, call: ModelCall): Pick<ModelCall, "usage" | "costUsd"> {
  built.calls = [...(built.calls ?? []).filter(({ usageId }) => usageId !== call.usageId), call];
  const usages = built.calls.flatMap(({ usage }) => usage ?? []);
  const costs = built.calls.flatMap(({ costUsd }) => costUsd ?? []);
  return {
    usage: usages.length === 0 ? undefined : usages.reduce(plus),
    costUsd: costs.length === 0 ? undefined : costs.reduce((sum, cost) => sum + cost),
  };
}

function setOrDelete(metadata: MessageMetadata, name: "cost_is_estimate" | "cost_is_recorded", value: boolean): void {
  if (value) metadata[name] = true;
  else if (metadata[name] !== undefined) delete metadata[name];
}

function setFlag(message: TranscriptMessage, { type }: BlockDraft): void {
  if (type === "text") message.has_text = true;
  else if (type === "thinking" || type === "redacted_thinking") message.has_thinking = true;
  else if (type === "tool_use") message.has_tool_use = true;
  else if (type === "tool_result") message.has_tool_result = true;
}

/** Cuts a text to at most `maxBytes` bytes of UTF-8. Returns its original size if it was cut. */
function cutText(text: string, maxBytes: number): { text: string; originalBytes?: number } {
  // No character of a JavaScript string has more than 3 bytes.
  if (text.length * 3 <= maxBytes) return { text };
  const originalBytes = Buffer.byteLength(text);
  if (originalBytes <= maxBytes) return { text };
  const bytes = Buffer.from(text);
  let end = maxBytes;
  // Does not cut within a character, whose later bytes begin with the bits 10.
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return { text: bytes.toString("utf8", 0, end), originalBytes };
}
