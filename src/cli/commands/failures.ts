/** `transcripts failures` */
import { given } from "../../given.ts";
import { neutralBlock, neutralLine, shortened } from "../../neutral-text.ts";
import { counted } from "../../quantities.ts";
import { failureGroups, type FailureRow } from "../../queries/failure-groups.ts";
import type { CurrentIndex } from "../../queries/current-index.ts";
import { projectName } from "../../render/text/passage-text.ts";
import { between, createQuestion, jsonLines, positiveInteger, runnable, type Versioned } from "../command.ts";
import type { CommandContext } from "../context.ts";
import { askedOfStore, missingNote } from "../find-index.ts";
import { redactedRows, redactorFor } from "../redaction.ts";

const definition = createQuestion(
  "failures",
  {
    description:
      "Failed calls of all sessions with the same message, apart from paths, numbers, times and ids, are one error. " +
      "`errors` shows the calls one by one, and `fixes` what fixed one error.",
    examples: {
      "transcripts failures --since 30d": "Shows what failed most often in the last month.",
      "transcripts failures --project . --fixes": "Shows it for this project, with what fixed each.",
    },
    nothing: "no call failed",
  },
  "calls",
)
  .option("--tool <name>", "Only calls of this tool.")
  .option("--fixes", "Adds what fixed each of them.")
  .option("--limit <n>", "Maximum number of errors.", positiveInteger, 20)
  .addOption(jsonLines("each error"));

export interface FailuresOutput extends Versioned, FailureRow {
  /** Command that shows the latest. */
  open: string;
}

const MAX_ERROR_CHARS = 300;

export const command = runnable(definition, async (context, _args, options) => {
  const { project, agent, tag: tags, tool, limit, fixes = false } = options;
  const filters = { ...between(context, options), ...given({ project, agent, tags, tool }) };
  const query = { ...filters, limit: limit ?? 20, fixes, signal: context.signal };
  const ask = (index: CurrentIndex): Promise<FailureRow[]> => failureGroups(index, context, query);
  return askedOfStore(context, {}, ask, async (index, found) => {
    const made = found.map((row): FailuresOutput => ({ version: 1, ...row, open: openCommand(row) }));
    const rows = await redactedRows(redactorFor(), made);
    for (const row of rows) {
      if (options.json) await context.printLine(row);
      else await context.out(textOf(context, row));
    }
    context.note(`${rows.length === 0 ? "no call failed" : counted(rows.length, "error")}${missingNote(index)}`);
    return rows.length > 0 ? 0 : 1;
  });
});

function openCommand({ session_id: id, host, line_number: line }: FailureRow): string {
  return `transcripts show ${id}${host === null ? "" : " --team"} --line ${line}`;
}

function textOf({ colors }: CommandContext, row: FailuresOutput): string {
  const { error, tool_name, count, session_count: sessions, latest, projects, fixes, open } = row;
  const where = projects.length === 0 ? "" : `, in ${projects.map((each) => projectName(each)).join(", ")}`;
  const when = latest === null ? "" : `, last ${latest.slice(0, 10)}`;
  const fixed = fixes === undefined ? "" : `\n  ${fixes.length === 0 ? "never fixed" : `fixed: ${openFix(fixes[0])}`}`;
  const head = `${counted(count, "time")} in ${counted(sessions, "session")}${where}${when}`;
  const lines = neutralBlock(shortened(error.trim(), MAX_ERROR_CHARS)).split("\n").join("\n  ");
  return `${colors.bold(neutralLine(tool_name ?? "?"))}: ${neutralLine(head)}\n  ${lines}${fixed}\n  ${colors.dim(neutralLine(open))}\n\n`;
}

function openFix(fix: { session_id: string; host: string | null; line_number: number | null } | undefined): string {
  if (fix === undefined) return "";
  const { session_id: id, host, line_number: line } = fix;
  return `transcripts show ${id}${host === null ? "" : " --team"}${line === null ? "" : ` --line ${line}`}`;
}
