/** The store, for a command about snippets, and its errors in the words of the command line. */
import type { SnippetSetting } from "../snippets/setting.ts";
import { SnippetError } from "../snippets/snippet-error.ts";
import { openStore, storePlace } from "../store/open-store.ts";
import { StoreError } from "../store/store-error.ts";
import type { Store } from "../store/store.ts";
import { CliError, type CommandContext } from "./command.ts";

/** What the fields are called here. */
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

/** Opens the store, does the work, and closes it. A `SnippetError` becomes a `CliError` that names the option. */
export async function withSnippets<T>(
  context: CommandContext,
  work: (setting: SnippetSetting) => Promise<T>,
): Promise<T> {
  return withStore(await openStore(context), context, work);
}

/**
 * The same for work that only reads: the store may be one that this user cannot write. `none` is what there is in a
 * store that is not there and cannot be made.
 */
export async function readingSnippets<T>(
  context: CommandContext,
  none: T,
  work: (setting: SnippetSetting) => Promise<T>,
): Promise<T> {
  let store: Store;
  try {
    store = await openedToRead(context);
  } catch (error) {
    if (error instanceof StoreError && !storePlace(context).exists) return none;
    throw error;
  }
  return withStore(store, context, work);
}

/** One that is not there is made, and one of an older version brought up to date. */
async function openedToRead(context: CommandContext): Promise<Store> {
  try {
    return await openStore(context, { readOnly: true });
  } catch (error) {
    if (!(error instanceof StoreError) || error.code !== "unavailable") throw error;
  }
  return openStore(context);
}

async function withStore<T>(
  store: Store,
  context: CommandContext,
  work: (setting: SnippetSetting) => Promise<T>,
): Promise<T> {
  try {
    return await work({ store, where: context, signal: context.signal });
  } catch (error) {
    throw error instanceof SnippetError ? forCommandLine(error) : error;
  } finally {
    await store.close();
  }
}

/** The same error with the option for the field. */
export function forCommandLine(error: SnippetError): CliError {
  const { field, message } = error;
  const [first = ""] = field.split(".");
  const name = NAMES[first] ?? field;
  const said = Object.entries(NAMES).reduce(
    (text, [inner, option]) => text.replaceAll(new RegExp(`\\b${inner}\\b`, "g"), option),
    message.slice(field.length + 2),
  );
  return new CliError(`${name}: ${said}`, "", { cause: error });
}
