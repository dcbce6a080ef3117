/** Opens the store for snippet commands, and translates its errors for the command line. */
import type { SnippetSetting } from "../snippets/session-lookup.ts";
import { openStore, openStoreToRead, storePlace } from "../store/open-store.ts";
import type { Store } from "../store/store.ts";
import type { CommandContext } from "./context.ts";
import { isFieldError, isStoreError, TranscriptsError } from "../transcripts-error.ts";

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
  tag_name: "NAME",
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
