/** A store of snippets in a few lines, to compare the real ones with. */
import { foldedPattern } from "../../../src/matching/folding.ts";
import type { StoredSnippet } from "../../../src/store/stored-model.ts";
import { storableText } from "../../../src/store/storable.ts";
import type { SnippetQuery } from "../../../src/store/store.ts";

/** All snippets that a question is for, newest first and then by id. */
export function matching(
  snippets: readonly StoredSnippet[],
  query: SnippetQuery,
  projectOf: ReadonlyMap<string, string | null>,
): StoredSnippet[] {
  const { session_id, snippet_type, project, tags = [], keyword, start, end } = query;
  const fits = (snippet: StoredSnippet): boolean =>
    (session_id === undefined || snippet.session_id === storableText(session_id)) &&
    (snippet_type === undefined || snippet.snippet_type === snippet_type) &&
    (project === undefined || isProject(projectOf.get(snippet.session_id) ?? null, storableText(project))) &&
    tags.every((tag) => snippet.tags.includes(storableText(tag))) &&
    (keyword === undefined || has(snippet.title, keyword) || has(snippet.content, keyword)) &&
    (start === undefined || Date.parse(snippet.created_at) >= start.getTime()) &&
    (end === undefined || Date.parse(snippet.created_at) <= end.getTime());
  return snippets
    .filter(fits)
    .toSorted((a, b) => Date.parse(b.created_at) - Date.parse(a.created_at) || (a.snippet_id < b.snippet_id ? -1 : 1));
}

function has(text: string, keyword: string): boolean {
  return keyword === "" || foldedPattern(storableText(keyword)).test(text);
}

function isProject(folder: string | null, project: string): boolean {
  if (folder === null) return false;
  return (
    folder === project ||
    folder
      .split(/[\\/]/)
      .findLast((name) => name !== "")
      ?.toLowerCase() === project.toLowerCase()
  );
}
