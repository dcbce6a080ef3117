/** The APIs of model providers that agents use: OpenAI's Responses and Chat Completions, Google's and Anthropic's. */
import type { ServerResponse } from "node:http";
import { type Fields, fieldsOf, isFields, textOf } from "../../../src/parse/json-fields.ts";
import type { Protocol, Said, Turn } from "./scripted-model.ts";

const CREATED = 1_790_000_000;

export const responsesProtocol: Protocol = {
  base: "/v1",
  read: (path, body) =>
    path.endsWith("/responses")
      ? { model: textOf(body, "model") ?? "", turns: listOf(body["input"]).flatMap(turnOfItem), isStreamed: true }
      : undefined,
  write: (response, { id, usage, ...said }) => {
    const output = itemsOf({ id, usage, ...said });
    const input = usage.uncached + usage.cacheRead;
    const counts = {
      input_tokens: input,
      input_tokens_details: { cached_tokens: usage.cacheRead },
      output_tokens: usage.output,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: input + usage.output,
    };
    const about = { id: `resp_${id}`, object: "response", created_at: CREATED };
    const events: Fields[] = [{ type: "response.created", response: { ...about, status: "in_progress", output: [] } }];
    for (const [index, item] of output.entries()) {
      const at = { output_index: index, item_id: item["id"] };
      events.push({ type: "response.output_item.added", ...at, item: unfinished(item) });
      for (const { text } of listOf(item["summary"]))
        events.push({ type: "response.reasoning_summary_text.done", ...at, summary_index: 0, text });
      events.push({ type: "response.output_item.done", ...at, item });
    }
    events.push({ type: "response.completed", response: { ...about, status: "completed", output, usage: counts } });
    sendEvents(response, events);
  },
};

function turnOfItem(item: Fields): Turn[] {
  const { type, role } = item;
  const callId = textOf(item, "call_id");
  const name = typeof type === "string" ? type : "";
  if (callId !== undefined && name.endsWith("_output")) return [{ by: "tool", callId, text: wordsIn(item["output"]) }];
  if (role === "assistant" || name === "reasoning" || name.endsWith("_call")) return [{ by: "model" }];
  return role === "user" || name === "agent_message" ? [{ by: "user", text: wordsIn(item["content"]) }] : [];
}

function itemsOf({ id, thinking, text, calls = [], callIds }: Said): Fields[] {
  const summary = [{ type: "summary_text", text: thinking }];
  const content = [{ type: "output_text", text, annotations: [] }];
  return [
    ...(thinking === undefined ? [] : [{ type: "reasoning", id: `rs_${id}`, summary, encrypted_content: "eA==" }]),
    ...(text === undefined ? [] : [{ type: "message", role: "assistant", id: `msg_${id}`, content }]),
    ...calls.map(({ name, ns, input }, i) => {
      const call = { id: `item_${id}_${i}`, call_id: callIds[i], name, status: "completed" };
      if (typeof input === "string") return { ...call, type: "custom_tool_call", input };
      const where = ns === undefined ? {} : { namespace: ns };
      return { ...call, ...where, type: "function_call", arguments: JSON.stringify(input) };
    }),
  ];
}

/** Returns an item as it is announced, before its content. */
function unfinished(item: Fields): Fields {
  const empty: Fields = { content: [], summary: [], arguments: "", input: "" };
  return Object.fromEntries(Object.entries(item).map(([name, value]) => [name, name in empty ? empty[name] : value]));
}

export const chatProtocol: Protocol = {
  base: "/v1",
  read: (path, body) =>
    path.endsWith("/chat/completions")
      ? {
          model: textOf(body, "model") ?? "",
          turns: listOf(body["messages"]).flatMap(turnOfMessage),
          isStreamed: body["stream"] === true,
        }
      : undefined,
  write: (response, { id, thinking, text, calls = [], callIds, model, usage, isStreamed }) => {
    const toolCalls = calls.map(({ name, input }, index) => ({
      index,
      id: callIds[index],
      type: "function",
      function: { name, arguments: JSON.stringify(input) },
    }));
    const message = {
      role: "assistant",
      content: text ?? null,
      ...(thinking === undefined ? {} : { reasoning_content: thinking }),
      ...(toolCalls.length === 0 ? {} : { tool_calls: toolCalls }),
    };
    const input = usage.uncached + usage.cacheRead;
    const counts = {
      prompt_tokens: input,
      prompt_tokens_details: { cached_tokens: usage.cacheRead },
      completion_tokens: usage.output,
      total_tokens: input + usage.output,
    };
    const finish_reason = toolCalls.length === 0 ? "stop" : "tool_calls";
    const about = { id: `chatcmpl-${id}`, created: CREATED, model };
    if (!isStreamed) {
      const choices = [{ index: 0, finish_reason, message }];
      sendJson(response, { ...about, object: "chat.completion", choices, usage: counts });
      return;
    }
    const chunk = { ...about, object: "chat.completion.chunk" };
    sendEvents(response, [
      { ...chunk, choices: [{ index: 0, delta: message, finish_reason: null }] },
      { ...chunk, choices: [{ index: 0, delta: {}, finish_reason }] },
      { ...chunk, choices: [], usage: counts },
    ]);
  },
};

function turnOfMessage(message: Fields): Turn[] {
  const text = wordsIn(message["content"]);
  switch (message["role"]) {
    case "tool":
      return [{ by: "tool", callId: textOf(message, "tool_call_id") ?? "", text }];
    case "assistant":
      return [{ by: "model" }];
    case "user":
      return [{ by: "user", text }];
    default:
      return [];
  }
}

const GENERATE = /\/models\/([^:/]+):(generateContent|streamGenerateContent)\b/;

export const googleProtocol: Protocol = {
  base: "",
  read: (path, body) => {
    const [, model = "", method] = GENERATE.exec(path) ?? [];
    const turns = listOf(body["contents"]).flatMap(turnsOfContent);
    return method === undefined ? undefined : { model, turns, isStreamed: method === "streamGenerateContent" };
  },
  write: (response, { id, thinking, text, calls = [], callIds, model, usage, isStreamed }) => {
    const parts = [
      ...(thinking === undefined ? [] : [{ text: `**Thinking**\n${thinking}`, thought: true }]),
      ...(text === undefined ? [] : [{ text }]),
      ...calls.map(({ name, input: args }, i) => ({ functionCall: { id: callIds[i], name, args } })),
    ];
    const input = usage.uncached + usage.cacheRead;
    // Thoughts have a heading, and are billed on top of the candidates.
    const thoughts = thinking === undefined ? 0 : 3;
    const usageMetadata = {
      promptTokenCount: input,
      cachedContentTokenCount: usage.cacheRead,
      candidatesTokenCount: usage.output - thoughts,
      thoughtsTokenCount: thoughts,
      totalTokenCount: input + usage.output,
    };
    const candidates = [{ index: 0, content: { role: "model", parts }, finishReason: "STOP" }];
    const whole = { responseId: id, modelVersion: model, candidates, usageMetadata };
    if (isStreamed) sendEvents(response, [whole]);
    else sendJson(response, whole);
  },
};

function turnsOfContent({ role, parts }: Fields): Turn[] {
  if (role === "model") return [{ by: "model" }];
  const all = listOf(parts);
  const results = all.flatMap((part): Turn[] => {
    const result = fieldsOf(part, "functionResponse");
    const text = JSON.stringify(result?.["response"]);
    return result === undefined ? [] : [{ by: "tool", callId: textOf(result, "id") ?? "", text }];
  });
  return results.length > 0 ? results : [{ by: "user", text: wordsIn(all) }];
}

export const anthropicProtocol: Protocol = {
  base: "",
  read: (path, body) => {
    if (!/\/messages(?:\?|$)/.test(path)) return undefined;
    // Claude Code asks for itself, such as for a title, without tools.
    const messages = listOf(body["tools"]).length === 0 ? [] : listOf(body["messages"]);
    const turns = messages.flatMap(turnsOfBlocks);
    return { model: textOf(body, "model") ?? "", turns, isStreamed: body["stream"] === true };
  },
  write: (response, { id, thinking, text, calls = [], callIds, model, usage, isStreamed }) => {
    const content: Fields[] = [
      ...(thinking === undefined ? [] : [{ type: "thinking", thinking, signature: "c2ln" }]),
      ...(text === undefined ? [] : [{ type: "text", text }]),
      ...calls.map(({ name, input }, i) => ({ type: "tool_use", id: callIds[i], name, input })),
    ];
    const stop = { stop_reason: calls.length > 0 ? "tool_use" : "end_turn", stop_sequence: null };
    const counts = {
      input_tokens: usage.uncached,
      cache_creation_input_tokens: usage.cacheWrite,
      cache_read_input_tokens: usage.cacheRead,
      output_tokens: usage.output,
    };
    const message = { id: `msg_${id}`, type: "message", role: "assistant", model };
    if (!isStreamed) {
      sendJson(response, { ...message, content, ...stop, usage: counts });
      return;
    }
    const begun = { ...message, content: [], stop_reason: null, usage: { ...counts, output_tokens: 1 } };
    sendEvents(response, [
      { type: "message_start", message: begun },
      ...content.flatMap((block, index) => [
        { type: "content_block_start", index, content_block: emptyBlock(block) },
        ...deltasOf(block).map((delta) => ({ type: "content_block_delta", index, delta })),
        { type: "content_block_stop", index },
      ]),
      { type: "message_delta", delta: stop, usage: { output_tokens: usage.output } },
      { type: "message_stop" },
    ]);
  },
};

function turnsOfBlocks({ role, content }: Fields): Turn[] {
  if (role === "assistant") return [{ by: "model" }];
  const results = listOf(content).filter(({ type }) => type === "tool_result");
  return results.length > 0
    ? results.map((result) => ({
        by: "tool",
        callId: textOf(result, "tool_use_id") ?? "",
        text: wordsIn(result["content"]),
      }))
    : [{ by: "user", text: wordsIn(content) }];
}

/** Returns a block as it is announced, before its content. */
function emptyBlock(block: Fields): Fields {
  const empty: Fields = { thinking: "", signature: "", text: "", input: {} };
  return Object.fromEntries(Object.entries(block).map(([name, value]) => [name, name in empty ? empty[name] : value]));
}

function deltasOf({ type, text, thinking, signature, input }: Fields): Fields[] {
  if (type === "text") return [{ type: "text_delta", text }];
  if (type === "tool_use") return [{ type: "input_json_delta", partial_json: JSON.stringify(input) }];
  return [
    { type: "thinking_delta", thinking },
    { type: "signature_delta", signature },
  ];
}

/** Returns all texts of a content. */
function wordsIn(content: unknown): string {
  if (typeof content === "string") return content;
  if (Array.isArray(content)) return content.map(wordsIn).join("\n");
  if (!isFields(content)) return "";
  return textOf(content, "text") ?? textOf(content, "encrypted_content") ?? wordsIn(content["content"]);
}

function listOf(value: unknown): Fields[] {
  return Array.isArray(value) ? value.filter(isFields) : [];
}

function sendJson(response: ServerResponse, body: Fields): void {
  response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(body));
}

/** Sends server-sent events, each with its type as name. */
function sendEvents(response: ServerResponse, events: readonly Fields[]): void {
  response.writeHead(200, { "content-type": "text/event-stream" });
  for (const event of events) {
    const name = textOf(event, "type");
    response.write(`${name === undefined ? "" : `event: ${name}\n`}data: ${JSON.stringify(event)}\n\n`);
  }
  response.end();
}
