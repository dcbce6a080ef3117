/** Returns the texts of a block for searches. */
import type { ParsedContentBlock, TranscriptMessage } from "./model.ts";

/** Fields of unknown blocks that are not text for people. */
const NO_TEXT = new Set(["type", "id", "tool_use_id", "signature", "data", "encrypted_content", "encrypted_index"]);

/** Block fields with texts. */
export type SearchedBlock = Pick<
  ParsedContentBlock,
  "block_type" | "content_text" | "thinking_text" | "result_text" | "tool_name" | "tool_input" | "metadata"
>;

/**
 * Returns text, thinking or result; for a call its tool's name and input; for an unknown block each text in it that may be
 * for people. The syntax characters of JSON are not included.
 */
export function searchedTexts(block: SearchedBlock): string[] {
  const { block_type, content_text, thinking_text, result_text, tool_name, metadata } = block;
  if (block_type === "tool_use") return [...(tool_name === null ? [] : [tool_name]), ...inputTexts(block.tool_input)];
  if (block_type === "unknown") return textsIn(metadata.raw, { withoutFields: NO_TEXT });
  return [content_text, thinking_text, result_text].filter((text) => text !== null);
}

/**
 * Returns texts, numbers and the names of nested fields, which are data such as environment variables. The top-level names
 * belong to the tool and are the same in each of its calls.
 */
function inputTexts(input: unknown): string[] {
  if (typeof input !== "object" || input === null) return textsIn(input, { withData: true });
  return Object.values(input).flatMap((value: unknown) => textsIn(value, { withData: true }));
}

interface TextOptions {
  withoutFields?: ReadonlySet<string>;
  /** Includes numbers and names of fields. */
  withData?: boolean;
}

/** Pending value, or text to return unchanged. */
type Open = { value: unknown } | { text: string };

/** Returns all texts in a JSON value, in order. Not recursive, as values can be nested deeper than the stack allows. */
function textsIn(value: unknown, { withoutFields, withData = false }: TextOptions): string[] {
  const texts: string[] = [];
  const open: Open[] = [{ value }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if ("text" in next) texts.push(next.text);
    else if (typeof next.value === "string") texts.push(next.value);
    else if (typeof next.value === "number" && withData) texts.push(String(next.value));
    else if (Array.isArray(next.value)) for (const item of next.value.toReversed()) open.push({ value: item });
    else if (typeof next.value === "object" && next.value !== null) {
      const fields: [string, unknown][] = Object.entries(next.value);
      for (const [name, item] of fields.toReversed()) {
        if (withoutFields?.has(name) !== true) open.push({ value: item });
        if (withData) open.push({ text: name });
      }
    }
  }
  return texts;
}

/**
 * Roles of passages. `tool`: calls and results. `user`: what a person typed. `assistant`: also the prompts that it gives to
 * subagents. `system`: text added by the program, including summaries.
 */
export const HIT_ROLES = ["user", "assistant", "tool", "system"] as const;
export type HitRole = (typeof HIT_ROLES)[number];

export function hitRole(
  { message_type, user_kind, is_sidechain }: TranscriptMessage,
  { block_type }: ParsedContentBlock,
): HitRole {
  if (block_type === "tool_use" || block_type === "tool_result") return "tool";
  if (message_type === "assistant") return "assistant";
  if (message_type !== "user" || user_kind === "meta") return "system";
  return is_sidechain ? "assistant" : "user";
}
