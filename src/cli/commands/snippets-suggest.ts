/** `transcripts snippets suggest` */
import { suggestForSession } from "../../snippets/suggest.ts";
import { storeSuggestions } from "../../snippets/auto-extract.ts";
import { flag, integer, type RunCommand } from "../command.ts";
import type { SnippetSuggested } from "../schemas/snippet-schemas.ts";
import { sessionNamed } from "../session-input.ts";
import { suggestionText, withSnippets } from "../snippets.ts";

export const run: RunCommand = async (context, [argument = ""], options) => {
  const ref = await sessionNamed(context, argument, options);
  const suggestions = await suggestForSession(ref, {
    limit: integer(options, "limit") ?? 8,
    signal: context.signal,
    stdin: context.stdin,
  });
  for (const suggestion of suggestions) {
    if (flag(options, "json")) await context.printLine({ version: 1, ...suggestion } satisfies SnippetSuggested);
    else await context.out(suggestionText(context, suggestion, flag(options, "full")));
  }
  if (!flag(options, "store")) {
    if (suggestions.length === 0) context.note("nothing to suggest");
    else if (!flag(options, "json")) context.note("--store stores them");
    return suggestions.length > 0 ? 0 : 1;
  }
  const { stored, known, failed } = await withSnippets(context, (setting) =>
    storeSuggestions(setting, ref, suggestions),
  );
  for (const { title, reason } of failed) context.note(`not stored: ${title}: ${reason}`);
  context.note(`stored ${stored.length}${known > 0 ? `, ${known} already stored` : ""}`);
  return failed.length > 0 ? 2 : suggestions.length > 0 ? 0 : 1;
};
