/** Texts in the search indexes. */
import { foldText } from "../matching/folding.ts";
import { searchedTexts } from "../parse/searched-texts.ts";
import { TEXT_SEPARATOR, type StoredBlock } from "./stored-model.ts";
import { asciiFolded, storableText } from "./storable.ts";

/** Returns the text of an event for SQLite's search table. */
export function searchText(content: string): string {
  return foldText(content);
}

/** Returns the value of PostgreSQL's `folded` column for an event: null where the lower-cased content is enough. */
export function foldedColumn(content: string): string | null {
  const folded = foldText(content);
  return folded === asciiFolded(content) ? null : folded;
}

export type Searched = Pick<StoredBlock, "block_type" | "tool_name" | "kept" | "content" | "metadata">;

/** Returns the searchable texts of a stored block, joined with `TEXT_SEPARATOR`. */
export function searchedContent({ block_type, tool_name, kept, content, metadata }: Searched): string {
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
    .map((each) => storableText(each).replaceAll(TEXT_SEPARATOR, " "))
    .join(TEXT_SEPARATOR);
}
