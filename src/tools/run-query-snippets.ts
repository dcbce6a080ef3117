/** Finds snippets for an agent. */
import { querySnippets } from "../snippets/snippet-store.ts";
import { execution } from "./execution.ts";
import { DATA_NOTICE } from "./session-heading.ts";
import { DEFAULT_SNIPPETS_CHARS, QUERY_SNIPPETS } from "./tool-definitions.ts";

export const execute = execution(QUERY_SNIPPETS, async ({ max_chars: maxChars, ...given }, context) => {
  const { where, signal } = context;
  const output = await querySnippets({ store: await context.openStore(), where, signal }, given);
  const room = maxChars ?? DEFAULT_SNIPPETS_CHARS;
  let chars = 0;
  const fitting = output.snippets.filter((snippet, at) => {
    chars += JSON.stringify(snippet).length;
    return at === 0 || chars <= room;
  });
  const has_more = output.has_more || fitting.length < output.snippets.length;
  return { text: JSON.stringify({ ...output, snippets: fitting, has_more, note: DATA_NOTICE }, null, 1) };
});
