/** `transcripts failures` */
import { given } from "../../given.ts";
import { neutralLine } from "../../neutral-text.ts";
import { counted } from "../../quantities.ts";
import { failureGroups, type FailureRow } from "../../queries/failure-groups.ts";
import type { CurrentIndex } from "../../queries/current-index.ts";
import { pastErrorText } from "../../render/text/failure-text.ts";
import { forPeople } from "../../render/text/text-style.ts";
import { between, createQuestion, jsonLines, positiveInteger, runnable, type Versioned } from "../command.ts";
import type { CommandContext } from "../context.ts";
import { askedOfStore, missingNote } from "../find-index.ts";
import { redactedRows, redactorFor } from "../redaction.ts";
import { showCommand } from "../session-names.ts";

const definition = createQuestion(
  "failures",
  {
    description:
      "Failed calls with the same message are one error; paths, numbers, times and ids may differ. " +
      "`errors` shows the calls one by one, and `fixes` what fixed one error.",
    examples: {
      "transcripts failures --since 30d": "Shows what failed most often in the last month.",
      "transcripts failures --project . --fixes": "Shows the same of this project, with what fixed each error.",
    },
    nothing: "no call failed",
  },
  "calls",
)
  .option("--tool <name>", "Only calls of this tool.")
  .option("--fixes", "Adds what fixed each error.")
  .option("--limit <n>", "Maximum number of errors.", positiveInteger, 20)
  .addOption(jsonLines("each error"));

export interface FailuresOutput extends Versioned, FailureRow {
  /** Command that shows the latest. */
  open: string;
}

export const command = runnable(definition, async (context, _args, options) => {
  const { project, agent, tag: tags, tool, limit, fixes = false } = options;
  const filters = { ...between(context, options), ...given({ project, agent, tags, tool }) };
  const query = { ...filters, limit: limit ?? 20, fixes, signal: context.signal };
  const ask = (index: CurrentIndex): Promise<FailureRow[]> => failureGroups(index, context, query);
  return askedOfStore(context, {}, ask, async (index, found) => {
    const made = found.map((row): FailuresOutput => ({ version: 1, ...row, open: showCommand(row, row.line_number) }));
    const rows = await redactedRows(redactorFor(), made);
    for (const row of rows) {
      if (options.json) await context.printLine(row);
      else await context.out(textOf(context, row));
    }
    context.note(`${rows.length === 0 ? "no call failed" : counted(rows.length, "error")}${missingNote(index)}`);
    return rows.length > 0 ? 0 : 1;
  });
});

/** Lines of an error that are shown, as there may be many errors. */
const MAX_LINES = 8;

function textOf(context: CommandContext, { open, fixes, ...row }: FailuresOutput): string {
  const style = { ...forPeople(context), maxLines: MAX_LINES };
  const shown = fixes?.slice(0, 1).map((fix) => ({ ...fix, open: showCommand(fix, fix.error_line) }));
  const text = pastErrorText({ ...row, fixes: shown }, style);
  // A fix has the command that shows it.
  const opened = shown?.length ? "" : `\n${style.indent}${style.colors.dim(neutralLine(open))}`;
  return `${text}${opened}\n\n`;
}
