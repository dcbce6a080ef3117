/** What the indexes of texts hold. Rows were written with it: another text is another step of `migrations`. */
import { foldText } from "../matching/folding.ts";
import { asciiFolded, exactFold } from "./exact-fold.ts";
import { TEXT_SEPARATOR } from "./model.ts";
import { INDEX_MARK } from "./storable.ts";

/** What the search table of SQLite holds of an event. */
export function searchText(content: string): string {
  return foldText(content) + TEXT_SEPARATOR + TEXT_SEPARATOR;
}

/** What the column `folded` of PostgreSQL holds of an event: null where its lower case is enough. */
export function foldedColumn(content: string): string | null {
  const folded = foldText(content);
  return folded === asciiFolded(content) ? null : folded;
}

/** Trigrams of version 5 of the tables: two marks at the end make every letter the first of one. */
export function snippetSearchText(title: string, content: string): string {
  return exactFold(`${title}${INDEX_MARK}${content}`) + INDEX_MARK + INDEX_MARK;
}

/** What the column `folded` holds of a snippet: null where its lower case is enough. */
export function foldedSnippet(title: string, content: string): string | null {
  const text = `${title}${INDEX_MARK}${content}`;
  const folded = exactFold(text);
  return folded === asciiFolded(text) ? null : folded;
}

/** Text of a snippet in which PostgreSQL looks for a keyword. */
export const POSTGRES_SNIPPET_TEXT = `(coalesce(folded, lower((title || U&'\\FDD0' || content) COLLATE "C")))`;
