/** `transcripts fixes` */
import type { CurrentIndex } from "../../queries/current-index.ts";
import { frequentFixes, pastFixes, type PastError, type PastFix } from "../../queries/past-fixes.ts";
import { counted } from "../../quantities.ts";
import {
  agent,
  createCommand,
  positiveInteger,
  jsonLines,
  project,
  runnable,
  tag,
  team,
  type Versioned,
} from "../command.ts";
import { inputText } from "../context.ts";
import { askedOfStore, missingNote } from "../store-questions.ts";
import { notePage } from "../page-note.ts";
import { showCommand, storedArgument } from "../session-names.ts";
import { pastErrorText } from "../../render/text/failure-text.ts";
import { forPeople } from "../../render/text/text-style.ts";

const definition = createCommand("fixes", {
  description:
    "Looks in all sessions for failed calls with this message; paths, numbers, times and ids may differ. " +
    "Errors of this project come first. A fix is what the agent did before the same call passed: edits and commands, with their diff and the command that opens them. " +
    "Without a message, the most frequent errors of all sessions are shown. New sessions are added to the store first, up to 50 MB.",
  examples: {
    "transcripts fixes": "Shows what fails most often, and what fixed it.",
    'transcripts fixes "Cannot find module"': "Shows what helped before.",
    "transcripts fixes - < error.log": "Takes the message from a file.",
  },
  nothing: "no such error came up",
})
  .argument("[ERROR...]", "Message of the error, or - for standard input.")
  .addOption(project)
  .addOption(agent)
  .addOption(tag)
  .addOption(team)
  .option("--limit <n>", "Maximum number of errors.", positiveInteger, 5)
  .addOption(jsonLines("each error, with its fixes"));

const MAX_ERROR_BYTES = 100_000;

export const command = runnable(definition, async (context, [words], options) => {
  const isOfAll = words.length === 0;
  const given = words.join(" ");
  const error = given === "-" ? await inputText(context.stdin, MAX_ERROR_BYTES) : given;
  const { project, agent, tag: tags, limit } = options;
  const query = { project, agent, tags, signal: context.signal };
  const ask = async (index: CurrentIndex) => ({
    found: await (isOfAll
      ? frequentFixes(index, context, { ...query, limit })
      : pastFixes(index, context, { ...query, error })),
    damaged: (await index.store.contentOf({})).damaged,
  });
  return askedOfStore(context, {}, ask, async (index, { found, damaged }) => {
    const wanted = found.slice(0, limit);
    // The store has redacted rows.
    const rows = wanted.map(rowOf);
    for (const row of rows) {
      if (options.json) await context.printLine(row);
      else await context.out(`${pastErrorText(row, forPeople(context))}\n\n`);
    }
    context.note(`${scopeLine(found, { isOfAll, shown: wanted.length, damaged })}${missingNote(index)}`);
    if (rows.length > 0 && isOfAll && !options.team) await notePage(context, ({ FAILURES }) => FAILURES);
    return rows.length > 0 ? 0 : 1;
  });
});

export interface FixesOutput extends Versioned, Omit<PastError, "fixes"> {
  fixes: (PastFix & {
    /** Command that shows it. */
    open: string;
  })[];
}

function rowOf(error: PastError): FixesOutput {
  return {
    version: 1,
    ...error,
    fixes: error.fixes.map((fix) => ({ ...fix, open: showCommand(storedArgument(fix), fix.error_line) })),
  };
}

/** `damaged`: damaged places in the sessions of the store, where an error may be missing. */
function scopeLine(
  found: readonly PastError[],
  { isOfAll, shown, damaged }: { isOfAll: boolean; shown: number; damaged: number },
): string {
  const fixed = found.filter(({ fixes }) => fixes.length > 0).length;
  const none = isOfAll ? "no call failed" : "no such error came up before; try the line that says what failed";
  const what =
    found.length === 0 ? none : `${counted(found.length, isOfAll ? "error" : "such error")}, ${fixed} with a fix`;
  const more = shown < found.length ? `; the first ${shown} are shown` : "";
  const lost = damaged === 0 ? "" : `; ${counted(damaged, "damaged place")}`;
  return `${what}${more}${lost}`;
}
