/** Converts items of Codex, what the model saw and said, to message drafts. */
import { callBlock as toolCall } from "../../parse/drafts.ts";
import type { BlockDraft } from "../../parse/message-draft.ts";
import {
  type Fields,
  fieldsOf,
  isFields,
  listOf,
  parsedJson,
  stringOf,
  textIn,
  textOf,
} from "../../parse/json-fields.ts";
import type { MessageMetadata, UserKind } from "../../parse/model.ts";
import { mediaType } from "./codex-results.ts";

/** A message that is not the model's. `isSure`: the file says who wrote it, or it can only be the program. */
export interface UserPart {
  kind: UserKind;
  metadata: MessageMetadata;
  blocks: BlockDraft[];
  isSure: boolean;
}

/** Texts that the program adds: the whole text is one element with an underscore in its name, or one of these. */
const ELEMENT = /^<([a-z]+)((?:_[a-z]+)*)(?:\s[^>]*)?>[^]*<\/\1\2(?:\s[^>]*)?>$/;
const ELEMENTS = new Set(["skill", "permissions", "tools", "image"]);
const AGENTS_FILE = /^# AGENTS\.md instructions\b/;
/** An editor puts sections, such as the open files, before the text that the person typed. Anywhere else, the same heading is a quote. */
const EDITOR_PREFACE = /^\s*#{1,2} [^\n]*:\n(?:[^]*?\n)?## My request for Codex:[^\S\n]*\n?/;
const SHELL_COMMAND = /^<user_shell_command>\s*<command>\n?([^]*?)\n?<\/command>\s*<result>\n?([^]*?)\n?<\/result>/;

/** Returns the parts of a message of the role `user` or `developer`: the typed text is one of its own. */
export function userParts(item: Fields): UserPart[] {
  const metadata = listOf(fieldsOf(item, "internal_chat_message_metadata_passthrough"), "content_item_metadata");
  return listOf(item, "content").flatMap((content, at) => {
    const block = contentBlock(content);
    if (block === undefined) return [];
    if (item["role"] !== "user") return [injected(block)];
    const source = textOf(fieldsOf(metadata[at], "provenance"), "type");
    return block.type === "text"
      ? textParts(block, source)
      : [{ kind: "human", metadata: {}, blocks: [block], isSure: source === "user" }];
  });
}

function contentBlock(content: unknown): BlockDraft | undefined {
  const text = stringOf(content, "text");
  // Codex puts the name of a pasted image around it.
  if (text !== undefined) return /^<\/?image\b[^>]*>$/.test(text) || text === "" ? undefined : { type: "text", text };
  const type = textOf(content, "type") ?? "";
  const url = textOf(content, "image_url");
  if (type !== "input_image") return { type: "unknown", metadata: { type, raw: content } };
  const media = mediaType(url);
  if (media === undefined) return { type: "image", metadata: url === undefined ? {} : { url } };
  return { type: "image", metadata: { media_type: media, base64_characters: url?.length ?? 0 } };
}

function textParts(block: BlockDraft, source: string | undefined): UserPart[] {
  const { text = "" } = block;
  const shell = SHELL_COMMAND.exec(text);
  if (shell !== null) {
    const [, command = "", result = ""] = shell;
    return [
      {
        kind: "human",
        metadata: { origin: "command", command: `!${command}` },
        blocks: [{ type: "text", text: `!${command}` }],
        isSure: true,
      },
      { kind: "meta", metadata: { origin: "command_output" }, blocks: [{ type: "text", text: result }], isSure: true },
    ];
  }
  if (source !== "user" && (source !== undefined || isInjected(text))) return [injected(block)];
  const preface = EDITOR_PREFACE.exec(text)?.[0] ?? "";
  const typed = text.slice(preface.length);
  const prompt: UserPart = {
    kind: "human",
    metadata: {},
    blocks: [{ type: "text", text: typed }],
    isSure: source === "user",
  };
  return preface === "" || typed.trim() === ""
    ? [{ ...prompt, blocks: [block] }]
    : [injected({ type: "text", text: preface }), prompt];
}

function isInjected(text: string): boolean {
  const [, word, rest] = ELEMENT.exec(text.trim()) ?? [];
  return AGENTS_FILE.test(text) || (word !== undefined && (rest !== "" || ELEMENTS.has(word)));
}

/** Returns what the program adds to the conversation. */
function injected(block: BlockDraft): UserPart {
  const text = block.text?.trimStart() ?? "";
  const origin = text.startsWith("<turn_aborted>")
    ? "interruption"
    : text.startsWith("<subagent_notification>")
      ? "notification"
      : undefined;
  return { kind: "meta", metadata: origin === undefined ? {} : { origin }, blocks: [block], isSure: true };
}

/** Returns the blocks of a message of the model. */
export function answerBlocks(item: Fields): BlockDraft[] {
  return listOf(item, "content").flatMap((content) => contentBlock(content) ?? refusal(content));
}

function refusal(content: unknown): BlockDraft[] {
  const text = textOf(content, "refusal");
  return text === undefined ? [] : [{ type: "text", text }];
}

/** Returns the thinking of an item: its summary or, of models that show it, its text. The provider may withhold both. */
export function thinkingBlock(item: Fields): BlockDraft {
  const textsIn = (name: string): string =>
    listOf(item, name)
      .flatMap((part) => stringOf(part, "text") ?? [])
      .join("\n\n");
  const text = textsIn("content") || textsIn("summary");
  if (text !== "") return { type: "thinking", text };
  const identity = textIn(item["id"]) ?? textIn(item["encrypted_content"]) ?? "";
  return { type: "thinking", text: "", identity, metadata: { withheld: true } };
}

/** Returns the block of a call; undefined if the item is not one. `result`: of a call whose item has its result too. */
export function callBlock(item: Fields): { use: BlockDraft; hasEnded: boolean } | undefined {
  const call = (toolName: string, input: unknown, id = item["call_id"] ?? item["id"], hasEnded = false) => ({
    use: toolCall(textIn(id), toolName, input),
    hasEnded,
  });
  switch (item["type"]) {
    case "function_call":
      return call(toolName(item), argumentsIn(item["arguments"]));
    case "custom_tool_call":
      return call(toolName(item), item["input"] ?? null);
    case "local_shell_call":
      return call("local_shell", item["action"] ?? null);
    case "tool_search_call":
      return call("tool_search", argumentsIn(item["arguments"]));
    // The provider runs these, and their results are in the answer.
    case "web_search_call":
      return call("web_search", item["action"] ?? null, item["id"], true);
    case "image_generation_call":
      return call("image_generation", { prompt: item["revised_prompt"] ?? null }, item["id"], true);
    default:
      return undefined;
  }
}

/** Returns the name of a tool; that of an MCP server's has the server before it. */
function toolName(item: Fields): string {
  const [name = "", space = ""] = [textIn(item["name"]), textIn(item["namespace"])];
  return space.startsWith("mcp__") && !name.startsWith("mcp__") ? `${space}__${name}` : name;
}

/** Arguments are JSON in a text. */
function argumentsIn(given: unknown): unknown {
  return typeof given === "string" ? (parsedJson(given) ?? given) : (given ?? null);
}

/** Ids of calls that code made. */
const INNER = /^exec-/;

/**
 * Returns a call that the model's code made, with its result. Only events have such calls: a completed item or, in older
 * versions, an event of its own. `cwd`: the folder of the session.
 */
export function innerCall(event: Fields, cwd: unknown): { use: BlockDraft; output: unknown } | undefined {
  const id = textIn(event["call_id"]) ?? textIn(event["id"]);
  if (id === undefined || !INNER.test(id)) return undefined;
  const call = (toolName: string, input: unknown, output: unknown) => ({
    use: toolCall(id, toolName, input),
    output,
  });
  switch (event["type"]) {
    case "CommandExecution":
    case "exec_command_end":
      return call("exec_command", commandInput(event, cwd), event["aggregated_output"] ?? "");
    case "FileChange":
    case "patch_apply_end":
      return call("apply_patch", { changes: event["changes"] ?? {} }, printed(event));
    case "McpToolCall":
    case "mcp_tool_call_end": {
      const made = fieldsOf(event, "invocation") ?? event;
      const ended = fieldsOf(event, "result");
      const error = textOf(fieldsOf(event, "error"), "message") ?? textOf(ended, "Err");
      const tool = `mcp__${textOf(made, "server")}__${textOf(made, "tool")}`;
      return call(tool, made["arguments"] ?? null, error ?? listOf(fieldsOf(ended, "Ok") ?? ended, "content"));
    }
    case "WebSearch":
    case "web_search_end":
      return call("web_search", event["action"] ?? null, "");
    case "ImageView":
      return call("view_image", { path: pathOf(event["path"]) }, "");
    default:
      return undefined;
  }
}

function printed(item: Fields): string {
  return `${stringOf(item, "stdout") ?? ""}${stringOf(item, "stderr") ?? ""}`;
}

/** The command is the shell with its options and the line. */
function commandInput(item: Fields, cwd: unknown): Fields {
  const words = listOf(item, "command");
  const line = words.length === 3 && /^-l?c$/.test(String(words[1])) ? words[2] : words;
  const folder = pathOf(item["cwd"]);
  return { cmd: line, ...(folder === cwd ? {} : { workdir: folder }) };
}

function pathOf(value: unknown): unknown {
  return typeof value === "string" && value.startsWith("file://")
    ? decodeURIComponent(value.slice("file://".length))
    : value;
}

/** Message between agents: the task of a subagent, or its answer. The provider may encrypt its text. */
export function messageBetweenAgents(item: Fields): UserPart {
  const parts = listOf(item, "content").filter(isFields);
  const text = parts.map((part) => stringOf(part, "text") ?? readable(textOf(part, "encrypted_content"))).join("");
  const isTask = /^Message Type: NEW_TASK\b/.test(text);
  const said = text.replace(/^(?:Message Type|Task name|Sender): [^]*?\nPayload:\n/, "");
  const blocks: BlockDraft[] = [{ type: "text", text: said }];
  return isTask
    ? { kind: "human", metadata: {}, blocks, isSure: true }
    : { kind: "meta", metadata: { origin: "teammate" }, blocks, isSure: true };
}

function readable(text = ""): string {
  return text === "" || /\s/.test(text) ? text : "[encrypted by the provider]";
}
