/** Sessions made by hand for tests of what follows the parser: messages and blocks without a file. */
import { correlateToolCalls } from "../../src/parse/tool-calls.ts";
import type { ParsedContentBlock, ToolCall, ToolStatus, TranscriptMessage } from "../../src/parse/model.ts";

export interface MadeCall {
  tool: string;
  input: unknown;
  status: ToolStatus;
  result: string;
  id?: string;
}

/** A message of the session: what a person said, or the assistant with words and calls, each call with its result. */
export type Turn =
  | { prompt: string }
  | { says?: string; calls: readonly MadeCall[]; agent?: string; sidechain?: boolean; parent?: string; uuid?: string };

export interface MadeSession {
  messages: TranscriptMessage[];
  blocks: ParsedContentBlock[];
  calls: ToolCall[];
}

export const CWD = "/work/app";

export const failed = (tool: string, input: unknown, result = "Error: it failed"): MadeCall => ({
  tool,
  input,
  status: "error",
  result,
});
export const done = (tool: string, input: unknown, result = "done"): MadeCall => ({
  tool,
  input,
  status: "completed",
  result,
});
export const bash = (command: string): { command: string } => ({ command });

/** Each turn with calls is an assistant message and, where results are, a user message behind it. */
export function makeSession(turns: readonly Turn[]): MadeSession {
  const messages: TranscriptMessage[] = [];
  const blocks: ParsedContentBlock[] = [];
  let ids = 0;
  for (const turn of turns) {
    if ("prompt" in turn) {
      const message = makeMessage(messages.length, { message_type: "user", role: "user", user_kind: "human" });
      messages.push(message);
      blocks.push(makeBlock(message, 0, { block_type: "text", content_text: turn.prompt }));
      continue;
    }
    const lane = { is_sidechain: turn.sidechain ?? turn.agent !== undefined, agent_id: turn.agent ?? null };
    const own = { uuid: turn.uuid ?? null, parent_uuid: turn.parent ?? null };
    const said = makeMessage(messages.length, { ...lane, ...own });
    messages.push(said);
    let order = 0;
    if (turn.says !== undefined) {
      blocks.push(makeBlock(said, order++, { block_type: "text", content_text: turn.says }));
    }
    const results: Partial<ParsedContentBlock>[] = [];
    for (const call of turn.calls) {
      const id = call.id ?? `call_${ids++}`;
      const use = { tool_name: call.tool, tool_use_id: id, tool_input: call.input };
      blocks.push(makeBlock(said, order++, { block_type: "tool_use", ...use }));
      if (call.status === "pending") continue;
      results.push({ tool_result_id: id, status: call.status, result_text: call.result });
    }
    if (results.length === 0) continue;
    const answer = makeMessage(messages.length, {
      message_type: "user",
      role: "user",
      user_kind: "tool_result",
      ...lane,
    });
    if (turn.uuid !== undefined) answer.parent_uuid = turn.uuid;
    messages.push(answer);
    for (const [index, result] of results.entries()) {
      blocks.push(makeBlock(answer, index, { block_type: "tool_result", ...result }));
    }
  }
  return { messages, blocks, calls: correlateToolCalls(messages, blocks) };
}

export function makeMessage(ordinal: number, fields: Partial<TranscriptMessage> = {}): TranscriptMessage {
  return {
    id: `message_${ordinal}`,
    session_id: "session",
    ordinal,
    line_number: ordinal + 1,
    byte_offset: ordinal * 100,
    message_type: "assistant",
    role: "assistant",
    user_kind: null,
    source_id: null,
    uuid: null,
    parent_uuid: null,
    request_id: null,
    model: null,
    provider: null,
    timestamp: null,
    cwd: CWD,
    tokens_in: null,
    tokens_out: null,
    cache_read: null,
    cache_write: null,
    cost_usd: null,
    has_text: false,
    has_thinking: false,
    has_tool_use: false,
    has_tool_result: false,
    is_sidechain: false,
    agent_id: null,
    metadata: {},
    ...fields,
  };
}

export function makeBlock(
  message: TranscriptMessage,
  order: number,
  fields: Partial<ParsedContentBlock>,
): ParsedContentBlock {
  return {
    id: `${message.id}.${order}`,
    message_id: message.id,
    session_id: message.session_id,
    block_order: order,
    line_number: message.line_number,
    source_uuid: null,
    block_type: "text",
    content_text: null,
    thinking_text: null,
    tool_name: null,
    tool_use_id: null,
    tool_input: null,
    tool_result_id: null,
    is_error: null,
    exit_code: null,
    result_text: null,
    status: null,
    metadata: {},
    ...fields,
  };
}
