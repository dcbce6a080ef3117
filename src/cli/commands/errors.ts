/** `transcripts errors` */
import { given } from "../../given.ts";
import { errorsIn, type ErrorRow } from "../../queries/session-errors.ts";
import type { SessionRef } from "../../sessions/session-ref.ts";
import { createCommand, jsonLines, noRedact, runnable, SESSION, type OptionsOf } from "../command.ts";
import type { CommandContext } from "../context.ts";
import { isReadFault } from "../../sessions/reasons.ts";
import { redactedRows, redactorFor } from "../redaction.ts";
import { failureText } from "../../texts/failure-text.ts";
import { forPeople } from "../../texts/text-style.ts";
import { familyOf, noteDamage, refuseArchived, sessionNamed } from "../session-input.ts";
import { dayAndTime } from "../../quantities.ts";
import { neutralBlock } from "../../neutral-text.ts";

const definition = createCommand("errors", {
  summary: "Prints the tool calls that failed: tool, call id and message, separated by tabs.",
  description:
    "Backslashes, tabs and line breaks in a message are escaped as \\\\, \\t, \\n and \\r, so that each call is one line. A call failed if its agent reports it, or " +
    "if its command ended with a non-zero exit code, whatever the agent reports. Exit code 1 of a search or comparison (grep, rg, find, diff, test) " +
    "is not a failure, and neither is a call that the user rejected or interrupted. --fixes shows what fixed them: the edits and commands between the failure and the call that passed, with their diff.",
  examples: {
    "transcripts errors latest": "Shows what failed in the newest session.",
    "transcripts errors latest --json | jq -r .tool_name | sort | uniq -c": "Counts the failures of each tool.",
    "transcripts errors latest --fixes": "Shows what failed and what fixed it.",
  },
  nothing: "no call failed",
})
  .argument("<SESSION...>", SESSION)
  .option("--locate", "Adds the session, line and time of each call.")
  .option("--fixes", "Adds what fixed them, and the call that passed then.")
  .option("--subagents", "Includes failed calls of subagents.")
  .addOption(noRedact)
  .addOption(jsonLines('each error: {"tool_name","tool_use_id","error"}'));
type Options = OptionsOf<typeof definition>;

/** The first three keys, in this order, are an older contract, without a version. Options add the others. */
export type ErrorsOutput = Pick<ErrorRow, "tool_name" | "tool_use_id" | "error"> & Partial<ErrorRow>;

export const command = runnable(definition, async (context, [args], options) => {
  const redactor = redactorFor(options);
  let found = 0;
  let failed = false;
  for (const argument of args) {
    try {
      for (const ref of await sessionsOf(context, argument, options)) {
        const rows = await redactedRows(redactor, await errorsOf(context, ref, options));
        for (const row of rows) await print(context, row, options);
        found += rows.length;
      }
    } catch (error) {
      // Continues with the others, like `grep`.
      if (args.length === 1 || !isReadFault(error)) throw error;
      context.note(`transcripts: ${error.message}`);
      failed = true;
    }
  }
  if (failed) return 2;
  if (found === 0) context.note("no failed tool calls");
  return found > 0 ? 0 : 1;
});

async function sessionsOf(context: CommandContext, argument: string, options: Options): Promise<SessionRef[]> {
  const ref = await sessionNamed(context, argument, options);
  return options.subagents ? familyOf(context, ref) : [ref];
}

async function errorsOf(context: CommandContext, ref: SessionRef, options: Options): Promise<ErrorRow[]> {
  if (!options.redact) refuseArchived(ref);
  const { fixes = false, subagents = false } = options;
  const { rows, read } = await errorsIn(ref, { fixes, subagents, signal: context.signal, stdin: context.stdin });
  if (read) noteDamage(context, ref, read);
  return rows;
}

async function print(context: CommandContext, row: ErrorRow, options: Options): Promise<void> {
  const isLocated = options.locate ?? false;
  if (options.json) await context.printLine(isLocated ? row : withoutPlace(row));
  else if (options.fixes) {
    const facts = [row.tool_use_id ?? "", ...(isLocated ? placeOf(row) : []), dayAndTime(row.timestamp)];
    const given = facts.filter((fact) => fact !== "");
    await context.out(`${failureText(row, given, forPeople(context))}\n\n`);
  } else await context.out(tabbed(context, row, isLocated));
}

function withoutPlace({
  tool_name,
  tool_use_id,
  error,
  fix,
  steps,
  diff,
  words,
  attempts,
  reason,
}: ErrorRow): ErrorsOutput {
  return { tool_name, tool_use_id, error, ...given({ fix, steps, diff, words, attempts, reason }) };
}

function placeOf({ session_id: id, host }: ErrorRow): string[] {
  return [id, ...(host === undefined ? [] : [host])];
}

/** Formats a row as cells with tabs between them. */
function tabbed({ isTerminal, colors }: CommandContext, row: ErrorRow, isLocated: boolean): string {
  const cells = [row.tool_name ?? "", row.tool_use_id ?? "", row.error];
  if (isLocated) {
    const [id = "", ...marks] = placeOf(row);
    cells.push(id, String(row.line_number), isTerminal ? dayAndTime(row.timestamp) : (row.timestamp ?? ""), ...marks);
  }
  const [tool = "", ...rest] = cells.map((text) => neutralBlock(escaped(text)));
  return `${[colors.yellow(tool), ...rest].join("\t")}\n`;
}

/** Escapes like jq's `@tsv`. */
function escaped(text: string): string {
  return text.replaceAll("\\", "\\\\").replaceAll("\t", "\\t").replaceAll("\n", "\\n").replaceAll("\r", "\\r");
}
