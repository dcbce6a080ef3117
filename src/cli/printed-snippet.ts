/** Formats snippets. */
import { counted, dayAndTime } from "../quantities.ts";
import type { StoredSnippet } from "../store/stored-model.ts";
import type { SnippetSuggestion } from "../snippets/suggest.ts";
import type { CommandContext } from "./command.ts";
import { neutralBlock, neutralLine, shortened } from "../neutral-text.ts";
import { wrap } from "./terminal/width.ts";

/** Number of lines of the content shown without --full. */
const PREVIEW_LINES = 6;
const MAX_LINE = 160;
const INDENT = "  ";

/** Formats a snippet as several lines and an empty one. */
export function snippetText(context: CommandContext, snippet: StoredSnippet, full: boolean): string {
  const { snippet_type, title, created_at, session_id, snippet_id, tags } = snippet;
  const { source_line_start: start, source_line_end: end } = snippet;
  const place = start === null ? session_id : `${session_id}:${start}-${end ?? start}`;
  const about = [dayAndTime(created_at), place, ...tags.map((tag) => `#${tag}`), snippet_id]
    .map((word) => neutralLine(word))
    .join("  ");
  return entry(context, { type: snippet_type, title, about, content: snippet.content }, full);
}

export function suggestionText(context: CommandContext, suggestion: SnippetSuggestion, full: boolean): string {
  const { snippet_type, title, line_start, line_end, from, score, reason } = suggestion;
  const lines = line_start === line_end ? `line ${line_start}` : `lines ${line_start}-${line_end}`;
  const about = [...(from === null ? [] : [dayAndTime(from)]), lines, `score ${score}`, neutralLine(reason)].join("  ");
  return entry(context, { type: snippet_type, title, about, content: suggestion.content }, full);
}

function entry(
  { colors, columns }: CommandContext,
  { type, title, about, content }: { type: string; title: string; about: string; content: string },
  full: boolean,
): string {
  const head = wrap(`${colors.yellow(type)}  ${colors.bold(neutralLine(title))}`, columns);
  const text = neutralBlock(full ? content : preview(content));
  // In a pipe the content is unchanged, including tabs.
  const shown = columns === Infinity ? text.replaceAll(/^/gm, INDENT) : wrap(text, columns, INDENT);
  return `${head}\n${wrap(colors.dim(about), columns)}\n${shown}\n\n`;
}

/** Returns the first lines after the heading. */
function preview(content: string): string {
  const lines = content.split("\n").filter((line) => line.trim() !== "");
  const shown = lines.slice(0, PREVIEW_LINES).map((line) => shortened(line, MAX_LINE));
  const hidden = lines.length - shown.length;
  return [...shown, ...(hidden > 0 ? [`… ${counted(hidden, "more line")}; --full shows them`] : [])].join("\n");
}
