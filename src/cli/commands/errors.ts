/** `transcripts errors` */
import { errorsIn, type ErrorRow as FoundError } from "../../queries/session-errors.ts";
import { FOREIGN, type SessionRef } from "../../sessions/session-ref.ts";
import type { CommandContext, CommandOptions, RunCommand } from "../command.ts";
import { isReadFault } from "../../sessions/reasons.ts";
import type { Output } from "../output-schemas.ts";
import { redactedRows, redactorFor } from "../redaction.ts";
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

async function errorsOf(
  context: CommandContext,
  ref: SessionRef,
  options: CommandOptions,
): Promise<Output<"errors">[]> {
  if (!options.isRedacted) refuseArchived(ref);
  const [fixes, subagents] = [options.flag("fixes"), options.flag("subagents")];
  const { rows, read } = await errorsIn(ref, { fixes, subagents, signal: context.signal, stdin: context.stdin });
  if (read) noteDamage(context, ref, read);
  return options.flag("locate") ? rows : rows.map(withoutPlace);
}

function withoutPlace(row: FoundError): Output<"errors"> {
  const {
    session_id: _id,
    path: _path,
    host: _host,
    line_number: _line,
    call_line_number: _call,
    timestamp: _time,
    is_foreign: _foreign,
    ...rest
  } = row;
  return rest;
}

async function print(context: CommandContext, row: Output<"errors">, options: CommandOptions): Promise<void> {
  if (options.flag("json")) await context.printLine(row);
  else if (options.flag("fixes")) {
    const { fixText } = await import("../fix-text.ts");
    await context.out(fixText(context, row));
  } else await context.out(tabbed(context, row));
}

/** Prints one row. */
function tabbed({ isTerminal, colors }: CommandContext, row: Output<"errors">): string {
  const shown = (text: string): string => neutralBlock(escaped(text));
  const cells = [colors.yellow(shown(row.tool_name ?? "")), shown(row.tool_use_id ?? ""), shown(row.error)];
  if (row.session_id !== undefined) {
    cells.push(
      shown(row.session_id),
      String(row.line_number ?? ""),
      isTerminal ? dayAndTime(row.timestamp ?? null) : (row.timestamp ?? ""),
      ...(row.is_foreign === true ? [FOREIGN] : []),
      ...(row.host === undefined ? [] : [shown(row.host)]),
    );
  }
  return `${cells.join("\t")}\n`;
}

/** Escapes like jq's `@tsv`. */
function escaped(text: string): string {
  return text.replaceAll("\\", "\\\\").replaceAll("\t", "\\t").replaceAll("\n", "\\n").replaceAll("\r", "\\r");
}
