/**
 * Pairs calls and results. A call and its result may be in any order and far apart, an id may be used more than once, and
 * either of the two may be missing.
 */
import { errorText } from "../calls/result-texts.ts";
import {
  isSuperseded,
  type BlockPlace,
  type ParsedContentBlock,
  type ToolCall,
  type ToolStatus,
  type TranscriptMessage,
} from "./model.ts";

/** `tool_use` or `tool_result` block with its message. */
interface Item {
  block: ParsedContentBlock;
  message: TranscriptMessage | undefined;
  ordinal: number;
  partner: Item | null;
  matchedBy: ToolCall["matched_by"];
}

/**
 * Pairs the blocks: each `tool_use` and `tool_result` block is in exactly one call. Calls are in conversation order; a
 * result without a call is at its own position. Sets `status` of the `tool_use` blocks, and `tool_name` of
 * the results, and changes nothing else.
 *
 * A result belongs to the nearest call with its id and without a result: one before it if possible, else one after it, and
 * among parallel calls the first. Calls of the same agent take precedence. If no call has the id, the result belongs to the
 * call on the line that the source names for it, if exactly one call there has no result.
 */
export function correlateToolCalls(
  messages: readonly TranscriptMessage[],
  blocks: readonly ParsedContentBlock[],
): ToolCall[] {
  const items = itemsInOrder(messages, blocks);
  // A result that was written again belongs to the call, and the superseded one to none.
  for (const group of [items.filter(isCurrent), items.filter((item) => !isCurrent(item))]) {
    for (const alike of groupsBy(group, callId)) pairAlike(alike);
    pairOnNamedLine(group.filter(isFree));
  }
  const calls: ToolCall[] = [];
  for (const item of items) {
    if (isUse(item)) calls.push(toolCall(item, item.partner));
    else if (item.partner === null) calls.push(toolCall(null, item));
  }
  return calls;
}

/** Maps each block's id to its call. */
export function callsByBlock(calls: readonly ToolCall[]): Map<string, ToolCall> {
  const byBlock = new Map<string, ToolCall>();
  for (const call of calls) {
    for (const place of [call.use, call.result]) if (place) byBlock.set(place.block_id, call);
  }
  return byBlock;
}

function itemsInOrder(messages: readonly TranscriptMessage[], blocks: readonly ParsedContentBlock[]): Item[] {
  const byId = new Map(messages.map((message) => [message.id, message]));
  const items = blocks.flatMap((block): Item[] => {
    if (block.block_type !== "tool_use" && block.block_type !== "tool_result") return [];
    const message = byId.get(block.message_id);
    const ordinal = message?.ordinal ?? Number.MAX_SAFE_INTEGER;
    return [{ block, message, ordinal, partner: null, matchedBy: null }];
  });
  return items.sort((a, b) => a.ordinal - b.ordinal || a.block.block_order - b.block.block_order);
}

function callId({ block }: Item): string | null {
  return block.block_type === "tool_use" ? block.tool_use_id : block.tool_result_id;
}

/** Returns the line of a call; for a result, the line that the source names for its call. */
function line({ block, message }: Item): string | null {
  if (block.block_type === "tool_use") return block.source_uuid;
  return message?.metadata.source_tool_assistant_uuid ?? null;
}

/** Distinguishes agents, because providers that restart the numbering of calls give the same ids to parallel agents. */
function lane({ message }: Item): string {
  return `${message?.is_sidechain ?? false} ${message?.agent_id ?? ""}`;
}

function isUse({ block }: Item): boolean {
  return block.block_type === "tool_use";
}

function isCurrent({ block, message }: Item): boolean {
  return !isSuperseded(block) && !(message && isSuperseded(message));
}

function isFree({ partner }: Item): boolean {
  return partner === null;
}

function pair(use: Item, result: Item, by: "id" | "source_uuid"): void {
  use.partner = result;
  result.partner = use;
  use.matchedBy = by;
}

/** Pairs calls and results with one id, the certain pairs first. */
function pairAlike(group: readonly Item[]): void {
  // Nearly every id belongs to one call and its result.
  for (const keyOf of group.length > 2 ? [line, lane, callId] : [callId]) {
    for (const part of groupsBy(group.filter(isFree), keyOf)) {
      pairWithEarlier(part);
      pairWithLater(part.filter(isFree));
    }
  }
}

function groupsBy(items: readonly Item[], keyOf: (item: Item) => string | null): Iterable<Item[]> {
  const groups = new Map<string, Item[]>();
  for (const item of items) {
    const key = keyOf(item);
    if (key === null) continue;
    const group = groups.get(key);
    if (group) group.push(item);
    else groups.set(key, [item]);
  }
  return groups.values();
}

/** Pairs each result with the nearest free call before it; of parallel calls, in one message, with the first. */
function pairWithEarlier(group: readonly Item[]): void {
  const open: { ordinal: number; calls: Item[]; taken: number }[] = [];
  for (const item of group) {
    const last = open.at(-1);
    if (isUse(item)) {
      if (last && last.ordinal === item.ordinal) last.calls.push(item);
      else open.push({ ordinal: item.ordinal, calls: [item], taken: 0 });
      continue;
    }
    const call = last?.calls[last.taken];
    if (!last || !call) continue;
    pair(call, item, "id");
    last.taken += 1;
    if (last.taken === last.calls.length) open.pop();
  }
}

/** Pairs the rest of a group, with results before calls, starting with the last result and the first call. */
function pairWithLater(rest: readonly Item[]): void {
  const waiting: Item[] = [];
  for (const item of rest) {
    if (!isUse(item)) waiting.push(item);
    else {
      const result = waiting.pop();
      if (result) pair(item, result, "id");
    }
  }
}

/** Pairs results with the call on the line that the source names, if exactly one call there is free. */
function pairOnNamedLine(rest: readonly Item[]): void {
  for (const group of groupsBy(rest, line)) {
    const [use, ...others] = group.filter(isUse);
    const result = group.find((item) => !isUse(item));
    if (use && result && others.length === 0) pair(use, result, "source_uuid");
  }
}

function toolCall(use: Item | null, result: Item | null): ToolCall {
  const status = result === null ? "pending" : statusOf(result.block);
  if (use !== null) {
    use.block.status = status;
    if (result !== null) result.block.tool_name ??= use.block.tool_name;
  }
  const text = result?.block.result_text ?? null;
  const message = use?.message ?? result?.message;
  return {
    tool_use_id: use?.block.tool_use_id ?? result?.block.tool_result_id ?? null,
    tool_name: use?.block.tool_name ?? null,
    tool_input: use?.block.tool_input ?? null,
    status,
    is_error: result?.block.is_error ?? null,
    exit_code: result?.block.exit_code ?? null,
    error: status === "completed" || text === null ? null : errorText(text),
    result_text: text,
    matched_by: use?.matchedBy ?? null,
    use: use && placeOf(use),
    result: result && placeOf(result),
    is_sidechain: message?.is_sidechain ?? false,
    agent_id: message?.agent_id ?? null,
    ...([use, result].some((item) => item !== null && !isCurrent(item)) ? { superseded: true } : {}),
  };
}

function statusOf(result: ParsedContentBlock): ToolStatus {
  return result.status ?? (result.is_error === true ? "error" : "completed");
}

function placeOf({ block, message }: Item): BlockPlace {
  return {
    block_id: block.id,
    message_ordinal: message?.ordinal ?? 0,
    line_number: block.line_number,
    timestamp: message?.timestamp ?? null,
  };
}
