/** Of a line of Claude Code, what figures are made from, where that can be had without reading all of it. */
import { isFields, type Fields } from "../parse/json-fields.ts";
import { type JsonPicker, shape } from "./json-picker.ts";

const USAGE = shape({
  input_tokens: "take",
  output_tokens: "take",
  cache_read_input_tokens: "take",
  cache_creation_input_tokens: "take",
  cache_creation: { object: shape({ ephemeral_1h_input_tokens: "take" }) },
});

const BLOCK = shape({
  type: "take",
  text: "begin",
  thinking: "begin",
  id: "take",
  name: "take",
  tool_use_id: "take",
  content: "begin",
  is_error: "take",
});

const MESSAGE = shape({
  id: "take",
  model: "take",
  stop_reason: "take",
  usage: { object: USAGE },
  content: { list: BLOCK },
});

/** Everything that the reading of records looks at, but for what only rows show. */
const RECORD = shape({
  type: "take",
  uuid: "take",
  timestamp: "take",
  sessionId: "take",
  session_id: "take",
  cwd: "take",
  version: "take",
  claude_code_version: "take",
  gitBranch: "take",
  agentId: "take",
  isSidechain: "take",
  parent_tool_use_id: "take",
  costUSD: "take",
  isApiErrorMessage: "take",
  sourceToolAssistantUUID: "take",
  message: { object: MESSAGE },
  toolUseResult: { object: shape({ interrupted: "take" }) },
});

/** Of `<tool_use_error>` and of what closes it. */
const TAG_END = "tool_use_error>";
const MAX_LEADING_SPACE = 16;

/** Types of lines of which only type, uuid and time are looked at. */
const PASSED_OVER = new Set<unknown>(["progress", "file-history-snapshot"]);

/**
 * The record on a line, with long texts cut and much left out, such that the figures made from it are those of the
 * whole record. Undefined if that is not certain, be it that the line is damaged or that its texts matter.
 */
export function pickedRecord(picker: JsonPicker, bytes: Buffer, start: number, end: number): Fields | undefined {
  const record = picker.pick(bytes, start, end, RECORD);
  if (record === undefined) return undefined;
  const type = record["type"];
  if (PASSED_OVER.has(type)) return record;
  const message = record["message"];
  const content = isFields(message) ? message["content"] : undefined;
  if (!Array.isArray(content)) return undefined;
  if (type === "assistant") return content.every(isPlainAnswer) ? record : undefined;
  const isResult = type === "user" && content.length > 0 && typeof record["toolUseResult"] !== "string";
  return isResult && content.every(isPlainResult) ? record : undefined;
}

/** Blocks of which only their kind, their ids and whether they are empty matters. */
function isPlainAnswer(block: unknown): boolean {
  if (!isFields(block)) return false;
  if (block["type"] === "text") return typeof block["text"] === "string";
  if (block["type"] === "thinking") return typeof block["thinking"] === "string";
  return block["type"] === "tool_use";
}

/**
 * A result that tells how the call ended by its mark, or by the beginning of its text that was kept: what is looked
 * for stands within the first 64 characters after white space and tags.
 */
function isPlainResult(block: unknown): boolean {
  if (!isFields(block) || block["type"] !== "tool_result") return false;
  const { is_error: isError, content } = block;
  if (isError === false) return true;
  if (isError !== undefined || typeof content !== "string" || content.includes(TAG_END)) return false;
  return content.length - content.trimStart().length <= MAX_LEADING_SPACE;
}
