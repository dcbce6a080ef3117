/** What both backends do alike with the lists of snippets by term. */
import { blockOf } from "./position-set.ts";
import { numberIn, textIn, type Row } from "./row.ts";
import { termsOf, type Listable } from "./snippet-terms.ts";

/** Snippets whose texts are in memory at once. */
export const LIST_BATCH = 2_048;

export const LISTABLE_COLUMNS = "position, snippet_type, title, content, tags";

/** Of rows with `LISTABLE_COLUMNS`. */
export function positionsByTerm(rows: readonly Row[]): Map<string, number[]> {
  const found = new Map<string, number[]>();
  for (const row of rows) {
    const position = numberIn(row, "position");
    for (const term of termsOf(listableIn(row))) {
      const positions = found.get(term);
      if (positions === undefined) found.set(term, [position]);
      else positions.push(position);
    }
  }
  return found;
}

export function listableIn(row: Row): Listable {
  return {
    snippet_type: textIn(row, "snippet_type"),
    title: textIn(row, "title"),
    content: textIn(row, "content"),
    tags: tagsIn(JSON.parse(textIn(row, "tags"))),
  };
}

/** Other programs may have written others than texts, which nobody looks for. */
function tagsIn(tags: unknown): string[] {
  return Array.isArray(tags) ? tags.filter((tag) => typeof tag === "string") : [];
}

export function byBlock(positions: readonly number[]): Map<number, number[]> {
  return Map.groupBy(positions, blockOf);
}
