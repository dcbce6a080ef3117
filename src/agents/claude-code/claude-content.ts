/** Converts the content of Claude Code's messages to blocks. */
import type { BlockDraft } from "../../parse/message-draft.ts";
import { countIn, fieldsOf, isFields, jsonText, textIn, textOf, type Fields } from "../../parse/json-fields.ts";
import type { BlockMetadata } from "../../parse/model.ts";
import { exitCodeInError, resultStatus } from "./claude-endings.ts";

/**
 * Returns the blocks of `message.content` of any shape. `line` is the whole record: its `toolUseResult` shows how a
 * call ended.
 */
export function contentBlocks(content: unknown, line: Fields): BlockDraft[] {
  if (content === null || content === undefined) return [];
  if (typeof content === "string") return [{ type: "text", text: content }];
  if (Array.isArray(content)) return content.map((block: unknown) => contentBlock(block, line));
  return [contentBlock(content, line)];
}

function contentBlock(block: unknown, line: Fields): BlockDraft {
  if (typeof block === "string") return { type: "text", text: block };
  if (!isFields(block)) return unknownBlock(kindOf(block), block);
  switch (block["type"]) {
    case "text":
      return typeof block["text"] === "string" ? { type: "text", text: block["text"] } : unknownBlock("text", block);
    case "thinking":
      return thinkingBlock(block);
    case "redacted_thinking":
      return { type: "redacted_thinking", identity: textIn(block["data"]) ?? "", metadata: { withheld: true } };
    case "tool_use":
    case "server_tool_use":
    case "mcp_tool_use":
      return callBlock(block);
    case "tool_result":
      return resultBlock(block, line);
    case "image":
      return { type: "image", metadata: mediaOf(block) };
    case "document":
      return { type: "document", text: documentText(block), metadata: mediaOf(block) };
    default: {
      const type = textIn(block["type"]) ?? "object without a type";
      return isServerResult(type, block) ? serverResultBlock(block) : unknownBlock(type, withoutBytes(block));
    }
  }
}

function thinkingBlock(block: Fields): BlockDraft {
  const text = typeof block["thinking"] === "string" ? block["thinking"] : "";
  // Newer versions keep only the signature of thinking.
  if (text !== "") return { type: "thinking", text };
  return { type: "thinking", text, identity: textIn(block["signature"]) ?? "", metadata: { withheld: true } };
}

function callBlock(block: Fields): BlockDraft {
  return {
    type: "tool_use",
    input: block["input"] ?? null,
    toolName: textIn(block["name"]),
    toolUseId: textIn(block["id"]),
    metadata: block["type"] === "tool_use" ? undefined : { type: String(block["type"]) },
  };
}

function resultBlock(block: Fields, line: Fields): BlockDraft {
  const text = resultText(block["content"]);
  const isError = typeof block["is_error"] === "boolean" ? block["is_error"] : null;
  // stream-json uses snake_case.
  const toolUseResult = line["toolUseResult"] ?? line["tool_use_result"];
  // The host itself applies the rule of `endingOf` to exit codes.
  const status = resultStatus({ isError, text: text ?? "", toolUseResult });
  return {
    type: "tool_result",
    isError: isError === true,
    status,
    exitCode: status === "completed" ? undefined : exitCodeInError(text ?? ""),
    text,
    toolUseId: textIn(block["tool_use_id"]),
    metadata: resultMetadata(block["content"], text, toolUseResult),
  };
}

/** Result of a tool that the provider runs, in the answer itself: `web_search_tool_result`, `advisor_tool_result`, … */
function isServerResult(type: string, block: Fields): boolean {
  return type.endsWith("_tool_result") && "tool_use_id" in block;
}

function serverResultBlock(block: Fields): BlockDraft {
  const { content, is_error: isMarked } = block;
  const code = countIn(fieldsOf(block, "content")?.["return_code"]);
  const isError = isMarked === true || isServerError(content) || (code ?? 0) !== 0;
  return {
    type: "tool_result",
    isError,
    status: isError ? "error" : "completed",
    exitCode: code,
    text: resultText(content),
    toolUseId: textIn(block["tool_use_id"]),
    metadata: { type: String(block["type"]) },
  };
}

function isServerError(content: unknown): boolean {
  return textOf(content, "error_code") !== undefined || textOf(content, "type")?.endsWith("_error") === true;
}

/** Returns the text of a result: its text parts on separate lines, with a note for anything else. */
function resultText(content: unknown): string | undefined {
  if (content === null || content === undefined) return undefined;
  if (typeof content === "string") return content;
  if (Array.isArray(content)) return content.map(resultPart).join("\n");
  if (isFields(content)) return resultPart(content);
  return jsonText(content);
}

function resultPart(part: unknown): string {
  if (typeof part === "string") return part;
  if (!isFields(part)) return jsonText(part);
  if (typeof part["text"] === "string") return part["text"];
  const type = textIn(part["type"]) ?? "";
  const media = textOf(part["source"], "media_type") ?? textIn(part["mimeType"]) ?? "";
  if (type === "image" || type === "audio") return `[${type} ${media}]`;
  if (type === "document") return documentText(part) ?? `[document ${media}]`;
  if (type === "tool_reference") return `[tool reference ${textOf(part, "tool_name") ?? ""}]`;
  if (typeof part["stdout"] === "string") return linesOf(part["stdout"], part["stderr"]);
  if (textOf(part, "error_code") !== undefined) return linesOf(part["error_code"], part["error_message"]);
  if (type === "search_result") return linesOf(part["title"], part["source"], resultText(part["content"]));
  if (type === "web_search_result") return linesOf(part["title"], part["url"]);
  if (Array.isArray(part["tool_references"])) return part["tool_references"].map(resultPart).join("\n");
  if ("encrypted_content" in part) return "[withheld by the provider]";
  if (type === "resource" && isFields(part["resource"])) return resourceText(part["resource"]);
  if (type.endsWith("_result") && "content" in part) return linesOf(part["url"], resultText(part["content"]));
  return jsonText(withoutBytes(part));
}

function resourceText(resource: Fields): string {
  return typeof resource["text"] === "string" ? resource["text"] : `[resource ${textIn(resource["uri"]) ?? ""}]`;
}

function linesOf(...parts: unknown[]): string {
  return parts.filter((part) => typeof part === "string" && part !== "").join("\n");
}

/** Returns the text of a document; undefined for one of bytes. */
function documentText(block: Fields): string | undefined {
  const source = fieldsOf(block, "source");
  if (source?.["type"] === "text") return textIn(source["data"]);
  return source?.["type"] === "content" ? resultText(source["content"]) : undefined;
}

/** Fields with base64, at any depth. */
const BYTES = new Set(["data", "blob", "encrypted_content", "encrypted_index", "encrypted_stdout"]);
/** Shorter texts may be anything. */
const LEAST_BYTES = 64;

/** Returns a value with the number of characters in place of each base64 text, because bytes are not text. */
function withoutBytes(value: unknown, depth = 0): unknown {
  if (depth > MAX_DEPTH) return value;
  if (Array.isArray(value)) return value.map((item) => withoutBytes(item, depth + 1));
  if (!isFields(value)) return value;
  const entries = Object.entries(value).map(([name, item]): [string, unknown] => {
    const isBytes =
      BYTES.has(name) && typeof item === "string" && item.length >= LEAST_BYTES && /^[\w+/=\s-]+$/.test(item);
    return [name, isBytes ? `[${item.length} characters of base64]` : withoutBytes(item, depth + 1)];
  });
  return Object.fromEntries(entries);
}

/** Deeper values are left as they are, which bounds the recursion. */
const MAX_DEPTH = 100;

function resultMetadata(content: unknown, text: string | undefined, toolUseResult: unknown): BlockMetadata {
  const metadata: BlockMetadata = {};
  const images = Array.isArray(content)
    ? content.filter((part) => isFields(part) && part["type"] === "image").length
    : 0;
  if (images > 0) metadata["images"] = images;
  if (!isFields(toolUseResult)) return metadata;
  const agent = textOf(toolUseResult, "agentId");
  if (agent !== undefined) metadata["subagent_id"] = agent;
  const kept = textOf(toolUseResult, "persistedOutputPath");
  if (kept !== undefined && text?.includes("<persisted-output>") === true) metadata.persisted_output_path = kept;
  return metadata;
}

function mediaOf(block: Fields): BlockMetadata {
  const source = fieldsOf(block, "source");
  if (!source) return {};
  const title = textOf(block, "title");
  const mediaType = textOf(source, "media_type");
  const data = source["data"];
  const url = textOf(source, "url");
  return {
    ...(mediaType === undefined ? {} : { media_type: mediaType }),
    // The bytes stay in the file, because they are not text.
    ...(typeof data === "string" && source["type"] !== "text" ? { base64_characters: data.length } : {}),
    ...(title === undefined ? {} : { title }),
    ...(url === undefined ? {} : { url }),
  };
}

function unknownBlock(type: string, raw: unknown): BlockDraft {
  return { type: "unknown", metadata: { type, raw } };
}

function kindOf(value: unknown): string {
  return value === null ? "null" : typeof value;
}
