/**
 * Turns the units of a session, read from its start, into rows: blocks part by part, messages when all are read. The rows
 * have their secrets until `RowRedactor` removes them.
 */
import { createHash, hash } from "node:crypto";
import { given } from "../given.ts";
import { isOwnRecall } from "../calls/own-recall.ts";
import { hitRole } from "../parse/searched-texts.ts";
import { Assembler } from "../parse/assembler.ts";
import type { InputUnit } from "../parse/message-draft.ts";
import type { FormatTraits } from "../parse/content.ts";
import type { BlockOrigin, BuiltMessage } from "../parse/message-builder.ts";
import {
  isSuperseded,
  type BlockMetadata,
  type ParsedContentBlock,
  type ToolCall,
  type ToolStatus,
  type TranscriptMessage,
} from "../parse/model.ts";
import { copyKey, hasUsage } from "../parse/usage-ledger.ts";
import { correlateToolCalls } from "../parse/tool-calls.ts";
import type { StoredAnswer, StoredBlock, StoredFigures, StoredMessage } from "../store/stored-model.ts";
import { answerMessages, callCounts, isTypedPrompt } from "../sessions/read-figures.ts";
import { storableTime } from "../store/storable.ts";

export interface RowsOptions {
  sessionId: string;
  format: FormatTraits;
  /** Returns a number that differs for different contents, and from which nobody can guess a secret in them. */
  seal: (content: string) => number;
}

/** A block with its secrets. The content and metadata of its row are in `value`. */
export interface RawBlock {
  row: StoredBlock;
  value: { text: string | null; input: unknown; metadata: BlockMetadata };
}

/** Fields of calls and results that depend on one another. */
export interface CallFields {
  tool_name: string | null;
  status: ToolStatus | null;
  is_own: boolean;
}

type Labelled = Pick<ParsedContentBlock, "metadata"> | Pick<TranscriptMessage, "metadata">;

interface ReadBlock {
  block: ParsedContentBlock;
  origin: BlockOrigin;
  ordinal: number;
  id: string;
  messageId: string;
}

export class SessionRows {
  readonly #options: RowsOptions;
  readonly #assembler: Assembler;
  /** Ids of messages with blocks, by the assembler's own. */
  readonly #messageIds = new Map<string, string>();
  /** Blocks since the last `takeBlocks`. */
  #new: ReadBlock[] = [];
  /** Calls and results so far, by the assembler's ids. */
  readonly #calls = new Map<string, ReadBlock>();
  /** Those since the last `takeBlocks`, and earlier ones without a partner. Pairing all each time would take quadratic time. */
  #unpaired: ReadBlock[] = [];
  /** All blocks so far: the ids of their rows, and what says whether they are superseded. */
  readonly #labels: { id: string; block: Labelled; message: Labelled }[] = [];
  /** Calls of this program's own tools. */
  readonly #own = new Set<string>();
  #finished: readonly BuiltMessage[] = [];
  /** Number of times that a name was given to a block or an answer. */
  readonly #named = new Map<string, number>();
  readonly #atPlace = placeCounter();
  #ids = 0;
  #blockCount = 0;

  constructor(options: RowsOptions) {
    this.#options = options;
    this.#assembler = new Assembler({
      sessionId: options.sessionId,
      maxInlineContentBytes: Number.POSITIVE_INFINITY,
      generateId: () => String((this.#ids += 1)),
      pricing: () => null,
      format: given({ tools: options.format.tools }),
      onProblem: () => undefined,
      onBlock: (block, origin) => this.#add(block, origin),
    });
  }

  /** Number of blocks so far. */
  get blockCount(): number {
    return this.#blockCount;
  }

  add(unit: InputUnit): void {
    this.#assembler.add(unit);
  }

  /** Returns the blocks since the last call, with the rows of their messages as far as they are known, and forgets their texts. */
  takeBlocks(): { blocks: RawBlock[]; messages: StoredMessage[] } {
    const taken = this.#new;
    this.#new = [];
    const calls = toolCallsOf(this.#unpaired);
    const fields = this.#fieldsOf(calls);
    const open = new Set(
      calls.flatMap(({ use, result }) => (use === null || result === null ? [(use ?? result)?.block_id] : [])),
    );
    this.#unpaired = this.#unpaired.filter(({ block }) => open.has(block.id));
    const messages = new Map(taken.map(({ origin, messageId }) => [messageId, origin.message]));
    return {
      blocks: taken.map((read) => this.#rawBlock(read, fields)),
      messages: [...messages].map(([id, message]) => this.#messageRow(message, id)),
    };
  }

  /** Forgets the texts of the blocks so far, which are not wanted. */
  dropBlocks(): void {
    for (const { block } of this.#new) forgetTexts(block);
    this.#new = [];
    this.#unpaired = [];
  }

  /** Called once, at the end of the source, before the next three. */
  finish(): void {
    this.#finished = this.#assembler.finish();
  }

  /** Returns all messages, in order. */
  messages(): StoredMessage[] {
    const atPlace = placeCounter();
    return this.#finished.map((built) => {
      const { message } = built;
      const before = atPlace(message.byte_offset);
      const id = this.#messageIds.get(message.id) ?? this.#idFor(message, `place ${message.byte_offset} ${before}`);
      return this.#messageRow(message, id, built);
    });
  }

  /** Returns the ids of the blocks that the agent itself dropped from the conversation. */
  superseded(): Set<string> {
    const dropped = this.#labels.filter(({ block, message }) => isSuperseded(block) || isSuperseded(message));
    return new Set(dropped.map(({ id }) => id));
  }

  figures(): StoredFigures {
    // Sets the status of the calls.
    toolCallsOf([...this.#calls.values()]);
    const { tools, ...stats } = this.#assembler.stats;
    const messages = this.#finished.map(({ message }) => message);
    const answers = this.#finished.filter(({ message }) => message.message_type === "assistant" || hasUsage(message));
    const counts = answerMessages(messages);
    const calls = Map.groupBy(
      Array.from(this.#calls.values(), ({ block }) => block),
      ({ message_id }) => message_id,
    );
    return {
      counts: {
        total_messages: stats.total_messages,
        user_messages: stats.user_messages,
        human_messages: stats.human_messages,
        assistant_messages: stats.assistant_messages,
        tool_use_count: stats.tool_use_count,
        tool_error_count: stats.tool_error_count,
        tool_rejected_count: stats.tool_rejected_count,
        tool_interrupted_count: stats.tool_interrupted_count,
        tool_pending_count: stats.tool_pending_count,
        thinking_blocks: stats.thinking_blocks,
        withheld_thinking_blocks: stats.withheld_thinking_blocks,
        subagent_count: stats.subagent_count,
        tools,
      },
      answers: answers.map((answer) => ({
        ...answerOf(answer, calls.get(answer.message.id)),
        ...given({ messages: counts.get(answer.message) }),
      })),
      prompts: messages.filter(isTypedPrompt).flatMap(({ timestamp }) => storableTime(timestamp) ?? []),
    };
  }

  /** Returns the fields of the calls and results so far, by the ids of their rows. */
  callFields(): Map<string, CallFields> {
    return this.#fieldsOf(toolCallsOf([...this.#calls.values()]));
  }

  #fieldsOf(calls: readonly ToolCall[]): Map<string, CallFields> {
    const fields = new Map<string, CallFields>();
    for (const { use, result, status } of calls) {
      const call = use === null ? undefined : this.#calls.get(use.block_id);
      const isOwnCall = call !== undefined && this.#own.has(call.block.id);
      if (call !== undefined) fields.set(call.id, { tool_name: call.block.tool_name, status, is_own: isOwnCall });
      const answer = result === null ? undefined : this.#calls.get(result.block_id);
      if (answer === undefined) continue;
      const tool = call?.block.tool_name ?? answer.block.tool_name;
      const isOwn = isOwnCall || isOwnRecall(tool, null);
      fields.set(answer.id, { tool_name: tool, status: answer.block.status, is_own: isOwn });
    }
    return fields;
  }

  #add(block: ParsedContentBlock, origin: BlockOrigin): void {
    const { message } = origin;
    const id = this.#blockId(block, origin);
    const messageId = this.#messageIds.get(message.id) ?? this.#idFor(message, id);
    this.#messageIds.set(message.id, messageId);
    const read = { block, origin, ordinal: this.#blockCount, id, messageId };
    this.#blockCount += 1;
    this.#new.push(read);
    this.#labels.push({ id, block: { metadata: block.metadata }, message });
    const { block_type, tool_name } = block;
    if (block_type !== "tool_use" && block_type !== "tool_result") return;
    this.#calls.set(block.id, read);
    this.#unpaired.push(read);
    if (block_type === "tool_use" && isOwnRecall(tool_name, block.tool_input)) this.#own.add(block.id);
  }

  #rawBlock({ block, origin, ordinal, id, messageId }: ReadBlock, fields: ReadonlyMap<string, CallFields>): RawBlock {
    const { message, place, piece } = origin;
    const { kept, content } = contentOf(block);
    // Later lines decide whether it is, so it is in a field that is written at the end.
    const { superseded: _, ...metadata } = block.metadata;
    const row = {
      event_id: id,
      message_id: messageId,
      session_id: this.#options.sessionId,
      ordinal,
      block_order: block.block_order,
      line_number: block.line_number,
      byte_offset: place.offset,
      occurred_at: storableTime(piece.timestamp ?? null),
      message_type: message.message_type,
      role: hitRole(message, block),
      block_type: block.block_type,
      source_uuid: block.source_uuid,
      tool_use_id: block.tool_use_id ?? block.tool_result_id,
      answers_uuid: block.block_type === "tool_result" ? (message.metadata.source_tool_assistant_uuid ?? null) : null,
      is_error: block.is_error,
      exit_code: block.exit_code,
      is_sidechain: message.is_sidechain,
      kept,
      metadata,
      superseded: false,
    };
    const value = { text: textOf(block), input: block.tool_input, metadata };
    const { tool_name, status, is_own } = fields.get(id) ?? {
      tool_name: block.tool_name,
      status: block.status,
      is_own: false,
    };
    const sealed = this.#sealed({ ...row, content: "", raw_hash: 0 }, content);
    forgetTexts(block);
    return { row: { ...sealed, tool_name, status, is_own }, value };
  }

  /** `built`: its usage, which is known at the end. */
  #messageRow(message: TranscriptMessage, messageId: string, built?: BuiltMessage): StoredMessage {
    const { id: _, timestamp, cost_usd: cost, metadata, ...row } = message;
    const { cost_is_recorded, cost_is_estimate: _estimate, superseded = false, ...told } = metadata;
    const usage = built?.usage;
    const made = {
      ...row,
      message_id: messageId,
      occurred_at: storableTime(timestamp),
      recorded_cost_usd: cost_is_recorded === true ? cost : null,
      usage_calls: usage === undefined ? null : (usage.calls ?? []),
      metadata: told,
      superseded,
      raw_hash: 0,
    };
    return this.#sealed(made, "");
  }

  #sealed<Row extends { raw_hash: number }>(row: Row, content: string): Row {
    return { ...row, raw_hash: this.#options.seal(`${JSON.stringify({ ...row, raw_hash: 0 })}\n${content}`) };
  }

  /** `place`: names a message without an id. */
  #idFor({ message_type, source_id }: TranscriptMessage, place: string): string {
    const isJoined = message_type === "assistant" && source_id !== null;
    return eventId([this.#options.sessionId, "message", isJoined ? this.#numbered(`source ${source_id}`) : place]);
  }

  #blockId(block: ParsedContentBlock, { place }: BlockOrigin): string {
    const { sessionId, format } = this.#options;
    if (format.hasStableIds === true) return eventId([sessionId, ...this.#numbered(nameOf(block)).split("\n")]);
    const onPlace = this.#atPlace(place.offset);
    return eventId([sessionId, String(place.offset), String(onPlace), block.block_type, block.source_uuid ?? ""]);
  }

  /** Returns a name with the number of times that it was given before. */
  #numbered(name: string): string {
    const times = this.#named.get(name) ?? 0;
    this.#named.set(name, times + 1);
    return `${name}\n${times}`;
  }
}

function toolCallsOf(reads: readonly ReadBlock[]): ToolCall[] {
  const messages = [...new Set(reads.map(({ origin }) => origin.message))].toSorted((a, b) => a.ordinal - b.ordinal);
  return correlateToolCalls(
    messages,
    reads.map(({ block }) => block),
  );
}

function answerOf({ message, usage }: BuiltMessage, calls: readonly ParsedContentBlock[] | undefined): StoredAnswer {
  const { source_id, model, provider, timestamp, is_sidechain, metadata, ...row } = message;
  const { speed, service_tier, inference_geo, cache_write_1h, web_searches, tokens_out_is_lower_bound } = metadata;
  const key = copyKey(message);
  return {
    key,
    ...(source_id === null || source_id === key?.split("\n")[0] ? {} : { source_id }),
    model,
    provider,
    occurred_at: storableTime(timestamp),
    is_sidechain,
    metadata: given({
      speed,
      service_tier,
      inference_geo,
      cache_write_1h,
      web_searches,
      tokens_out_is_lower_bound,
    }),
    tokens_in: row.tokens_in,
    tokens_out: row.tokens_out,
    cache_read: row.cache_read,
    cache_write: row.cache_write,
    recorded_cost_usd: metadata.cost_is_recorded === true ? row.cost_usd : null,
    usage_calls: usage?.calls ?? null,
    ...given({ calls: callCounts(message, calls) }),
  };
}

/** The block stays, because later results may belong to it. */
function forgetTexts(block: ParsedContentBlock): void {
  block.content_text = null;
  block.thinking_text = null;
  block.result_text = null;
  block.tool_input = null;
}

/** Returns a function that returns how many before it were called with the same place, one after another. */
function placeCounter(): (offset: number) => number {
  let place = -1;
  let count = 0;
  return (offset) => {
    count = offset === place ? count + 1 : 0;
    place = offset;
    return count;
  };
}

/** Names a block by its host's id, or by its text. */
function nameOf({ block_type, source_uuid, tool_use_id, tool_result_id, ...block }: ParsedContentBlock): string {
  const id = source_uuid ?? tool_use_id ?? tool_result_id;
  const text = [block.content_text, block.thinking_text, block.result_text].find((each) => each !== null) ?? "";
  return idKey(`${block_type} ${id === null ? `text ${text}` : `id ${id}`}`);
}

function contentOf(block: ParsedContentBlock): Pick<StoredBlock, "kept" | "content"> {
  if (!isKept(block)) return { kept: "none", content: "" };
  if (block.block_type === "tool_use") return { kept: "all", content: jsonOf(block.tool_input) };
  return { kept: "all", content: textOf(block) ?? "" };
}

/** Returns true if a block has anything to keep. */
function isKept(block: ParsedContentBlock): boolean {
  return block.block_type === "tool_use" || (block.metadata.withheld !== true && textOf(block) !== null);
}

function textOf({ content_text, thinking_text, result_text }: ParsedContentBlock): string | null {
  return content_text ?? thinking_text ?? result_text;
}

/** Returns the input as JSON; inputs can be nested deeper than `JSON.stringify` can go. */
export function jsonOf(input: unknown): string {
  try {
    return JSON.stringify(input) ?? "null";
  } catch {
    return "null";
  }
}

// Ids of events, and hashes of ids that may contain anything.

/** Returns a UUID (version 8) derived from the values that identify an event. */
function eventId(parts: readonly string[]): string {
  const hex = hash("sha1", JSON.stringify(parts));
  const variant = "89ab"[Number.parseInt(hex.charAt(16), 16) & 3] ?? "8";
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `8${hex.slice(13, 16)}`,
    variant + hex.slice(17, 20),
    hex.slice(20, 32),
  ].join("-");
}

/** Hashes a call's id to 64 bits. The hash is stored instead of the id, which may contain a secret. */
function idKey(id: string): string {
  return createHash("sha1").update(id).digest("hex").slice(0, 16);
}
