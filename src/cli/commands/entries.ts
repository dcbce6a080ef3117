/** `transcripts entries` */
import type { CommandContext, CommandOptions, ExitCode } from "../command.ts";
import { entryRows } from "../entry-rows.ts";
import { text } from "../option-values.ts";
import { printLine } from "../output.ts";
import { redactedRow, redactorFor } from "../redaction.ts";
import { inputOf, readOptions, sessionNamed } from "../session-input.ts";

export async function run(
  context: CommandContext,
  args: readonly string[],
  options: CommandOptions,
): Promise<ExitCode> {
  const [argument = ""] = args;
  const ref = await sessionNamed(context, argument);
  const outcome = text(options, "outcome");
  const redactor = redactorFor(options);
  let found = 0;
  for await (const row of entryRows(inputOf(context, ref), readOptions(context, ref))) {
    if (outcome !== undefined && row.outcome !== outcome) continue;
    await printLine(context, await redactedRow(redactor, row));
    found += 1;
  }
  context.signal.throwIfAborted();
  return found > 0 ? 0 : 1;
}
