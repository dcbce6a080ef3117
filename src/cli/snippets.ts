/** Opens the store for snippet commands, translates its errors for the command line, and formats snippets. */
import type { SnippetSetting } from "../snippets/setting.ts";
import { openStore, openStoreToRead, storePlace } from "../store/open-store.ts";
import type { Store } from "../store/store.ts";
import type { CommandContext } from "./command.ts";
import { isFieldError, isStoreError, TranscriptsError } from "../transcripts-error.ts";
import { counted, dayAndTime } from "../quantities.ts";
import type { StoredSnippet } from "../store/stored-model.ts";
import type { SnippetSuggestion } from "../snippets/suggest.ts";
import { neutralBlock, neutralLine, shortened } from "../neutral-text.ts";
import { wrap } from "./terminal/width.ts";

/** Names of the fields on the command line. */
const NAMES: Readonly<Record<string, string>> = {
  session_id: "SESSION",
  snippet_type: "--type",
  title: "--title",
  content: "The content",
  event_id: "--event",
  source_line_start: "--lines",
  source_line_end: "--lines",
  source_turn_start: "--turns",
  source_turn_end: "--turns",
  tags: "--tag",
  keyword: "KEYWORD",
  start_date: "--since",
  end_date: "--until",
  limit: "--limit",
  offset: "--offset",
  project: "--project",
  retentionDays: "--older-than",
};

/** Runs the work with the store, which is opened and closed. An error about a field names its option. */
export async function withSnippets<T>(
  context: CommandContext,
  work: (setting: SnippetSetting) => Promise<T>,
  open: Promise<Store> = openStore(context),
): Promise<T> {
  const store = await open;
  try {
    return await work({ store, where: context, signal: context.signal });
  } catch (error) {
    throw isFieldError(error) ? forCommandLine(error) : error;
  } finally {
    await store.close();
  }
}

/**
 * Like `withSnippets`, for work that only reads: this user may lack write permission. `none`: the result if the store does
 * not exist and cannot be created.
 */
export async function readingSnippets<T>(
  context: CommandContext,
  none: T,
  work: (setting: SnippetSetting) => Promise<T>,
): Promise<T> {
  try {
    return await withSnippets(context, work, openStoreToRead(context));
  } catch (error) {
    if (isStoreError(error) && !storePlace(context).exists) return none;
    throw error;
  }
}

/** Returns the same error with the option's name for the field. */
export function forCommandLine(error: TranscriptsError): TranscriptsError {
  const { code, field = "", message } = error;
  const [first = ""] = field.split(".");
  const name = NAMES[first] ?? field;
  const said = Object.entries(NAMES).reduce(
    (text, [inner, option]) => text.replaceAll(new RegExp(`\\b${inner}\\b`, "g"), option),
    message.startsWith(`${field}: `) ? message.slice(field.length + 2) : message,
  );
  return new TranscriptsError(code, `${name}: ${said}`, "", { cause: error });
}

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
