/** Converts the content of Claude Code's messages to blocks. */
import type { BlockDraft } from "../message-draft.ts";
import { fieldsOf, isFields, jsonText, textIn, textOf, type Fields } from "../json-fields.ts";
import type { BlockMetadata } from "../model.ts";
import { exitCodeInError, resultStatus } from "../../calls/result-texts.ts";

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
    case "document":
      return { type: block["type"], metadata: mediaOf(block) };
    default:
      return unknownBlock(textIn(block["type"]) ?? "object without a type", block);
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
  if (part["type"] === "image") return `[image ${textOf(fieldsOf(part, "source"), "media_type") ?? ""}]`;
  if (part["type"] === "tool_reference") return `[tool reference ${textOf(part, "tool_name") ?? ""}]`;
  return jsonText(part);
}

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
  const mediaType = textOf(source, "media_type");
  const data = source["data"];
  const url = textOf(source, "url");
  return {
    ...(mediaType === undefined ? {} : { media_type: mediaType }),
    // The bytes stay in the file, because they are not text.
    ...(typeof data === "string" ? { base64_characters: data.length } : {}),
    ...(url === undefined ? {} : { url }),
  };
}

function unknownBlock(type: string, raw: unknown): BlockDraft {
  return { type: "unknown", metadata: { type, raw } };
}

function kindOf(value: unknown): string {
  return value === null ? "null" : typeof value;
}
