/** `transcripts entries` */
import { entriesIn } from "../../queries/session-entries.ts";
import type { RunCommand } from "../command.ts";
import { redactedRow, redactorFor } from "../redaction.ts";
import type { Output } from "../output-schemas.ts";
import { sessionNamed } from "../session-input.ts";

export const run: RunCommand = async (context, [argument = ""], options) => {
  const ref = await sessionNamed(context, argument, options);
  if (ref.archived !== null)
    context.note("only lines with a part of the conversation were kept, without problems and raw values");
  const outcome = options.text("outcome");
  const redactor = redactorFor(options);
  let found = 0;
  for await (const row of entriesIn(ref, context)) {
    if (outcome !== undefined && row.outcome !== outcome) continue;
    await context.printLine({ version: 1, ...(await redactedRow(redactor, row)) } satisfies Output<"entries">);
    found += 1;
  }
  context.signal.throwIfAborted();
  return found > 0 ? 0 : 1;
};
