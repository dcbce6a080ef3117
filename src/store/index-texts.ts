/**
 * Texts stored in the search indexes. Existing rows were written with these functions, so a change to one needs a new
 * migration.
 */
import { foldText } from "../matching/folding.ts";
import { asciiFolded, exactFold } from "./exact-fold.ts";
import { searchedTexts } from "../parse/searched-texts.ts";
import { TEXT_SEPARATOR, type StoredBlock } from "./stored-model.ts";
import { INDEX_MARK } from "./storable.ts";

/** Returns the text of an event for SQLite's search table. */
export function searchText(content: string): string {
  return foldText(content) + TEXT_SEPARATOR + TEXT_SEPARATOR;
}

/** Returns the value of PostgreSQL's `folded` column for an event: null where the lower-cased content is enough. */
export function foldedColumn(content: string): string | null {
  const folded = foldText(content);
  return folded === asciiFolded(content) ? null : folded;
}

/**
 * Returns the text indexed by version 5 of the tables: two marks at the end make every letter the start of a trigram.
 */
export function snippetSearchText(title: string, content: string): string {
  return exactFold(`${title}${INDEX_MARK}${content}`) + INDEX_MARK + INDEX_MARK;
}

/** Returns the value of the `folded` column for a snippet: null where the lower-cased text is enough. */
export function foldedSnippet(title: string, content: string): string | null {
  const text = `${title}${INDEX_MARK}${content}`;
  const folded = exactFold(text);
  return folded === asciiFolded(text) ? null : folded;
}

/** SQL expression for the text that PostgreSQL searches for a keyword. */
export const POSTGRES_SNIPPET_TEXT = `(coalesce(folded, lower((title || U&'\\FDD0' || content) COLLATE "C")))`;

export type Searched = Pick<StoredBlock, "block_type" | "tool_name" | "kept" | "content" | "metadata">;

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
