/** `transcripts errors` */
import { given } from "../../given.ts";
import { errorsIn, type ErrorRow } from "../../queries/session-errors.ts";
import { FOREIGN, type SessionRef } from "../../sessions/session-ref.ts";
import type { CommandContext, CommandOptions, RunCommand } from "../command.ts";
import { isReadFault } from "../../sessions/reasons.ts";
import type { Output } from "../output-schemas.ts";
import { redactedRows, redactorFor } from "../redaction.ts";
import { failureText } from "../../texts/failure-text.ts";
import { forPeople } from "../../texts/text-style.ts";
import { familyOf, noteDamage, refuseArchived, sessionNamed } from "../session-input.ts";
import { dayAndTime } from "../../quantities.ts";
import { neutralBlock } from "../../neutral-text.ts";

export const run: RunCommand = async (context, args, options) => {
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
};

async function sessionsOf(context: CommandContext, argument: string, options: CommandOptions): Promise<SessionRef[]> {
  const ref = await sessionNamed(context, argument, options);
  return options.flag("subagents") ? familyOf(context, ref) : [ref];
}

async function errorsOf(context: CommandContext, ref: SessionRef, options: CommandOptions): Promise<ErrorRow[]> {
  if (!options.isRedacted) refuseArchived(ref);
  const [fixes, subagents] = [options.flag("fixes"), options.flag("subagents")];
  const { rows, read } = await errorsIn(ref, { fixes, subagents, signal: context.signal, stdin: context.stdin });
  if (read) noteDamage(context, ref, read);
  return rows;
}

async function print(context: CommandContext, row: ErrorRow, options: CommandOptions): Promise<void> {
  const isLocated = options.flag("locate");
  if (options.flag("json")) await context.printLine(isLocated ? row : withoutPlace(row));
  else if (options.flag("fixes")) {
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
  diff,
  words,
  attempts,
  reason,
}: ErrorRow): Output<"errors"> {
  return { tool_name, tool_use_id, error, ...given({ fix, diff, words, attempts, reason }) };
}

function placeOf({ session_id: id, host, is_foreign: isForeign }: ErrorRow): string[] {
  return [id, ...(isForeign ? [FOREIGN] : []), ...(host === undefined ? [] : [host])];
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
