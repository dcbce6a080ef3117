/** What of a block is conversation: the texts that a search looks through. */
import type { ParsedContentBlock } from "../parse/model.ts";

/** Fields of blocks of unknown kind that are no text for anyone to read. */
const NO_TEXT = new Set(["type", "id", "tool_use_id", "signature", "data", "encrypted_content", "encrypted_index"]);

/** What of a block its texts are taken from. */
export type SearchedBlock = Pick<
  ParsedContentBlock,
  "block_type" | "content_text" | "thinking_text" | "result_text" | "tool_name" | "tool_input" | "metadata"
>;

/**
 * Text, thinking and result; of a call its tool's name and each text in its input; of a block of unknown kind each
 * text in it that is not known to be none. Keys, numbers and JSON's own characters are not searched.
 */
export function searchedTexts(block: SearchedBlock): string[] {
  const { block_type, content_text, thinking_text, result_text, tool_name, metadata } = block;
  if (block_type === "tool_use") return [...(tool_name === null ? [] : [tool_name]), ...textsIn(block.tool_input)];
  if (block_type === "unknown") return textsIn(metadata.raw, NO_TEXT);
  return [content_text, thinking_text, result_text].filter((text) => text !== null);
}

/** All texts in a JSON value, in its order. Values can be nested deeper than functions can call themselves. */
function textsIn(value: unknown, without: ReadonlySet<string> = new Set()): string[] {
  const texts: string[] = [];
  const rest: unknown[] = [value];
  while (rest.length > 0) {
    const next = rest.pop();
    if (typeof next === "string") texts.push(next);
    else if (Array.isArray(next)) for (const item of next.toReversed()) rest.push(item);
    else if (typeof next === "object" && next !== null) {
      const fields: [string, unknown][] = Object.entries(next);
      for (const [key, item] of fields.toReversed()) if (!without.has(key)) rest.push(item);
    }
  }
  return texts;
}
