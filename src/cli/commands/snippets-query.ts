/** `transcripts snippets query` */
import { given } from "../../given.ts";
import { counted } from "../../quantities.ts";
import type { QuerySnippetsInput } from "../../snippets/snippet-input.ts";
import { querySnippets, type QuerySnippetsOutput } from "../../snippets/snippet-store.ts";
import { SNIPPET_TYPES } from "../../store/stored-model.ts";
import { type CommandOptions, date, flag, integer, type RunCommand, text, texts } from "../command.ts";
import type { SnippetsFound } from "../schemas/snippet-schemas.ts";
import { readingSnippets, snippetText } from "../snippets.ts";

const NONE: QuerySnippetsOutput = { success: true, snippets: [], total_count: 0, has_more: false };

export const run: RunCommand = async (context, args, options) => {
  const output = await readingSnippets(context, NONE, (setting) => querySnippets(setting, filters(args, options)));
  const { snippets, total_count, has_more } = output;
  if (flag(options, "json")) await context.printObject({ version: 1, ...output } satisfies SnippetsFound);
  else for (const snippet of snippets) await context.out(snippetText(context, snippet, flag(options, "full")));
  const more = has_more ? `; --offset ${(integer(options, "offset") ?? 0) + snippets.length} shows more` : "";
  context.note(`${snippets.length} of ${counted(total_count, "snippet")}${more}`);
  return snippets.length > 0 ? 0 : 1;
};

function filters([keyword]: readonly string[], options: CommandOptions): QuerySnippetsInput {
  const type = text(options, "type");
  const tags = texts(options, "tag");
  return given({
    keyword,
    session_id: text(options, "session"),
    snippet_type: SNIPPET_TYPES.find((each) => each === type),
    project: text(options, "project"),
    start_date: date(options, "since")?.toISOString(),
    end_date: date(options, "until")?.toISOString(),
    limit: integer(options, "limit"),
    offset: integer(options, "offset"),
    tags: tags.length === 0 ? undefined : tags,
  });
}
