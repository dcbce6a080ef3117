/** `transcripts entries` */
import { entriesIn, type EntryRow } from "../../queries/session-entries.ts";
import { createCommand, noRedact, runnable, SESSION, team, type Versioned } from "../command.ts";
import { redactedRow, redactorFor } from "../redaction.ts";
import { sessionNamed } from "../session-input.ts";

const definition = createCommand("entries", {
  description:
    "Each line has an outcome: used, skipped (not part of the conversation), unknown, blank, or failed, with " +
    "the reason. A call has the line number of its result, and a result that of its call. The text of messages is left out. " +
    "If the session's file is gone, there is a line for each block of the conversation.",
  examples: {
    "transcripts entries latest | jq -c 'select(.problems != [])'": "Prints the damaged lines, with what is wrong.",
    "transcripts entries latest | jq -r .type | sort | uniq -c": "Counts the lines of each type.",
  },
  nothing: "the session has no line",
})
  .argument("<SESSION>", SESSION)
  .addOption(team)
  .addOption(noRedact)
  .option("--json", "Accepted and ignored: the output is always JSON.");

export type EntriesOutput = Versioned & EntryRow;

export const command = runnable(definition, async (context, [argument], options) => {
  const ref = await sessionNamed(context, argument, options);
  if (ref.archived !== null)
    context.note("the session's file is gone: the store has only the blocks of its conversation");
  const redactor = redactorFor(options);
  let found = 0;
  for await (const row of entriesIn(ref, context)) {
    await context.printLine({ version: 1, ...(await redactedRow(redactor, row)) } satisfies EntriesOutput);
    found += 1;
  }
  context.signal.throwIfAborted();
  return found > 0 ? 0 : 1;
});
