/** The conversation by agents: each agent's calls and words in order, so that one's success mends no other's failure. */
import type { ParsedContentBlock, ToolCall, TranscriptMessage } from "../model.ts";
import { once } from "./purpose.ts";
import { targetOf, type Target } from "../targets.ts";

export interface Lane {
  calls: LaneCall[];
  /** What the assistant wrote. */
  texts: string[];
}

export interface LaneCall {
  call: ToolCall;
  lane: Lane;
  index: number;
  /** Place of the call's block among all blocks. */
  place: number;
  /** How many of the lane's texts stand before it. */
  textsBefore: number;
  /** Messages before this one were written without knowledge of the result. */
  knownFrom: number;
  /** Prompts that a person had sent before. */
  turn: number;
  target: () => Target;
}

/** By call; calls without a `tool_use` block are left out. */
export function laneCalls(
  messages: readonly TranscriptMessage[],
  blocks: readonly ParsedContentBlock[],
  calls: readonly ToolCall[],
): Map<ToolCall, LaneCall> {
  const byId = new Map(messages.map((message) => [message.id, message]));
  const laneOf = laneNames(messages, blocks, byId);
  const lanes = new Map<string, Lane>();
  const byBlock = new Map<string, ToolCall>();
  for (const call of calls) if (call.use) byBlock.set(call.use.block_id, call);
  const found = new Map<ToolCall, LaneCall>();
  const turns = turnsBefore(messages);
  for (const [place, { block, message }] of inOrder(blocks, byId).entries()) {
    const name = laneOf(message);
    const lane = lanes.get(name) ?? { calls: [], texts: [] };
    lanes.set(name, lane);
    const text = block.block_type === "text" && message.message_type === "assistant" ? block.content_text : null;
    if (text !== null && text.trim() !== "") lane.texts.push(text);
    const call = byBlock.get(block.id);
    if (!call || found.has(call)) continue;
    const laneCall: LaneCall = {
      call,
      lane,
      index: lane.calls.length,
      place,
      textsBefore: lane.texts.length,
      knownFrom: Math.max(message.ordinal, call.result?.message_ordinal ?? 0) + 1,
      turn: turns.get(message.id) ?? 0,
      target: once(() => targetOf(call.tool_name, call.tool_input, message.cwd)),
    };
    lane.calls.push(laneCall);
    found.set(call, laneCall);
  }
  return found;
}

function inOrder(
  blocks: readonly ParsedContentBlock[],
  byId: ReadonlyMap<string, TranscriptMessage>,
): { block: ParsedContentBlock; message: TranscriptMessage }[] {
  const placed = blocks.flatMap((block) => {
    const message = byId.get(block.message_id);
    return message ? [{ block, message }] : [];
  });
  return placed.sort((a, b) => a.message.ordinal - b.message.ordinal || a.block.block_order - b.block.block_order);
}

function turnsBefore(messages: readonly TranscriptMessage[]): Map<string, number> {
  const turns = new Map<string, number>();
  let turn = 0;
  for (const message of messages.toSorted((a, b) => a.ordinal - b.ordinal)) {
    if (message.user_kind === "human" && !message.is_sidechain) turn += 1;
    turns.set(message.id, turn);
  }
  return turns;
}

/**
 * An agent's messages carry its id. Older files have subagents without ids, several at once: there the first message
 * of the chain of parents tells them apart.
 */
function laneNames(
  messages: readonly TranscriptMessage[],
  blocks: readonly ParsedContentBlock[],
  byId: ReadonlyMap<string, TranscriptMessage>,
): (message: TranscriptMessage) => string {
  const nameless = new Set(messages.filter((message) => message.is_sidechain && message.agent_id === null));
  const byUuid = new Map<string, TranscriptMessage>();
  for (const { source_uuid, message_id } of nameless.size > 0 ? blocks : []) {
    const message = byId.get(message_id);
    if (source_uuid !== null && message && nameless.has(message)) byUuid.set(source_uuid, message);
  }
  for (const message of nameless) if (message.uuid !== null) byUuid.set(message.uuid, message);
  const roots = new Map<TranscriptMessage, string>();
  return (message) => {
    if (message.agent_id !== null) return `agent ${message.agent_id}`;
    return message.is_sidechain ? rootOf(message, byUuid, roots) : "main";
  };
}

function rootOf(
  message: TranscriptMessage,
  byUuid: ReadonlyMap<string, TranscriptMessage>,
  roots: Map<TranscriptMessage, string>,
): string {
  const chain = new Set<TranscriptMessage>();
  let at = message;
  let root = roots.get(at);
  while (root === undefined) {
    chain.add(at);
    const parent = at.parent_uuid === null ? undefined : byUuid.get(at.parent_uuid);
    // A chain that breaks off says nothing of its beginning; all such messages share one lane.
    if (at.parent_uuid === null) root = `sidechain ${at.id}`;
    else if (parent === undefined || chain.has(parent)) root = "sidechain";
    else {
      at = parent;
      root = roots.get(at);
    }
  }
  for (const passed of chain) roots.set(passed, root);
  return root;
}
