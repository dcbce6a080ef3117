/** `transcripts snippets count` */
import { SnippetStore } from "../../snippets/snippet-store.ts";
import type { SnippetType } from "../../store/stored-model.ts";
import { flag, type RunCommand } from "../command.ts";
import type { SnippetsCounted } from "../schemas/snippet-schemas.ts";
import { readingSnippets } from "../snippets.ts";

const NONE: Readonly<Record<SnippetType, number>> = { error_reasoning: 0, decision_rationale: 0, learning_pattern: 0 };

export const run: RunCommand = async (context, args, options) => {
  const counts = await readingSnippets(context, NONE, (setting) => new SnippetStore(setting).countByType(args[0]));
  const total = Object.values(counts).reduce((sum, count) => sum + count, 0);
  if (flag(options, "json")) await context.printObject({ version: 1, ...counts, total } satisfies SnippetsCounted);
  else for (const [type, count] of Object.entries(counts)) await context.out(`${String(count).padStart(6)}  ${type}\n`);
  return total > 0 ? 0 : 1;
};
