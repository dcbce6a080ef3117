/** Reads what the host asked the model for: an OpenAI chat completion request. */
import { field, list } from "./fields.ts";

/** One message of the request, with its text parts joined. */
export interface ModelMessage {
  role: string;
  text: string;
  /** Of a tool's answer: the call's id. */
  callID?: string;
}

export type ModelRequestKind = "answer" | "title" | "summary";

export interface ModelRequest {
  kind: ModelRequestKind;
  sessionID: string;
  /** Name of the newest marker in a user's message; undefined if there is none. */
  scenario: string | undefined;
  /** Answers that follow the message with the marker. */
  index: number;
  messages: ModelMessage[];
  tools: string[];
  /** The same as the host sent them, each as one line of JSON. */
  definitions: { name: string; json: string }[];
}

const MARKER = /scenario:([\w-]+)/;

export function parseModelRequest(body: unknown, sessionID: string): ModelRequest {
  const messages = list(field(body, "messages")).map(parseMessage);
  const definitions = list(field(body, "tools")).map((tool) => ({
    name: String(field(field(tool, "function"), "name")),
    json: JSON.stringify(tool),
  }));
  const tools = definitions.map(({ name }) => name);
  const asked = messages.findLastIndex((message) => message.role === "user" && MARKER.test(message.text));
  return {
    kind: requestKind(messages, tools),
    sessionID,
    scenario: MARKER.exec(messages[asked]?.text ?? "")?.[1],
    index: messages.slice(asked + 1).filter((message) => message.role === "assistant").length,
    messages,
    tools,
    definitions,
  };
}

/** Titles and summaries are asked for without tools; a title's system prompt says what it is. */
function requestKind(messages: ModelMessage[], tools: string[]): ModelRequestKind {
  if (tools.length > 0) return "answer";
  const system = messages.filter((message) => message.role === "system").map((message) => message.text);
  return /title/i.test(system.join("\n").slice(0, 400)) ? "title" : "summary";
}

function parseMessage(message: unknown): ModelMessage {
  const content = field(message, "content");
  const text =
    typeof content === "string"
      ? content
      : list(content)
          .map((part) => field(part, "text"))
          .filter((value) => typeof value === "string")
          .join("\n");
  const callID = field(message, "tool_call_id");
  return { role: String(field(message, "role")), text, ...(typeof callID === "string" ? { callID } : {}) };
}
