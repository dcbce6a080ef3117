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
 * Text, thinking and result; of a call its tool's name and what stands in its input; of a block of unknown kind each
 * text in it that is not known to be none. JSON's own characters are not searched.
 */
export function searchedTexts(block: SearchedBlock): string[] {
  const { block_type, content_text, thinking_text, result_text, tool_name, metadata } = block;
  if (block_type === "tool_use") return [...(tool_name === null ? [] : [tool_name]), ...inputTexts(block.tool_input)];
  if (block_type === "unknown") return textsIn(metadata.raw, { withoutFields: NO_TEXT });
  return [content_text, thinking_text, result_text].filter((text) => text !== null);
}

/**
 * Texts and numbers, and the names of fields within: those are data, such as variables of an environment. The names at
 * the top are the tool's own, the same in each call of it.
 */
function inputTexts(input: unknown): string[] {
  if (typeof input !== "object" || input === null) return textsIn(input, { withData: true });
  return Object.values(input).flatMap((value: unknown) => textsIn(value, { withData: true }));
}

interface TextOptions {
  withoutFields?: ReadonlySet<string>;
  /** Numbers and names of fields too. */
  withData?: boolean;
}

/** What is still to be looked at: a value, or a text that is taken as it is. */
type Open = { value: unknown } | { text: string };

/** All texts in a JSON value, in its order. Values can be nested deeper than functions can call themselves. */
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
