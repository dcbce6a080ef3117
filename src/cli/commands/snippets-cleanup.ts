/** `transcripts snippets cleanup` */
import { counted } from "../../quantities.ts";
import { retentionStart, SnippetStore } from "../../snippets/snippet-store.ts";
import { flag, integer, type RunCommand } from "../command.ts";
import type { SnippetsCleaned } from "../schemas/snippet-schemas.ts";
import { withSnippets } from "../snippets.ts";
import { TranscriptsError } from "../../transcripts-error.ts";

export const run: RunCommand = async (context, _args, options) => {
  const days = integer(options, "olderThan");
  if (days === undefined)
    throw new TranscriptsError(
      "bad_arguments",
      "--older-than is missing.",
      "Give the number of days to keep: --older-than 180.",
    );
  return withSnippets(context, async (setting) => {
    const end = new Date(retentionStart(days, context.now()).getTime() - 1);
    const { total_count: old } = await setting.store.querySnippets({ end, limit: 1, offset: 0 });
    const what = `${counted(old, "snippet")} made more than ${counted(days, "day")} ago`;
    const isSure = old === 0 || flag(options, "dryRun") || flag(options, "yes");
    if (!isSure && !(await context.confirmed(`${what} will be deleted.`))) {
      context.note("nothing was deleted");
      return 1;
    }
    const isDry = flag(options, "dryRun");
    const { deleted } = isDry
      ? { deleted: 0 }
      : await new SnippetStore(setting).cleanupOldSnippets(days, context.now());
    context.note(isDry ? `${what} would be deleted` : `deleted ${deleted}`);
    if (flag(options, "json"))
      await context.printObject({ version: 1, old, deleted, dry_run: isDry } satisfies SnippetsCleaned);
    return old > 0 ? 0 : 1;
  });
};
