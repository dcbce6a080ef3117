/** The store, for a command about snippets, and its errors in the words of the command line. */
import type { SnippetSetting } from "../snippets/setting.ts";
import { SnippetError } from "../snippets/snippet-error.ts";
import { openStore } from "../store/open-store.ts";
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
  const store = await openStore(context);
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
