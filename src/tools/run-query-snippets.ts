/** Finds snippets for an agent. */
import { querySnippets, type QuerySnippetsOutput } from "../snippets/snippet-store.ts";
import type { StoredSnippet } from "../store/stored-model.ts";
import { execution } from "./execution.ts";
import { DATA_NOTICE } from "./session-heading.ts";
import { fittingCount, TokenBudget } from "./tokens.ts";
import { QUERY_SNIPPETS } from "./tool-definitions.ts";

/**
 * Maximum characters of contents in an answer, about 6,000 tokens. A few snippets are shown whole, many only by their
 * beginnings.
 */
const MAX_CHARS = 24_000;
const MIN_CHARS_EACH = 160;
/**
 * Maximum tokens of an answer if the model may see its data: contents are whole there, and what does not fit is on the
 * next page.
 */
const MAX_DATA_TOKENS = 12_000;

export const execute = execution(QUERY_SNIPPETS, async (given, context) => {
  const { where, signal, showsData } = context;
  const all = await querySnippets({ store: await context.openStore("question"), where, signal }, given);
  const output = showsData ? withinBudget(all) : all;
  return { text: textOf(output, given.offset ?? 0), data: { ...output } };
});

function withinBudget(output: QuerySnippetsOutput): QuerySnippetsOutput {
  const count = fittingCount(output.snippets, new TokenBudget(MAX_DATA_TOKENS, true), () => 0);
  if (count === output.snippets.length) return output;
  return { ...output, snippets: output.snippets.slice(0, count), has_more: true };
}

function textOf({ snippets, total_count: total, has_more: more }: QuerySnippetsOutput, offset: number): string {
  if (snippets.length === 0) {
    return total === 0
      ? "No snippet matches. Leave a filter out, or use find_in_transcripts."
      : `There are ${total} snippets, none from offset ${offset} on.`;
  }
  const share = Math.max(MIN_CHARS_EACH, Math.floor(MAX_CHARS / snippets.length));
  const first = offset + 1;
  const last = offset + snippets.length;
  const count = `Snippets ${first} to ${last} of ${total}. ${DATA_NOTICE}${more ? ` For more: offset ${last}.` : ""}`;
  return [count, ...snippets.map((snippet) => snippetText(snippet, share))].join("\n\n");
}

function snippetText(snippet: StoredSnippet, maxChars: number): string {
  const { snippet_id, snippet_type, title, content, created_at, session_id, tags } = snippet;
  const { source_file: file, source_line_start: start, source_line_end: end } = snippet;
  const lines = start === null ? "" : ` lines ${start}-${end ?? start}`;
  const place = `session ${session_id}${file === null ? "" : ` ${file}`}${lines}`;
  const isCut = content.length > maxChars;
  return [
    `## ${title}`,
    [snippet_type, created_at, place, ...(tags.length === 0 ? [] : [`tags ${tags.join(", ")}`]), snippet_id].join("; "),
    isCut
      ? `${content.slice(0, maxChars).toWellFormed()}… (${content.length} characters; a smaller limit shows more)`
      : content,
  ].join("\n");
}
