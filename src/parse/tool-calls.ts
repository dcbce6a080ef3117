/**
 * Brings calls and results together. A call and its result may stand in any order and far apart, an id may be used
 * more than once, and either of the two may be missing.
 */
import { errorText } from "./tool-errors.ts";
import type { BlockPlace, ParsedContentBlock, ToolCall, ToolStatus, TranscriptMessage } from "./model.ts";

/** A `tool_use` or `tool_result` block with its message. `place` counts blocks in conversation order. */
interface Item {
  block: ParsedContentBlock;
  message: TranscriptMessage | undefined;
  place: number;
  ordinal: number;
  partner: Item | null;
  matchedBy: ToolCall["matched_by"];
}

/**
 * Every `tool_use` and every `tool_result` block is in exactly one call; calls come in conversation order, a result
 * without a call at its own place. Sets `status` of the `tool_use` blocks, and changes nothing else.
 *
 * A result belongs to the nearest call with its id that has none yet: one before it if there is one, else one after
 * it, and among parallel calls the first. Calls of the same agent come before those of others. Where the id leads
 * nowhere, the line that the source names for the result does, if one call on it is without a result.
 */
export function correlateToolCalls(
  messages: readonly TranscriptMessage[],
  blocks: readonly ParsedContentBlock[],
): ToolCall[] {
  const items = itemsInOrder(messages, blocks);
  const uses = items.filter((item) => item.block.block_type === "tool_use");
  const results = items.filter((item) => item.block.block_type === "tool_result");
  pairById(uses, results, lineAndId);
  pairById(uses, results, laneAndId);
  pairById(uses, results, callId);
  pairOnNamedLine(uses, results);
  const calls: ToolCall[] = [];
  for (const item of items) {
    if (item.block.block_type === "tool_use") calls.push(toolCall(item, item.partner));
    else if (item.partner === null) calls.push(toolCall(null, item));
  }
  return calls;
}

function itemsInOrder(messages: readonly TranscriptMessage[], blocks: readonly ParsedContentBlock[]): Item[] {
  const byId = new Map(messages.map((message) => [message.id, message]));
  const items: Item[] = [];
  for (const block of blocks) {
    if (block.block_type !== "tool_use" && block.block_type !== "tool_result") continue;
    const message = byId.get(block.message_id);
    const ordinal = message?.ordinal ?? Number.MAX_SAFE_INTEGER;
    items.push({ block, message, place: 0, ordinal, partner: null, matchedBy: null });
  }
  items.sort((a, b) => a.ordinal - b.ordinal || a.block.block_order - b.block.block_order);
  for (const [place, item] of items.entries()) item.place = place;
  return items;
}

function callId({ block }: Item): string | null {
  return block.block_type === "tool_use" ? block.tool_use_id : block.tool_result_id;
}

/** The line that a call stands on; of a result, the one that the source names for it. */
function line({ block, message }: Item): string | null {
  if (block.block_type === "tool_use") return block.source_uuid;
  return message?.metadata.source_tool_assistant_uuid ?? null;
}

function lineAndId(item: Item): string | null {
  const [where, id] = [line(item), callId(item)];
  return where === null || id === null ? null : `${where} ${id}`;
}

/** Providers that number their calls anew give the same ids to agents that run side by side. */
function laneAndId(item: Item): string | null {
  const id = callId(item);
  return id === null ? null : `${item.message?.is_sidechain ?? false} ${item.message?.agent_id ?? ""} ${id}`;
}

function pair(use: Item, result: Item, by: "id" | "source_uuid"): void {
  use.partner = result;
  result.partner = use;
  use.matchedBy = by;
}

function pairById(uses: readonly Item[], results: readonly Item[], keyOf: (item: Item) => string | null): void {
  const groups = new Map<string, Item[]>();
  for (const item of [...uses, ...results]) {
    const key = item.partner === null ? keyOf(item) : null;
    if (key === null) continue;
    const group = groups.get(key);
    if (group) group.push(item);
    else groups.set(key, [item]);
  }
  for (const group of groups.values()) {
    if (group.length < 2) continue;
    group.sort((a, b) => a.place - b.place);
    pairWithEarlier(group);
    pairWithLater(group.filter((item) => item.partner === null));
  }
}

/** Each result with the nearest free call before it. Parallel calls stand in one message: there the first is taken. */
function pairWithEarlier(group: readonly Item[]): void {
  const open: { ordinal: number; calls: Item[]; taken: number }[] = [];
  for (const item of group) {
    const last = open.at(-1);
    if (item.block.block_type === "tool_use") {
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

/** What is left of a group has its results before its calls; the last result is nearest to the first call. */
function pairWithLater(rest: readonly Item[]): void {
  const waiting: Item[] = [];
  for (const item of rest) {
    if (item.block.block_type === "tool_result") waiting.push(item);
    else {
      const result = waiting.pop();
      if (result) pair(item, result, "id");
    }
  }
}

/** Results with the call on the line that the source names for them, if one call there is free and only one. */
function pairOnNamedLine(uses: readonly Item[], results: readonly Item[]): void {
  const free = new Map<string, Item | "several">();
  for (const use of uses) {
    const where = use.partner === null ? line(use) : null;
    if (where !== null) free.set(where, free.has(where) ? "several" : use);
  }
  for (const result of results) {
    if (result.partner !== null) continue;
    const use = free.get(line(result) ?? "");
    if (use !== undefined && use !== "several" && use.partner === null) pair(use, result, "source_uuid");
  }
}

function toolCall(use: Item | null, result: Item | null): ToolCall {
  const status = result === null ? "pending" : statusOf(result.block);
  if (use !== null) use.block.status = status;
  const text = result?.block.result_text ?? null;
  const message = use?.message ?? result?.message;
  return {
    tool_use_id: use?.block.tool_use_id ?? result?.block.tool_result_id ?? null,
    tool_name: use?.block.tool_name ?? null,
    tool_input: use?.block.tool_input ?? null,
    status,
    error: status === "completed" || text === null ? null : errorText(text),
    result_text: text,
    matched_by: use?.matchedBy ?? null,
    use: use && placeOf(use),
    result: result && placeOf(result),
    is_sidechain: message?.is_sidechain ?? false,
    agent_id: message?.agent_id ?? null,
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
