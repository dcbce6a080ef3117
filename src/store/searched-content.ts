import { searchedTexts } from "../parse/searched-texts.ts";
import { TEXT_SEPARATOR, type StoredBlock } from "./stored-model.ts";

type Searched = Pick<StoredBlock, "block_type" | "tool_name" | "kept" | "content" | "metadata">;

/** Returns the searchable texts of a stored block, joined with `TEXT_SEPARATOR`. */
export function searchedContent({ block_type, tool_name, kept, content, metadata }: Searched): string {
  if (kept === "text") return content;
  const isCall = block_type === "tool_use";
  const input: unknown = isCall && kept === "all" ? JSON.parse(content) : null;
  const text = isCall || kept === "none" ? null : content;
  return searchedTexts({
    block_type,
    tool_name,
    metadata,
    content_text: text,
    thinking_text: null,
    result_text: null,
    tool_input: input,
  })
    .map((each) => each.replaceAll(TEXT_SEPARATOR, " "))
    .join(TEXT_SEPARATOR);
}
