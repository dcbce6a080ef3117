/** `transcripts errors` */
import { scanErrors } from "../../scan/errors.ts";
import { needsAgentProgress } from "../../sessions/agent-progress.ts";
import type { SessionRef } from "../../sessions/session-ref.ts";
import type { CommandContext, CommandOptions, ExitCode } from "../command.ts";
import { flag } from "../option-values.ts";
import { printLine } from "../output.ts";
import { isReadFault } from "../../sessions/read-fault.ts";
import type { ErrorRow } from "../schemas/errors.ts";
import { redactedRow, redactorFor } from "../redaction.ts";
import { familyOf, idOf, inputOf, readOptions, sessionNamed } from "../session-input.ts";
import { dayAndTime } from "../terminal/times.ts";
import { neutralBlock } from "../../neutral-text.ts";

export async function run(
  context: CommandContext,
  args: readonly string[],
  options: CommandOptions,
): Promise<ExitCode> {
  const redactor = redactorFor(options);
  let found = 0;
  let failed = false;
  for (const argument of args) {
    try {
      for (const ref of await sessionsOf(context, argument, options)) {
        for await (const row of errorsOf(context, ref, options)) {
          await print(context, await redactedRow(redactor, row), options);
          found += 1;
        }
      }
    } catch (error) {
      // The others are read all the same, as `grep` does.
      if (args.length === 1 || !isReadFault(error)) throw error;
      context.note(`transcripts: ${error.message}`);
      failed = true;
    }
  }
  if (failed) return 2;
  return found > 0 ? 0 : 1;
}

async function sessionsOf(context: CommandContext, argument: string, options: CommandOptions): Promise<SessionRef[]> {
  const ref = await sessionNamed(context, argument);
  return flag(options, "subagents") ? familyOf(context, ref) : [ref];
}

async function* errorsOf(context: CommandContext, ref: SessionRef, options: CommandOptions): AsyncGenerator<ErrorRow> {
  const subagents = flag(options, "subagents");
  if (flag(options, "fixes")) {
    const { errorsWithFixes } = await import("../error-fixes.ts");
    yield* errorsWithFixes(context, ref, { locate: flag(options, "locate"), subagents });
    return;
  }
  const agentProgress = subagents && (await needsAgentProgress(ref));
  for await (const error of scanErrors(inputOf(context, ref), { ...readOptions(context, ref), agentProgress })) {
    const { tool_name, tool_use_id, line_number, call_line_number, timestamp } = error;
    yield {
      tool_name,
      tool_use_id,
      error: error.error,
      ...(flag(options, "locate")
        ? { session_id: idOf(ref), path: ref.path, line_number, call_line_number, timestamp }
        : {}),
    };
  }
}

async function print(context: CommandContext, row: ErrorRow, options: CommandOptions): Promise<void> {
  if (flag(options, "json")) await printLine(context, row);
  else if (flag(options, "fixes")) {
    const { fixText } = await import("../fix-text.ts");
    await context.out(fixText(context, row));
  } else await context.out(tabbed(context, row));
}

/** One row. */
function tabbed({ isTerminal, colors }: CommandContext, row: ErrorRow): string {
  const shown = (text: string): string => neutralBlock(escaped(text));
  const cells = [colors.yellow(shown(row.tool_name ?? "")), shown(row.tool_use_id ?? ""), shown(row.error)];
  if (row.session_id !== undefined) {
    cells.push(
      shown(row.session_id),
      String(row.line_number ?? ""),
      isTerminal ? dayAndTime(row.timestamp ?? null) : (row.timestamp ?? ""),
    );
  }
  return `${cells.join("\t")}\n`;
}

/** As `@tsv` of jq has it. */
function escaped(text: string): string {
  return text.replaceAll("\\", "\\\\").replaceAll("\t", "\\t").replaceAll("\n", "\\n").replaceAll("\r", "\\r");
}
