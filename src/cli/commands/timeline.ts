/** `transcripts timeline` */
import { type Conversation, timelineOf, type TurnRow } from "../../queries/read-session.ts";
import { createCommand, jsonLines, runnable, SESSION, team, type Versioned } from "../command.ts";
import type { CommandContext } from "../context.ts";
import { redactorFor, shownRef } from "../redaction.ts";
import { conversationOf, sessionNamed } from "../session-input.ts";
import { dayAndTime } from "../../quantities.ts";
import type { SessionRef } from "../../places/session-ref.ts";
import { headingText } from "../print-conversation.ts";
import { durationCell, signsNote, TOKEN_COLUMNS } from "../stats-text.ts";
import { neutralLine } from "../../neutral-text.ts";
import { type Column, table } from "../terminal/table.ts";
import { cut } from "../terminal/width.ts";

const definition = createCommand("timeline", {
  description:
    "Messages and tokens are those of the session without its subagents, as in `show`; `stats` includes subagents.",
  examples: {
    "transcripts timeline latest": "Shows the course of the newest session.",
    "transcripts timeline latest --json | jq 'select(.tool_errors > 0)'": "Prints the turns in which a tool failed.",
  },
  nothing: "the session has no turn",
})
  .argument("<SESSION>", SESSION)
  .addOption(team)
  .addOption(jsonLines("each turn"));

export interface TimelineOutput extends Versioned, TurnRow {
  session_id: string;
}

/** Maximum width of the list of tools; on a terminal a quarter of its width. */
const MAX_TOOLS_COLUMNS = 32;
/** Maximum length of a prompt where lines are not limited. */
const MAX_PROMPT_COLUMNS = 200;

export const command = runnable(definition, async (context, [argument], options) => {
  const ref = await sessionNamed(context, argument);
  const redactor = redactorFor();
  const conversation = await conversationOf(context, ref, { redactor, costs: options.json ?? false });
  const rows = timelineOf(conversation);
  if (options.json) {
    for (const row of rows) {
      await context.printLine({ version: 1, session_id: conversation.id, ...row } satisfies TimelineOutput);
    }
  } else if (rows.length > 0) {
    await context.out(timelineText(context, await shownRef(redactor, ref), conversation, rows));
    const signs = signsNote(rows.map((row) => ({ ...row, unpriced_models: [], cost_is_estimate: false })));
    if (signs !== "") context.note(signs);
  }
  return rows.length > 0 ? 0 : 1;
});

function timelineText(
  context: CommandContext,
  ref: SessionRef,
  conversation: Conversation,
  rows: readonly TurnRow[],
): string {
  const { colors, columns } = context;
  const toolsWidth = Math.min(MAX_TOOLS_COLUMNS, columns / 4);
  const promptOf = ({ prompt, ended_with: ending }: TurnRow): string =>
    neutralLine(`${ending === null ? "" : `(! ${ending}) `}${prompt ?? "(before the first prompt)"}`);
  const shape: Column<TurnRow>[] = [
    { head: "TURN", cell: (row) => String(row.turn), align: "right" },
    { head: "TIME", cell: (row) => dayAndTime(row.timestamp), paint: colors.dim },
    { head: "TOOK", cell: (row) => durationCell(row.duration_ms), align: "right", drop: 1 },
    ...TOKEN_COLUMNS,
    { head: "TOOLS", cell: (row) => cut(toolsCell(row), toolsWidth), drop: 2, paint: colors.blue },
    { head: "PROMPT", cell: (row) => cut(promptOf(row), MAX_PROMPT_COLUMNS), flexible: true },
  ];
  return headingText(context, ref, conversation) + table(shape, rows, columns);
}

function toolsCell({ tools, tool_errors: errors }: TurnRow): string {
  const named = Object.entries(tools).toSorted(([, a], [, b]) => b - a);
  const failed = errors === 0 ? "" : `${errors} failed: `;
  return neutralLine(failed + named.map(([name, count]) => (count === 1 ? name : `${name} ${count}`)).join(", "));
}
